package contextwindow

import (
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// choose names the range of messages to summarize.
func (m *meter) choose(_ *sdk.Task, in abi.ContextSurface) (abi.ContextSelection, error) {
	s := m.find(in.Session, in.Cursor)
	if s == nil {
		s = &session{}
	}
	none := abi.ContextSelection{None: true}
	switch {
	case in.Trigger == abi.TriggerManual:
	case s.stuck && in.Trigger != abi.TriggerOverflow && !s.full():
		none.Why = abi.SaidStuck
		return none, nil
	case s.cramped():
		none.Why = abi.SaidFixed // where nothing can be named, that is the reason
	}
	if !in.Pruned && in.Trigger != abi.TriggerManual && (in.Trigger == abi.TriggerOverflow || !answersCalls(in.Nodes)) {
		return abi.ContextSelection{Prune: true}, nil
	}
	first := 0
	for first < len(in.Nodes) && in.Nodes[first].Kind == abi.PieceFixed {
		first++
	}
	keep := s.keepFrom(in)
	if keep <= first {
		return none, nil
	}
	source, old := 0, true
	for _, n := range in.Nodes[first:keep] {
		source += n.Tokens
		old = old && n.Kind == abi.PieceSummary
	}
	if old && keep-first == 1 && in.Trigger != abi.TriggerOverflow || source <= framePrice { // it is a summary already, which still may be too long, or would become longer
		return none, nil
	}
	if in.Trigger == abi.TriggerPressure && budget.NodePrice(source, s.density())-summaryCap(s.window, 0)/2 < s.gain() {
		return none, nil
	}
	return abi.ContextSelection{Start: in.Nodes[first].Seq, End: in.Nodes[keep-1].Seq}, nil
}

// keepFrom is the index of the first node that stays: the newest ones, as many tokens of
// the model's as are retained, no call parted from its result, and under pressure
// nothing that the model has not read yet. A call that nobody answered parts all that
// follows: the Harness takes no cut there, and answers such calls itself when it loads a log.
func (s *session) keepFrom(in abi.ContextSurface) int {
	retain := 0
	if in.Trigger == abi.TriggerPressure && s.window > 0 {
		retain = min(s.compaction().Retain, s.room())
	}
	keep, kept, density := len(in.Nodes), 0, s.density()
	for keep > 0 {
		keep--
		kept += budget.NodePrice(in.Nodes[keep].Tokens, density)
		if kept >= retain {
			break
		}
	}
	if in.Trigger == abi.TriggerPressure {
		keep = min(keep, unread(in.Nodes))
	}
	open := 0
	balanced := make([]bool, keep+1)
	for i := range keep + 1 {
		balanced[i] = open == 0
		if i < keep {
			open += in.Nodes[i].Calls - in.Nodes[i].Results
		}
	}
	for keep > 0 && !balanced[keep] {
		keep--
	}
	return keep
}

// answersCalls tells whether the newest message is a tool's result, which the model has
// not read. It is not shortened as long as it may fit.
func answersCalls(nodes []abi.ContextPiece) bool {
	return len(nodes) > 0 && nodes[len(nodes)-1].Results > 0
}

// unread is the index from which on the model has read nothing: behind its newest
// answer, or from that on where it made calls.
func unread(nodes []abi.ContextPiece) int {
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].Kind != abi.PieceAnswer {
			continue
		}
		if nodes[i].Calls > 0 {
			return i
		}
		return i + 1
	}
	return 0
}
