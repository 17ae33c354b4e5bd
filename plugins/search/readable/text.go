package readable

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"strata.dev/bridge/plugins/search/webtext"
)

// escape makes text of what would be Markdown inside a line.
func escape(s string) string {
	if !strings.ContainsAny(s, "\\`*_[]<") {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		switch r {
		case '\\', '`', '*', '[', ']', '<':
			out.WriteByte('\\')
		case '_': // inside a word it is text
			before, _ := utf8.DecodeLastRuneInString(s[:i])
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !isWord(before) || !isWord(after) {
				out.WriteByte('\\')
			}
		}
		out.WriteRune(r)
	}
	return out.String()
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// lineStart escapes what would begin a block at the start of a line.
func lineStart(s string) string {
	switch {
	case s == "":
		return s
	case s[0] == '#' || s[0] == '>' || s[0] == '|' || s[0] == '~' || s[0] == '=':
		return `\` + s
	case (s[0] == '-' || s[0] == '+') && (len(s) == 1 || s[1] == ' ' || s[1] == '-'):
		return `\` + s
	}
	if digits := len(s) - len(strings.TrimLeft(s, "0123456789")); digits > 0 && digits < 10 && len(s) > digits && (s[digits] == '.' || s[digits] == ')') {
		if digits+1 == len(s) || s[digits+1] == ' ' {
			return s[:digits] + `\` + s[digits:]
		}
	}
	return s
}

// words is the text below n as it stands, br as a line's end.
func words(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		switch {
		case out.Len() > maxOut:
			return out.String()
		case d.Type == html.TextNode:
			out.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// longest is the longest run of backticks in a text.
func longest(s string) (most int) {
	run := 0
	for _, r := range s {
		if r != '`' {
			run = 0
			continue
		}
		run++
		most = max(most, run)
	}
	return most
}

// resolve is the address that a link leads to; "" when that is none of the web, or
// a place on the same page.
func (w *writer) resolve(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || href[0] == '#' || w.at == nil {
		return ""
	}
	u, err := w.at.Parse(href)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return ""
	}
	return webtext.URL(u.String())
}
