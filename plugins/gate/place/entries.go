package place

import (
	"path"
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
)

// JudgeIn tells why the names that a file pattern picks in a folder may not be
// looked at unasked: each is judged that Real knows to lie there, also on the way to
// those below. hidden says that the pattern picks names with a dot in front too.
func (p *Place) JudgeIn(folder, pattern string, hidden bool) reason.Reason {
	q := question{cwd: p.CWD, word: folder, pattern: pattern, in: true, hidden: hidden}
	if r, known := p.memory.recall(&q); known {
		return r
	}
	return p.memory.keep(&q, p.lookIn(folder, pattern, hidden))
}

func (p *Place) lookIn(folder, pattern string, hidden bool) reason.Reason {
	abs := p.Abs(folder)
	if abs == "" {
		return reason.Of(reason.Unknown, "path", folder)
	}
	first, why := "", reason.Reason{} // of those that may not: the answer must not hang on a map's order
	for one, left := range p.picked(abs, pattern, hidden) {
		if first != "" && one >= first {
			continue
		}
		r := p.Judge(one, false)
		switch {
		case left == 0:
		case r.Key == reason.Secret && !p.secret(one+"/x", false): // only folders are gone through
			r = reason.Reason{}
		case left > 1 && r.None() && p.linked(one): // what lies there was not looked up
			r = reason.Of(reason.Unknown, "path", one)
		}
		if !r.None() {
			first, why = one, r
		}
	}
	return why
}

// Plain tells whether no name that a file pattern picks in a folder is taken for
// more than a file by some program: for an option, an assignment, a list of
// arguments. With known, some name must be known there.
func (p *Place) Plain(folder, pattern string, hidden, known bool) bool {
	abs := p.Abs(folder)
	for one := range p.picked(abs, pattern, hidden) {
		name, _, _ := strings.Cut(strings.TrimPrefix(one, abs+"/"), "/")
		if strings.IndexByte("-+@", name[0]) >= 0 || strings.Contains(name, "=") {
			return false
		}
		known = false
	}
	return !known
}

// picked are the paths that Real knows and that a pattern picks below a folder, or
// goes through: left is 0 for those at its end, and else one more than how many
// parts of it follow.
func (p *Place) picked(abs, pattern string, hidden bool) func(yield func(one string, left int) bool) {
	pattern, folders := strings.CutSuffix(pattern, "/")
	parts := strings.Split(pattern, "/")
	return func(yield func(string, int) bool) {
		for one := range p.Real {
			name, inside := strings.CutPrefix(one, abs+"/")
			if !inside || !goesThrough(parts, name, hidden) {
				continue
			}
			left := len(parts) - 1 - strings.Count(name, "/")
			if left > 0 || folders {
				left++
			}
			if !yield(one, left) {
				return
			}
		}
	}
}

// goesThrough tells whether a path below a folder is one that a pattern of these
// parts picks or comes through.
func goesThrough(parts []string, below string, hidden bool) bool {
	for i := 0; ; i++ {
		name, rest, more := strings.Cut(below, "/")
		if i == len(parts) || !picks(parts[i], name, hidden) {
			return false
		}
		if !more {
			return true
		}
		below = rest
	}
}

// linked tells whether a path is known to be a link.
func (p *Place) linked(one string) bool {
	parent, known := p.Real[path.Dir(one)]
	return known && p.slashed(p.Real[one]) != p.slashed(parent)+"/"+path.Base(one)
}

// picks tells whether a part of a pattern may pick a name. Brackets, which shells
// read in different ways, pick all.
func picks(pattern, name string, hidden bool) bool {
	if !hidden && strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	if i := strings.IndexAny(pattern, `[\`); i >= 0 {
		before := pattern[:i]
		return strings.ContainsAny(before, wildcards) || len(name) >= i && strings.EqualFold(name[:i], before)
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok || err != nil
}

// Below behind a folder's path stands for the links below it. Real holds each by the
// rest of its path behind that and a slash, with a slash at the end where it leads to
// a folder; and what stands for them all, "" where there is too much to look at.
const Below = "/**"

// JudgeBelow tells why what lies below a folder may not be read through its links.
// With all, they must have been looked up, and none may lead to a folder, in which
// others could lie.
func (p *Place) JudgeBelow(folder string, all bool) reason.Reason {
	abs := p.Abs(folder)
	real, known := p.Real[abs+Below]
	switch {
	case known && real == "", !known && all:
		return reason.Of(reason.Unknown, "path", folder)
	case !known:
		return reason.Reason{}
	}
	workspace := p.slashed(p.Workspace)
	if r := p.Real[workspace]; r != "" {
		workspace = p.slashed(r)
	}
	first, why := "", reason.Reason{}
	for link, target := range p.Real {
		name, below := strings.CutPrefix(link, abs+Below+"/")
		if !below || first != "" && name >= first {
			continue
		}
		one := abs + "/" + name
		switch real := p.slashed(target); {
		case target != "" && !p.within(real, workspace):
			first, why = name, reason.Of(reason.Leads, "path", one, "real", real)
		case target == "", all && strings.HasSuffix(target, "/"):
			first, why = name, reason.Of(reason.Unknown, "path", one)
		case p.secret(real, false):
			first, why = name, reason.Of(reason.Secret, "path", one)
		}
	}
	return why
}
