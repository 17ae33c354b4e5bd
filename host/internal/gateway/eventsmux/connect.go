package eventsmux

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
)

// connectLimit bounds one try: a request and two upgrades.
const connectLimit = 10 * time.Second

// run keeps the connection until the context ends or the Harness refuses us.
func (g *Gateway) run(ctx context.Context) {
	defer close(g.done)
	for try := 0; ; try++ {
		if try > 0 {
			_ = link.Sleep(ctx, link.Delay(try-1, g.opts.Rand()))
		}
		err := g.connect(ctx, func() { try = 0 })
		if ctx.Err() != nil {
			g.end(gateway.ErrClosed)
			return
		}
		var refused *gateway.Error
		if errors.As(err, &refused) && refused.Code == gateway.CodeUnauthorized {
			g.log.Warn("the Harness refuses this host; not trying again", zap.String("code", refused.Code))
			g.end(fmt.Errorf("%w: %w", gateway.ErrLost, refused))
			return
		}
		g.state.Set(false, err, nil)
		g.log.Info("not connected", zap.Int("try", try), zap.Error(err))
	}
}

// end makes everybody who waits learn that there is nothing to wait for.
func (g *Gateway) end(err error) {
	g.state.Set(false, err, err)
	g.streams.end(err)
	g.hub.End(err)
}

// connect opens both downlinks and serves them until one fails. Ready is called
// once they stand. The error is never nil.
func (g *Gateway) connect(ctx context.Context, ready func()) error {
	start := time.Now()
	mux, host, err := g.openBoth(ctx)
	if err != nil {
		return err
	}
	ready()
	// From here on the mux socket gets every new event, so that what the log says
	// now is all that can be missing.
	g.streams.reconnected()
	asked := g.hub.Connected()
	g.state.Set(true, nil, nil)
	g.log.Info("connected", zap.Duration("took", time.Since(start)))

	serving, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { cancel(mux.serve(serving, g.onMux)) })
	wg.Go(func() { cancel(host.serve(serving, g.onHost)) })
	wg.Go(func() { g.reconcile(serving, asked) })
	wg.Wait()
	err = context.Cause(serving)
	if ctx.Err() == nil {
		g.hub.Disconnected(err)
	}
	return err
}

func (g *Gateway) openBoth(ctx context.Context) (mux, host *socket, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	// A request first: it says 401 where a fence can only drop a socket.
	if _, err := g.Describe(ctx); err != nil {
		return nil, nil, err
	}
	if host, err = g.open(ctx, "/api/events.host"); err != nil {
		return nil, nil, err
	}
	if mux, err = g.open(ctx, "/api/events.mux"); err != nil {
		_ = host.conn.Close()
		return nil, nil, err
	}
	return mux, host, nil
}

// reconcile learns what happened while no socket stood: which of the approvals
// that were pending still are, and which sessions run. What the sockets say
// meanwhile is newer and wins.
func (g *Gateway) reconcile(ctx context.Context, asked []gateway.Approval) {
	for try := 0; ; try++ {
		err := g.reconcileOnce(ctx, asked)
		if err == nil || ctx.Err() != nil {
			return
		}
		g.log.Info("reading what was missed failed", zap.Int("try", try), zap.String("code", link.CodeOf(err)))
		if link.Sleep(ctx, link.Delay(try+1, g.opts.Rand())) != nil {
			return
		}
	}
}

func (g *Gateway) reconcileOnce(ctx context.Context, asked []gateway.Approval) error {
	for _, a := range asked {
		pending, err := g.stillPending(ctx, a)
		if err != nil {
			return err
		}
		if pending {
			continue // and sent again by the Harness
		}
		outcome, err := g.outcome(ctx, a)
		if err != nil {
			return err
		}
		g.hub.Resolved(gateway.Resolved{SessionID: a.SessionID, ApprovalID: a.ApprovalID, Outcome: outcome})
	}
	list, err := g.Sessions(ctx)
	if err != nil {
		return err
	}
	g.hub.Listed(list)
	return nil
}
