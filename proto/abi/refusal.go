package abi

import "strings"

// How a Deny reads. The Harness's log keeps a refused call's text alone, so the
// words tell a call that did not run from one that failed: every Reason or
// Message of a Deny begins with NotInMode or holds DidNotRun.
const (
	NotInMode = "Not allowed in this mode"
	DidNotRun = "did not run"
)

// Refused tells whether a tool result's error text is a refusal; inMode, whether
// the mode was the reason.
func Refused(text string) (refused, inMode bool) {
	text = strings.TrimPrefix(text, "Error: ")
	inMode = strings.HasPrefix(text, NotInMode)
	return inMode || strings.Contains(text, DidNotRun), inMode
}
