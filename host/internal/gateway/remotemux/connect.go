package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
)

const (
	// readyLimit is how long the ready frame may take (harness-wire.md §3.7).
	readyLimit = 15 * time.Second
	// maxMisuse is how many connections in a row the Harness may end as misused by us,
	// before we believe that this is another wire than ours.
	maxMisuse = 3
)

// final are the codes after which it makes no sense to try again.
var final = []string{gateway.CodeUnauthorized, gateway.CodeUnknownMethod, gateway.CodeProtocol}

// run keeps the connection until the context ends or the Harness refuses us.
func (g *Gateway) run(ctx context.Context) {
	defer close(g.done)
	misused := 0
	for try := 0; ; try++ {
		if try > 0 {
			_ = link.Sleep(ctx, link.Delay(try-1, g.opts.Rand()))
		}
		err := g.connect(ctx, func() { try = 0 })
		if ctx.Err() != nil {
			g.end(gateway.ErrClosed)
			return
		}
		if misused++; !misuse(err) {
			misused = 0
		}
		if misused >= maxMisuse {
			err = &gateway.Error{Method: muxPath, Code: gateway.CodeProtocol, Message: "this Harness does not understand this host; update one of them"}
		}
		var refused *gateway.Error
		if errors.As(err, &refused) && slices.Contains(final, refused.Code) {
			g.log.Warn("the Harness refuses this host; not trying again", zap.String("code", refused.Code))
			g.end(fmt.Errorf("%w: %w", gateway.ErrLost, refused))
			return
		}
		g.state.Set(false, err, nil)
		g.log.Info("not connected", zap.Int("try", try), zap.Error(err))
	}
}

// misuse tells whether the Harness closed the socket because of what we sent
// (harness-wire.md §3.4). Any other close is a loss like others: 1000, 1001 (our
// side of it was disposed), 1011 (it could not deliver a failure), none at all.
func misuse(err error) bool {
	return websocket.IsCloseError(closeOf(err), websocket.ClosePolicyViolation, websocket.CloseUnsupportedData)
}

func closeOf(err error) error {
	var c *websocket.CloseError
	if errors.As(err, &c) {
		return c
	}
	return err
}

// end makes everybody who waits learn that there is nothing to wait for.
func (g *Gateway) end(err error) {
	g.state.Set(false, err, err)
	g.streams.end(err)
	g.hub.End(err)
	g.questions.changed()
}

// connect opens the socket, has it ready, and serves it until it fails. Ready is
// called once it stands. The error is never nil.
func (g *Gateway) connect(ctx context.Context, ready func()) error {
	start := time.Now()
	opening, cancel := context.WithTimeout(ctx, readyLimit)
	defer cancel()
	sock, err := g.enter(opening)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	served := make(chan error, 1)
	go func() { served <- sock.serve(ctx) }()

	ev := &events{gw: g, sock: sock, ready: make(chan struct{}), ended: make(chan error, 1)}
	if _, err := sock.stream("$events", nil, ev); err != nil {
		return errors.Join(err, <-served)
	}
	select {
	case <-ev.ready:
	case err := <-ev.ended:
		stop(err)
		lost := <-served
		if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
			return refused
		}
		return lost
	case <-opening.Done():
		stop(fmt.Errorf("no ready frame within %v", readyLimit))
		return <-served
	}
	ready()
	asked := g.questions.connected(ev.client())
	g.mu.Lock()
	g.sock = sock
	g.mu.Unlock()
	g.hub.Connected() // before what is pending comes again
	ev.release()
	g.state.Set(true, nil, nil)
	g.log.Info("connected", zap.Duration("took", time.Since(start)))

	var wg sync.WaitGroup
	wg.Go(func() { g.control(ctx, sock) })
	wg.Go(func() { g.reconcile(ctx, asked) })
	select {
	case err = <-served:
	case cause := <-ev.ended: // without $events there is no connection
		// Its text alone: whoever waits on this socket was not refused, but lost it.
		stop(fmt.Errorf("$events ended: %v", orEnded(cause)))
		err = <-served
	}
	stop(err)
	wg.Wait()
	g.mu.Lock()
	g.sock = nil
	g.mu.Unlock()
	g.questions.disconnected()
	g.state.Set(false, err, nil)
	if g.life.Err() == nil {
		g.hub.Disconnected(err)
	}
	return err
}

var errEnded = errors.New("the Harness ended the stream")

func orEnded(err error) error {
	if err == nil {
		return errEnded
	}
	return err
}

// enter logs in where needed and opens the socket. A refusal is answered once by
// logging in again, and once by learning the launch again.
func (g *Gateway) enter(ctx context.Context) (*socket, error) {
	err := g.exchange(ctx)
	if gateway.IsCode(err, gateway.CodeUnauthorized) {
		err = g.relearn(ctx, err)
	}
	for try := 0; err == nil; try++ {
		cookie := g.login.current()
		var sock *socket
		sock, err = g.open(ctx)
		switch {
		case err == nil:
			return sock, nil
		case !gateway.IsCode(err, gateway.CodeUnauthorized):
			return nil, err
		case try == 0 && cookie != "":
			err = g.admit(ctx, cookie)
		case try <= 1:
			err = g.relearn(ctx, err)
		}
	}
	return nil, err
}

// socket gives the one that stands.
func (g *Gateway) socket() (*socket, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.sock == nil {
		return nil, fmt.Errorf("no socket stands: %w", gateway.ErrLost)
	}
	return g.sock, nil
}

// control keeps session/control open while the socket stands.
func (g *Gateway) control(ctx context.Context, sock *socket) {
	for try := 0; ; try++ {
		c := &controls{gw: g, ended: make(chan error, 1)}
		if _, err := sock.stream("session/control", nil, c); err != nil {
			return
		}
		var err error
		select {
		case err = <-c.ended:
		case <-ctx.Done():
			return
		}
		if gateway.IsCode(err, gateway.CodeUnknownMethod) {
			g.log.Warn("this Harness has no session/control; projections come with snapshots only")
			return
		}
		g.log.Info("session/control ended", zap.Int("try", try), zap.String("code", link.CodeOf(err)))
		if link.Sleep(ctx, link.Delay(try, g.opts.Rand())) != nil {
			return
		}
	}
}

// once is a sink of a stream of which one item is wanted.
type once struct{ got chan result }

type result struct {
	value json.RawMessage
	err   error
}

func newOnce() *once { return &once{make(chan result, 1)} }

func (o *once) item(value json.RawMessage) {
	select {
	case o.got <- result{value: value}:
	default: // the first is enough
	}
}

func (o *once) over(err error) {
	select {
	case o.got <- result{err: orEnded(err)}:
	default:
	}
}
