package replay

import (
	"maps"
	"strings"
)

var accepted = map[string]any{"accepted": true}

// Bare is a preset that a session is created with and does not join.
const Bare = "bare"

// methods answers what a chat asks. As on the Harness, prompt and the others
// attach a cold session, history does not.
var methods = map[string]func(*Server, clientMessage) (any, *failure){
	"host.describe": func(s *Server, _ clientMessage) (any, *failure) {
		return map[string]any{"version": "0.0.1", "cwd": "/repo"}, nil
	},
	"session.create": func(s *Server, m clientMessage) (any, *failure) {
		if m.Payload.Preset != "" && m.Payload.Preset != "standard" && m.Payload.Preset != Bare {
			return nil, &failure{Code: "agent-preset-not-found", Message: "preset not found"}
		}
		se := s.Create(m.Payload.SessionID, m.Payload.CWD)
		if s.Created != nil {
			s.Created(se)
		}
		if m.Payload.Preset == Bare {
			return map[string]any{"sessionId": se.ID}, nil
		}
		return map[string]any{"sessionId": se.ID, "agentPreset": "standard"}, nil
	},
	"session.list": func(s *Server, _ clientMessage) (any, *failure) { return s.list(), nil },
	"session.history": func(s *Server, m clientMessage) (any, *failure) {
		return s.history(m.Payload)
	},
	"session.selectModel": func(s *Server, m clientMessage) (any, *failure) {
		if m.Payload.Provider == "nope" {
			return nil, &failure{Code: "model-unavailable", Message: `no adapter registered for provider "nope"`}
		}
		_, failed := s.live(m.Payload.SessionID)
		return map[string]any{"selected": map[string]any{"provider": m.Payload.Provider, "model": m.Payload.Model}}, failed
	},
	"session.rename": func(s *Server, m clientMessage) (any, *failure) {
		se, failed := s.live(m.Payload.SessionID)
		if failed != nil {
			return nil, failed
		}
		e := se.SetTitle(m.Payload.Title, "user")
		return map[string]any{"title": m.Payload.Title, "seq": e.Seq}, nil
	},
	"session.prompt": func(s *Server, m clientMessage) (any, *failure) {
		p := m.Payload
		if p.Mode != "queue" && p.Mode != "steer" || p.Content == nil {
			return nil, &failure{Code: "bad-request", Message: "invalid payload for session.prompt"}
		}
		se, failed := s.live(p.SessionID)
		if failed != nil {
			return nil, failed
		}
		var text strings.Builder
		for _, b := range p.Content {
			text.WriteString(b.Text)
		}
		prompt := Prompt{RPCID: m.RPCID, Text: text.String(), Steer: p.Mode == "steer"}
		se.enqueue(prompt)
		if s.Prompted != nil {
			go s.Prompted(se, prompt)
		}
		return accepted, nil
	},
	"session.cancel": func(s *Server, m clientMessage) (any, *failure) {
		s.mu.Lock()
		se := s.sessions[m.Payload.SessionID]
		live := se != nil && se.attached
		s.mu.Unlock()
		if !live {
			failed := notFound(m.Payload.SessionID)
			failed.Message += " (not attached)"
			return nil, failed
		}
		if s.Cancelled != nil {
			s.Cancelled(se)
		}
		return accepted, nil
	},
	"subagent.interrupt": func(s *Server, m clientMessage) (any, *failure) {
		if se := s.Session(m.Payload.Child); se != nil && se.Parent != m.Payload.Parent {
			return nil, &failure{Code: "subagent-unauthorized", Message: "subagent does not belong to this parent"}
		}
		return accepted, nil
	},
	"commands/list": func(s *Server, m clientMessage) (any, *failure) {
		_, failed := s.live(m.Payload.Args.Agent)
		return []any{}, failed
	},
	"commands/execute": func(s *Server, m clientMessage) (any, *failure) {
		if m.Payload.Args.Images == nil {
			return nil, &failure{Code: "internal", Message: `args fields do not match the descriptor: missing "images"`}
		}
		se, failed := s.live(m.Payload.Args.Agent)
		if failed != nil || s.Executed == nil {
			return nil, failed
		}
		text, ok, found := s.Executed(se, m.Payload.Args.Line)
		if !found {
			return nil, nil
		}
		kind := "error"
		if ok {
			kind = "success"
		}
		return map[string]any{"commandId": "command-1", "result": map[string]any{"kind": kind, "text": text}}, nil
	},
}

func (s *Server) list() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []any{}
	for _, se := range s.ordered() {
		row := map[string]any{"sessionId": se.ID, "cwd": se.CWD, "running": se.running, "blank": len(se.log) == 0, "updatedAt": now()}
		if se.Parent != "" {
			row["parentSessionId"], row["origin"] = se.Parent, "subagent"
		}
		if se.title != "" {
			row["projections"] = map[string]any{"asOfSeq": len(se.log) - 1, "values": map[string]any{"title": se.title}}
		}
		items = append(items, row)
	}
	return map[string]any{"items": items}
}

func (s *Server) history(p payload) (any, *failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := s.sessions[p.SessionID]
	if se == nil {
		return nil, notFound(p.SessionID)
	}
	if p.Max == 0 {
		p.Max = 50
	}
	log := se.log[:max(0, len(se.log)-s.hidden)]
	before := int64(-1)
	if p.Before != nil {
		before = *p.Before
	}
	events, more := page(log, before, p.Max)
	entries := make([]map[string]any, len(events))
	for i, e := range events {
		entries[i] = map[string]any{"event": e}
	}
	value := map[string]any{"events": entries, "hasMore": more}
	if p.Before == nil {
		value["projections"] = map[string]any{"asOfSeq": len(log) - 1, "values": maps.Clone(se.values)}
	}
	return value, nil
}
