// Package reason holds the gate's sentences: why a call asks or is refused, for
// a person who does not program. Each is an English template with {name}
// places, which is also its key for translation.
package reason

import "strings"

// Reason is a sentence with its places filled. The zero Reason is none.
type Reason struct {
	Key  string
	Args []string // name, value, …
}

// Of fills a template's places from pairs of name and value. Long or multi-line
// values are shortened for the card.
func Of(key string, pairs ...string) Reason { return Reason{Key: key, Args: pairs} }

// None tells whether there is nothing to say.
func (r Reason) None() bool { return r.Key == "" }

// maxValue bounds a value on a card, in bytes.
const maxValue = 200

// String is the sentence as it stands on a card: values on one line and short.
func (r Reason) String() string { return fill(r.Key, r.Args, shorten) }

// Values are what fills the places of String, by name; nil when nothing does.
func (r Reason) Values() map[string]string {
	var out map[string]string
	for i := 0; i+1 < len(r.Args); i += 2 {
		if out == nil {
			out = make(map[string]string, len(r.Args)/2)
		}
		out[r.Args[i]] = shorten(r.Args[i+1])
	}
	return out
}

// Long fills a template with values of any length, for text that a model reads.
func Long(key string, pairs ...string) string {
	return fill(key, pairs, func(s string) string { return s })
}

// fill goes through the template once, so that a value cannot bring a place of
// its own. A place without a value stays as it is.
func fill(template string, pairs []string, show func(string) string) string {
	var out strings.Builder
	for {
		before, rest, open := strings.Cut(template, "{")
		name, after, closed := strings.Cut(rest, "}")
		out.WriteString(before)
		if !open || !closed {
			return out.String()
		}
		template = after
		out.WriteString(show(value(pairs, name)))
	}
}

func value(pairs []string, name string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == name {
			return pairs[i+1]
		}
	}
	return "{" + name + "}"
}

func shorten(s string) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), isLineOrControl), " ")
	if len(s) <= maxValue {
		return s
	}
	cut := maxValue
	for cut > 0 && s[cut]&0xC0 == 0x80 { // not inside a character
		cut--
	}
	return s[:cut] + "…"
}

// isLineOrControl picks what could make a card show something else than it is:
// line breaks, control characters and the marks that reorder text.
func isLineOrControl(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7F && r < 0xA0, r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202A' && r <= '\u202E', r >= '\u2066' && r <= '\u2069', r == '\u200E', r == '\u200F':
		return true
	}
	return false
}
