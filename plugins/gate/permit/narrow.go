package permit

import (
	"strings"

	"strata.dev/bridge/plugins/gate/place"
)

// Narrowest is the pattern that covers this unit and as little else as a pattern
// can say: its own words. A word of several lines is given up to a star.
func (u Unit) Narrowest(where place.Place) string {
	switch {
	case len(u.Words) > 0:
		words := make([]string, len(u.Words))
		for i, w := range u.Words {
			words[i] = quote(u.Tool, w.Text)
		}
		return strings.Join(words, " ")
	case len(u.Files) > 0:
		lines := make([]string, len(u.Files))
		for i, file := range u.Files {
			lines[i] = where.Abs(file)
			if rest, ok := strings.CutPrefix(lines[i], where.Abs(where.Workspace)+"/"); ok {
				lines[i] = rest
			}
		}
		return strings.Join(lines, "\n")
	case u.Tool == Web:
		return "*"
	}
	return u.Tool
}

// quote writes a word as the tool's shell reads it back.
func quote(tool, word string) string {
	switch {
	case strings.ContainsAny(word, "\n\r"):
		return "*"
	case tool == PowerShell:
		return quotePower(word)
	case word != "" && !strings.ContainsFunc(word, special):
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// quotePower leaves what looks like a parameter bare: quoted it would be none. A
// value behind an equals sign may be quoted by itself.
func quotePower(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return special(r) || strings.ContainsRune(",@%", r) }) {
		return word
	}
	name, value, ok := strings.Cut(word, "=")
	if !ok || !strings.HasPrefix(word, "--") {
		name, value = "", word
	} else {
		name += "="
	}
	return name + "'" + strings.ReplaceAll(value, "'", "''") + "'"
}

func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-+./:,@%^", r))
}
