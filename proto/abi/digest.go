package abi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/proto/scan"
)

// Digest binds an answer to what was shown: SHA-256 in hex over root, session,
// call, tool and canonical arguments, each preceded by its length.
//
// Canonical arguments are the JSON value decoded and encoded again with sorted
// keys and IEEE doubles (as RFC 8785 does), so that the model's own text and the
// object a Harness made of it agree. Text that is no JSON stands for itself.
func Digest(root, session, call, tool string, arguments []byte) string {
	h := sha256.New()
	part := make([]byte, 0, 512)
	for _, text := range [...]string{root, session, call, tool} {
		part = append(strconv.AppendInt(part, int64(len(text)), 10), ':')
		part = append(part, text...)
	}
	canonical := Canonical(arguments)
	part = append(strconv.AppendInt(part, int64(len(canonical)), 10), ':')
	h.Write(part)
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil))
}

// Canonical is the form of arguments that Digest uses.
func Canonical(arguments []byte) []byte {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return []byte("{}")
	}
	r := scan.NewReader(arguments)
	if out := canonical(r, make([]byte, 0, len(arguments)), 0); r.End() {
		return out
	}
	return canonicalAnyhow(arguments)
}

// canonicalAnyhow is Canonical by way of encoding/json.
func canonicalAnyhow(arguments []byte) []byte {
	var v any
	if err := json.Unmarshal(arguments, &v); err != nil {
		return arguments
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return arguments
	}
	return bytes.TrimRight(out.Bytes(), "\n")
}

// maxCanonicalDepth is how deep arguments usually are; deeper ones take the long way.
const maxCanonicalDepth = 8

// canonical appends the canonical form of the next value, or makes the reader
// give up on what only encoding/json knows: unusual numbers, surrogates.
func canonical(r *scan.Reader, out []byte, depth int) []byte {
	if depth > maxCanonicalDepth {
		r.Fail()
		return out
	}
	switch c := r.Peek(); c {
	case '{':
		return canonicalObject(r, out, depth)
	case '[':
		out = append(out, '[')
		for first := r.Begin('['); r.More(']'); first = false {
			if !first {
				out = append(out, ',')
			}
			out = canonical(r, out, depth+1)
		}
		return append(out, ']')
	case '"':
		return r.Same(out)
	case 't', 'f', 'n':
		return append(out, r.Raw()...)
	}
	number := r.Raw()
	if !plainNumber(number) {
		r.Fail()
	}
	return append(out, number...)
}

// canonicalObject sorts an object's members by name; of several with one name
// the last counts. Mostly they come in order.
func canonicalObject(r *scan.Reader, out []byte, depth int) []byte {
	type member struct {
		name     string
		from, to int // where out holds it
	}
	var few [8]member
	members := few[:0]
	sorted := true
	out = append(out, '{')
	start := len(out)
	for r.Open('{'); r.More('}'); {
		name := r.NameText()
		if n := len(members); n > 0 {
			out = append(out, ',')
			sorted = sorted && members[n-1].name < name
		}
		from := len(out)
		out = append(scan.AppendText(out, name, false), ':')
		out = canonical(r, out, depth+1)
		members = append(members, member{name, from, len(out)})
	}
	if sorted {
		return append(out, '}')
	}
	slices.SortStableFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
	written := bytes.Clone(out)
	out = out[:start]
	for i, m := range members {
		if i+1 < len(members) && members[i+1].name == m.name {
			continue
		}
		if len(out) > start {
			out = append(out, ',')
		}
		out = append(out, written[m.from:m.to]...)
	}
	return append(out, '}')
}

// plainNumber tells whether a number is whole and so short that a double holds
// it and writes it the same way.
func plainNumber(n []byte) bool {
	digits := bytes.TrimPrefix(n, []byte("-"))
	if len(digits) == 0 || len(digits) > 15 || string(n) == "-0" {
		return false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
