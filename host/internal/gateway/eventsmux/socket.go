package eventsmux

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

const (
	// maxFrame bounds one message. A frame holds one event; a tool's output is the
	// largest and the Harness cuts it far below this.
	maxFrame = 128 << 20
	// pingEvery and idleLimit find a peer that went away without a word: the
	// Harness sends no pings of its own on this wire. A busy Node process can leave
	// a ping unanswered for seconds.
	pingEvery = 5 * time.Second
	idleLimit = 30 * time.Second
	// writeLimit bounds one control message; nothing else is ever sent, a client's
	// data message is a breach of this wire.
	writeLimit = 5 * time.Second
)

// socket is one downlink. One goroutine reads it, one writes control messages.
type socket struct {
	path   string
	conn   *websocket.Conn
	pongs  chan string // payloads of pings to answer
	counts *dsh.Counts
	log    *zap.Logger
}

// open connects a downlink. Errors are *gateway.Error for a refused secret, else
// wrap ErrLost.
func (g *Gateway) open(ctx context.Context, path string) (*socket, error) {
	header := http.Header{}
	u := *g.target(header)
	u.Scheme, u.Path = "ws", path
	conn, err := link.Upgrade(ctx, g.opts.DialContext, u.String(), path, header, false)
	if err != nil {
		return nil, err
	}
	return &socket{path: path, conn: conn, pongs: make(chan string, 1), counts: &g.counts, log: g.log}, nil
}

// serve gives each text message to handle until the socket or handle fails or the
// context ends; the error is never nil. Handle must not block.
func (s *socket) serve(ctx context.Context, handle func([]byte) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx)
	}()
	err := s.read(handle)
	cancel(err)
	<-written
	return fmt.Errorf("%s: %w: %w", s.path, gateway.ErrLost, err)
}

func (s *socket) read(handle func([]byte) error) error {
	alive := func() error { return s.conn.SetReadDeadline(time.Now().Add(idleLimit)) }
	s.conn.SetReadLimit(maxFrame)
	s.conn.SetPongHandler(func(string) error { return alive() })
	s.conn.SetPingHandler(func(data string) error {
		select {
		case s.pongs <- data:
		default: // one answer is enough
		}
		return alive()
	})
	if err := alive(); err != nil {
		return err
	}
	for {
		kind, data, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		if err := alive(); err != nil {
			return err
		}
		if kind != websocket.TextMessage {
			s.counts.Add(dsh.SkipType, s.path+" binary message")
			continue
		}
		if err := handle(data); err != nil {
			return err
		}
	}
}

// write pings, answers pings, and closes the connection when the context ends or a
// message cannot be written.
func (s *socket) write(ctx context.Context) {
	defer s.conn.Close()
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	for {
		kind, data := websocket.PingMessage, []byte(nil)
		select {
		case <-ctx.Done():
			bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
			_ = s.conn.WriteControl(websocket.CloseMessage, bye, time.Now().Add(writeLimit)) // best effort
			return
		case <-tick.C:
		case ping := <-s.pongs:
			kind, data = websocket.PongMessage, []byte(ping)
		}
		if err := s.conn.WriteControl(kind, data, time.Now().Add(writeLimit)); err != nil {
			s.log.Debug("writing to a socket failed", zap.String("socket", s.path), zap.Error(err))
			return
		}
	}
}
