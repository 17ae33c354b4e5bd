package source

import (
	"net/url"
	"strings"
	"unicode"

	"strata.dev/bridge/proto/abi"
)

// suspect tells a decoy page: no title, snippet or host holds a word of the
// question. Bing shows such pages to what it takes for a program.
func suspect(query string, results []abi.SearchResult) bool {
	asked := words(query)
	if len(asked) == 0 || len(results) == 0 {
		return false
	}
	for _, r := range results {
		text := strings.ToLower(r.Title + " " + r.Snippet)
		if u, err := url.Parse(r.URL); err == nil {
			text += " " + strings.ToLower(u.Hostname())
		}
		for _, w := range asked {
			if strings.Contains(text, w) {
				return false
			}
		}
	}
	return true
}

// words of a question, in lower case; long ones without what may be their ending,
// those of scripts without spaces character by character. Operators are left out.
func words(query string) (all []string) {
	for _, field := range strings.Fields(strings.ToLower(query)) {
		if strings.HasPrefix(field, "-") {
			continue
		}
		if operator, rest, found := strings.Cut(field, ":"); found && operator != "" && operator[0] != '"' {
			field = rest // the site or file type that was asked for
		}
		for _, w := range strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
			runes := []rune(w)
			switch {
			case unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
				for _, r := range runes {
					all = append(all, string(r))
				}
			case len(runes) > 5:
				all = append(all, string(runes[:max(4, len(runes)-3)]))
			case len(runes) > 1:
				all = append(all, w)
			}
		}
	}
	return all
}
