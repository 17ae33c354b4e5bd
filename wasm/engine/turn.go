package engine

import (
	"context"
	"errors"
	"time"

	"github.com/tetratelabs/wazero/api"

	"strata.dev/bridge/proto/abi"
)

// take waits for the turn: one goroutine at a time is in the guest. It gives up
// when ctx ends (over says why) or the instance closes.
func (in *Instance) take(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case in.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-in.closed:
		return context.Canceled
	}
}

func (in *Instance) release() { <-in.turn }

// start makes a guest and runs init, if there is none. Whatever goes wrong is a
// fault: the plugin cannot answer.
func (in *Instance) start(ctx context.Context) *Error {
	if in.guest.Load() != nil {
		return nil
	}
	if in.take(ctx) != nil {
		return cancelled()
	}
	defer in.release()
	return in.ready(ctx)
}

// ready is start for whoever has the turn.
func (in *Instance) ready(ctx context.Context) *Error {
	if in.guest.Load() != nil {
		return nil
	}
	g, err := in.engine.newGuest(ctx, in.log)
	if err == nil {
		if _, err = g.callZero(ctx, g.init, in.plugin, in.config); err == nil {
			in.guest.Store(g)
			return nil
		}
		g.close(ctx)
	}
	err.Fault = true
	return err
}

// enter runs an export for c and files what came of it. A trap drops the guest,
// which fails every other call in flight.
func (in *Instance) enter(ctx context.Context, g *guest, c *call, export api.Function, args ...any) *Error {
	err := g.enter(ctx, c.limit(), c, export, args...)
	if err == nil {
		if c.end != nil {
			delete(g.live, c.id)
			c.queue = nil // asked for in the same breath as the end: over before it began
		}
		return nil
	}
	in.drop(ctx, g)
	if err.Code == abi.CodeDeadline && !c.deadline.IsZero() && !time.Now().Before(c.deadline) {
		return c.late()
	}
	return err
}

// drop forgets a guest and wakes the calls that were in flight on it.
func (in *Instance) drop(ctx context.Context, g *guest) {
	in.guest.Store(nil)
	close(g.dead)
	g.close(ctx)
}

// errDeadline is the cause of a context that ended by an op's deadline.
var errDeadline = errors.New("the op's deadline passed")

// over says what a call whose wait ended with cause is over by.
func (c *call) over(cause error) *Error {
	if cause == errDeadline {
		return c.late()
	}
	return cancelled()
}

func (c *call) late() *Error {
	return fault(abi.CodeDeadline, abi.MsgDeadline, "ms", millis(c.row.DeadlineMs))
}
