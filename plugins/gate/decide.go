// Package gate is the approval gate: for each tool call of the agent it says
// whether it may run unasked, must be asked about, or may not run in the chat's
// mode. Only what is proven look-only is allowed; whatever is not known, asks.
package gate

import (
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
	"strata.dev/bridge/proto/abi"
)

// finding is how one thing that a call does was judged by its words alone, and
// what else must hold for it to be look-only.
type finding struct {
	text  string // of a part of a command; "" for a tool
	rule  string
	why   reason.Reason // none: look-only, if the rest holds
	cwd   string        // where paths start from, "" for the call's own
	here  bool          // it starts in that folder, whatever it looks at
	paths []path
	git   bool // the repository's settings must start no program

	web       bool // asked about once per chat, and not at all in Plan
	connected bool // not used in Plan, even to look

	// What a permission in advance would have to cover.
	words []bash.Word // of a part that could be taken apart
	file  string      // that a tool would change
	named bool        // the use of the tool as a whole
}

// path is a path that the call looks at.
type path = rules.Path

// judging is judge, or something that gives the same.
type judging func(abi.GateCall, abi.GateConfig) []finding

// Decide judges a call. It is a pure function of its arguments.
func Decide(call abi.GateCall, config abi.GateConfig) abi.GateDecision {
	return decide(call, config, judge)
}

// decide is Decide with the findings of judging.
func decide(call abi.GateCall, config abi.GateConfig, judging judging) abi.GateDecision {
	out := abi.GateDecision{Decision: abi.Allow, Digest: digest(call)}
	mode := modeOf(call)
	if closedToTheWeb(call, config) {
		out.Decision, out.Rule, out.Reason = abi.Deny, ruleUnattended, reason.NoWeb
		return out
	}
	if most := helperLimit(call, config); most > 0 && startsHelper(call.Tool) && call.Helpers >= most {
		out.Decision, out.Rule = abi.Deny, ruleHelpers
		out.Reason = reason.Long(reason.TooManyHelpers, "max", strconv.FormatInt(most, 10))
		return out
	}
	if mode == abi.Bypass {
		out.Rule = "mode:bypass"
		return out
	}
	findings := judging(call, config)
	where := placeFor(findings, call, config)
	allowed := make([]string, 0, 8) // by which rules
	if len(findings) > 0 && findings[0].text != "" {
		out.Parts = make([]abi.GatePart, 0, len(findings))
	}
	for i := range findings {
		f := &findings[i]
		rule, why := f.judged(where, &call, mode)
		part := abi.GatePart{Text: f.text, Decision: abi.Allow, Rule: rule}
		switch {
		case why.None() && rule != "" && !slices.Contains(allowed, rule):
			allowed = append(allowed, rule)
		case !why.None():
			part.Decision, part.Reason = abi.Ask, why.String()
		}
		if f.text != "" {
			out.Parts = append(out.Parts, part)
		}
		if part.Decision == abi.Ask && out.Decision == abi.Allow {
			out.Decision, out.Rule, out.Reason, out.Key, out.Args = abi.Ask, rule, part.Reason, why.Key, why.Values()
		}
	}
	if out.Decision == abi.Allow {
		out.Rule = strings.Join(allowed, ",")
		if call.Brief {
			out.Parts = nil
		}
		return out
	}
	if mode == abi.Plan {
		out.Decision = abi.Deny
		out.Reason = reason.Long(reason.NoMode, "reason", out.Reason)
	}
	return out
}

// helperLimit is how many helpers the call's chat may have at work, by its own model.
func helperLimit(call abi.GateCall, config abi.GateConfig) int64 {
	if most, ok := config.HelpersBy[call.Provider]; ok {
		return most
	}
	return config.MaxHelpers
}

func limitsHelpers(config abi.GateConfig) bool {
	return config.MaxHelpers > 0 || len(config.HelpersBy) > 0
}

// Facts names what Decide needs to know beyond a call's words. A call that its
// words or its mode decide already needs nothing.
func Facts(call abi.GateCall, config abi.GateConfig) abi.GateFacts {
	return facts(call, config, judge)
}

func facts(call abi.GateCall, config abi.GateConfig, judging judging) abi.GateFacts {
	out := abi.GateFacts{Paths: []string{}, Helpers: limitsHelpers(config) && startsHelper(call.Tool)}
	if modeOf(call) == abi.Bypass || closedToTheWeb(call, config) {
		return out
	}
	findings := judging(call, config)
	call.RealPaths = nil
	where := placeFor(findings, call, config)
	for i := range findings {
		if f := &findings[i]; !f.why.None() || !f.onWords(where).None() {
			return out
		}
	}
	var looked absolutes
	for i := range findings {
		f := &findings[i]
		w := f.at(where)
		if f.here {
			looked.of(w, ".")
		}
		for _, p := range f.paths {
			abs := looked.of(w, p.Word)
			if p.File {
				out.Files = append(out.Files, abs)
			}
			if p.Pattern != "" {
				folder := abs
				out.Folders = append(out.Folders, folder)
				for range strings.Count(strings.TrimSuffix(p.Pattern, "/"), "/") { // each level that it goes through
					folder += "/*"
					out.Folders = append(out.Folders, folder)
				}
			}
			if p.Links {
				out.Folders = append(out.Folders, abs+place.Below)
			}
		}
		out.Git = out.Git || f.git
	}
	if len(looked.paths) > 0 {
		out.Paths = append(looked.paths, where.Abs(where.Workspace))
	}
	out.Paths, out.Files, out.Folders = onceEach(out.Paths), onceEach(out.Files), onceEach(out.Folders)
	return out
}

