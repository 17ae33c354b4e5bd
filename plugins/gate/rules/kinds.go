package rules

import (
	"path"
	"slices"
	"strings"

	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/script"
)

// kind is what a value or an operand may be.
type kind struct {
	name  string
	takes func(string) bool
	// path is the path that a word names, to be judged by where it leads; nil for
	// kinds that name none.
	path   func(string) string
	also   func(string) string // another one that the same word may name, "" for none
	script bool                // a small program
}

func itself(s string) string { return s }

// kinds by their names.
var kinds = []kind{
	{name: "text", takes: func(string) bool { return true }},
	{name: "regex", takes: script.Mild},
	{name: "num", takes: number},
	{name: "word", takes: word},
	{name: "path", takes: pathWord, path: itself},
	{name: "named", takes: func(s string) bool { return pathWord(s) && s != "-" }, path: itself},
	{name: "input", takes: inputWord, path: itself},
	{name: "file", takes: fileWord, path: itself},
	{name: "rev", takes: revision, path: pathOfRevision, also: lastPath},
	{name: "format", takes: gitFormat},
	{name: "refs", takes: func(s string) bool { return !strings.Contains(s, "signature") && narrow(s) }},
	{name: "group", takes: func(s string) bool {
		return s == "author" || s == "committer" || strings.HasPrefix(s, "trailer:") && word(s)
	}},
	{name: "layout", takes: narrow},
	{name: "pattern", takes: func(s string) bool { return !aims(s) }},
	{name: "added", takes: func(s string) bool { return !aims(s[strings.IndexByte(s, ':')+1:]) }},
	{name: "range", takes: func(s string) bool { return strings.Contains(s, ":") && s[0] != '-' && script.Mild(s) }, path: pathOfRange},
	{name: "lines", takes: func(s string) bool { return s != "" && strings.Trim(s, "0123456789,+-") == "" }},
	{name: "width", takes: func(s string) bool { return len(s) < 5 && digits(s) }},
	{name: "size", takes: size},
	{name: "sed", takes: script.Sed, script: true},
	{name: "jq", takes: script.JQ, script: true},
	{name: "inputless", takes: func(s string) bool { return script.JQ(s) && !strings.Contains(s, "input") }, script: true},
	{name: "awk", takes: script.Awk, script: true},
	{name: "assign", takes: func(s string) bool {
		name, _, ok := strings.Cut(s, "=")
		return ok && script.AwkVariable(name) && script.Mild(s) && narrow(s)
	}},
	{name: "column", takes: columns},
	{name: "key", takes: gitKey},
	{name: "printf", takes: printfFormat},
	{name: "time", takes: func(s string) bool { return strings.HasPrefix(s, "+") && narrow(s) }},
	{name: "prog", takes: func(s string) bool { return word(s) && s != "" }},
}

// kindOf is a kind by its name, or a list of words to choose from: a|b, or =a for
// a single one.
func kindOf(name string) (k kind, known bool) {
	if strings.ContainsAny(name, "|=") {
		choices := strings.Split(strings.TrimPrefix(name, "="), "|")
		return kind{name: name, takes: func(s string) bool { return slices.Contains(choices, s) }}, true
	}
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		return kinds[i], true
	}
	return kind{}, false
}

// kindsOf are the kinds with + between their names; none of "". One alone is
// where it is kept.
func kindsOf(names string) (of []kind, known bool) {
	if names == "" {
		return nil, true
	}
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == names }); i >= 0 {
		return kinds[i : i+1 : i+1], true
	}
	for name := range strings.SplitSeq(names, "+") {
		k, known := kindOf(name)
		if !known {
			return nil, false
		}
		of = append(of, k)
	}
	return of, true
}

