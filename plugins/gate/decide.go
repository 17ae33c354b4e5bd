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
	"strata.dev/bridge/proto/abi"
)

// finding is how one thing that a call does was judged by its words alone, and
// what else must hold for it to be look-only.
type finding struct {
	text  string // of a part of a command; "" for a tool
	rule  string
	why   reason.Reason // none: look-only, if the rest holds
	cwd   string        // where paths start from, "" for the call's own
	paths []path
	git   bool // the repository's settings must start no program

	web       bool // asked about once per chat, and not at all in Plan
	connected bool // not used in Plan, even to look

	// What a permission in advance would have to cover.
	words []bash.Word // of a part that could be taken apart
	file  string      // that a tool would change
	named bool        // the use of the tool as a whole
}

// path is a path that the call looks at; deep says that all below it is read.
type path struct {
	word string
	deep bool
	file bool // it must not be a folder
	// pattern picks names in the folder that the path is, "" none; hidden says that
	// it picks those with a dot in front too.
	pattern string
	hidden  bool
	// bare says that they stand as words of their own, known that it must be known
	// what they are.
	bare, known bool
	links       bool // what lies below is read through links, too
}

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
	rules := make([]string, 0, len(findings))
	if len(findings) > 0 && findings[0].text != "" {
		out.Parts = make([]abi.GatePart, 0, len(findings))
	}
	for _, f := range findings {
		if f.why.None() {
			f = prove(f, where, call)
		}
		if mode == abi.Plan {
			f = inPlan(f, call)
		}
		part := partOf(f)
		if f.text != "" {
			out.Parts = append(out.Parts, part)
		}
		if part.Decision == abi.Allow {
			rules = append(rules, f.rule)
		} else if out.Decision == abi.Allow {
			out.Decision, out.Rule, out.Reason, out.Key, out.Args = abi.Ask, part.Rule, part.Reason, f.why.Key, f.why.Values()
		}
	}
	if out.Decision == abi.Allow {
		out.Rule = joined(rules)
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
	for _, f := range findings {
		if !f.why.None() || !onWords(f, where).None() {
			return out
		}
	}
	var asked [][2]string // cwd and word: of many parts they are mostly the same
	for _, f := range findings {
		w := at(where, f)
		for _, p := range f.paths {
			if word := [2]string{w.CWD, p.word}; !slices.Contains(asked, word) {
				asked = append(asked, word)
				out.Paths = append(out.Paths, w.Abs(p.word))
			}
			if p.file {
				out.Files = append(out.Files, w.Abs(p.word))
			}
			if p.pattern != "" {
				folder := w.Abs(p.word)
				out.Folders = append(out.Folders, folder)
				for range strings.Count(strings.TrimSuffix(p.pattern, "/"), "/") { // each level that it goes through
					folder += "/*"
					out.Folders = append(out.Folders, folder)
				}
			}
			if p.links {
				out.Folders = append(out.Folders, w.Abs(p.word)+place.Below)
			}
		}
		out.Git = out.Git || f.git
	}
	if len(out.Paths) > 0 {
		out.Paths = append(out.Paths, where.Abs(where.Workspace))
	}
	out.Paths, out.Files, out.Folders = onceEach(out.Paths), onceEach(out.Files), onceEach(out.Folders)
	return out
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
func placeFor(findings []finding, call abi.GateCall, config abi.GateConfig) place.Place {
	where := placeOf(call, config)
	if len(findings) > 1 {
		where = where.Remembering()
	}
	return where
}

// inPlan is what a finding means in Plan: the web may be searched, a connected
// tool is not used at all.
func inPlan(f finding, call abi.GateCall) finding {
	switch {
	case f.web:
		f.why = reason.Reason{}
	case f.connected && f.why.None():
		f.why = reason.Of(reason.InPlan, "tool", call.Tool)
	}
	return f
}

// prove checks what a finding leaves open: where its paths lead, and git.
func prove(f finding, where place.Place, call abi.GateCall) finding {
	if why := onWords(f, where); !why.None() {
		f.rule, f.why = class(f.rule)+":path", why
		return f
	}
	where = at(where, f)
	for _, p := range f.paths {
		if p.links {
			if why := where.JudgeBelow(p.word, p.known); !why.None() {
				f.rule, f.why = class(f.rule)+":path", why
				return f
			}
		}
		if p.bare && !where.Plain(p.word, p.pattern, p.hidden, p.known) {
			_, program, _ := strings.Cut(f.rule, ":")
			f.rule, f.why = class(f.rule)+":glob", reason.Of(reason.FilePattern, "program", program, "text", p.pattern)
			return f
		}
	}
	if !f.git {
		return f
	}
	switch {
	case call.Git == nil:
		f.rule, f.why = "bash:git-settings", reason.Of(reason.GitUnsure)
	case len(call.Git.Programs) > 0:
		f.rule, f.why = "bash:git-settings", reason.Of(reason.GitRuns, "programs", strings.Join(call.Git.Programs, ", "))
	case call.Git.Elsewhere != "":
		f.rule, f.why = "bash:git-other", reason.Of(reason.GitOther, "folder", call.Git.Elsewhere)
	case f.cwd != "" && where.Abs(f.cwd) != where.Abs("."):
		f.rule, f.why = "bash:git-other", reason.Of(reason.GitOther, "folder", f.cwd)
	}
	return f
}

// onWords judges a finding's paths with the real paths that where knows.
func onWords(f finding, where place.Place) reason.Reason {
	if f.cwd != "" {
		if why := where.Judge(f.cwd, false); !why.None() {
			return why
		}
	}
	where = at(where, f)
	for _, p := range f.paths {
		word := p.word
		if word == "." && where.CWD != "" {
			word = where.CWD // on a card a dot says nothing
		}
		if why := where.Judge(word, p.deep); !why.None() {
			return why
		}
		if p.pattern != "" {
			if why := where.JudgeIn(p.word, p.pattern, p.hidden); !why.None() {
				return why
			}
		}
	}
	return reason.Reason{}
}

// at moves a place to the folder that a call names for itself.
func at(where place.Place, f finding) place.Place {
	if f.cwd != "" {
		where.CWD = where.Abs(f.cwd)
	}
	return where
}

func partOf(f finding) abi.GatePart {
	p := abi.GatePart{Text: f.text, Decision: abi.Allow, Rule: f.rule}
	if !f.why.None() {
		p.Decision, p.Reason = abi.Ask, f.why.String()
	}
	return p
}

// class is the first half of a rule's name: bash, tool.
func class(rule string) string {
	c, _, _ := strings.Cut(rule, ":")
	return c
}

// joined names the rules that allowed a call, each once.
func joined(rules []string) string { return strings.Join(onceEach(rules), ",") }
