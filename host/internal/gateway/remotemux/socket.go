package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

const muxPath = "/api/remote.mux"

const (
	// maxMessage bounds one message; a snapshot is the largest (harness-wire.md §3.6).
	maxMessage = 128 << 20
	// idleLimit finds a peer that went away without a word: the Harness pings every
	// 2 s, but a busy Node process can be late by seconds.
	idleLimit = 30 * time.Second
	// writeLimit bounds the writing of one frame.
	writeLimit = 5 * time.Second
	// maxUnsent bounds what waits to be written.
	maxUnsent, maxUnsentBytes = 16384, 4 << 20
	// closeInvalid is what a client says to a frame that is none (§3.4).
	closeInvalid = 4002
)

var (
	errInvalid = errors.New("a frame of the Harness is not what the wire says")
	errUnsent  = errors.New("the Harness does not read what is sent")
)

// sink takes what comes on one stream, on the goroutine that reads the socket: it
// must not block.
type sink interface {
	item(value json.RawMessage)
	// over is called once: nil for an end in good order, a *gateway.Error of the
	// Harness, or an error that wraps ErrLost when the socket is gone.
	over(err error)
}

// socket is one connection. One goroutine reads it, one writes it.
type socket struct {
	conn   *websocket.Conn
	refuse func(method string, r link.Refusal) *gateway.Error
	counts *dsh.Counts
	log    *zap.Logger
	pongs  chan string // payloads of pings to answer
	wake   chan struct{}
	fail   context.CancelCauseFunc // ends serve

	mu      sync.Mutex
	minted  int
	streams map[string]opened
	unsent  link.Queue[[]byte]
	gone    error
}

type opened struct {
	endpoint string
	sink     sink
}

// idle is a connection whose reads fail after idleLimit without a byte.
type idle struct{ net.Conn }

func (c idle) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(idleLimit)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// open connects. Errors are *gateway.Error where the Harness answered, else wrap
// ErrLost.
func (g *Gateway) open(ctx context.Context) (*socket, error) {
	header := http.Header{}
	u := *g.target(header)
	u.Scheme, u.Path = "ws", muxPath
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := g.opts.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return idle{c}, nil
	}
	conn, err := link.Upgrade(ctx, dial, u.String(), muxPath, header, true)
	if err != nil {
		return nil, err
	}
	return &socket{
		conn: conn, refuse: g.caller.Refuse, counts: &g.counts, log: g.log,
		pongs: make(chan string, 1), wake: make(chan struct{}, 1),
		fail: func(error) {}, streams: map[string]opened{},
	}, nil
}

// serve reads and writes until the socket fails or the context ends, and then ends
// all streams. The error is never nil.
func (s *socket) serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.fail = cancel
	s.mu.Unlock()
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx)
	}()
	err := s.read()
	cancel(err)
	<-written
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	err = fmt.Errorf("%s: %w: %w", muxPath, gateway.ErrLost, err)
	s.mu.Lock()
	streams := s.streams
	s.streams, s.gone = nil, err
	s.unsent.Drop()
	s.mu.Unlock()
	for _, o := range streams {
		o.sink.over(err)
	}
	return err
}

// stream opens a stream and gives its id. An error wraps ErrLost, or is of args.
func (s *socket) stream(endpoint string, args any, to sink) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone != nil {
		return "", s.gone
	}
	s.minted++
	id := fmt.Sprintf("s%d", s.minted) // never used again on this socket
	frame, err := dsh.OpenFrame(id, endpoint, args)
	if err != nil {
		return "", err
	}
	s.streams[id] = opened{endpoint, to}
	s.sendLocked(frame)
	return id, nil
}

// cancel gives a stream up; nothing of it is handed over any more.
func (s *socket) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.streams[id]; ok {
		delete(s.streams, id)
		s.sendLocked(dsh.CancelFrame(id))
	}
}

func (s *socket) sendLocked(frame []byte) {
	if !s.unsent.Put(frame, len(frame), maxUnsent, maxUnsentBytes) {
		s.fail(errUnsent)
		return
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// hostFrame is what the Harness sends.
type hostFrame struct {
	Type     string          `json:"type"`
	StreamID string          `json:"streamId"`
	Value    json.RawMessage `json:"value"`
	Error    link.Refusal    `json:"error"`
}

func (s *socket) read() error {
	s.conn.SetReadLimit(maxMessage)
	s.conn.SetPingHandler(func(data string) error {
		select {
		case s.pongs <- data:
		default: // one answer is enough
		}
		return nil
	})
	for {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		if kind != websocket.TextMessage {
			return fmt.Errorf("%w: a binary message", errInvalid)
		}
		if err := s.take(data); err != nil {
			return err
		}
	}
}

// take hands one frame to its stream.
func (s *socket) take(data []byte) error {
	var f hostFrame
	if err := json.Unmarshal(data, &f); err != nil {
		return fmt.Errorf("%w: %d bytes", errInvalid, len(data))
	}
	last := f.Type == "end" || f.Type == "error"
	if !last && f.Type != "item" {
		s.counts.Add(dsh.SkipType, "frame "+f.Type)
		return nil
	}
	s.mu.Lock()
	o, ok := s.streams[f.StreamID]
	if last {
		delete(s.streams, f.StreamID)
	}
	s.mu.Unlock()
	switch {
	case !ok: // cancelled
	case f.Type == "item":
		o.sink.item(f.Value)
	case f.Type == "end":
		o.sink.over(nil)
	default:
		o.sink.over(s.refuse(o.endpoint, f.Error))
	}
	return nil
}

// write sends what is queued, answers pings, and closes the connection when the
// context ends or a frame cannot be written.
func (s *socket) write(ctx context.Context) {
	defer s.conn.Close()
	for {
		var err error
		select {
		case <-ctx.Done():
			code := websocket.CloseNormalClosure
			if errors.Is(context.Cause(ctx), errInvalid) {
				code = closeInvalid
			}
			bye := websocket.FormatCloseMessage(code, "")
			_ = s.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeLimit)) // best effort
			return
		case ping := <-s.pongs:
			err = s.conn.WriteControl(websocket.PongMessage, []byte(ping), time.Now().Add(writeLimit))
		case <-s.wake:
			err = s.flush()
		}
		if err != nil {
			s.log.Debug("writing to the socket failed", zap.Error(err))
			return
		}
	}
}

func (s *socket) flush() error {
	for {
		s.mu.Lock()
		frame, ok := s.unsent.Take()
		s.mu.Unlock()
		if !ok {
			return nil
		}
		if err := s.conn.SetWriteDeadline(time.Now().Add(writeLimit)); err != nil {
			return err
		}
		if err := s.conn.WriteMessage(websocket.TextMessage, frame); err != nil {
			return err
		}
	}
}
