// Package remotemux is the Gateway on the wire of the Harness from 0.1.5 on
// (harness-wire.md): requests as HTTP POSTs, and streams over one socket.
//
// Queues are bounded. What is sent: 4 MiB; a Harness that does not read that much
// loses the connection. A session's stream: 4,096 items or 4 MiB; what comes on top
// ends the stream on the wire, and the log is read again when its reader comes (or
// the reader is let go with ErrSlow, where it had been at the end before). So one
// slow reader holds up nobody.
package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// Gateway talks to one running Harness; make it with Dial.
type Gateway struct {
	gateway.GoalRemotes
	opts   Options
	caller link.Caller
	log    *zap.Logger
	login  login

	state     link.State
	hub       link.Hub
	streams   streams
	questions questions
	addresses addresses
	counts    dsh.Counts
	calls     atomic.Uint64
	images    atomic.Bool // commands/execute has its older third argument

	mu   sync.Mutex
	sock *socket // the one that stands, or nil

	life  context.Context // ends with Close; for goroutines that this Gateway owns
	stop  context.CancelFunc
	tasks sync.WaitGroup
	done  chan struct{} // closed when the connection's goroutine has ended
}

var (
	_ gateway.Console        = (*Gateway)(nil)
	_ gateway.Unqueuer       = (*Gateway)(nil)
	_ gateway.Goals          = (*Gateway)(nil)
	_ gateway.HelperPrompter = (*Gateway)(nil)
)

// Dial connects, and tries again until it stands, the context ends, or the Harness
// refuses us (*gateway.Error). The context is for Dial alone.
func Dial(ctx context.Context, o Options) (*Gateway, error) {
	g, err := newGateway(o.withDefaults())
	if err != nil {
		return nil, err
	}
	go g.run(g.life)
	if err := g.state.Await(ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func newGateway(o Options) (*Gateway, error) {
	g := &Gateway{opts: o, log: o.Logger, done: make(chan struct{})}
	if _, err := g.login.set(o.Launch); err != nil {
		return nil, err
	}
	g.Remote = g.call
	g.life, g.stop = context.WithCancel(context.Background())
	g.caller = link.Caller{
		Client: link.NewClient(o.DialContext), Logger: o.Logger, Counts: &g.counts,
		During: link.During(g.life), Target: g.target, Code: gateway.ModernCode,
	}
	return g, nil
}

// Wire gives "remote.mux".
func (g *Gateway) Wire() string { return "remote.mux" }

// Watch begins with the approvals that are pending.
func (g *Gateway) Watch() gateway.Watcher { return g.hub.Watch() }

// Close ends all streams, watchers, calls and the socket, and waits for them.
func (g *Gateway) Close() error {
	g.stop()
	<-g.done
	g.tasks.Wait()
	g.caller.Client.CloseIdleConnections()
	return nil
}

// Held is how many bytes the stream that is furthest behind holds of what came and was
// not read: 4 MiB at most, or one item that is larger.
func (g *Gateway) Held() int { return g.streams.held() }

// Skipped lists the frames and fields that this wire's reader left out.
func (g *Gateway) Skipped() []dsh.Skip { return g.counts.List() }

// spawn runs a task that ends with the Gateway.
func (g *Gateway) spawn(task func(ctx context.Context)) {
	g.tasks.Go(func() { task(g.life) })
}

// Call makes any request; see gateway.Console.
func (g *Gateway) Call(ctx context.Context, method string, payload json.RawMessage) (value json.RawMessage, err error) {
	err = g.call(ctx, method, payload, &value)
	return value, err
}

// call makes one request; args is what goes under payload.args. A cookie that is
// not good any more is replaced once.
func (g *Gateway) call(ctx context.Context, method string, args, out any) error {
	cookie := g.login.current()
	err := g.callOnce(ctx, method, args, out)
	if !gateway.IsCode(err, gateway.CodeUnauthorized) || cookie == "" {
		return err
	}
	if again := g.admit(ctx, cookie); again != nil {
		return again
	}
	return g.callOnce(ctx, method, args, out)
}

func (g *Gateway) callOnce(ctx context.Context, method string, args, out any) error {
	if args == nil {
		args = struct{}{}
	}
	id := fmt.Sprintf("host-%d-%s", g.calls.Add(1), strings.ReplaceAll(method, "/", "."))
	return g.caller.Call(ctx, method, id, struct {
		Args any `json:"args"`
	}{args}, out)
}

// wrapped is the argument of the methods that take a request object.
type wrapped struct {
	Request any `json:"request"`
}
