package double

import (
	"encoding/json"
	"slices"

	"strata.dev/bridge/proto/dsh"
)

// Fail has streams of an endpoint refused with a code as long as it is not "".
func (s *Server) Fail(endpoint, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failing[endpoint] = code
}

// begin opens a stream; the lock is held.
func (s *Server) begin(st *stream, raw json.RawMessage) *failure {
	if code := s.failing[st.endpoint]; code != "" {
		return fail(code, "test", "endpoint", st.endpoint)
	}
	switch st.endpoint {
	case "$events":
		if !keys(raw, nil) {
			return fail("gateway/arguments-invalid", "args do not match", "endpoint", st.endpoint)
		}
		if s.silent {
			return nil
		}
		if s.instead != nil {
			st.send(s.instead)
			return nil
		}
		st.client = s.mint("client")
		st.send(map[string]any{"type": "ready", "clientId": st.client, "host": map[string]any{"home": "/home/u"}})
		for _, w := range s.pending {
			w.deliver(st)
		}
	case "session/control":
		if !keys(raw, nil) {
			return fail("gateway/arguments-invalid", "args do not match", "endpoint", st.endpoint)
		}
		st.send(s.baseline())
	case "session/follow":
		return s.followed(st, raw)
	default:
		if methods[st.endpoint] != nil {
			return fail("gateway/signature-invalid", "no stream", "endpoint", st.endpoint)
		}
		return fail("gateway/method-unavailable", "no such endpoint", "endpoint", st.endpoint)
	}
	return nil
}

func (s *Server) baseline() any {
	projections, queues, jobs := map[string]any{}, map[string]any{}, map[string]any{}
	for _, se := range s.ordered() {
		if se.attached {
			projections[se.ID] = map[string]any{"asOfSeq": len(se.log) - 1, "values": se.values}
			queues[se.ID], jobs[se.ID] = slices.Concat([]dsh.QueueItem{}, se.queue), []any{}
		}
	}
	value := map[string]any{"projections": projections}
	if s.Old {
		value["queues"], value["jobs"] = queues, jobs
	}
	return map[string]any{"type": "baseline", "value": value}
}

// addressed finds a session by its address (harness-wire.md §5.1); the lock is held.
func (s *Server) addressed(raw json.RawMessage) (*Session, *failure) {
	var a struct{ Kind, SessionID, ParentSessionID, ChildSessionID, Mode string }
	if json.Unmarshal(raw, &a) != nil {
		return nil, fail("gateway/input-invalid", "no address", "field", "address")
	}
	modes := []string{"one-shot", "continuable"}
	if !s.Old {
		modes = append(modes, "unknown")
	}
	switch {
	case a.Kind == "session" && keys(raw, []string{"kind", "sessionId"}):
		se := s.sessions[a.SessionID]
		switch {
		case se == nil || se.CWD == "":
			return nil, notFound(a.SessionID)
		case se.Parent != "":
			return nil, fail("session/agent-busy", "owned by its parent", "reason", "subagent")
		}
		return se, nil
	case a.Kind == "subagent" && keys(raw, []string{"kind", "parentSessionId", "childSessionId", "mode"}) && slices.Contains(modes, a.Mode):
		se := s.sessions[a.ChildSessionID]
		switch {
		case se == nil:
			return nil, fail("subagent/not-found", "no such child", "parentSessionId", a.ParentSessionID, "childSessionId", a.ChildSessionID)
		case se.Parent != a.ParentSessionID:
			return nil, fail("subagent/unauthorized", "another's child", "parentSessionId", a.ParentSessionID, "childSessionId", a.ChildSessionID)
		case se.Mode == "":
			return nil, fail("subagent/catalog-diagnostic", "no descriptor", "reason", "unavailable")
		}
		return se, nil
	}
	return nil, fail("gateway/input-invalid", "no address", "field", "address")
}

func (s *Server) followed(st *stream, raw json.RawMessage) *failure {
	var o struct {
		Request struct {
			Address         json.RawMessage
			MaxMessages     int
			AssistantStream bool
		}
	}
	var q struct{ Request json.RawMessage }
	may := []string{"maxMessages", "assistantStream"}
	if !s.Old {
		may = append(may, "turnWindow")
	}
	if !keys(raw, []string{"request"}) || json.Unmarshal(raw, &q) != nil || !keys(q.Request, []string{"address"}, may...) || json.Unmarshal(raw, &o) != nil {
		return fail("gateway/input-invalid", "request does not match", "field", "request")
	}
	se, failed := s.addressed(o.Request.Address)
	if failed != nil {
		return failed
	}
	st.session, st.live = se, o.Request.AssistantStream
	events, more := window(se.log, o.Request.MaxMessages)
	version := 4
	if s.Old {
		version = 3
	}
	snapshot := map[string]any{
		"type":   "snapshot",
		"header": map[string]any{"version": version, "id": se.ID, "createdAt": 1, "cwd": se.CWD, "isSeeded": false},
		"cursor": len(se.log) - 1, "records": records(events), "hasMore": more,
		"projections": map[string]any{"asOfSeq": len(se.log) - 1, "values": se.values},
	}
	if st.live {
		live := map[string]any{"revision": se.revision}
		if se.attempt != nil {
			live["activeAttempt"] = se.attempt
		}
		snapshot["assistantStream"] = live
	}
	st.send(snapshot)
	s.attach(se)
	return nil
}