// absolutes are the paths that words stand for. The parts of a long command mostly
// look at the same few.
type absolutes struct {
	asked [][2]string // folder and word
	paths []string
}

// of is a word's absolute path.
func (a *absolutes) of(where *place.Place, word string) string {
	one := [2]string{where.CWD, word}
	if i := slices.Index(a.asked, one); i >= 0 {
		return a.paths[i]
	}
	abs := where.Abs(word)
	a.asked, a.paths = append(a.asked, one), append(a.paths, abs)
	return abs
}

// onceEach drops empty texts and all but the first of equal ones.
func onceEach(texts []string) []string {
	out := texts[:0]
	for _, s := range texts {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// placeFor is the place of a call; for many parts it remembers what it judged.
func placeFor(findings []finding, call abi.GateCall, config abi.GateConfig) *place.Place {
	where := placeOf(call, config)
	if len(findings) > 1 {
		where.Remember()
	}
	return &where
}

// judged is what remains of a finding in a mode and a place: the rule that decided,
// and why it is not look-only.
func (f *finding) judged(where *place.Place, call *abi.GateCall, mode abi.Mode) (rule string, why reason.Reason) {
	rule, why = f.rule, f.why
	if why.None() {
		rule, why = f.prove(where, call)
	}
	if mode == abi.Plan {
		why = f.inPlan(why, call)
	}
	return rule, why
}

// inPlan is what a finding means in Plan: the web may be searched, a connected
// tool is not used at all.
func (f *finding) inPlan(why reason.Reason, call *abi.GateCall) reason.Reason {
	switch {
	case f.web:
		return reason.Reason{}
	case f.connected && why.None():
		return reason.Of(reason.InPlan, "tool", call.Tool)
	}
	return why
}

// prove checks what a finding leaves open: where its paths lead, and git.
func (f *finding) prove(where *place.Place, call *abi.GateCall) (rule string, why reason.Reason) {
	if why := f.onWords(where); !why.None() {
		return class(f.rule) + ":path", why
	}
	where = f.at(where)
	for _, p := range f.paths {
		if p.Links {
			if why := where.JudgeBelow(p.Word, p.Known); !why.None() {
				return class(f.rule) + ":path", why
			}
		}
		if p.Bare && !where.Plain(p.Word, p.Pattern, p.Hidden, p.Known) {
			_, program, _ := strings.Cut(f.rule, ":")
			return class(f.rule) + ":glob", reason.Of(reason.FilePattern, "program", program, "text", p.Pattern)
		}
	}
	if !f.git {
		return f.rule, reason.Reason{}
	}
	switch {
	case call.Git == nil:
		return "bash:git-settings", reason.Of(reason.GitUnsure)
	case len(call.Git.Programs) > 0:
		return "bash:git-settings", reason.Of(reason.GitRuns, "programs", strings.Join(call.Git.Programs, ", "))
	case call.Git.Elsewhere != "":
		return "bash:git-other", reason.Of(reason.GitOther, "folder", call.Git.Elsewhere)
	case f.cwd != "" && where.Abs(f.cwd) != where.Abs("."):
		return "bash:git-other", reason.Of(reason.GitOther, "folder", f.cwd)
	}
	return f.rule, reason.Reason{}
}

// onWords judges a finding's paths with the real paths that where knows.
func (f *finding) onWords(where *place.Place) reason.Reason {
	if f.cwd != "" {
		if why := where.Judge(f.cwd, false); !why.None() {
			return why
		}
	}
	where = f.at(where)
	if f.here {
		if why := where.Judge(onCard(".", where), false); !why.None() {
			return why
		}
	}
	for i := range f.paths {
		p := &f.paths[i]
		if why := where.Judge(onCard(p.Word, where), p.Deep); !why.None() {
			return why
		}
		if p.Pattern != "" {
			if why := where.JudgeIn(p.Word, p.Pattern, p.Hidden); !why.None() {
				return why
			}
		}
	}
	return reason.Reason{}
}

// onCard is a word as it stands on a card, where a dot says nothing.
func onCard(word string, where *place.Place) string {
	if word == "." && where.CWD != "" {
		return where.CWD
	}
	return word
}

// at is a place, moved to the folder that a call names for itself.
func (f *finding) at(where *place.Place) *place.Place {
	if f.cwd == "" {
		return where
	}
	there := *where
	there.CWD = where.Abs(f.cwd)
	return &there
}

// class is the first half of a rule's name: bash, tool.
func class(rule string) string {
	c, _, _ := strings.Cut(rule, ":")
	return c
}
