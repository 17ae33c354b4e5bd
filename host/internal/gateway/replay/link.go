package replay

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// Paths of the two downlinks.
const (
	muxPath  = "/api/events.mux"
	hostPath = "/api/events.host"
)

// link is one client's downlink. Its queue has no bound, like the Harness's.
type link struct {
	path  string
	conn  *websocket.Conn
	wake  chan struct{}
	queue [][]byte // under Server.mu
	gone  bool     // under Server.mu
}

var upgrader = websocket.Upgrader{WriteBufferSize: 64 << 10, HandshakeTimeout: 5 * time.Second}

// downlink serves one socket until either side closes it.
func (s *Server) downlink(w http.ResponseWriter, r *http.Request) {
	// The Harness subscribes in the step that answers the upgrade: a client that has
	// its answer misses nothing. Hence the lock over the handshake.
	s.mu.Lock()
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.mu.Unlock()
		return
	}
	l := &link{path: r.URL.Path, conn: conn, wake: make(chan struct{}, 1)}
	s.links[l] = struct{}{}
	if l.path == muxPath {
		s.replayTo(l)
	}
	s.mu.Unlock()

	go s.readUntilClosed(l) // answers pings; ends when the connection does
	defer s.drop(l)
	for range l.wake {
		s.mu.Lock()
		frames, gone := l.queue, l.gone
		l.queue = nil
		s.mu.Unlock()
		for _, f := range frames {
			if conn.WriteMessage(websocket.TextMessage, f) != nil {
				return
			}
		}
		if gone {
			return
		}
	}
}

func (s *Server) readUntilClosed(l *link) {
	for {
		if _, _, err := l.conn.ReadMessage(); err != nil {
			s.drop(l)
			return
		}
		// A client message is a breach of the protocol.
		_ = l.conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.ClosePolicyViolation, "downlink only"))
	}
}

// drop closes a link; it may be called more than once.
func (s *Server) drop(l *link) {
	s.mu.Lock()
	delete(s.links, l)
	l.gone = true
	s.mu.Unlock()
	_ = l.conn.Close()
	l.signal()
}

// replayTo gives a new mux link its beginning, in the Harness's order; the lock is
// held.
func (s *Server) replayTo(l *link) {
	sessions := s.ordered()
	for _, se := range sessions {
		if se.attached {
			s.pushTo(l, s.mint(), map[string]any{"type": "session/subscribed", "sessionId": se.ID, "lastSeq": len(se.log) - 1})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		s.pushTo(l, id, s.questions[id].frame())
	}
	for _, id := range slices.Sorted(maps.Keys(s.pending)) {
		s.pushTo(l, id, s.pending[id].frame())
	}
	for _, se := range sessions {
		if se.attached && len(se.queue) > 0 {
			s.pushTo(l, s.mint(), map[string]any{"type": "session/queue", "sessionId": se.ID, "items": se.queue})
		}
	}
}

// push queues a frame for every client of path; the lock is held.
func (s *Server) push(path, rpcID string, payload map[string]any) {
	if s.muted {
		return
	}
	var raw []byte
	for l := range s.links {
		if l.path != path {
			continue
		}
		if raw == nil {
			raw = wrap(rpcID, payload)
		}
		l.put(raw)
	}
}

func (s *Server) pushTo(l *link, rpcID string, payload map[string]any) {
	l.put(wrap(rpcID, payload))
}

func wrap(rpcID string, payload map[string]any) []byte {
	return encode(map[string]any{
		"type": "server-request", "rpcId": rpcID, "method": payload["type"], "payload": payload,
	})
}

func (l *link) put(raw []byte) {
	l.queue = append(l.queue, raw)
	l.signal()
}

func (l *link) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Send sends raw text to every mux client, JSON or not.
func (s *Server) Send(raw []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.links {
		if l.path == muxPath {
			l.put(raw)
		}
	}
}

// Push sends a frame of the given payload to every client: of the host downlink
// when its type begins with host/, else of mux.
func (s *Server) Push(payload json.RawMessage) {
	var p map[string]any
	if err := json.Unmarshal(payload, &p); err != nil {
		panic("replay: " + err.Error())
	}
	path := muxPath
	if t, _ := p["type"].(string); len(t) > 5 && t[:5] == "host/" {
		path = hostPath
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(path, s.mint(), p)
}

// Cut ends every downlink without a word; last is written to the raw connection
// before, such as half a frame. What was queued is lost.
func (s *Server) Cut(last []byte) {
	s.mu.Lock()
	links := make([]*link, 0, len(s.links))
	for l := range s.links {
		l.queue = nil
		links = append(links, l)
	}
	s.mu.Unlock()
	for _, l := range links {
		if len(last) > 0 {
			_, _ = l.conn.NetConn().Write(last)
		}
		s.drop(l)
	}
}

// CloseAll ends every downlink with a close code.
func (s *Server) CloseAll(code int) {
	s.mu.Lock()
	links := slices.Collect(maps.Keys(s.links))
	s.mu.Unlock()
	for _, l := range links {
		bye := websocket.FormatCloseMessage(code, "test")
		_ = l.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)) // best effort
		s.drop(l)
	}
}

// Links counts the downlinks that are open.
func (s *Server) Links() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links)
}
