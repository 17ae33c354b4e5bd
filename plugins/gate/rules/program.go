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
	// Name is the program, for git with its sub-command: "ls", "git log". With Each
	// it is several programs with blanks between, which @ stands for in the examples.
	Name string
	Each bool
	// Options lists what is taken, separated by blanks:
	//
	//	-abc            short options without a value; they may be bundled
	//	-n:num          a short option with a value, attached or the next word
	//	-U[num]         a short option with a value that must be attached
	//	-P>text         a short option with a value that is the next word only: a
	//	                letter behind it in the same word is one more option
	//	--all           a long option, by its exact name
	//	--since=text    a long option with a value, after = or as the next word
	//	--color[=word]  a long option with a value that must be attached
	//	-#              a number as an option (head -20)
	//
	// A value's kind is the name of one of kinds, or words to choose from: a|b|c. Two
	// kinds with + between are two values, each a word of its own.
	Options string
	// Operands lists the kinds of the words that are no options, in order; the
	// last may end in * (any number) or ? (one or none). A first one that is a word
	// itself (=list) must stand before all options and --: behind them git stash
	// takes it for a file, and stashes.
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
	// Single says that a word holds one short option, with its value at most: the
	// program looks no further, and takes what seemed to be a later one's value for
	// a file.
	Single bool
	// Files says that a path must not be a folder: what lies in it would be read,
	// also through links.
	Files bool
	// Links says that it goes through folders and reads what links in them lead to.
	Links bool
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
	inBash   string   // bash:ls
	letters  string   // of the short options
	short    []option // in the order of letters
	long     []option // sorted by name
	number   bool     // -20
	operands []kind
	repeat   byte            // of the last operand kind: '*', '?' or 0
	verb     bool            // the first operand is a word itself and must be there
	tests    map[string]kind // of the value by word of an expression, the zero kind for none
	deep     bool            // everything below a path is read, whatever options there are
}

// option is what a rule knows of one. There are thousands of them, all loaded at
// once, so they lie in slices: a map for each rule takes more room than what it holds.
type option struct {
	name     string // of a long one
	kinds    []kind // of its values
	attached bool   // the value is never the next word
	apart    bool   // the value is always the next word
	// Lists of the Program that name it.
	need, instead, deep bool
}

func compile(p *Program) (*rule, error) {
	r := &rule{Program: p, inBash: "bash:" + p.Name, deep: p.Deep == "*", long: make([]option, 0, strings.Count(p.Options, "--"))}
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
		r.verb = r.verb || len(r.operands) == 0 && r.repeat == 0 && name[0] == '='
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
		return r.longOption(name[2:])
	}
	if len(name) != 2 {
		return nil
	}
	return r.shortOption(name[1])
}

func (r *rule) shortOption(letter byte) *option {
	if i := strings.IndexByte(r.letters, letter); i >= 0 {
		return &r.short[i]
	}
	return nil
}

func (r *rule) longOption(name string) *option {
	if i, found := r.search(name); found {
		return &r.long[i]
	}
	return nil
}

// search is where a long option stands, or would stand.
func (r *rule) search(name string) (at int, found bool) {
	low, high := 0, len(r.long)
	for low < high {
		if middle := (low + high) / 2; r.long[middle].name < name {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(r.long) && r.long[low].name == name
}

func (r *rule) option(token string) error {
	if token == "-#" {
		r.number = true
		return nil
	}
	name, of, attached, apart := token, "", false, false
	if i := strings.Index(token, "["); i > 0 && strings.HasSuffix(token, "]") {
		name, of, attached = token[:i], strings.TrimPrefix(token[i+1:len(token)-1], "="), true
	} else if i := strings.IndexAny(token, ":=>"); i > 0 {
		name, of, apart = token[:i], token[i+1:], token[i] == '>'
	}
	kinds, known := kindsOf(of)
	if !known {
		return fmt.Errorf("value kind %q is not known", of)
	}
	switch {
	case strings.HasPrefix(name, "--") && len(name) > 2 && !apart:
		i, found := r.search(name[2:])
		if found {
			return fmt.Errorf("is listed twice")
		}
		r.long = slices.Insert(r.long, i, option{name: name[2:], kinds: kinds, attached: attached})
	case strings.HasPrefix(name, "-") && len(name) > 1 && (kinds == nil || len(name) == 2):
		letters := name[1:]
		r.short = slices.Grow(r.short, len(letters))
		for i := range len(letters) {
			if c := letters[i]; r.shortOption(c) != nil || strings.IndexByte(letters[:i], c) >= 0 {
				return fmt.Errorf("%c is listed twice", c)
			}
			r.short = append(r.short, option{kinds: kinds, attached: attached, apart: apart})
		}
		r.letters += letters
	default:
		return fmt.Errorf("cannot be read")
	}
	return nil
}
