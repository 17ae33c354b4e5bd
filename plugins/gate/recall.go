package gate

import (
	"bytes"

	"strata.dev/bridge/proto/abi"
)

// recall keeps how the newest call was judged by its words. Facts and decide of
// one call follow each other, and taking the words apart is most of both.
type recall struct {
	call     abi.GateCall // without facts, which words do not hang on
	findings []finding    // valid until the next call
	room     room
}

// judge is the package's judge, once for a call.
func (r *recall) judge(call abi.GateCall, config abi.GateConfig) []finding {
	call.Helpers, call.Provider, call.Git, call.RealPaths, call.Brief = 0, "", nil, nil, false
	if r.findings == nil || !sameWords(r.call, call) {
		r.findings = judgeIn(&r.room, call, config)
		call.Arguments = append(r.call.Arguments[:0], call.Arguments...) // the head may be anybody's tomorrow
		r.call = call
	}
	return r.findings
}

// sameWords tells whether two calls differ in their facts at most. A test goes
// through all fields.
func sameWords(a, b abi.GateCall) bool {
	return a.Tool == b.Tool && a.Mode == b.Mode && a.StartMode == b.StartMode && a.CWD == b.CWD && a.Workspace == b.Workspace &&
		a.Platform == b.Platform && a.Root == b.Root && a.Session == b.Session && a.CallID == b.CallID && a.Said == b.Said &&
		a.Unattended == b.Unattended && bytes.Equal(a.Arguments, b.Arguments)
}
