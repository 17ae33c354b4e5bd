package double

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"
)

// pingEvery is how often the Harness pings; two pings without an answer end the
// socket (harness-wire.md §3.5).
const pingEvery = 2 * time.Second

// link is one client's socket. Its queue has no bound.
type link struct {
	server *Server
	conn   *websocket.Conn
	wake   chan struct{}

	// Under Server.mu:
	queue      [][]byte
	gone       bool
	bye        []byte // a close message to send at the end
	streams    map[string]*stream
	unanswered int
}

// stream is one that is open.
type stream struct {
	link     *link
	id       string
	endpoint string
	session  *Session // session/follow
	live     bool     // with deltas
	client   string   // $events: clientId
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }} // the fence has looked

func (s *Server) mux(w http.ResponseWriter, r *http.Request) {
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return
	}
	l := &link{server: s, conn: conn, wake: make(chan struct{}, 1), streams: map[string]*stream{}}
	s.mu.Lock()
	s.links[l] = struct{}{}
	s.mu.Unlock()
	conn.SetPongHandler(func(string) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.deaf {
			l.unanswered = 0
		}
		return nil
	})
	go l.read() // ends when the connection does
	defer l.drop(0, "")
	l.write()
}

func (l *link) write() {
	s := l.server
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	defer l.conn.Close()
	for {
		select {
		case <-l.wake:
			s.mu.Lock()
			frames, gone, bye := l.queue, l.gone, l.bye
			l.queue = nil
			s.mu.Unlock()
			for _, f := range frames {
				if l.conn.WriteMessage(websocket.TextMessage, f) != nil {
					return
				}
			}
			if gone {
				if bye != nil {
					_ = l.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(time.Second)) // best effort
				}
				return
			}
		case <-ping.C:
			s.mu.Lock()
			dead := l.unanswered >= 2
			l.unanswered++
			s.mu.Unlock()
			if dead || l.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Second)) != nil {
				return
			}
		}
	}
}

func (l *link) read() {
	for {
		kind, data, err := l.conn.ReadMessage()
		switch {
		case err != nil:
			l.closed(err)
			l.drop(0, "")
			return
		case kind != websocket.TextMessage:
			l.drop(websocket.CloseUnsupportedData, "binary")
		default:
			if why := l.take(data); why != "" {
				l.drop(websocket.ClosePolicyViolation, why)
			}
		}
	}
}

// closed notes the code that the client closed with.
func (l *link) closed(err error) {
	var c *websocket.CloseError
	if errors.As(err, &c) {
		l.server.mu.Lock()
		defer l.server.mu.Unlock()
		l.server.closes = append(l.server.closes, c.Code)
	}
}

// Closes gives the codes that clients closed sockets with, in order.
func (s *Server) Closes() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.closes)
}

// drop ends a socket, with a close code or (0) without a word.
func (l *link) drop(code int, why string) {
	s := l.server
	s.mu.Lock()
	first := !l.gone
	delete(s.links, l)
	l.gone = true
	if first && code != 0 {
		l.bye = websocket.FormatCloseMessage(code, why)
	}
	for _, st := range l.streams {
		s.leave(st)
	}
	l.streams = map[string]*stream{}
	s.mu.Unlock()
	if code == 0 {
		_ = l.conn.Close()
	}
	l.signal()
}

func (l *link) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// put queues a frame; the lock is held.
func (l *link) put(frame any) {
	if !l.gone {
		l.queue = append(l.queue, encode(frame))
		l.signal()
	}
}

