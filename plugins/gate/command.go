package gate

import (
	"strconv"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/pwsh"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
	"strata.dev/bridge/proto/abi"
)

// room is what one call's findings lie in, and the next one's after that.
type room struct {
	findings []finding
	walker   bash.Walker
}

// command judges a command line of a shell: each simple command by itself.
func command(shell, src, cwd string, windows bool, room *room) []finding {
	findings := room.findings[:0]
	if shell == "bash" {
		findings = posix(src, room)
	} else {
		for _, part := range pwsh.Judge(src, windows) {
			findings = append(findings, finding{})
			findings[len(findings)-1].matched(shell, part.Text, part.Match)
			findings[len(findings)-1].words = part.Words
		}
	}
	paths := 0
	for i := range findings {
		findings[i].cwd = cwd
		paths += len(findings[i].paths)
		if findings[i].here {
			paths++
		}
	}
	if paths > maxPaths {
		return []finding{{text: src, rule: shell + ":parts", why: reason.Of(reason.TooManyPaths, "max", strconv.Itoa(maxPaths))}}
	}
	return findings
}

// posix judges a bash or sh command line.
func posix(src string, room *room) []finding {
	findings := room.findings[:0]
	problem := room.walker.Walk(src, func(c *bash.Command) {
		findings = append(findings, finding{})
		f := &findings[len(findings)-1]
		if !c.Problem.None() {
			f.text, f.rule, f.why = c.Text, c.Problem.Rule, c.Problem.Reason
			return
		}
		f.matched("bash", c.Text, rules.Builtin.Match(c.Words, c.Piped))
		f.read(c.Reads)
		if c.Reads == nil { // else the words are not all that it does
			f.words = c.Words
		}
	})
	if !problem.None() {
		return []finding{{text: src, rule: problem.Rule, why: problem.Reason}}
	}
	room.findings = findings
	return findings
}

// maxPaths is how many paths of a call can be looked up beside the workspace.
const maxPaths = abi.MaxPaths - 1

// matched fills in what a rule's match leaves to be proven.
func (f *finding) matched(shell, text string, m rules.Match) {
	f.text, f.rule, f.why, f.git, f.here, f.paths = text, m.In(shell), m.Reason, m.Git, m.OK, m.Paths
	for i := range f.paths {
		f.paths[i].Hidden = shell == "pwsh"
	}
}

// read adds the files that a command gets as its input.
func (f *finding) read(files []string) {
	if !f.why.None() {
		return
	}
	for _, file := range files {
		f.paths = append(f.paths, path{Word: file})
	}
}

// shell judges a call of a shell tool: bash or pwsh.
func shell(name string, a arguments, windows bool, room *room) []finding {
	bad := func(rule, key string, pairs ...string) []finding {
		return []finding{{rule: rule, why: reason.Of(key, append(pairs, "tool", name)...)}}
	}
	src, ok := a.text("command")
	if !ok {
		return bad("tool:arguments", reason.BadCall)
	}
	cwd := ""
	for key := range a.keys() {
		switch key {
		case "command":
		case "description":
			if _, ok := a.text(key); !ok {
				return bad("tool:arguments", reason.Argument, "argument", key)
			}
		case "timeoutMs", "timeout_ms", "timeout":
			if !a.number(key) {
				return bad("tool:arguments", reason.Argument, "argument", key)
			}
		case "workdir", "cwd":
			dir, ok := a.text(key)
			if !ok || cwd != "" {
				return bad("tool:arguments", reason.Argument, "argument", key)
			}
			cwd = dir
		case "run_in_background":
			if !a.isFalse(key) {
				return bad(name+":background", reason.Background)
			}
		default:
			return bad("tool:arguments", reason.Argument, "argument", key)
		}
	}
	return command(name, src, cwd, windows, room)
}
