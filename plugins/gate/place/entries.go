package place

import (
	"path"
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
)

// JudgeIn tells why the names that a file pattern picks in a folder may not be
// looked at unasked: each is judged that Real knows to lie there. hidden says that
// the pattern picks names with a dot in front too.
func (p Place) JudgeIn(folder, pattern string, hidden bool) reason.Reason {
	q := question{cwd: p.CWD, word: folder, pattern: pattern, in: true, hidden: hidden}
	return p.memory.once(q, func() reason.Reason { return p.lookIn(folder, pattern, hidden) })
}

func (p Place) lookIn(folder, pattern string, hidden bool) reason.Reason {
	abs := p.Abs(folder)
	if abs == "" {
		return reason.Of(reason.Unknown, "path", folder)
	}
	first := "" // of those that may not: the answer must not hang on a map's order
	for one := range p.Real {
		name, inside := strings.CutPrefix(one, abs+"/")
		if !inside || strings.Contains(name, "/") || !picks(pattern, name, hidden) {
			continue
		}
		if (first == "" || one < first) && !p.Judge(one, false).None() {
			first = one
		}
	}
	if first == "" {
		return reason.Reason{}
	}
	return p.Judge(first, false)
}

// picks tells whether a pattern may pick a name. With brackets in it, which
// shells read in different ways, it picks all.
func picks(pattern, name string, hidden bool) bool {
	if !hidden && strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	if strings.ContainsAny(pattern, `[\`) {
		return true
	}
	ok, err := path.Match(strings.ToLower(pattern), strings.ToLower(name))
	return ok || err != nil
}
