package place

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
)

// Forbidden tells why no yes given in advance may reach a path: it may hold
// secrets, by its words or where it really leads, or it is not what it looks
// like. None for a path that only lies outside the project.
func (p *Place) Forbidden(word string) reason.Reason {
	abs := p.Abs(word)
	if abs == "" {
		if p.secret(p.slashed(word), false) {
			return reason.Of(reason.Secret, "path", word)
		}
		return reason.Of(reason.Unknown, "path", word)
	}
	if p.secret(abs, true) {
		return reason.Of(reason.Secret, "path", word)
	}
	if p.climbs(word) {
		return reason.Of(reason.Unknown, "path", word)
	}
	real, known := p.Real[abs]
	if !known || tooLongToExist(abs) {
		return reason.Reason{}
	}
	if real == "" {
		return reason.Of(reason.Unknown, "path", word)
	}
	if real = p.slashed(real); p.secret(real, true) {
		return reason.Of(reason.Secret, "path", word)
	}
	workspace := p.slashed(p.Workspace)
	if p.within(abs, workspace) {
		if r := p.Real[workspace]; r != "" {
			workspace = p.slashed(r)
		}
		if !p.within(real, workspace) {
			return reason.Of(reason.Leads, "path", word, "real", real)
		}
	} else if real != abs {
		return reason.Of(reason.Leads, "path", word, "real", real)
	}
	return reason.Reason{}
}

// maxName is the longest name a file can have on the systems in use, in bytes.
const maxName = 255

func tooLongToExist(abs string) bool {
	for name := range strings.SplitSeq(abs, "/") {
		if len(name) > maxName {
			return true
		}
	}
	return false
}

// Inside tells whether a word, taken for a path, stays inside the project and
// reaches nothing forbidden.
func (p *Place) Inside(word string) bool {
	return p.Judge(word, false).None() && p.Forbidden(word).None()
}
