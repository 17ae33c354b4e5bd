package double

import (
	"encoding/json"
	"slices"

	"strata.dev/bridge/proto/dsh"
)

// waterfall is a request that waits for an answer (harness-wire.md §4.4).
type waterfall struct {
	server    *Server
	id        string
	event     string
	session   string
	request   any
	delivered []*stream
	done      func(outcome json.RawMessage) // with the lock held
}

// deliver sends it to a client; the lock is held.
func (w *waterfall) deliver(st *stream) {
	if st.client == "" {
		return
	}
	w.delivered = append(w.delivered, st)
	st.send(map[string]any{
		"type": "waterfall", "event": w.event, "eventId": w.id, "agentId": w.session, "request": w.request,
	})
}

// Dispatch asks all clients, now and to come, until one answers. The channel gets the
// outcome's kind and value: "next" where all passed it on, "cancel" where it ended.
func (s *Server) Dispatch(event, session string, request any) (id string, outcome <-chan string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ch := make(chan string, 1)
	w := s.dispatch(event, session, request, func(raw json.RawMessage) { ch <- short(raw) })
	return w.id, ch
}

func short(raw json.RawMessage) string {
	var o struct {
		Kind  string
		Value json.RawMessage
		Error struct{ Code string }
	}
	_ = json.Unmarshal(raw, &o) // checked when it was taken
	switch o.Kind {
	case "result":
		return "result " + string(o.Value)
	case "rejected":
		return "rejected " + o.Error.Code
	}
	return o.Kind
}

func (s *Server) dispatch(event, session string, request any, done func(json.RawMessage)) *waterfall {
	w := &waterfall{server: s, id: s.mint("event"), event: event, session: session, request: request, done: done}
	s.pending = append(s.pending, w)
	s.each("$events", w.deliver)
	return w
}

// Ask asks for an approval as the service does: it logs approval/asked, asks the
// clients, logs approval/decided, and then gives the outcome.
func (se *Session) Ask(id, callID, tool, reason string) <-chan string {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	se.logged(dsh.Event{Type: dsh.TypeApprovalAsked, Data: encode(dsh.Approval{ID: id, ToolName: tool, CallID: callID, Reason: reason})})
	ch := make(chan string, 1)
	request := map[string]any{"toolName": tool, "callId": callID}
	if reason != "" {
		request["reason"] = reason
	}
	if !s.Old {
		request["displayReason"] = map[string]any{"en": reason}
	}
	s.dispatch("approval/request", se.ID, request, func(raw json.RawMessage) {
		var o struct{ Kind, Value string }
		_ = json.Unmarshal(raw, &o) // another type of value is unavailable
		outcome := o.Value
		switch {
		case o.Kind == "cancel":
			outcome = "cancelled"
		case o.Kind != "result" || !slices.Contains([]string{"allowed-once", "rejected", "cancelled"}, outcome):
			outcome = "unavailable"
		}
		se.logged(dsh.Event{Type: dsh.TypeApprovalDecided, Data: encode(dsh.Approval{ID: id, Outcome: outcome})})
		ch <- outcome
	})
	return ch
}

// Withdraw ends what a session asks, as a cancelled turn does.
func (se *Session) Withdraw() {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range slices.Clone(s.pending) {
		if w.session == se.ID {
			s.settle(w, nil, encode(map[string]any{"kind": "cancel"}))
		}
	}
}

// AnswerAs settles a request as another client does.
func (s *Server) AnswerAs(eventID string, outcome any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range slices.Clone(s.pending) {
		if w.id == eventID {
			s.settle(w, nil, encode(outcome))
		}
	}
}

// Pending gives the ids of what waits.
func (s *Server) Pending() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := []string{}
	for _, w := range s.pending {
		ids = append(ids, w.id)
	}
	return ids
}

// settle ends a request for everybody but by; the lock is held.
func (s *Server) settle(w *waterfall, by *stream, outcome json.RawMessage) {
	s.pending = slices.DeleteFunc(s.pending, func(o *waterfall) bool { return o == w })
	for _, st := range w.delivered {
		if st != by {
			st.send(map[string]any{"type": "cancel", "eventId": w.id})
		}
	}
	if by != nil {
		s.settled = append(s.settled, Settled{w.id, outcome})
	}
	w.done(outcome)
}

// leave takes a client off the delivery lists, which is no answer; the lock is held.
func (s *Server) leave(st *stream) {
	for _, w := range s.pending {
		w.delivered = slices.DeleteFunc(w.delivered, func(o *stream) bool { return o == st })
	}
}

// result handles $events/result (§4.3).
func (s *Server) result(client, event string, outcome json.RawMessage) *failure {
	var o struct{ Kind string }
	if json.Unmarshal(outcome, &o) != nil {
		return fail("gateway/input-invalid", "no outcome", "field", "outcome")
	}
	shape := map[string]bool{
		"result": keys(outcome, []string{"kind"}, "value"), "next": keys(outcome, []string{"kind"}),
		"rejected": keys(outcome, []string{"kind", "error"}),
	}
	if !shape[o.Kind] {
		return fail("gateway/input-invalid", "no outcome", "field", "outcome")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var by *stream
	s.each("$events", func(st *stream) {
		if st.client == client {
			by = st
		}
	})
	if by == nil {
		return fail("gateway/internal", "unknown client")
	}
	for _, w := range s.pending {
		if w.id != event || !slices.Contains(w.delivered, by) {
			continue
		}
		if o.Kind != "next" {
			s.settle(w, by, outcome)
			return nil
		}
		w.delivered = slices.DeleteFunc(w.delivered, func(st *stream) bool { return st == by })
		if len(w.delivered) == 0 {
			s.settle(w, by, outcome)
		}
		return nil
	}
	return nil
}
