package rules

import "strings"

// Kinds are the kinds of values and operands, each with the test that a word
// must pass. Paths of "path", "dir" and "rev" are handed on to be judged by
// where they lead.
var Kinds = map[string]func(string) bool{
	"text":   func(string) bool { return true },
	"num":    number,
	"word":   word,
	"path":   func(s string) bool { return s != "" },
	"rev":    revision,
	"format": gitFormat,
	"refs":   func(s string) bool { return !strings.Contains(s, "signature") },
	"lines":  func(s string) bool { return s != "" && strings.Trim(s, "0123456789,+-") == "" },
	"sed":    sedPrint,
	"printf": printfFormat,
	"time":   func(s string) bool { return strings.HasPrefix(s, "+") },
	"prog":   func(s string) bool { return word(s) && s != "" },
}

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

// sedPrint is a sed script that prints lines by number: 5p; 1,20p; 10,$p; 3p;7p.
func sedPrint(s string) bool {
	for command := range strings.SplitSeq(s, ";") {
		lines, ok := strings.CutSuffix(command, "p")
		from, to, ranged := strings.Cut(lines, ",")
		if !ok || !sedLine(from) || ranged && !sedLine(to) {
			return false
		}
	}
	return true
}

func sedLine(s string) bool {
	return s == "$" || s != "" && strings.Trim(s, "0123456789") == ""
}

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
	case "path":
		return []string{text}
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