// take handles a client's frame and gives why it is a breach, "" when it is none.
func (l *link) take(data []byte) string {
	s := l.server
	var f struct {
		Type, StreamID, Endpoint string
		Payload                  struct{ Args json.RawMessage }
	}
	if json.Unmarshal(data, &f) != nil || f.StreamID == "" {
		return "invalid frame"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case f.Type == "open" && keys(data, []string{"type", "streamId", "endpoint", "payload"}):
		var o struct{ Payload json.RawMessage }
		_ = json.Unmarshal(data, &o) // it was read above
		if !keys(o.Payload, []string{"args"}) {
			return "invalid open"
		}
		if l.streams[f.StreamID] != nil {
			return "duplicate open"
		}
		st := &stream{link: l, id: f.StreamID, endpoint: f.Endpoint}
		l.streams[st.id] = st
		if failed := s.begin(st, f.Payload.Args); failed != nil {
			delete(l.streams, st.id)
			l.put(map[string]any{"type": "error", "streamId": st.id, "error": failed})
		}
	case f.Type == "cancel" && keys(data, []string{"type", "streamId"}):
		if st := l.streams[f.StreamID]; st != nil {
			s.leave(st)
			delete(l.streams, f.StreamID)
		}
	case !s.Old && f.Type == "item" && keys(data, []string{"type", "streamId"}, "value"):
	case !s.Old && f.Type == "end" && keys(data, []string{"type", "streamId"}):
	default:
		return "invalid frame"
	}
	return ""
}

func (st *stream) send(value any) {
	st.link.put(map[string]any{"type": "item", "streamId": st.id, "value": value})
}

// each does something with all streams of an endpoint; the lock is held.
func (s *Server) each(endpoint string, do func(*stream)) {
	for l := range s.links {
		for _, st := range l.streams {
			if st.endpoint == endpoint {
				do(st)
			}
		}
	}
}

func (s *Server) emit(event string, args ...any) {
	if args == nil {
		args = []any{}
	}
	s.each("$events", func(st *stream) {
		if st.client != "" {
			st.send(map[string]any{"type": "emit", "event": event, "args": args})
		}
	})
}

// Emit sends an event of any name.
func (s *Server) Emit(event string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.emit(event, args...)
}

func (s *Server) control(value any) {
	s.each("session/control", func(st *stream) { st.send(value) })
}

func (s *Server) follow(se *Session, value any, live bool) {
	s.each("session/follow", func(st *stream) {
		if st.session == se && (st.live || !live) {
			st.send(value)
		}
	})
}

// Cut ends every socket without a word; last is written to the raw connection
// before, such as half a frame. What was queued is lost.
func (s *Server) Cut(last []byte) {
	s.all(func(l *link) {
		if len(last) > 0 {
			_, _ = l.conn.NetConn().Write(last)
		}
		l.drop(0, "")
	})
}

// CloseAll ends every socket with a close code.
func (s *Server) CloseAll(code int) { s.all(func(l *link) { l.drop(code, "test") }) }

// SendBinary sends a binary message to every client.
func (s *Server) SendBinary(raw []byte) {
	s.all(func(l *link) { _ = l.conn.WriteMessage(websocket.BinaryMessage, raw) })
}

// Send sends a raw text message to every client.
func (s *Server) Send(raw string) {
	s.all(func(l *link) {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.queue = append(l.queue, []byte(raw))
		l.signal()
	})
}

// End ends all streams of an endpoint: in good order, or with an error of that code.
func (s *Server) End(endpoint, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.each(endpoint, func(st *stream) {
		s.leave(st)
		delete(st.link.streams, st.id)
		if code == "" {
			st.link.put(map[string]any{"type": "end", "streamId": st.id})
			return
		}
		st.link.put(map[string]any{"type": "error", "streamId": st.id, "error": fail(code, "test")})
	})
}

// Deafen lets no pong count while it is on, as one whose answers get lost.
func (s *Server) Deafen(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = on
}

func (s *Server) all(do func(*link)) {
	s.mu.Lock()
	links := make([]*link, 0, len(s.links))
	for l := range s.links {
		links = append(links, l)
	}
	s.mu.Unlock()
	for _, l := range links {
		do(l)
	}
}

// Links counts the sockets that are open, Streams the streams of an endpoint.
func (s *Server) Links() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.links)
}

// Streams counts the open streams of an endpoint.
func (s *Server) Streams(endpoint string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	s.each(endpoint, func(*stream) { n++ })
	return n
}
