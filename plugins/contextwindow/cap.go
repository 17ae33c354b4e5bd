package contextwindow

import (
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

func (m *meter) cap(_ *sdk.Task, in abi.ContextCap) (abi.ContextCapped, error) {
	s := m.find(in.Session, in.Cursor)
	if s == nil || s.window <= 0 {
		return abi.ContextCapped{}, nil
	}
	caller := budget.ReplyCap(s.window)
	if in.Most > 0 {
		caller = min(caller, in.Most)
	}
	if in.Asked > 0 && (in.Own || m.short[in.Route]) {
		caller = in.Asked
	}
	out := budget.OutputCap(s.window, s.pressure(), caller)
	if s.anchor.refused || s.anchor.measured == 0 {
		// What is only reckoned must not cut a reply off after a word: a server that has
		// less room refuses, and then room is made.
		out = max(out, min(caller, s.window/16))
	}
	return abi.ContextCapped{MaxTokens: out}, nil
}
