// Package say holds every sentence of the host's own that a person reads. Each
// is plain English with a next step; technical text belongs into details.
//
// A sentence's key is its English template. Places look like {name}: lower-case
// letters only. A page translates by key and fills the places from Args.
package say

import (
	"regexp"
	"strings"

	"strata.dev/bridge/proto/chat"
)

var place = regexp.MustCompile(`\{([a-z]+)\}`)

// Sentence fills the places of key from args, which alternate name and value.
// A place without a value stays as it is, a spare value is ignored; the test
// TestCallsFillTheirPlaces finds both in the host's code.
func Sentence(key string, args ...string) chat.Sentence {
	s := chat.Sentence{Text: key, Key: key}
	if len(args) < 2 {
		return s
	}
	s.Args = make(map[string]string, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		s.Args[args[i]] = args[i+1]
	}
	s.Text = fill(key, s.Args)
	return s
}

// fill goes through template once, so that a value which looks like a place stays
// what it is.
func fill(template string, args map[string]string) string {
	return place.ReplaceAllStringFunc(template, func(p string) string {
		if v, ok := args[strings.Trim(p, "{}")]; ok {
			return v
		}
		return p
	})
}

// Error is a refusal with a sentence. Details is technical text, or "".
func Error(code chat.Code, details, key string, args ...string) *chat.Error {
	return &chat.Error{Code: code, Sentence: Sentence(key, args...), Details: details}
}

// Places names the places of key in order, each once.
func Places(key string) []string {
	var names []string
	seen := map[string]bool{}
	for _, m := range place.FindAllStringSubmatch(key, -1) {
		if !seen[m[1]] {
			seen[m[1]] = true
			names = append(names, m[1])
		}
	}
	return names
}
