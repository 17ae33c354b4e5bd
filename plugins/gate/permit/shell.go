package permit

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/pwsh"
)

// Tools that stand for more than one of a Harness's.
const (
	Shell      = "bash" // and sh
	PowerShell = "pwsh" // and powershell
	Web        = "web"  // searching and opening pages
)

// state are commands that change what the commands after them mean, or run what
// they are told. What came after them was not judged in that light.
var state = []string{
	"cd", "pushd", "popd", "dirs", ".", "source", "eval", "exec", "export", "declare", "typeset", "local", "readonly", "unset", "set",
	"shopt", "alias", "unalias", "hash", "enable", "builtin", "command", "trap", "umask", "ulimit", "read", "mapfile", "readarray",
	"getopts", "let", "coproc", "bind", "complete", "compopt", "fc", "history", "logout", "exit", "return", "break", "continue", "shift",
}

// powerState are PowerShell's, in lower case.
var powerState = []string{
	"cd", "cd..", "cd\\", "cd~", "chdir", "sl", "set-location", "pushd", "push-location", "popd", "pop-location", ".", "iex", "invoke-expression",
	"set-alias", "sal", "new-alias", "nal", "import-alias", "ipal", "import-module", "ipmo", "remove-module", "rmo", "new-module", "nmo",
	"set-variable", "sv", "set", "new-variable", "nv", "remove-variable", "rv", "clear-variable", "clv", "new-psdrive", "ndr", "mount",
	"remove-psdrive", "rdr", "update-typedata", "update-formatdata", "register-argumentcompleter", "register-engineevent", "register-objectevent",
	"set-psdebug", "set-strictmode", "set-executionpolicy", "set-psbreakpoint", "sbp", "enter-pssession", "etsn", "exit-pssession", "add-type",
	"using", "function", "filter", "param", "trap", "exit", "return", "break", "continue", "throw", "invoke-history", "ihy", "r", "out-variable",
}

// runners run what they are told; what that is must be said before a star.
var runners = []string{
	"sh", "bash", "zsh", "dash", "ksh", "fish", "env", "xargs", "sudo", "doas", "su", "nohup", "nice", "ionice", "timeout", "time", "watch",
	"stdbuf", "setsid", "flock", "parallel", "find", "awk", "gawk", "mawk", "sed", "python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "lua",
	"npx", "bunx", "pnpx", "uvx", "pipx", "ssh", "docker", "podman", "kubectl", "make", "pwsh", "powershell", "cmd", "wsl",
}

// powerRunners are those that PowerShell or Windows have beside them, in lower case.
var powerRunners = []string{
	"start-process", "saps", "start", "invoke-command", "icm", "invoke-item", "ii", "start-job", "sajb", "start-threadjob", "foreach-object",
	"foreach", "where-object", "where", "invoke-wmimethod", "iwmi", "invoke-cimmethod", "icim", "new-object", "new-service", "set-service",
	"py", "rundll32", "regsvr32", "mshta", "cscript", "wscript", "msiexec", "forfiles", "wmic", "schtasks", "at", "sc", "runas", "conhost", "bitsadmin",
}

// Tool is the name by which permissions know a tool.
func Tool(name string) string {
	switch name {
	case "sh":
		return Shell
	case "powershell":
		return PowerShell
	case "web_search", "web_fetch":
		return Web
	}
	return name
}

// commandOf parses a pattern for a shell tool: one plain command. Only one of
// Windows has a disk's letter in it, so that of both is read.
func commandOf(tool, line string) []bash.Word {
	if tool == PowerShell {
		words, ok := pwsh.Words(line, true)
		if !ok {
			return nil
		}
		return words
	}
	commands, problem := bash.Parse(line)
	if !problem.None() || len(commands) != 1 || !commands[0].Problem.None() || commands[0].Reads != nil {
		return nil
	}
	return commands[0].Words
}

// program is the name that a shell looks a command up by.
func program(tool string, words []bash.Word) string {
	name := words[0].Text
	if tool != PowerShell {
		return name
	}
	name = strings.ToLower(name)
	if i := strings.LastIndexAny(name, `/\`); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	return strings.TrimSuffix(name, ".exe")
}

// changesShell tells whether a command changes what those after it mean.
func changesShell(tool string, words []bash.Word) bool {
	if tool == PowerShell {
		return slices.Contains(powerState, program(tool, words))
	}
	return slices.Contains(state, words[0].Text)
}

// runs tells whether a command runs what it is told.
func runs(tool string, words []bash.Word) bool {
	name := program(tool, words)
	return slices.Contains(runners, name) || tool == PowerShell && slices.Contains(powerRunners, name)
}
