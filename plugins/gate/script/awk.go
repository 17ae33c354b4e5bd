package script

import (
	"slices"
	"strings"
)

// Awk tells whether an awk program only prints and computes. It has no pipes, no
// > behind a print, no getline, system, close, functions of its own, ENVIRON and
// ARGV, no loop but over an array, up to a small number or NF, or at the end over
// all lines, and nothing that doubles a text again and again.
func Awk(src string) bool {
	tokens, ok := awkTokens(src)
	if !ok || len(tokens) > maxTokens || !Mild(src) {
		return false
	}
	a := awk{tokens: tokens, counters: map[string]bool{}}
	return a.names() && a.prints() && a.formats() && a.fields() && a.loops() && !a.grows()
}

// AwkVariable tells whether a name may be set from outside of a program.
func AwkVariable(name string) bool {
	tokens, ok := awkTokens(name)
	return ok && len(tokens) == 1 && tokens[0].kind == "name" && awkName(name) && !slices.Contains(awkNumbers, name)
}

var (
	awkKeywords = []string{"BEGIN", "END", "if", "else", "in", "next", "exit", "delete", "print", "printf", "for", "break", "continue"}
	awkSpecials = []string{"NR", "NF", "FNR", "FS", "OFS", "RS", "ORS", "RT", "FILENAME", "SUBSEP", "RSTART", "RLENGTH", "IGNORECASE"}
	// awkFunctions are called with parentheses; their names alone are refused.
	awkFunctions = []string{
		"length", "substr", "index", "split", "sub", "gsub", "gensub", "match", "sprintf", "tolower", "toupper",
		"int", "sqrt", "exp", "log", "sin", "cos", "atan2", "rand", "srand", "strftime", "systime", "mktime", "asort", "asorti", "strtonum",
	}
	// awkRefused are the words that do more, or that not every awk knows as the same.
	awkRefused = []string{
		"getline", "system", "close", "fflush", "function", "func", "while", "do", "return", "switch", "case", "default", "nextfile",
		"and", "or", "xor", "lshift", "rshift", "compl", "isarray", "typeof", "patsplit", "bindtextdomain", "dcgettext", "dcngettext", "extension", "mkbool",
	}
)

// awkName tells whether a name is surely a variable: names in capitals may be
// one that awk itself fills, as ENVIRON.
func awkName(name string) bool {
	if slices.Contains(awkSpecials, name) {
		return true
	}
	lower := strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyz")
	return (lower || len(name) == 1) && !slices.Contains(awkRefused, name) && !slices.Contains(awkFunctions, name) && !slices.Contains(awkKeywords, name)
}

// awkToken is a token: a name, n a number, s a text, r a regular expression, or
// an operator that stands for itself. A new line is a ";" too, with its text.
type awkToken struct {
	kind, text string
}

// awkTokens reads a program, or refuses what two programs may read in two ways.
func awkTokens(src string) ([]awkToken, bool) {
	r := reader{src: src}
	var tokens []awkToken
	for {
		r.run(" \t")
		if r.done() {
			return tokens, true
		}
		var t awkToken
		before := ""
		if len(tokens) > 0 {
			before = tokens[len(tokens)-1].kind
		}
		c := r.peek()
		switch {
		case strings.IndexByte(letters, c) >= 0:
			t.kind, t.text = "name", r.run(letters+digits)
			if slices.Contains(awkKeywords, t.text) {
				t.kind = "word"
			}
		case strings.IndexByte(digits, c) >= 0:
			t.kind, t.text = "n", r.run(digits+".")
			if len(t.text) > maxNumber || strings.IndexByte(letters, r.peek()) >= 0 && r.peek() != 0 {
				return nil, false
			}
		case c == '"':
			t.kind = "s"
			var ok bool
			if t.text, ok = r.awkText(); !ok {
				return nil, false
			}
		case c == '/':
			r.pos++
			switch {
			case before == "name" || before == "n" || before == "]" || before == "s":
				t.kind = "/"
				if r.take("=") {
					t.kind = "="
				}
			case slices.Contains([]string{"", "(", ",", "{", "}", ";", "!", "~", "&&", "||", "word"}, before):
				t.kind = "r"
				if r.peek() == '=' || !r.regex('/') {
					return nil, false
				}
			default:
				return nil, false
			}
		default:
			if t.kind = r.awkOperator(); t.kind == "" {
				return nil, false
			}
			if c == '\n' {
				t.text = "\n"
			}
		}
		tokens = append(tokens, t)
	}
}

