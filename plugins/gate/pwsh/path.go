package pwsh

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
)

// path judges a cmdlet's path by its words and hands it on to be judged by where
// it leads. PowerShell takes \ and / for the same everywhere.
func (m *matcher) path(w word, patterns bool) *rules.Match {
	text := strings.ReplaceAll(w.text, `\`, "/")
	switch {
	case strings.HasPrefix(text, "~"): // quoted too
		return m.refuse("home", reason.Home, "text", w.text)
	case strings.HasPrefix(text, "//"):
		return m.refuse("provider", reason.Outside, "path", w.text)
	case strings.Contains(text, ":") && !(m.windows && onDrive(text)):
		return m.refuse("provider", reason.Provider, "path", w.text)
	case w.bare && numeric(text):
		return m.refuse("operand", reason.NameIsNum, "path", w.text)
	case !patterns || !strings.ContainsAny(text, "*?["):
		m.paths = append(m.paths, rules.Path{Word: text})
		return nil
	}
	found, ok := rules.ByPattern(nil, text)
	if !ok || m.Reads && strings.Contains(found[0].Pattern, "/") {
		return m.refuse("glob", reason.FilePattern, "text", w.text)
	}
	m.paths = append(m.paths, found...)
	return nil
}

// onDrive tells whether a path begins with a drive's letter, and names nothing
// else with a colon.
func onDrive(text string) bool {
	return len(text) > 2 && text[1] == ':' && text[2] == '/' && strings.Count(text, ":") == 1 &&
		(text[0] >= 'a' && text[0] <= 'z' || text[0] >= 'A' && text[0] <= 'Z')
}

// numeric tells whether PowerShell takes a bare word for a number, and may hand
// on another text than was written (0x10, 1kb, 1.50).
func numeric(text string) bool {
	s := strings.ToLower(strings.TrimLeft(text, "+-"))
	digits := "0123456789"
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0b") {
		s, digits = s[2:], "0123456789abcdef"
	}
	rest := strings.TrimLeft(s, digits)
	if after, dotted := strings.CutPrefix(rest, "."); dotted {
		rest = strings.TrimLeft(after, digits)
	}
	if len(rest) == len(s) || s == "." {
		return false
	}
	if power, ok := strings.CutPrefix(rest, "e"); ok {
		rest = strings.TrimLeft(power, "+-0123456789")
	}
	if len(rest) > 1 && strings.IndexByte("kmgtp", rest[len(rest)-2]) >= 0 && rest[len(rest)-1] == 'b' {
		rest = rest[:len(rest)-2]
	}
	return len(rest) < 3 && strings.Trim(rest, "uyslnd") == ""
}
