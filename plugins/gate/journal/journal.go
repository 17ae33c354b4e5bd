// Package journal writes the decision log: one line for each call that was
// decided, without secrets and without anything long.
package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"strata.dev/bridge/proto/abi"
)

// How much of a call is written down, in bytes.
const (
	maxWhat = 300
	maxName = 128 // of a tool, a session, a call, a rule
)

// Lines are entries as they are appended to the log.
func Lines(entries []abi.GateEntry) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		if err := enc.Encode(tidy(e)); err != nil {
			return nil, fmt.Errorf("encoding a decision: %w", err)
		}
	}
	return out.Bytes(), nil
}

func tidy(e abi.GateEntry) abi.GateEntry {
	e.What = shorten(strings.Join(strings.Fields(Redact(e.What)), " "), maxWhat)
	for _, name := range []*string{&e.Tool, &e.Root, &e.Session, &e.Call, &e.Rule, &e.Permission, &e.Outcome, &e.Digest} {
		*name = shorten(*name, maxName)
	}
	return e
}

func shorten(s string, most int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Name is the name of the n-th record of the log.
func Name(n int) string { return fmt.Sprintf("%s%06d", abi.DecisionRecord, n) }

// Number is n of a record's Name; ok is false for other names.
func Number(name string) (n int, ok bool) {
	digits, ok := strings.CutPrefix(name, abi.DecisionRecord)
	if !ok || len(digits) != 6 {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0 && name == Name(n)
}
