package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// bodyKey carries a call's raw body beside its head in a line of JSON.
const bodyKey = "bodyBase64"

// member is one member of an object whose value keeps its bytes.
type member struct {
	key   string
	value json.RawMessage
}

// splitLine takes the body out of an input line. What is left is the head: the
// other members in their order, their values byte for byte. A line without a
// body, or that is no object, is a head as it stands.
func splitLine(line []byte) (head, body []byte, err error) {
	if !utf8.Valid(line) || !json.Valid(line) {
		return nil, nil, errors.New("it is not JSON")
	}
	members, err := readMembers(line)
	if err != nil || members == nil {
		return line, nil, err
	}
	found := false
	kept := members[:0]
	for _, m := range members {
		if m.key != bodyKey {
			kept = append(kept, m)
			continue
		}
		found = true
		if err := json.Unmarshal(m.value, &body); err != nil {
			return nil, nil, fmt.Errorf("%s is not base64", bodyKey)
		}
	}
	if !found {
		return line, nil, nil
	}
	return writeMembers(kept), body, nil
}

// joinLine makes an output line of an answer, without the line's end. An answer
// with a body that is no object is put into one as "head".
func joinLine(head, body []byte) []byte {
	if len(bytes.TrimSpace(head)) == 0 {
		head = []byte("{}")
	}
	var line bytes.Buffer
	if err := json.Compact(&line, head); err != nil {
		return errorLine("failed", "The plugin's answer is not JSON.", nil)
	}
	if len(body) == 0 {
		return line.Bytes()
	}
	members, err := readMembers(line.Bytes())
	if err != nil || members == nil {
		members = []member{{"head", line.Bytes()}}
	}
	return writeMembers(append(members, member{bodyKey, encode(body)}))
}

// errorLine is the line of a call that went wrong; fallback is the op's default.
func errorLine(code, message string, fallback []byte) []byte {
	members := []member{{"error", encode(struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{code, message})}}
	if fallback != nil {
		members = append(members, member{"default", fallback})
	}
	return writeMembers(members)
}

// readMembers reads the members of an object; nil when line is something else.
func readMembers(line []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(line))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, err
	}
	members := []member{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, member{key.(string), value})
	}
	if _, err := dec.Token(); err != nil && err != io.EOF {
		return nil, err
	}
	return members, nil
}

func writeMembers(members []member) []byte {
	line := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(append(append(line, encode(m.key)...), ':'), m.value...)
	}
	return append(line, '}')
}

// encode is JSON of a value that always has one, without HTML escapes.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // strings and bytes only
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
