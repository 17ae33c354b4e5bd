package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// placeholders are what servers that want no key are given for one, as the documentation
// of LM Studio, llama.cpp, vLLM and their clients has it: ordinary texts hold these words.
var placeholders = []string{
	"lm-studio", "lmstudio", "llama.cpp", "llamacpp", "not-needed", "not-required", "not needed", "no-key", "no-key-required", "no-key-needed", "sk-no-key-required",
	"sk-no-key", "no-api-key", "token-abc123", "dummy-key", "dummy_key", "fake-key", "fake_key", "placeholder", "anything", "whatever", "password", "changeme", "your-api-key",
}

// Forms are how a secret may be written: as it is, in a URL, in JSON, in hexadecimal,
// and in base64 wherever it stands in what is encoded, as the user:password of a header
// is. A value that is too short for a secret has none, and so have a part of Mark and a
// word that stands for no key.
func Forms(value string) []string {
	if len(value) < MinValue || strings.Contains(Mark, value) || slices.Contains(placeholders, strings.ToLower(value)) {
		return nil
	}
	quoted, _ := json.Marshal(value) // a string always can be
	inURL := url.QueryEscape(value)
	inHex := hex.EncodeToString([]byte(value))
	all := append([]string{value, inURL, lowerEscapes(inURL), url.PathEscape(value), strings.Trim(string(quoted), `"`), inHex, strings.ToUpper(inHex)}, inBase64(value)...)
	out := make([]string, 0, len(all))
	for _, form := range all {
		if len(form) >= MinValue && !slices.Contains(out, form) { // of one that is all quotes, nothing is left
			out = append(out, form)
		}
	}
	return out
}

// lowerEscapes gives an escaped text with its escapes in lower case.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
		}
	}
	return string(b)
}

// inBase64 gives what of a value's base64 is the same whatever stands around it, for
// each of the three places in a group where it may begin.
func inBase64(value string) []string {
	var out []string
	for before := range 3 {
		text := make([]byte, before, before+len(value))
		text = append(text, value...)
		from, to := (before*8+5)/6, len(text)*8/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, enc.EncodeToString(text)[from:to])
		}
	}
	return out
}
