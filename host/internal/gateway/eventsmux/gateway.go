// Package eventsmux is the Gateway on the wire of the Harness 0.1.0
// (harness-rc8.md §3): requests as HTTP POSTs, events over two downlink sockets.
//
// A session's events come over one socket together with those of all others and
// are not sent again: a Stream subscribes first and then reads the log, drops what
// it has, and reads the log again wherever a seq is missing.
package eventsmux

import (
	"context"
	"errors"
	"fmt"
	"net/url"
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
	base   *url.URL
	caller link.Caller
	log    *zap.Logger

	state   link.State
	streams streams
	hub     link.Hub
	counts  dsh.Counts
	calls   atomic.Uint64

	life  context.Context // ends with Close; for goroutines that this Gateway owns
	stop  context.CancelFunc
	tasks sync.WaitGroup
	done  chan struct{} // closed when the connection's goroutine has ended
}

var (
	_ gateway.Console = (*Gateway)(nil)
	_ gateway.Goals   = (*Gateway)(nil)
)

// Dial connects, and tries again until it stands, the context ends, or the Harness
// refuses the secret (*gateway.Error with CodeUnauthorized). The context is for
// Dial alone.
func Dial(ctx context.Context, o Options) (*Gateway, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Scheme != "http" || base.Host == "" {
		return nil, fmt.Errorf("the Harness's address %q is not an http URL", o.BaseURL)
	}
	life, stop := context.WithCancel(context.Background())
	g := newGateway(o.withDefaults(), base, life, stop)
	go g.run(life)
	if err := g.state.Await(ctx); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// newGateway makes a Gateway without a connection; its calls end with life.
func newGateway(o Options, base *url.URL, life context.Context, stop context.CancelFunc) *Gateway {
	g := &Gateway{opts: o, base: base, log: o.Logger, life: life, stop: stop, done: make(chan struct{})}
	g.caller = link.Caller{
		Client: link.NewClient(o.DialContext), Logger: o.Logger, Counts: &g.counts,
		During: link.During(life), Target: g.target,
	}
	g.Remote = func(ctx context.Context, method string, args, out any) error {
		return g.call(ctx, method, remote{args}, out)
	}
	return g
}

// Wire gives "events.mux".
func (g *Gateway) Wire() string { return "events.mux" }

// Close ends all streams, watchers, calls and sockets, and waits for them.
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

// rpcID makes an id for a request that needs none of its own.
func (g *Gateway) rpcID(method string) string {
	return fmt.Sprintf("host-%d-%s", g.calls.Add(1), strings.ReplaceAll(method, "/", "."))
}

// Watch begins with the approvals that are pending.
func (g *Gateway) Watch() gateway.Watcher { return g.hub.Watch() }
