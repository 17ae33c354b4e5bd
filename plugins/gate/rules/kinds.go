package rules

import (
	"path"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/script"
)

// Kinds are the kinds of values and operands, each with the test that a word
// must pass. Paths of "path", "dir" and "rev" are handed on to be judged by
// where they lead.
var Kinds = map[string]func(string) bool{
	"text":   func(string) bool { return true },
	"num":    number,
	"word":   word,
	"path":   pathWord,
	"input":  inputWord,
	"rev":    revision,
	"format": gitFormat,
	"refs":   func(s string) bool { return !strings.Contains(s, "signature") },
	"range":  func(s string) bool { return strings.Contains(s, ":") && s[0] != '-' },
	"lines":  func(s string) bool { return s != "" && strings.Trim(s, "0123456789,+-") == "" },
	"width":  func(s string) bool { return s != "" && len(s) < 5 && strings.Trim(s, "0123456789") == "" },
	"size":   size,
	"file":   fileWord,
	"sed":    script.Sed,
	"jq":     script.JQ,
	"awk":    script.Awk,
	"assign": func(s string) bool { name, _, ok := strings.Cut(s, "="); return ok && script.AwkVariable(name) },
	"column": columns,
	"key":    gitKey,
	"printf": printfFormat,
	"time":   func(s string) bool { return strings.HasPrefix(s, "+") },
	"prog":   func(s string) bool { return word(s) && s != "" },
}

// scripts are the kinds that are small programs.
var scripts = map[string]bool{"sed": true, "awk": true, "jq": true}

// pathWord is a word that every program takes for a path: some read one that
// begins with + as an option (tail +1f does not end).
func pathWord(s string) bool { return s != "" && s[0] != '+' }

// inputWord is a path that is neither an assignment to awk (a=b) nor, to GNU's
// binary tools, a file with more arguments (@a).
func inputWord(s string) bool { return pathWord(s) && s[0] != '@' && !strings.Contains(s, "=") }

// number is digits with a sign before and a unit behind: 20, +5, -3, 1K, 10MB, 0.5.
func number(s string) bool {
	s = strings.TrimLeft(s, "+-")
	digits := strings.TrimLeft(s, "0123456789.")
	return len(digits) < len(s) && len(digits) <= 3 && strings.Trim(digits, "kKmMgGtTbBiI") == ""
}

// word is letters, digits and the marks of names and lists.
func word(s string) bool {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_.,:+%-", c) >= 0) {
			return false
		}
	}
	return true
}

// revision is a name of a commit, a range of two, or a file of one (rev:path).
func revision(s string) bool {
	return s != "" && s[0] != '-'
}

// gitFormat is a format of git log that is built in, or spelled out without %G:
// that one starts the signing program, and so may a format named in the settings.
func gitFormat(s string) bool {
	switch s {
	case "oneline", "short", "medium", "full", "fuller", "reference", "email", "raw":
		return true
	}
	if !strings.Contains(s, "%") {
		return strings.HasPrefix(s, "format:") || strings.HasPrefix(s, "tformat:")
	}
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '%' && strings.HasPrefix(strings.TrimLeft(s[i+1:], "+- "), "G") {
			return false
		}
	}
	return true
}

// gitKey is a setting of git whose value is no secret and no address.
func gitKey(s string) bool {
	section, rest, ok := strings.Cut(strings.ToLower(s), ".")
	if !ok || !word(rest) {
		return false
	}
	switch section {
	case "user", "core", "init", "branch", "pull", "push", "merge", "rebase", "diff", "log", "color", "status", "i18n", "commit", "tag", "fetch":
		return true
	case "remote":
		return strings.HasSuffix(rest, ".url") || strings.HasSuffix(rest, ".fetch")
	}
	return false
}

// size is a size as find takes it: +1M, -100c, 5.
func size(s string) bool {
	s = strings.TrimLeft(s, "+-")
	unit := strings.TrimLeft(s, "0123456789")
	return len(unit) < len(s) && (unit == "" || len(unit) == 1 && strings.Contains("bcwkKmMgGtT", unit))
}

// columns are ps's names for what it shows, with an order in front where it
// sorts. One that it does not know would make it read the whole line anew, as
// BSD's, where e shows environments.
func columns(s string) bool {
	for name := range strings.SplitSeq(s, ",") {
		if !slices.Contains(psColumns, strings.TrimLeft(name, "+-")) {
			return false
		}
	}
	return true
}

var psColumns = strings.Fields("pid ppid pgid sid user ruser uid group gid comm args cmd command pcpu %cpu pmem %mem rss vsz etime time stat state s start lstart nice ni pri tty tt psr nlwp wchan fname")

// fileWord is a path that looks like a file's and not like a folder's.
func fileWord(s string) bool {
	name := path.Base(s)
	if !pathWord(s) || strings.HasSuffix(s, "/") || name == "." || name == ".." {
		return false
	}
	return path.Ext(name) != "" || slices.Contains(bareFiles, strings.ToLower(name))
}

// bareFiles are names of files that have no ending.
var bareFiles = strings.Fields("makefile dockerfile containerfile license licence readme changelog authors contributing copying notice todo version gemfile rakefile procfile vagrantfile jenkinsfile justfile brewfile podfile cmakelists codeowners")

// printfFormat is a format that is no option and holds no %n, which writes a variable.
func printfFormat(s string) bool {
	if strings.HasPrefix(s, "-") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		i += 1 + len(s[i+1:]) - len(strings.TrimLeft(s[i+1:], "0123456789.*#+- 'hlLjzt"))
		if i < len(s) && s[i] == 'n' {
			return false
		}
	}
	return true
}

// paths are the paths that a word of this kind names.
func paths(kind, text string) []string {
	switch kind {
	case "path", "input", "file":
		return []string{text}
	case "range": // of a file: 1,5:path or :function:path
		return []string{text[strings.LastIndex(text, ":")+1:]}
	case "rev":
		// A revision, a path, or rev:path; git takes what it finds. The path of
		// rev:path starts from the repository's root or the current folder.
		if _, p, ok := strings.Cut(text, ":"); ok {
			return []string{strings.TrimPrefix(p, "/")}
		}
		return []string{text}
	}
	return nil
}
