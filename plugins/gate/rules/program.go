// Package rules says what a program may be asked to do without a question: as
// data, one accept-list per program (or sub-command), each with examples of
// what it takes and what it must not. What no rule takes, asks.
package rules

import (
	"fmt"
	"strings"
)

// Program is one accept-list. Several may carry the same name; a command passes
// if one of them takes all its words.
type Program struct {
	// Name is the program, for git with its sub-command: "ls", "git log". With Each
	// it is several programs with blanks between, which @ stands for in the examples.
	Name string
	Each bool
	// Options lists what is taken, separated by blanks:
	//
	//	-abc            short options without a value; they may be bundled
	//	-n:num          a short option with a value, attached or the next word
	//	-U[num]         a short option with a value that must be attached
	//	--all           a long option, by its exact name
	//	--since=text    a long option with a value, after = or as the next word
	//	--color[=word]  a long option with a value that must be attached
	//	-#              a number as an option (head -20)
	//
	// A value's kind is the name of one of kinds, or words to choose from: a|b|c. Two
	// kinds with + between are two values, each a word of its own.
	Options string
	// Operands lists the kinds of the words that are no options, in order; the
	// last may end in * (any number) or ? (one or none).
	Operands string
	// Instead names options that take the place of the first operand: grep -e.
	Instead string
	// Need names options of which one must be there for the rule to hold.
	Need string
	// Input says that the program reads its input when no path is named: it
	// must stand behind a pipe then, or it waits for ever.
	Input bool
	// Globs says that no file name can make this program do harm, so that an
	// unquoted file pattern may be handed to it.
	Globs bool
	// Deep names options with which everything below a path is read; "*" is always.
	Deep string
	// Here says that the program looks at the current folder when it has no path.
	Here bool
	// Git says that the repository's settings may start programs.
	Git bool
	// Plain says that no word is an option, whatever it looks like.
	Plain bool
	// First says that options must stand before all operands: where the program
	// takes later ones for operands, it would write to them.
	First bool
	// Files says that a path must not be a folder: what lies in it would be read,
	// also through links.
	Files bool
	// Expression lists, in the form of Options, the words that may follow the
	// operands in any order and number: find's tests and actions.
	Expression string

	// Match and NotMatch are examples, words separated by blanks, checked when
	// the rule is loaded.
	Match, NotMatch []string
}

// rule is a Program ready to match.
type rule struct {
	*Program
	short    map[byte]*option
	long     map[string]*option
	number   bool // -20
	operands []kind
	repeat   byte            // of the last operand kind: '*', '?' or 0
	tests    map[string]kind // of the value by word of an expression, the zero kind for none
	deep     bool            // everything below a path is read, whatever options there are
}

// option is what a rule knows of one.
type option struct {
	kinds    []kind // of its values
	attached bool   // the value is never the next word
	// Lists of the Program that name it.
	need, instead, deep bool
}

func compile(p *Program) (*rule, error) {
	r := &rule{Program: p, short: map[byte]*option{}, long: map[string]*option{}, deep: p.Deep == "*"}
	for token := range strings.FieldsSeq(p.Options) {
		if err := r.option(token); err != nil {
			return nil, fmt.Errorf("option %q: %w", token, err)
		}
	}
	if p.Expression != "" {
		r.tests = map[string]kind{}
	}
	for token := range strings.FieldsSeq(p.Expression) {
		name, of, valued := strings.Cut(token, ":")
		k, known := kind{}, true
		if valued {
			k, known = kindOf(of)
		}
		if !known {
			return nil, fmt.Errorf("value kind %q is not known", of)
		}
		r.tests[name] = k
	}
	for name := range strings.FieldsSeq(p.Operands) {
		r.repeat = 0
		if c := name[len(name)-1]; c == '*' || c == '?' {
			r.repeat, name = c, name[:len(name)-1]
		}
		k, known := kindOf(name)
		if !known {
			return nil, fmt.Errorf("operand kind %q is not known", name)
		}
		r.operands = append(r.operands, k)
	}
	for _, list := range []struct {
		names string
		mark  func(*option)
	}{
		{p.Need, func(o *option) { o.need = true }},
		{p.Instead, func(o *option) { o.instead = true }},
		{p.Deep, func(o *option) { o.deep = true }},
	} {
		for name := range strings.FieldsSeq(list.names) {
			o := r.named(name)
			if o == nil && name != "*" {
				return nil, fmt.Errorf("names an option %q that it does not take", name)
			}
			if o != nil {
				list.mark(o)
			}
		}
	}
	return r, nil
}

// named is an option by its whole name, nil when the rule does not take it.
func (r *rule) named(name string) *option {
	if strings.HasPrefix(name, "--") {
		return r.long[name[2:]]
	}
	if len(name) != 2 {
		return nil
	}
	return r.short[name[1]]
}

func (r *rule) option(token string) error {
	if token == "-#" {
		r.number = true
		return nil
	}
	name, of, attached := token, "", false
	if i := strings.Index(token, "["); i > 0 && strings.HasSuffix(token, "]") {
		name, of, attached = token[:i], strings.TrimPrefix(token[i+1:len(token)-1], "="), true
	} else if i := strings.IndexAny(token, ":="); i > 0 {
		name, of = token[:i], token[i+1:]
	}
	var kinds []kind
	if of != "" {
		for one := range strings.SplitSeq(of, "+") {
			k, known := kindOf(one)
			if !known {
				return fmt.Errorf("value kind %q is not known", of)
			}
			kinds = append(kinds, k)
		}
	}
	switch {
	case strings.HasPrefix(name, "--") && len(name) > 2:
		if r.long[name[2:]] != nil {
			return fmt.Errorf("is listed twice")
		}
		r.long[name[2:]] = &option{kinds: kinds, attached: attached}
	case strings.HasPrefix(name, "-") && len(name) > 1 && (kinds == nil || len(name) == 2):
		for _, c := range []byte(name[1:]) {
			if r.short[c] != nil {
				return fmt.Errorf("%c is listed twice", c)
			}
			r.short[c] = &option{kinds: kinds, attached: attached}
		}
	default:
		return fmt.Errorf("cannot be read")
	}
	return nil
}
