package gate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// arguments are a call's arguments by name, still as JSON.
type arguments map[string]json.RawMessage

// argumentsOf reads a call's arguments; ok is false when they are no object.
// A Harness may hand over the model's own text instead of what it means.
func argumentsOf(raw json.RawMessage) (a arguments, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return arguments{}, true
	}
	return a, json.Unmarshal(raw, &a) == nil && a != nil
}

func (a arguments) keys() []string { return slices.Sorted(maps.Keys(a)) }

// text is the argument as a string; ok is false when it is missing or no string.
func (a arguments) text(key string) (s string, ok bool) {
	raw := a[key]
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

// first is the first of these arguments that is a string.
func (a arguments) first(keys ...string) string {
	for _, k := range keys {
		if s, ok := a.text(k); ok {
			return s
		}
	}
	return ""
}

func (a arguments) number(key string) bool {
	raw := a[key]
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

func (a arguments) boolean(key string) bool {
	return string(a[key]) == "true" || string(a[key]) == "false"
}

func (a arguments) isFalse(key string) bool { return string(a[key]) == "false" }

// words are the strings of an argument that is a string or a list of them.
func (a arguments) words(keys ...string) string {
	for _, k := range keys {
		if s, ok := a.text(k); ok {
			return s
		}
		var list []string
		if json.Unmarshal(a[k], &list) == nil && len(list) > 0 {
			return strings.Join(list, "; ")
		}
	}
	return ""
}
