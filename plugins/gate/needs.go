package gate

import (
	"encoding/json"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/journal"
	"strata.dev/bridge/plugins/gate/permit"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

// need is one thing that a call does and that is not proven harmless: a
// permission in advance must cover each. Paths start from where.
type need struct {
	permit.Unit
	where place.Place
}

// needsOf takes apart what must be covered for a call to run unasked. The reason
// says why nothing that is given in advance can.
func needsOf(call abi.GateCall, config abi.GateConfig) ([]need, reason.Reason) {
	var needs []need
	where := placeOf(call, config)
	for _, f := range judge(call, config) {
		f.rule, f.why = f.judged(&where, &call, "")
		if f.why.None() && len(needs) > 0 && restsOnFacts(f) {
			// What the commands before it do is not known, so neither is what it finds.
			f.why = reason.Of(reason.AfterChange, "text", f.text)
		}
		if f.why.None() {
			continue
		}
		n := need{where: *f.at(&where)}
		var ok bool
		if n.Unit, ok = unitOf(f, call); !ok {
			return nil, f.why
		}
		if why := n.Never(n.where); !why.None() {
			return nil, why
		}
		needs = append(needs, n)
	}
	return needs, reason.Reason{}
}

// restsOnFacts tells whether a finding holds because of what was looked up.
func restsOnFacts(f finding) bool {
	return f.git || slices.ContainsFunc(f.paths, func(p path) bool { return p != path{Word: "."} })
}

// unitOf is what a permission must cover for one finding; ok is false when none
// can, because the call was not understood or a rule refuses it.
func unitOf(f finding, call abi.GateCall) (u permit.Unit, ok bool) {
	u.Tool = permit.Tool(call.Tool)
	switch {
	case f.why.Key == reason.Secret, f.why.Key == reason.Leads, f.why.Key == reason.Unknown:
		return u, false
	case len(f.words) > 0:
		u.Words = f.words
	case f.file != "":
		u.Files = []string{f.file}
	case f.web:
	case f.named:
		u.Told = textsIn(call.Arguments)
		return u, u.Told != nil
	case f.why.Key == reason.Outside && len(f.paths) == 1:
		u.Files = []string{f.paths[0].Word}
	default:
		return u, false
	}
	return u, true
}

// maxTold bounds what is looked through of a tool's arguments, in bytes.
const maxTold = 64 << 10

// textsIn are the texts in a call's arguments, names included; nil when there is
// too much of them to look through.
func textsIn(raw json.RawMessage) []string {
	a, ok := argumentsOf(raw)
	if !ok {
		return nil
	}
	texts, size := []string{}, 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			texts, size = append(texts, v), size+len(v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for name, item := range v {
				walk(name)
				walk(item)
			}
		}
	}
	for key := range a.keys() {
		var v any
		if len(a.get(key)) > maxTold || json.Unmarshal(a.get(key), &v) != nil {
			return nil
		}
		walk(v)
	}
	if size > maxTold {
		return nil
	}
	return texts
}

// pathsOf are the absolute paths that must be looked up before it is known
// whether the needs are covered; ok is false when there are too many.
func pathsOf(needs []need) (paths []string, ok bool) {
	for _, n := range needs {
		for _, word := range append(n.Paths(), n.where.Workspace) {
			if abs := n.where.Abs(word); abs != "" && !slices.Contains(paths, abs) {
				if paths = append(paths, abs); len(paths) > abi.MaxPaths {
					return nil, false
				}
			}
		}
	}
	return paths, true
}

// coveredBy names the permissions that together cover all needs; nil when some
// need is left.
func coveredBy(needs []need, saved []abi.GatePermission, real map[string]string) []abi.GatePermission {
	var used []abi.GatePermission
	for _, n := range needs {
		n.where.Real = real
		i := slices.IndexFunc(saved, func(p abi.GatePermission) bool {
			pattern, bad := permit.Parse(p.Tool, p.Pattern)
			return bad.None() && pattern.Covers(n.Unit, n.where)
		})
		if i < 0 {
			return nil
		}
		if !slices.ContainsFunc(used, func(p abi.GatePermission) bool { return p.ID == saved[i].ID }) {
			used = append(used, saved[i])
		}
	}
	return used
}

// offerOf is what can be saved with a yes to a call. With a pattern of the
// person's own it says whether that covers the call and nothing beside it.
func offerOf(call abi.GateCall, config abi.GateConfig, pattern string) abi.GateOffer {
	plain := abi.ScopeOnce
	if asksForWeb(call, config) {
		plain = abi.ScopeChat
	}
	no := func(r reason.Reason) abi.GateOffer {
		return abi.GateOffer{Scopes: []string{}, Scope: plain, GateSentence: sentence(r)}
	}
	needs, why := needsOf(call, config)
	switch {
	case !why.None():
		return no(reason.Of(reason.NoSave, "reason", why.String()))
	case len(needs) == 0:
		return no(reason.Of(reason.NothingToSave))
	}
	lines := linesOf(pattern)
	if len(lines) == 0 {
		for _, n := range needs {
			for line := range strings.SplitSeq(n.Narrowest(n.where), "\n") {
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	if why := misses(needs, lines); !why.None() {
		return no(why)
	}
	if pattern := strings.Join(lines, "\n"); journal.Redact(pattern) != pattern {
		return no(reason.Of(reason.HoldsSecret))
	}
	return abi.GateOffer{Scopes: []string{abi.ScopeChat, abi.ScopeAlways}, Scope: plain, Pattern: strings.Join(lines, "\n")}
}

// linesOf are the lines of a pattern that hold something.
func linesOf(pattern string) []string {
	var lines []string
	for line := range strings.SplitSeq(pattern, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// misses says which need no line covers, or which line covers no need.
func misses(needs []need, lines []string) reason.Reason {
	used := map[string]bool{}
	for _, n := range needs {
		covered := false
		for _, line := range lines {
			pattern, bad := permit.Parse(n.Tool, line)
			if !bad.None() {
				return bad
			}
			if pattern.Covers(n.Unit, n.where) {
				covered, used[line] = true, true
			}
		}
		if !covered {
			return reason.Of(reason.NotCovered, "pattern", strings.Join(lines, "; "))
		}
	}
	for _, line := range lines {
		if !used[line] {
			return reason.Of(reason.NotCovered, "pattern", line)
		}
	}
	return reason.Reason{}
}

func sentence(r reason.Reason) abi.GateSentence {
	if r.None() {
		return abi.GateSentence{}
	}
	return abi.GateSentence{Reason: r.String(), Key: r.Key, Args: r.Values()}
}
