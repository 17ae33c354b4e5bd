package replay

// approval is a question that waits for /api/respond.
type approval struct {
	rpcID, session, id   string
	callID, tool, reason string
	outcome              chan string
}

func (a *approval) frame() map[string]any {
	return map[string]any{
		"type": "approval/requested", "sessionId": a.session, "approvalId": a.id,
		"callId": a.callID, "toolName": a.tool, "reason": a.reason,
	}
}

// Ask asks as the approval service does: it logs approval/asked, sends the
// request, and gives a channel with the outcome. Resolve or a client's answer ends
// it; approval/decided is the caller's to log.
func (se *Session) Ask(id, callID, tool, reason string) <-chan string {
	se.Append("approval/asked", map[string]any{"id": id, "toolName": tool, "callId": callID, "reason": reason})
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &approval{
		rpcID: "answer-" + id, session: se.ID, id: id, callID: callID, tool: tool, reason: reason,
		outcome: make(chan string, 1),
	}
	s.pending[a.rpcID] = a
	s.push(muxPath, a.rpcID, a.frame())
	return a.outcome
}

// Resolve settles an approval from outside, as a cancelled turn or another client
// does. It tells whether it was pending.
func (se *Session) Resolve(id, outcome string) bool {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.pending["answer-"+id]
	if a == nil {
		return false
	}
	s.settle(a, outcome)
	return true
}

// settle ends an approval; the lock is held.
func (s *Server) settle(a *approval, outcome string) {
	delete(s.pending, a.rpcID)
	s.push(muxPath, s.mint(), map[string]any{
		"type": "approval/resolved", "sessionId": a.session, "approvalId": a.id, "outcome": outcome,
	})
	a.outcome <- outcome
}

// respond handles /api/respond.
func (s *Server) respond(body clientMessage) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.pending[body.RPCID]
	if a == nil {
		return map[string]any{"accepted": false, "reason": "not-pending"}
	}
	v := body.Result.Value
	if !body.Result.OK || v.ApprovalID != a.id || v.SessionID != a.session ||
		(v.Outcome != "allowed-once" && v.Outcome != "rejected") {
		return map[string]any{"accepted": false, "reason": "bad-response"}
	}
	s.settle(a, v.Outcome)
	return map[string]any{"accepted": true}
}
