package gate

import (
	"strconv"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/pwsh"
	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
	"strata.dev/bridge/proto/abi"
)

// command judges a command line of a shell: each simple command by itself.
func command(shell, src, cwd string, windows bool) []finding {
	var findings []finding
	if shell == "bash" {
		findings = posix(src)
	} else {
		for _, part := range pwsh.Judge(src, windows) {
			f := matched(shell, part.Text, part.Match)
			f.words = part.Words
			findings = append(findings, f)
		}
	}
	paths := 0
	for i := range findings {
		findings[i].cwd = cwd
		paths += len(findings[i].paths)
	}
	if paths > maxPaths {
		return []finding{{text: src, rule: shell + ":parts", why: reason.Of(reason.TooManyPaths, "max", strconv.Itoa(maxPaths))}}
	}
	return findings
}

// posix judges a bash or sh command line.
func posix(src string) []finding {
	commands, problem := bash.Parse(src)
	if !problem.None() {
		return []finding{{text: src, rule: problem.Rule, why: problem.Reason}}
	}
	findings := make([]finding, len(commands))
	for i, c := range commands {
		if findings[i] = (finding{text: c.Text, rule: c.Problem.Rule, why: c.Problem.Reason}); c.Problem.None() {
			findings[i] = matched("bash", c.Text, rules.Builtin.Match(c.Words, c.Piped))
			findings[i].read(c.Reads)
			if c.Reads == nil { // else the words are not all that it does
				findings[i].words = c.Words
			}
		}
	}
	return findings
}

// maxPaths is how many paths of a call can be looked up beside the workspace.
const maxPaths = abi.MaxPaths - 1

// matched is what a rule's match leaves to be proven.
func matched(shell, text string, m rules.Match) finding {
	f := finding{text: text, rule: shell + ":" + m.Rule, why: m.Reason, git: m.Git}
	if !m.OK {
		return f
	}
	// Whatever it looks at, it starts in this folder.
	f.paths = append(make([]path, 0, 1+len(m.Paths)), path{word: "."})
	for _, p := range m.Paths {
		f.paths = append(f.paths, path{word: p.Word, deep: p.Deep, file: p.File, pattern: p.Pattern, hidden: shell == "pwsh", bare: p.Bare, known: p.Known, links: p.Links})
	}
	return f
}

// read adds the files that a command gets as its input.
func (f *finding) read(files []string) {
	if !f.why.None() {
		return
	}
	for _, file := range files {
		f.paths = append(f.paths, path{word: file})
	}
}

// shell judges a call of a shell tool: bash or pwsh.
func shell(name string, a arguments, windows bool) []finding {
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
	return command(name, src, cwd, windows)
}
