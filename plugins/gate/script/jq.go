package script

import (
	"slices"
	"strconv"
	"strings"
)

// JQ tells whether a jq filter only looks at its input: fields, indexes,
// operators, texts, the functions of jqFunctions, and shorthands of its own that
// take nothing. It has no env, no modules, nothing that may not end (range, while,
// until, repeat, recurse with a step), and nothing that makes a text a million
// times longer; what reduce repeats must not make it longer than what it adds.
func JQ(src string) bool {
	j := jq{reader: reader{src: src}, growth: &growth{total: 1}}
	return Mild(src) && j.expression(false) && j.growth.bounded()
}

var jqFunctions = strings.Fields(`abs add all any arrays ascii ascii_downcase ascii_upcase booleans bsearch capture ceil contains debug del
	delpaths empty endswith error explode fabs false finites first flatten floor from_entries fromdate fromdateiso8601 fromjson fromstream
	getpath gmtime group_by gsub has implode in index indices infinite input input_filename input_line_number inputs inside isempty
	isinfinite isnan isnormal isvalid iterables join keys keys_unsorted last leaf_paths length limit localtime log log10 log2 ltrim ltrimstr
	map map_values match max max_by min min_by mktime nan normals not now nth null nulls numbers objects path paths pick pow recurse reverse
	rindex round rtrim rtrimstr scalars scan select setpath significand skip sort sort_by split splits sqrt startswith strflocaltime
	strftime strings strptime sub test to_entries toarray todate todateiso8601 tojson tonumber tostream tostring transpose trim true
	truncate_stream type unique unique_by utf8bytelength values walk with_entries`)

type jq struct {
	reader
	// open are the brackets that are open, and i for an if. In {, a name that
	// begins a member is a key.
	open []byte
	key  bool

	term   bool // what was read last is a value, so that a dot behind it belongs to it
	number int  // what was read last, if it was a number and is all that stands before an operator
	op     byte // what was read before that
	times  bool // a * waits for the number behind it
	growth *growth
	own    map[string]int // how much longer a shorthand makes a text, by its name
}

func (j *jq) in(frame byte) bool { return len(j.open) > 0 && j.open[len(j.open)-1] == frame }

func (j *jq) push(frame byte) { j.open = append(j.open, frame) }

func (j *jq) pop(frame byte) bool {
	if !j.in(frame) {
		return false
	}
	j.open = j.open[:len(j.open)-1]
	return true
}

// expression reads to the end, or, inside a text, to the parenthesis that closes it.
func (j *jq) expression(inText bool) bool {
	for {
		j.run(" \t\n")
		if j.done() {
			return !inText && len(j.open) == 0 && !j.times
		}
		c := j.peek()
		key := j.key && j.in('{')
		j.key = false
		if closed, ok := j.token(c, key, inText); closed || !ok {
			return ok
		}
	}
}

// token reads one token; closed says that it ends the text's expression.
func (j *jq) token(c byte, key, inText bool) (closed, ok bool) {
	term, number, op := j.term, j.number, j.op
	j.term, j.number, j.op = true, 0, c
	if j.times && strings.IndexByte(digits, c) < 0 {
		return false, false
	}
	switch {
	case c == '"':
		return false, j.text()
	case strings.IndexByte(digits, c) >= 0:
		text := j.run(digits + ".")
		j.number = len(text) // or more than that, which is refused
		if n, err := strconv.Atoi(text); err == nil {
			j.number = max(n, 1)
		}
		if j.times {
			j.growth.multiply(j.number)
			j.times = false
		}
		if strings.IndexByte("*/%", op) >= 0 {
			j.number = 0
		}
		return false, len(text) <= maxNumber && (j.done() || strings.IndexByte(letters, j.peek()) < 0)
	case strings.IndexByte(letters, c) >= 0:
		return false, j.name(key)
	}
	j.pos++
	switch c {
	case '.':
		field := ""
		if j.take("."); j.src[j.pos-1:j.pos] == "." && !j.done() && strings.IndexByte(letters, j.peek()) >= 0 {
			field = j.run(letters + digits)
		}
		if !term {
			j.growth.take(field)
		}
		if j.src[j.pos-1] == '.' && j.pos > 1 && j.src[j.pos-2] == '.' {
			j.growth.multiply(8) // each part once more for each that holds it
		}
		return false, true
	case '$':
		name := j.run(letters + digits)
		j.growth.take("")
		return false, name != "" && name != "ENV" && !strings.HasPrefix(name, "__")
	case '@':
		format := j.run(letters + digits)
		j.growth.multiply(8) // as a text with each character written out
		return false, format != ""
	case '(', '[':
		j.push(c)
		j.term = c == '[' && term
	case '{':
		j.push(c)
		j.key, j.term = true, false
	case ')':
		if inText && len(j.open) == 0 {
			return true, true
		}
		return false, j.pop('(')
	case ']':
		return false, j.pop('[')
	case '}':
		return false, j.pop('{')
	case '?':
	case '*': // of a text and a number it makes that many texts
		if j.term = false; number > 0 {
			j.growth.multiply(number)
		} else {
			j.times = true
		}
	case '|', '+', '-', '/', '%', '<', '>', '=', '!', ':', ';', ',':
		j.key, j.term = c == ',' && j.in('{'), false
		if c == '|' {
			j.growth.next()
		}
		return false, c != ':' || j.peek() != ':' // a module's
	default:
		return false, false
	}
	return false, true
}

// name reads a key, a keyword or a function.
func (j *jq) name(key bool) bool {
	name := j.run(letters + digits)
	j.run(" \t\n")
	if key {
		return j.done() || strings.IndexByte(":,}", j.peek()) >= 0
	}
	switch name {
	case "if":
		j.push('i')
		j.term = false
	case "end":
		return j.pop('i')
	case "then", "elif", "else", "and", "or", "as", "try", "catch":
		j.term = false
	case "recurse", "paths", "leaf_paths", "tostream":
		j.growth.multiply(8)
		return name != "recurse" || j.peek() != '('
	case "reduce":
		return j.reduce()
	case "def":
		return j.define()
	default:
		if times, own := j.own[name]; own {
			j.growth.multiply(times)
			return j.peek() != '('
		}
		switch name {
		case "tojson":
			j.growth.multiply(8) // each character may be written with several
		case "sub", "gsub":
			j.growth.multiply(j.replacement())
		}
		return slices.Contains(jqFunctions, name)
	}
	return true
}

// text reads a quoted text with the expressions in it.
func (j *jq) text() bool {
	for j.pos++; !j.done(); {
		c := j.peek()
		j.pos++
		switch c {
		case '"':
			return true
		case '\\':
			if j.take("(") {
				inner := jq{reader: reader{src: j.src, pos: j.pos}, growth: j.growth, own: j.own}
				if !inner.expression(true) {
					return false
				}
				j.pos = inner.pos
				continue
			}
			j.pos++
		}
	}
	return false
}
