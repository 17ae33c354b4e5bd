package git

import (
	"slices"
	"strings"
)

// starts tells whether a setting, wherever it comes from, makes a reading command
// start a program, fetch from elsewhere, or write. Each of these did on a real git.
func (s setting) starts() bool {
	switch s.section {
	case "core":
		switch s.key {
		case "fsmonitor": // true starts git's own watcher, which runs on
			return s.on()
		case "alternaterefscommand", "virtualfilesystem", "gvfs":
			return !s.off()
		}
	case "diff":
		return s.key == "external" || s.key == "command" || s.key == "textconv"
	case "filter":
		return (s.key == "clean" || s.key == "smudge" || s.key == "process") && s.value != ""
	case "hook":
		return s.key == "command"
	case "log":
		return s.key == "showsignature" && s.on() || s.key == "diffmerges" && strings.HasPrefix(s.value, "r")
	case "format":
		return s.key == "pretty" && !plainFormat(s.value)
	case "branch", "tag":
		return s.key == "sort" && strings.Contains(s.value, "signature")
	case "remote": // what is missing here is fetched when it is looked at
		return s.key == "promisor" && s.on() || s.key == "partialclonefilter"
	case "extensions":
		return s.key == "partialclone"
	case "trace2": // writes a log
		return strings.HasSuffix(s.key, "target") && !s.off()
	}
	return false
}

// on tells whether a value is not one of git's words for no.
func (s setting) on() bool {
	return !slices.Contains([]string{"", "false", "no", "off", "0"}, strings.ToLower(s.value))
}

// plainFormat tells whether a format of git log is built in, or spelled out
// without the signature, which starts the signing program.
func plainFormat(s string) bool {
	switch s {
	case "oneline", "short", "medium", "full", "fuller", "reference", "email", "raw", "mboxrd":
		return true
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "t"), "format:")
	return strings.Contains(s, "%") && !strings.Contains(s, "G")
}

// programWords are parts of the names that git, and what extends it, gives to
// settings that hold a program.
var programWords = []string{
	"command", "cmd", "program", "pager", "editor", "helper", "driver", "textconv", "external", "fsmonitor", "hook",
	"askpass", "gitproxy", "difffilter", "browser", "viewer", "httpd", "tunnel", "uploadpack", "receivepack", "packobjects",
	"vcs", "exec", "script", "shell",
}

// names tells whether a setting of the folder's own names a program, started by a
// reading command or not. A folder that came with one is not to be trusted.
func (s setting) names() bool {
	switch {
	case s.own():
		return false
	case strings.HasPrefix(s.value, "!"): // an alias, a helper, a way to update: run by a shell
		return true
	case s.section == "core" && s.key == "hookspath", s.section == "alias", s.off():
		return false // hooks are looked at themselves; other aliases name commands of git
	case s.section == "pager":
		return true
	}
	return slices.ContainsFunc(programWords, func(word string) bool { return strings.Contains(s.key, word) })
}

// hooks are those that reading commands run: writing the index, which git status
// and git diff do to keep it fresh, is followed by one.
var hooks = []string{"post-index-change"}

// harmless are the variables of git's environment that start nothing in a reading
// command, or that its settings show anyway.
var harmless = []string{
	"GIT_OPTIONAL_LOCKS", "GIT_TERMINAL_PROMPT", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_NOSYSTEM",
	"GIT_CONFIG_SYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_MERGE_AUTOEDIT",
	"GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT",
	"GIT_ALLOW_PROTOCOL", "GIT_LFS_SKIP_SMUDGE", "GIT_ADVICE",
}

var harmlessPrefixes = []string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_SSL_", "GIT_HTTP_", "GIT_PS1_"}

func harmlessVariable(name string) bool {
	return slices.Contains(harmless, name) ||
		slices.ContainsFunc(harmlessPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}
