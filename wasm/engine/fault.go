package engine

import (
	"strconv"

	"strata.dev/bridge/proto/abi"
)

// Error is why a call did not end well: the plugin's own code and sentence, or
// one of the host side's (proto/abi).
type Error struct {
	abi.EffectError

	// Fault marks what an op's default stands in for: a trap, a passed
	// deadline, a panic, a guest that could not be started.
	Fault bool `json:"-"`

	// Detail is technical text for a log: the engine's trap, the first line of
	// the guest's stderr. It is never the same on two hosts.
	Detail string `json:"-"`
}

var _ error = (*Error)(nil)

func refusal(code, sentence string, pairs ...string) *Error {
	return &Error{EffectError: abi.EffectError{Code: code, Message: abi.Fill(sentence, pairs...)}}
}

func fault(code, sentence string, pairs ...string) *Error {
	e := refusal(code, sentence, pairs...)
	e.Fault = true
	return e
}

func trap(detail string) *Error {
	e := fault(abi.CodeTrap, abi.MsgTrap)
	e.Detail = detail
	return e
}

func millis[N int | int64](ms N) string { return strconv.FormatInt(int64(ms), 10) }

// violation is a rule of the ABI that a guest broke. Imports panic with it, so
// that the guest stops where it stands.
type violation string

func (v violation) Error() string { return "broken rule: " + string(v) }

func (v violation) fault() *Error {
	return fault(abi.CodeTrap, abi.MsgViolation, "rule", string(v))
}
