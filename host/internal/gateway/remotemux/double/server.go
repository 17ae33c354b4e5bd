// Package double speaks the wire of the Harness from 0.1.5 on (harness-wire.md) out
// of memory, as strictly as the Harness does: exact keys, exact argument names, its
// close codes, pings, redelivery. It is test support, for what a real Harness does
// not show on demand.
package double

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Server is a Harness without agents: what its sessions log is what the caller
// appends. It is an http.Handler; see New. All methods may be called from many
// goroutines; the hooks and Old are set before it serves.
type Server struct {
	// Old makes it a 0.1.5: queues and jobs in session/control, no uplink frames, no
	// session/projections, Location "/", and the older argument of commands/execute
	// (which is older yet).
	Old bool
	// Created is called with each session that a client made.
	Created func(s *Session)
	// Prompted is called with each prompt that was taken, on a goroutine of its own.
	Prompted func(s *Session, p Prompt)
	// Executed answers a slash command; false is a command that there is not.
	Executed func(s *Session, line string) (text string, ok, found bool)
	// Cancelled is called with each session/cancel.
	Cancelled func(s *Session)
	// Intercept sees each request first; true says that it has answered.
	Intercept func(w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	token    string
	cookies  map[string]bool
	sessions map[string]*Session
	goals    map[string]*goal
	pending  []*waterfall
	links    map[*link]struct{}
	settled  []Settled
	calls    []string
	closes   []int             // codes that clients closed with
	failing  map[string]string // by endpoint
	minted   int
	silent   bool // no ready frame
	instead  any  // of the ready frame; nil for it
	deaf     bool // no pongs count
}

// Prompt is a message that a client sent.
type Prompt struct {
	RequestID string
	Text      string
	Steer     bool
}

// Settled is an answer that counted.
type Settled struct {
	EventID string
	Outcome json.RawMessage
}

// New makes a server with that launch token.
func New(token string) *Server {
	return &Server{
		token: token, cookies: map[string]bool{}, sessions: map[string]*Session{},
		goals: map[string]*goal{}, links: map[*link]struct{}{},
		failing: map[string]string{},
	}
}

// Create makes a session, attached and empty; a known id gives that session.
func (s *Server) Create(id, cwd string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		id = s.mint("session")
	}
	se := s.sessions[id]
	if se == nil {
		se = &Session{server: s, ID: id, CWD: cwd, values: map[string]json.RawMessage{}}
		s.sessions[id] = se
	}
	s.attach(se)
	return se
}

// CreateHelper makes a session of a subagent; with mode "" it has no descriptor.
func (s *Server) CreateHelper(id, parent, mode string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	se := &Session{server: s, ID: id, CWD: s.sessions[parent].CWD, Parent: parent, Mode: mode, values: map[string]json.RawMessage{}}
	s.sessions[id] = se
	s.attach(se)
	return se
}

// Describe gives a subagent its descriptor.
func (s *Server) Describe(id, mode string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[id].Mode = mode
}

// Session finds a session, nil when there is none.
func (s *Server) Session(id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// Restart does what a killed and started process does: sockets are cut, no session
// is attached, what was pending is gone. The token is a new one; cookies outlive it
// only with keepCookies.
func (s *Server) Restart(token string, keepCookies bool) {
	s.mu.Lock()
	s.token, s.pending = token, nil
	if !keepCookies {
		s.cookies = map[string]bool{}
	}
	for _, se := range s.sessions {
		se.attached, se.running, se.queue, se.attempt, se.attempts, se.revision = false, false, nil, nil, 0, 0
	}
	s.mu.Unlock()
	s.Cut(nil)
}

// Expire makes all cookies bad.
func (s *Server) Expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cookies = map[string]bool{}
}

// Silence keeps $events from being ready while it is on.
func (s *Server) Silence(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = on
}

// BeginWith has $events begin with another frame than the ready one.
func (s *Server) BeginWith(frame any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instead = frame
}

// Settled gives the answers that counted.
func (s *Server) Settled() []Settled {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.settled)
}

// Calls gives the methods that were called, in order.
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *Server) mint(kind string) string {
	s.minted++
	return fmt.Sprintf("%s-%d", kind, s.minted)
}

// attach makes a cold session live and says so; the lock is held.
func (s *Server) attach(se *Session) {
	if se.attached {
		return
	}
	se.attached = true
	s.emit("api-session/added", s.row(se))
}

func (s *Server) row(se *Session) map[string]any {
	row := map[string]any{
		"sessionId": se.ID, "cwd": se.CWD, "running": se.running, "blank": len(se.log) == 0, "updatedAt": now(),
		"projections": map[string]any{"asOfSeq": len(se.log) - 1, "values": se.values},
	}
	if !s.Old {
		row["agentAvailable"] = se.attached
		row["projections"].(map[string]any)["kind"] = "sequenced"
	}
	if se.Parent != "" {
		row["parentSessionId"], row["origin"] = se.Parent, "subagent"
	}
	return row
}

// ordered gives the sessions by id; the lock is held.
func (s *Server) ordered() []*Session {
	list := make([]*Session, 0, len(s.sessions))
	for _, se := range s.sessions {
		list = append(list, se)
	}
	slices.SortFunc(list, func(a, b *Session) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

func now() int64 { return time.Now().UnixMilli() }

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("double: " + err.Error()) // a caller's mistake
	}
	return b
}
