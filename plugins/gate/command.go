package gate

import (
	"strconv"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
	"strata.dev/bridge/proto/abi"
)

// command judges a bash or sh command line: each simple command by itself.
func command(src, cwd string) []finding {
	commands, problem := bash.Parse(src)
	if !problem.None() {
		return []finding{{text: src, rule: problem.Rule, why: problem.Reason}}
	}
	findings := make([]finding, len(commands))
	paths := 0
	for i, c := range commands {
		findings[i] = simple(c, cwd)
		paths += len(findings[i].paths)
	}
	if paths > maxPaths {
		return []finding{{text: src, rule: "bash:parts", why: reason.Of(reason.TooManyPaths, "max", strconv.Itoa(maxPaths))}}
	}
	return findings
}

// maxPaths is how many paths of a call can be looked up beside the workspace.
const maxPaths = abi.MaxPaths - 1

func simple(c bash.Command, cwd string) finding {
	if !c.Problem.None() {
		return finding{text: c.Text, rule: c.Problem.Rule, why: c.Problem.Reason}
	}
	m := rules.Builtin.Match(c.Words, c.Piped)
	f := finding{text: c.Text, rule: "bash:" + m.Rule, why: m.Reason, cwd: cwd, git: m.Git}
	if !m.OK {
		return f
	}
	// Whatever it looks at, it starts in this folder.
	f.paths = append(f.paths, path{word: "."})
	for _, p := range m.Paths {
		f.paths = append(f.paths, path{word: p.Word, deep: p.Deep})
	}
	return f
}

// shell judges a call of a shell tool.
func shell(a arguments) []finding {
	const name = "bash"
	bad := func(rule, key string, pairs ...string) []finding {
		return []finding{{rule: rule, why: reason.Of(key, append(pairs, "tool", name)...)}}
	}
	src, ok := a.text("command")
	if !ok {
		return bad("tool:arguments", reason.BadCall)
	}
	cwd := ""
	for _, key := range a.keys() {
		switch key {
		case "command", "description":
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
				return bad("bash:background", reason.Background)
			}
		default:
			return bad("tool:arguments", reason.Argument, "argument", key)
		}
	}
	return command(src, cwd)
}