// awkText reads a quoted text. A format with a large width, or one from outside,
// is refused.
func (r *reader) awkText() (string, bool) {
	start := r.pos + 1
	for r.pos++; !r.done(); {
		c := r.peek()
		r.pos++
		switch c {
		case '"':
			text := r.src[start : r.pos-1]
			return text, !wide(text)
		case '\\':
			if r.done() || r.peek() == '\n' {
				return "", false
			}
			r.pos++
		case '\n':
			return "", false
		}
	}
	return "", false
}

// wide tells whether a text holds a format with a width that is large or comes
// from outside.
func wide(text string) bool {
	for i := range len(text) {
		if text[i] == '%' {
			flags := len(text[i+1:]) - len(strings.TrimLeft(text[i+1:], digits+".-+ #*"))
			if spec := text[i+1 : i+1+flags]; len(spec) > maxNumber || strings.Contains(spec, "*") {
				return true
			}
		}
	}
	return false
}

// awkOperator reads an operator; assignments are all "=". A single | or & is none.
func (r *reader) awkOperator() string {
	for _, op := range []string{"+=", "-=", "*=", "%=", "^="} {
		if r.take(op) {
			return "="
		}
	}
	for _, op := range []string{"==", "<=", ">=", "!=", "!~", "&&", "||", "++", "--"} {
		if r.take(op) {
			return op
		}
	}
	if r.take(">>") || r.take("**") {
		return ""
	}
	c := r.peek()
	if strings.IndexByte("{}()[];,+-*%^!<>?:~$=\n", c) < 0 {
		return ""
	}
	if r.pos++; c == '\n' {
		return ";"
	}
	return string(c)
}

// awk checks a program's tokens.
type awk struct {
	tokens   []awkToken
	counters map[string]bool // variables of counting loops
	heads    []int           // where their heads begin and end, in pairs
}

// at is a token's kind, "" outside.
func (a *awk) at(i int) string {
	if i < 0 || i >= len(a.tokens) {
		return ""
	}
	return a.tokens[i].kind
}

// names checks that what is called may be called, and that other names are variables.
func (a *awk) names() bool {
	for i, t := range a.tokens {
		if t.kind != "name" {
			continue
		}
		switch called := a.at(i+1) == "("; {
		case slices.Contains(awkFunctions, t.text):
			if !called && (t.text != "length" || a.at(i+1) == "/" || a.at(i+1) == "r") {
				return false
			}
		case called, !awkName(t.text):
			return false
		}
	}
	return true
}

// prints checks that no > stands behind a print, where it would write a file. A
// print ends at a semicolon, a brace, or the end of a line, unless it may go on there.
func (a *awk) prints() bool {
	printing := false
	for i, t := range a.tokens {
		switch {
		case t.kind == "word" && (t.text == "print" || t.text == "printf"):
			printing = true
		case t.kind == "}", t.kind == ";" && (t.text == "" || !a.goesOn(i)):
			printing = false
		case t.kind == ">" && printing:
			return false
		}
	}
	return true
}

// fields checks that no record gets more fields than it has, but for a few: each up
// to the last is made. What is set is one by a small number or from the end, and NF
// to no product.
func (a *awk) fields() bool {
	for i, t := range a.tokens {
		switch t.kind {
		case "=", "++", "--":
		default:
			continue
		}
		at := i - 1
		if t.kind != "=" && (a.at(i+1) == "$" || a.at(i+1) == "name" && a.at(at) == ")") { // in front of what it changes
			if a.at(i+1) == "$" && !(a.at(i+2) == "n" && len(a.tokens[i+2].text) <= 3) {
				return false
			}
			continue
		}
		switch {
		case a.at(at) == ")": // $(NF-1) =
			if a.at(at-4) == "(" && a.at(at-5) == "$" && !(a.guarded(at-3) && a.at(at-2) == "-" && a.at(at-1) == "n") || a.at(at-4) != "(" {
				return false
			}
		case a.at(at-1) == "$":
			if !(a.at(at) == "n" && len(a.tokens[at].text) <= 3 || a.name(at) == "NF") {
				return false
			}
		case a.name(at) == "NF" && t.kind == "=":
			for _, t := range a.tokens[i+1 : a.end(i+1)] {
				if t.kind != "n" && t.kind != "-" && t.kind != "+" && t.text != "NF" {
					return false
				}
			}
		}
	}
	return true
}