// Fits tells whether a text is of a kind, by its name. No text is of a kind that
// there is not.
func Fits(name, text string) bool {
	k, known := kindOf(name)
	return known && k.takes(text)
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

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

// revision is a name of a commit, a range of two, a file of one (rev:path), or a
// pattern of files that picks no secrets.
func revision(s string) bool {
	return s != "" && s[0] != '-' && script.Mild(s) && !(strings.ContainsAny(s, wildcards) && aims(pathspec(s)))
}

const wildcards = "*?["

// pathspec is a path, or a pattern of paths, without what git takes for an
// instruction in front of it: :(icase)x, :/x. Of one that leaves files out it is
// the folder that is left.
func pathspec(s string) string {
	rest, special := strings.CutPrefix(s, ":")
	if !special {
		return s
	}
	if words, path, closed := strings.Cut(strings.TrimPrefix(rest, "("), ")"); closed && rest[0] == '(' {
		if strings.Contains(words, "exclude") {
			return "."
		}
		return path
	}
	path := strings.TrimLeft(rest, "/!^")
	if strings.ContainsAny(rest[:len(rest)-len(path)], "!^") {
		return "."
	}
	return strings.TrimPrefix(path, ":")
}

// gitFormat is a format of git log that is built in, or spelled out without %G:
// that one starts the signing program, and so may a format named in the settings.
func gitFormat(s string) bool {
	if !narrow(s) {
		return false
	}
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

// narrow tells whether a layout holds no number that would be a width of
// thousands: %2000000000Y and %<(2000000000) fill the memory.
func narrow(s string) bool {
	run := 0
	for i := range len(s) {
		if run++; s[i] < '0' || s[i] > '9' {
			run = 0
		}
		if run > 4 {
			return false
		}
	}
	return true
}

// aims tells whether a file pattern that picks what is read may pick secrets. One
// that begins with ! leaves files out.
func aims(pattern string) bool {
	return !strings.HasPrefix(pattern, "!") && place.PatternFitsSecret(strings.TrimPrefix(pattern, "="))
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
	return s == "/dev/null" || path.Ext(name) != "" || slices.Contains(bareFiles, strings.ToLower(name))
}

// bareFiles are names of files that have no ending.
var bareFiles = strings.Fields("makefile dockerfile containerfile license licence readme changelog authors contributing copying notice todo version gemfile rakefile procfile vagrantfile jenkinsfile justfile brewfile podfile cmakelists codeowners")

// printfFormat is a format that is no option and holds no %n, which writes a
// variable, and no width that is large or comes from outside.
func printfFormat(s string) bool {
	if strings.HasPrefix(s, "-") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		spec := s[i+1:]
		spec = spec[:len(spec)-len(strings.TrimLeft(spec, "0123456789.*#+- 'hlLjzt"))]
		i += 1 + len(spec)
		if i < len(s) && s[i] == 'n' || len(spec) > 5 || strings.Contains(spec, "*") {
			return false
		}
	}
	return true
}

// pathOfRange is the file in 1,5:path or :function:path.
func pathOfRange(text string) string { return text[strings.LastIndexByte(text, ':')+1:] }

// lastPath is what stands behind the last of several colons: a revision may hold
// some itself, as HEAD^{/fix: it}:path and :0:path do.
func lastPath(text string) string {
	first, last := strings.IndexByte(text, ':'), strings.LastIndexByte(text, ':')
	if first == last {
		return ""
	}
	return strings.TrimPrefix(text[last+1:], "/")
}

// pathOfRevision is the path in a revision, a path, or rev:path; git takes what
// it finds. The path of rev:path starts from the repository's root or the current
// folder. What only a revision has at its end (HEAD~1, x^2, v1..) is taken off: on
// Windows it would look like the short or trimmed name of another file.
func pathOfRevision(text string) string {
	if text[0] == ':' {
		text = pathspec(text)
	} else if _, p, ok := strings.Cut(text, ":"); ok {
		text = strings.TrimPrefix(p, "/")
	}
	if text == "" { // the root
		return "."
	}
	if i := strings.IndexAny(text, wildcards); i >= 0 && !strings.Contains(text, "..") {
		if text = text[:strings.LastIndexByte(text[:i], '/')+1]; text == "" {
			return "."
		}
		return text
	}
	if name, open := strings.CutSuffix(text, ".."); open && name != "" && strings.IndexByte(`/\.`, name[len(name)-1]) < 0 {
		text = name
	}
	name := strings.TrimRight(text, "0123456789~^")
	if i := strings.IndexAny(text[len(name):], "~^"); i >= 0 && name != "" {
		text = text[:len(name)+i]
	}
	return text
}
