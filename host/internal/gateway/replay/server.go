// Package replay speaks the wire of the Harness 0.1.0 (harness-rc8.md §3) out of
// memory. It is test support: for load beyond what the Harness itself can give,
// and for faults that the real one does not show on demand. eventsmux's tests run
// one transcript over both, so that it stays like the real thing.
package replay

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Server is a Harness without agents: what its sessions log is what the caller
// appends. It is an http.Handler; the zero value is not usable, see New. All
// methods may be called from many goroutines; the hooks are set before it serves.
type Server struct {
	secret string

	// Created is called with each session that a client made.
	Created func(s *Session)
	// Prompted is called with each prompt that was taken, on a goroutine of its
	// own; it plays the turn. Nil leaves prompts in the queue.
	Prompted func(s *Session, p Prompt)
	// Executed answers a slash command; false is a command that there is not.
	Executed func(s *Session, line string) (text string, ok, found bool)
	// Cancelled is called with each session.cancel.
	Cancelled func(s *Session)
	// Intercept sees each request first; true says that it has answered.
	Intercept func(w http.ResponseWriter, r *http.Request) bool

	mu        sync.Mutex
	sessions  map[string]*Session
	pending   map[string]*approval // by the id that answers it
	questions map[string]*question // by the id that answers it
	links     map[*link]struct{}
	muted     bool
	hidden    int
	created   int
	minted    int
}

// Prompt is a message that a client sent.
type Prompt struct {
	RPCID string
	Text  string
	Steer bool
}

// New makes a server that wants secret as the Bearer token of every request; ""
// wants none.
func New(secret string) *Server {
	return &Server{
		secret:    secret,
		sessions:  map[string]*Session{},
		pending:   map[string]*approval{},
		questions: map[string]*question{},
		links:     map[*link]struct{}{},
	}
}

// Create makes a session, attached and empty. An id of "" makes one up; a known
// one gives that session.
func (s *Server) Create(id, cwd string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" {
		s.created++
		id = fmt.Sprintf("session-%d", s.created)
	}
	if se := s.sessions[id]; se != nil {
		s.attach(se)
		return se
	}
	se := &Session{server: s, ID: id, CWD: cwd, values: map[string]json.RawMessage{}}
	s.sessions[id] = se
	s.attach(se)
	return se
}

// Session finds a session, nil when there is none.
func (s *Server) Session(id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[id]
}

// Restart does what a killed and started process does: sockets are cut, no
// session is attached, what was pending is gone.
func (s *Server) Restart() {
	s.mu.Lock()
	s.pending, s.questions = map[string]*approval{}, map[string]*question{}
	for _, se := range s.sessions {
		se.attached, se.running, se.queue = false, false, nil
	}
	s.mu.Unlock()
	s.Cut(nil)
}

// Mute keeps frames from being sent while it is on, as if they got lost.
func (s *Server) Mute(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.muted = on
}

// HideNewest lets session.history leave out the newest n events.
func (s *Server) HideNewest(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = n
}

// attach makes a cold session live and says so; the lock is held.
func (s *Server) attach(se *Session) {
	if se.attached {
		return
	}
	se.attached = true
	s.push(muxPath, s.mint(), map[string]any{"type": "session/subscribed", "sessionId": se.ID, "lastSeq": len(se.log) - 1})
	added := map[string]any{"type": "host/session-added", "sessionId": se.ID, "blank": len(se.log) == 0, "cwd": se.CWD}
	if se.Parent != "" {
		added["parentSessionId"], added["origin"] = se.Parent, "subagent"
	}
	s.push(hostPath, s.mint(), added)
}

// mint makes an id; the lock is held.
func (s *Server) mint() string {
	s.minted++
	return fmt.Sprintf("frame-%d", s.minted)
}

// ordered gives the sessions by id; the lock is held.
func (s *Server) ordered() []*Session {
	list := make([]*Session, 0, len(s.sessions))
	for _, se := range s.sessions {
		list = append(list, se)
	}
	slices.SortFunc(list, func(a, b *Session) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return list
}

func now() int64 { return time.Now().UnixMilli() }
