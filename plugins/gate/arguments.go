package gate

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"strata.dev/bridge/proto/scan"
)

// arguments are a call's arguments, sorted by name, each value still as JSON.
type arguments []argument

type argument struct {
	name string
	raw  json.RawMessage
}

// argumentsOf reads a call's arguments; ok is false when they are no object.
// A Harness may hand over the model's own text instead of what it means.
func argumentsOf(raw json.RawMessage) (a arguments, ok bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' {
		text, ok := textOf(raw)
		if !ok {
			return nil, false
		}
		raw = bytes.TrimSpace([]byte(text))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	r := scan.NewReader(raw)
	for r.Open('{'); r.More('}'); {
		a = append(a, argument{r.NameText(), r.Raw()})
	}
	if !r.End() {
		var all map[string]json.RawMessage
		if json.Unmarshal(raw, &all) != nil || all == nil {
			return nil, false
		}
		a = a[:0]
		for name, raw := range all {
			a = append(a, argument{name, raw})
		}
	}
	return a.sorted(), true
}

// sorted sorts by name and keeps the last of several with one name, as JSON does.
func (a arguments) sorted() arguments {
	slices.SortStableFunc(a, func(x, y argument) int { return strings.Compare(x.name, y.name) })
	out := a[:0]
	for i, one := range a {
		if i+1 == len(a) || a[i+1].name != one.name {
			out = append(out, one)
		}
	}
	return out
}

// textOf is what a JSON string means; ok is false when it is none.
func textOf(raw []byte) (text string, ok bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	r := scan.NewReader(raw)
	if text = r.Text(); r.End() {
		return text, true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// keys are the arguments' names, sorted.
func (a arguments) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, one := range a {
			if !yield(one.name) {
				return
			}
		}
	}
}

// get is an argument as JSON, nil when it is missing.
func (a arguments) get(key string) json.RawMessage {
	for _, one := range a {
		if one.name == key {
			return one.raw
		}
	}
	return nil
}

// text is the argument as a string; ok is false when it is missing or no string.
func (a arguments) text(key string) (s string, ok bool) { return textOf(a.get(key)) }

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
	raw := a.get(key)
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

func (a arguments) boolean(key string) bool {
	return string(a.get(key)) == "true" || string(a.get(key)) == "false"
}

func (a arguments) isFalse(key string) bool { return string(a.get(key)) == "false" }

// words are the strings of an argument that is a string or a list of them.
func (a arguments) words(keys ...string) string {
	for _, k := range keys {
		if s, ok := a.text(k); ok {
			return s
		}
		var list []string
		if json.Unmarshal(a.get(k), &list) == nil && len(list) > 0 {
			return strings.Join(list, "; ")
		}
	}
	return ""
}
