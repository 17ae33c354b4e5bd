// Package rules says what a program may be asked to do without a question: as
// data, one accept-list per program (or sub-command), each with examples of
// what it takes and what it must not. What no rule takes, asks.
package rules

import (
	"fmt"
	"slices"
	"strings"
)

// Program is one accept-list. Several may carry the same name; a command passes
// if one of them takes all its words.
type Program struct {
	// Name is the program, for git with its sub-command: "ls", "git log".
	Name string
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
	// A value's kind is a name from Kinds, or words to choose from: a|b|c. Two
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
	// must stand behind a pipe then, or it waits for ever. With an option of
	// NoInput it does not.
	Input   bool
	NoInput string
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
	// the rules are loaded.
	Match, NotMatch []string
}

// Rules is a checked set of accept-lists.
type Rules struct {
	byName map[string][]*rule
}

// rule is a Program ready to match.
type rule struct {
	Program
	short    map[byte]option
	long     map[string]option
	number   bool // -20
	operands []string
	repeat   byte              // of the last operand kind: '*', '?' or 0
	tests    map[string]string // kind of the value by word of an expression, "" none
}

type option struct {
	kind     string // "" takes no value
	attached bool   // the value is never the next word
}

// Load reads programs and checks them against their own examples.
func Load(programs ...Program) (*Rules, error) {
	rs := &Rules{byName: map[string][]*rule{}}
	for _, p := range programs {
		r, err := compile(p)
		if err != nil {
			return nil, fmt.Errorf("rule %q: %w", p.Name, err)
		}
		rs.byName[p.Name] = append(rs.byName[p.Name], r)
	}
	for _, p := range programs {
		if err := rs.check(p); err != nil {
			return nil, fmt.Errorf("rule %q: %w", p.Name, err)
		}
	}
	return rs, nil
}

func (rs *Rules) check(p Program) error {
	if len(p.Match) == 0 || len(p.NotMatch) == 0 {
		return fmt.Errorf("has no examples")
	}
	for _, example := range p.Match {
		if m := rs.Match(plain(example), p.Input); !m.OK || m.Program != p.Name {
			return fmt.Errorf("does not take its example %q: %s", example, m.Reason)
		}
	}
	for _, example := range p.NotMatch {
		if m := rs.Match(plain(example), false); m.OK {
			return fmt.Errorf("takes %q, which it must not", example)
		}
	}
	return nil
}

// plain makes words of an example.
func plain(example string) []Word {
	var words []Word
	for _, f := range strings.Fields(example) {
		words = append(words, Word{Text: f})
	}
	return words
}

func compile(p Program) (*rule, error) {
	r := &rule{Program: p, short: map[byte]option{}, long: map[string]option{}, tests: map[string]string{}, operands: strings.Fields(p.Operands)}
	for _, token := range strings.Fields(p.Options) {
		if err := r.option(token); err != nil {
			return nil, fmt.Errorf("option %q: %w", token, err)
		}
	}
	for _, token := range strings.Fields(p.Expression) {
		name, kind, _ := strings.Cut(token, ":")
		if kind != "" && !known(kind) {
			return nil, fmt.Errorf("value kind %q is not known", kind)
		}
		r.tests[name] = kind
	}
	if n := len(r.operands); n > 0 {
		last := r.operands[n-1]
		if c := last[len(last)-1]; c == '*' || c == '?' {
			r.repeat, r.operands[n-1] = c, last[:len(last)-1]
		}
	}
	for _, kind := range r.operands {
		if !known(kind) {
			return nil, fmt.Errorf("operand kind %q is not known", kind)
		}
	}
	for _, name := range strings.Fields(p.Instead + " " + p.Need + " " + p.Deep + " " + p.NoInput) {
		if name != "*" && !r.has(name) {
			return nil, fmt.Errorf("names an option %q that it does not take", name)
		}
	}
	return r, nil
}

func (r *rule) has(name string) bool {
	if strings.HasPrefix(name, "--") {
		_, ok := r.long[name[2:]]
		return ok
	}
	_, ok := r.short[name[1]]
	return ok && len(name) == 2
}

func (r *rule) option(token string) error {
	name, kind, attached := token, "", false
	if i := strings.Index(token, "["); i > 0 && strings.HasSuffix(token, "]") {
		name, kind, attached = token[:i], strings.TrimPrefix(token[i+1:len(token)-1], "="), true
	} else if i := strings.IndexAny(token, ":="); i > 0 {
		name, kind = token[:i], token[i+1:]
	}
	if kind != "" && !known(kind) {
		return fmt.Errorf("value kind %q is not known", kind)
	}
	switch {
	case token == "-#":
		r.number = true
	case strings.HasPrefix(name, "--") && len(name) > 2:
		if _, twice := r.long[name[2:]]; twice {
			return fmt.Errorf("is listed twice")
		}
		r.long[name[2:]] = option{kind, attached}
	case strings.HasPrefix(name, "-") && len(name) > 1 && (kind == "" || len(name) == 2):
		for _, c := range []byte(name[1:]) {
			if _, twice := r.short[c]; twice {
				return fmt.Errorf("%c is listed twice", c)
			}
			r.short[c] = option{kind, attached}
		}
	default:
		return fmt.Errorf("cannot be read")
	}
	return nil
}

// known tells whether a kind is a list of words (a|b, or =a for a single one) or
// stands in Kinds.
func known(kind string) bool {
	if first, second, two := strings.Cut(kind, "+"); two {
		return known(first) && known(second)
	}
	return strings.ContainsAny(kind, "|=") || Kinds[kind] != nil
}

func listed(names, name string) bool {
	return slices.Contains(strings.Fields(names), name)
}