// formats checks that each format is one text: put together of several, or from
// outside, it may hold a width that fills the memory.
func (a *awk) formats() bool {
	for i, t := range a.tokens {
		if t.text != "printf" && t.text != "sprintf" && t.text != "strftime" || t.kind != "word" && t.kind != "name" {
			continue
		}
		if i++; a.at(i) == "(" {
			i++
		}
		if a.at(i) != "s" && !(t.text == "strftime" && a.at(i) == ")") || a.at(i) == "s" && !slices.Contains([]string{",", ")", ";", "}", ""}, a.at(i+1)) {
			return false
		}
	}
	return true
}

// goesOn tells whether a statement may go on behind the end of a line at i.
func (a *awk) goesOn(i int) bool {
	return slices.Contains([]string{",", "&&", "||", "?", ":", ";", "{", "word", ")"}, a.at(i-1))
}

// loops checks that each for ends: over an array, or by one step up or down to a
// small number or NF with a variable that nothing else changes.
func (a *awk) loops() bool {
	for i, t := range a.tokens {
		if t.kind == "word" && t.text == "for" {
			if a.over(i + 1) {
				continue
			}
			if !a.counts(i + 1) {
				return false
			}
		}
	}
	if len(a.counters) == 0 {
		return true
	}
	for i, t := range a.tokens {
		switch {
		case a.inHead(i):
		case t.kind == "name" && (t.text == "sub" || t.text == "gsub"):
			return false
		case t.kind == "=" && !a.plainTarget(i-1),
			(t.kind == "++" || t.kind == "--") && !a.plainTarget(i-1) && !a.plainTarget(i+1),
			(t.kind == "++" || t.kind == "--") && (a.guarded(i-1) || a.guarded(i+1)):
			return false
		}
	}
	return true
}

// over matches (k in array).
func (a *awk) over(i int) bool {
	return a.at(i) == "(" && a.at(i+1) == "name" && a.at(i+2) == "word" && a.tokens[i+2].text == "in" && a.at(i+3) == "name" && a.at(i+4) == ")"
}

// counts matches (i = 1; i <= NF; i++) and the like.
func (a *awk) counts(start int) bool {
	i := start
	kinds := func(want ...string) bool {
		for _, k := range want {
			if a.at(i) != k {
				return false
			}
			i++
		}
		return true
	}
	bound := func() bool {
		ok := a.at(i) == "n" && len(a.tokens[i].text) <= 3 || a.at(i) == "name" && (a.tokens[i].text == "NF" || a.tokens[i].text == "NR" && a.atEnd(i))
		i++
		return ok
	}
	counter := func() bool {
		ok := a.at(i) == "name" && a.tokens[i].text == a.tokens[start+1].text
		i++
		return ok
	}
	if !kinds("(", "name", "=") || !bound() || !kinds(";") || !counter() {
		return false
	}
	step := "++"
	switch a.at(i) {
	case "<", "<=":
	case ">", ">=":
		step = "--"
	default:
		return false
	}
	i++
	if !bound() || !kinds(";") {
		return false
	}
	if a.at(i) == step {
		i++
		if !counter() {
			return false
		}
	} else if !counter() || !kinds(step) {
		return false
	}
	name := a.tokens[start+1].text
	if a.at(i) != ")" || a.counters[name] || name == "NF" || name == "NR" || len(a.counters) == 2 {
		return false
	}
	a.counters[name] = true
	a.heads = append(a.heads, start, i)
	return true
}

// atEnd tells whether the token at i is inside of END { }, which runs once.
func (a *awk) atEnd(i int) bool {
	depth, inside := 0, false
	for j := range i {
		switch a.at(j) {
		case "{":
			if depth++; depth == 1 {
				inside = a.at(j-1) == "word" && a.tokens[j-1].text == "END"
			}
		case "}":
			depth--
		}
	}
	return inside && depth > 0
}

func (a *awk) inHead(i int) bool {
	for h := 0; h < len(a.heads); h += 2 {
		if a.heads[h] <= i && i <= a.heads[h+1] {
			return true
		}
	}
	return false
}

// plainTarget tells whether what is changed at i is a variable of no loop or an
// element of an array: no field, which could lengthen a record.
func (a *awk) plainTarget(i int) bool {
	return a.at(i) == "]" || a.at(i) == "name" && !a.guarded(i) && a.at(i-1) != "$"
}

// guarded tells whether the name at i is a loop's variable or its bound.
func (a *awk) guarded(i int) bool {
	return a.at(i) == "name" && (a.counters[a.tokens[i].text] || a.tokens[i].text == "NF" || a.tokens[i].text == "NR")
}
