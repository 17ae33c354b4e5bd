package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Rules is a set of accept-lists. A program's lists are read and checked against
// their own examples when the program is first asked for, which keeps the start
// short; lists that fail take nothing.
type Rules struct {
	index func() map[string]*family
}

// family are the accept-lists of one name.
type family struct {
	programs []*Program
	compiled func() ([]*rule, error)
	checked  func() ([]*rule, error)
}

// Lazy makes Rules of programs without looking at them yet.
func Lazy(programs ...[]Program) *Rules {
	rs := &Rules{}
	rs.index = sync.OnceValue(func() map[string]*family {
		index := make(map[string]*family, 128)
		for _, list := range programs {
			for i := range list {
				for _, name := range list[i].names() {
					p := list[i]
					p.Name, p.Each = name, false
					rs.add(index, &p)
				}
			}
		}
		return index
	})
	return rs
}

// names are the programs that a list is for.
func (p *Program) names() []string {
	if p.Each {
		return strings.Fields(p.Name)
	}
	return []string{p.Name}
}

func (rs *Rules) add(index map[string]*family, p *Program) {
	f := index[p.Name]
	if f == nil {
		f = &family{}
		f.compiled = sync.OnceValues(f.compile)
		f.checked = sync.OnceValues(func() ([]*rule, error) { return rs.check(f) })
		index[p.Name] = f
	}
	f.programs = append(f.programs, p)
}

// Load is Lazy with all lists read and checked at once: the error of the first
// name whose list is not what it says.
func Load(programs ...Program) (*Rules, error) {
	rs := Lazy(programs)
	return rs, rs.each(func(f *family) ([]*rule, error) { return f.checked() })
}

// Read reads all lists now; their examples wait for the first use all the same.
func (rs *Rules) Read() error {
	return rs.each(func(f *family) ([]*rule, error) { return f.compiled() })
}

func (rs *Rules) each(load func(*family) ([]*rule, error)) error {
	index := rs.index()
	for _, name := range slices.Sorted(maps.Keys(index)) {
		if _, err := load(index[name]); err != nil {
			return err
		}
	}
	return nil
}

// All are the accept-lists, those of several names once for each, sorted by name.
func (rs *Rules) All() []Program {
	index := rs.index()
	var all []Program
	for _, name := range slices.Sorted(maps.Keys(index)) {
		for _, p := range index[name].programs {
			all = append(all, *p)
		}
	}
	return all
}

func (f *family) compile() ([]*rule, error) {
	var out []*rule
	for _, p := range f.programs {
		r, err := compile(p)
		if err != nil {
			return nil, fmt.Errorf("rule %q: %w", p.Name, err)
		}
		out = append(out, r)
	}
	return out, nil
}

var errExamples = errors.New("has no examples")

// check compares a family with its examples. They may be commands of others,
// which are taken as they are.
func (rs *Rules) check(f *family) ([]*rule, error) {
	out, err := f.compiled()
	if err != nil {
		return nil, err
	}
	rulesOf := func(f *family) []*rule {
		out, _ := f.compiled()
		return out
	}
	for _, p := range f.programs {
		if len(p.Match) == 0 || len(p.NotMatch) == 0 {
			return nil, fmt.Errorf("rule %q: %w", p.Name, errExamples)
		}
		for _, example := range p.Match {
			if m := rs.match(plain(p, example), p.Input, rulesOf); !m.OK || m.Program != p.Name {
				return nil, fmt.Errorf("rule %q: does not take its example %q: %s", p.Name, example, m.Reason)
			}
		}
		for _, example := range p.NotMatch {
			if m := rs.match(plain(p, example), false, rulesOf); m.OK {
				return nil, fmt.Errorf("rule %q: takes %q, which it must not", p.Name, example)
			}
		}
	}
	return out, nil
}

// plain makes words of an example.
func plain(p *Program, example string) []Word {
	var words []Word
	for f := range strings.FieldsSeq(example) {
		if f == "@" && words == nil {
			f = p.Name
		}
		words = append(words, Word{Text: f})
	}
	return words
}
