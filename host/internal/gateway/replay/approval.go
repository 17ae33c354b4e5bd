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

// question is one of the agent's own that waits for /api/respond.
type question struct {
	rpcID, session string
	outcome        chan string
}

func (q *question) frame() map[string]any {
	return map[string]any{
		"type": "question/requested", "sessionId": q.session, "questions": []any{map[string]any{"id": "q", "question": "Which?"}},
	}
}

// Question asks as ask_user_question does. The channel gets "cancelled" once a client
// says that nobody answers; no other answer is taken here.
func (se *Session) Question(id string) <-chan string {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	q := &question{rpcID: "question-" + id, session: se.ID, outcome: make(chan string, 1)}
	s.questions[q.rpcID] = q
	s.push(muxPath, q.rpcID, q.frame())
	return q.outcome
}

// respond handles /api/respond.
func (s *Server) respond(body clientMessage) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.questions[body.RPCID]; q != nil {
		if body.Result.OK || body.Result.Error.Code != "cancelled" || body.Result.Error.Details == nil {
			return map[string]any{"accepted": false, "reason": "bad-response"}
		}
		delete(s.questions, q.rpcID)
		s.push(muxPath, s.mint(), map[string]any{
			"type": "question/resolved", "sessionId": q.session, "questionRpcId": q.rpcID, "outcome": "cancelled",
		})
		q.outcome <- "cancelled"
		return map[string]any{"accepted": true}
	}
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
