package effects

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// SessionLog holds session logs in memory and serves session.read and
// session.commit against them as a Harness would. It may be used at once.
type SessionLog struct {
	mu       sync.Mutex
	sessions map[string]*session
}

type session struct {
	events     []sessionEvent // seq is the index
	generation int64
}

// sessionEvent is one event as a Harness writes it.
type sessionEvent struct {
	Type      string          `json:"type"`
	Seq       int64           `json:"seq"`
	Time      int64           `json:"time"` // Unix milliseconds
	Data      json.RawMessage `json:"data"`
	SurfaceOp json.RawMessage `json:"surfaceOp,omitempty"`
}

// replaces tells whether an event puts something in the place of what the model
// sees, which makes a new generation.
func (e sessionEvent) replaces() bool {
	return len(e.SurfaceOp) > 0 && string(e.SurfaceOp) != `"append"`
}

// Open makes an empty session if there is none of that name.
func (l *SessionLog) Open(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sessions == nil {
		l.sessions = map[string]*session{}
	}
	if l.sessions[name] == nil {
		l.sessions[name] = &session{}
	}
}

// At is where a session stands, as session.commit's expect names it.
func (l *SessionLog) At(name string) abi.CommitExpect {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[name]
	if s == nil {
		return abi.CommitExpect{}
	}
	return abi.CommitExpect{Revision: int64(len(s.events)), Generation: s.generation}
}

// Effects serves the log.
func (l *SessionLog) Effects() engine.Effects {
	return engine.Effects{
		abi.EffectSessionRead:   typed(l.read, "session", "from"),
		abi.EffectSessionCommit: typed(l.commit, "session", "expect", "events"),
	}
}

func (l *SessionLog) read(_ context.Context, q abi.SessionRead, _ []byte) (abi.SessionEvents, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[q.Session]
	if s == nil {
		return abi.SessionEvents{}, nil, refuse(abi.CodeNotFound, abi.MsgSessionMissing)
	}
	a := abi.SessionEvents{Events: []any{}, Revision: int64(len(s.events))}
	from := min(max(q.From, 0), a.Revision)
	to := min(from+int64(within(q.Max, abi.SessionEventsMax, abi.MaxSessionEventsMax)), a.Revision)
	for _, e := range s.events[from:to] {
		a.Events = append(a.Events, e)
	}
	if to < a.Revision {
		a.Next = to
	}
	return a, nil, nil
}

// commitRequest is abi.SessionCommit with events that keep their bytes.
type commitRequest struct {
	Session string           `json:"session"`
	Expect  abi.CommitExpect `json:"expect"`
	Events  []struct {
		Type      string          `json:"type"`
		Data      json.RawMessage `json:"data"`
		SurfaceOp json.RawMessage `json:"surfaceOp"`
	} `json:"events"`
}

// commit appends under one lock what it has compared under it.
func (l *SessionLog) commit(_ context.Context, q commitRequest, _ []byte) (abi.SessionCommitted, []byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sessions[q.Session]
	if s == nil {
		return abi.SessionCommitted{}, nil, refuse(abi.CodeNotFound, abi.MsgSessionMissing)
	}
	if q.Expect != (abi.CommitExpect{Revision: int64(len(s.events)), Generation: s.generation}) {
		return abi.SessionCommitted{}, nil, refuse(abi.CodeConflict, abi.MsgConflict)
	}
	a := abi.SessionCommitted{Seqs: []int64{}}
	for _, item := range q.Events {
		e := sessionEvent{item.Type, int64(len(s.events)), time.Now().UnixMilli(), item.Data, item.SurfaceOp}
		if string(item.SurfaceOp) == "null" {
			e.SurfaceOp = nil
		}
		if e.Data == nil {
			e.Data = json.RawMessage("null")
		}
		if e.replaces() {
			s.generation++
		}
		s.events = append(s.events, e)
		a.Seqs = append(a.Seqs, e.Seq)
	}
	return a, nil, nil
}
