package script

import (
	"slices"
	"strings"
)

// JQ tells whether a jq filter only looks at its input: fields, indexes,
// operators, texts, and the functions of jqFunctions. It has no env, no modules,
// and nothing that may not end (range, while, until, repeat, recurse with a
// step, reduce, functions of its own).
func JQ(src string) bool {
	j := jq{reader: reader{src: src}}
	return j.expression(false)
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
			return !inText && len(j.open) == 0
		}
		c := j.peek()
		key := j.key && j.in('{')
		j.key = false
		switch {
		case c == '"':
			if !j.text() {
				return false
			}
			continue
		case strings.IndexByte(digits, c) >= 0:
			if len(j.run(digits+".")) > maxNumber || strings.IndexByte(letters, j.peek()) >= 0 && j.peek() != 0 {
				return false
			}
			continue
		case strings.IndexByte(letters, c) >= 0:
			if !j.name(key) {
				return false
			}
			continue
		}
		j.pos++
		switch c {
		case '.':
			if j.take("."); strings.IndexByte(letters, j.peek()) >= 0 && j.peek() != 0 {
				j.run(letters + digits)
			}
		case '$':
			if name := j.run(letters + digits); name == "" || name == "ENV" || strings.HasPrefix(name, "__") {
				return false
			}
		case '@':
			if j.run(letters+digits) == "" {
				return false
			}
		case '(', '[':
			j.push(c)
		case '{':
			j.push(c)
			j.key = true
		case ',':
			j.key = j.in('{')
		case ')':
			if inText && len(j.open) == 0 {
				return true
			}
			if !j.pop('(') {
				return false
			}
		case ']':
			if !j.pop('[') {
				return false
			}
		case '}':
			if !j.pop('{') {
				return false
			}
		case '|', '+', '-', '*', '/', '%', '<', '>', '=', '!', '?', ':', ';':
			if c == ':' && j.peek() == ':' { // a module's
				return false
			}
		default:
			return false
		}
	}
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
	case "end":
		return j.pop('i')
	case "then", "elif", "else", "and", "or", "as", "try", "catch":
	case "recurse":
		return j.peek() != '('
	default:
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
				inner := jq{reader: reader{src: j.src, pos: j.pos}}
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
