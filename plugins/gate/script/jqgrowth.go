package script

import (
	"maps"
	"slices"
	"strings"
)

// growth follows how much longer a filter may make a text: between two pipes as
// many times as it takes its whole input, or one field of it, and what each stage
// makes is the input of the next.
type growth struct {
	total  int
	whole  int            // times that the stage took all of its input
	fields map[string]int // times that it took a field, by its name
	over   bool
}

// take notes that the stage takes a field of its input, or all of it ("").
func (g *growth) take(field string) {
	if field == "" {
		g.whole++
		return
	}
	if g.fields == nil {
		g.fields = map[string]int{}
	}
	g.fields[field]++
}

// next ends a stage.
func (g *growth) next() {
	most := 0
	for _, n := range g.fields {
		most = max(most, n)
	}
	g.multiply(g.whole + most)
	g.whole, g.fields = 0, nil
}

func (g *growth) multiply(n int) {
	if n > 1 {
		g.total *= min(n, maxGrowth+1)
	}
	if g.over = g.over || g.total > maxGrowth; g.over {
		g.total = maxGrowth
	}
}

func (g *growth) bounded() bool {
	g.next()
	return !g.over
}

// replacement is how many bytes sub and gsub, whose arguments come next, may put in
// place of one; 8 when that is no plain text.
func (j *jq) replacement() int {
	inner := jq{reader: reader{src: j.src, pos: min(j.pos+1, len(j.src))}}
	end := inner.statement()
	if end < 0 {
		return 8
	}
	text := strings.TrimLeft(j.src[end+1:], " \t\n")
	length := strings.IndexAny(strings.TrimPrefix(text, "\""), "\"\\")
	if text == "" || text[0] != '"' || length < 0 || text[1+length] != '"' {
		return 8
	}
	return max(1, length)
}

// jqWords mean something to jq itself.
var jqWords = strings.Fields("if then elif else end and or not as try catch reduce foreach def label import include env input_line_number __loc__ empty error")

// define reads a shorthand: def name: filter; it may use those before it, not
// itself, and takes nothing.
func (j *jq) define() bool {
	name := j.run(letters + digits)
	j.run(" \t\n")
	if _, twice := j.own[name]; name == "" || twice || !j.take(":") || slices.Contains(jqFunctions, name) || slices.Contains(jqWords, name) {
		return false // its own name means itself
	}
	end := j.statement()
	if end < 0 {
		return false
	}
	body := jq{reader: reader{src: j.src[j.pos:end]}, growth: &growth{total: 1}, own: j.own}
	if !body.expression(false) || !body.growth.bounded() {
		return false
	}
	own := map[string]int{name: body.growth.total}
	maps.Copy(own, j.own)
	j.own, j.pos, j.term = own, end+1, false
	return true
}

// statement is where the semicolon stands that ends what begins here, -1 if none does.
func (j *jq) statement() int {
	depth := 0
	for i := j.pos; i < len(j.src); i++ {
		switch j.src[i] {
		case '"': // texts have semicolons and brackets of their own
			inner := jq{reader: reader{src: j.src, pos: i}, growth: &growth{total: 1}}
			if !inner.text() {
				return -1
			}
			i = inner.pos - 1
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return -1
			}
		case ';':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

// reduce reads the head of reduce SOURCE as $name (START; STEP), whose source is a
// path, and checks the step.
func (j *jq) reduce() bool {
	from := j.pos
	as := strings.Index(j.src[from:], " as $")
	if as < 0 {
		return false
	}
	source := j.src[from : from+as]
	if source != "inputs" && (!strings.HasPrefix(source, ".") || strings.Trim(source, letters+digits+".[]?") != "" || strings.Contains(source, "env")) {
		return false
	}
	j.growth.take("")
	j.pos += as + len(" as $")
	if name := j.run(letters + digits); name == "" || name == "ENV" || strings.HasPrefix(name, "__") {
		return false
	}
	if j.run(" \t\n"); !j.take("(") {
		return false
	}
	end := j.statement()
	if end < 0 {
		return false
	}
	start := jq{reader: reader{src: j.src[j.pos:end]}, growth: j.growth, own: j.own}
	if !start.expression(false) {
		return false
	}
	j.pos = end + 1
	return j.step()
}

// step reads what reduce repeats up to the parenthesis that closes it: sums and
// fields, in which what was made so far stands once, or it would double each time.
func (j *jq) step() bool {
	own, depth, before := 0, 0, byte(0)
	for !j.done() {
		c := j.peek()
		j.pos++
		switch {
		case strings.IndexByte(" \t\n", c) >= 0:
			continue
		case c == '.':
			if strings.IndexByte(letters+digits+")]}$", before) < 0 || before == 0 {
				own++
			}
			if strings.IndexByte(letters, j.peek()) >= 0 && !j.done() {
				j.run(letters + digits)
			}
		case c == '$':
			if name := j.run(letters + digits); name == "" || name == "ENV" || strings.HasPrefix(name, "__") {
				return false
			}
		case c == '"':
			i := strings.IndexAny(j.src[j.pos:], "\"\\\n")
			if i < 0 || j.src[j.pos+i] != '"' {
				return false
			}
			j.pos += i + 1
		case strings.IndexByte(letters, c) >= 0:
			j.pos--
			switch j.run(letters + digits) {
			case "length", "tonumber", "null", "true", "false":
			default:
				return false
			}
		case strings.IndexByte(digits, c) >= 0:
			if len(j.run(digits))+1 > maxNumber {
				return false
			}
		case c == '(', c == '[', c == '{':
			depth++
		case c == ')', c == ']', c == '}':
			if depth == 0 {
				j.term = true
				return c == ')' && own <= 1
			}
			depth--
		case strings.IndexByte("+-/|=,:", c) < 0:
			return false
		}
		if before = c; strings.IndexByte(letters+digits, c) >= 0 || c == '$' {
			before = 'a'
		}
	}
	return false
}
