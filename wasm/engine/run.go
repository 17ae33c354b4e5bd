package engine

import (
	"context"
	"time"
)

// run takes a call from its start to its end, in its caller's goroutine: enter,
// start what it asked for, wait for an answer, enter again.
func (in *Instance) run(ctx context.Context, row op, head, body []byte) ([]byte, []byte, *Error) {
	// A guest that must be made first is the host side's time, not the op's.
	if err := in.start(ctx); err != nil {
		return nil, nil, err
	}
	c := newCall(row)
	ctx, abort := c.within(ctx)
	defer abort()

	g, err := in.begin(ctx, c, head, body)
	for err == nil && c.end == nil {
		in.perform(ctx, c)
		select {
		case a := <-c.answers:
			err = in.resume(ctx, g, c, a)
		case <-ctx.Done():
			err = c.over(context.Cause(ctx))
		case <-g.dead:
			err = trap("another call brought the guest down")
		case <-in.closed:
			err = cancelled()
		}
	}
	if err != nil {
		if g != nil {
			in.giveUp(ctx, g, c)
		}
		return nil, nil, err
	}
	return c.end.head, c.end.body, c.end.err
}

// within bounds ctx by the op's deadline; abort also ends the call's effects.
func (c *call) within(ctx context.Context) (_ context.Context, abort context.CancelFunc) {
	if c.row.DeadlineMs == 0 {
		return context.WithCancel(ctx)
	}
	d := time.Duration(c.row.DeadlineMs) * time.Millisecond
	c.deadline = time.Now().Add(d)
	return context.WithTimeoutCause(ctx, d, errDeadline)
}

// begin enters `call`. The guest is nil when it was never entered.
func (in *Instance) begin(ctx context.Context, c *call, head, body []byte) (*guest, *Error) {
	if cause := in.take(ctx); cause != nil {
		return nil, c.over(cause)
	}
	defer in.release()
	if err := in.ready(ctx); err != nil { // dropped since run looked
		return nil, err
	}
	g := in.guest.Load()
	c.id = g.nextID()
	g.live[c.id] = c
	return g, in.enter(ctx, g, c, g.call, c.id, c.row.Name, head, body)
}

// resume hands an answer to the guest.
func (in *Instance) resume(ctx context.Context, g *guest, c *call, a answer) *Error {
	if cause := in.take(ctx); cause != nil {
		return c.over(cause)
	}
	defer in.release()
	if in.guest.Load() != g {
		return trap("another call brought the guest down")
	}
	delete(c.open, a.token)
	return in.enter(ctx, g, c, g.resume, c.id, a.token, a.ok, a.head, a.body)
}

// perform starts the effects that the last export asked for. Their goroutines
// end with ctx, which ends with the call.
func (in *Instance) perform(ctx context.Context, c *call) {
	for _, q := range c.queue {
		e := q.effect
		e.Plugin, e.Ask = in.plugin, in.askSync
		f, refused := in.offered(c.row, e)
		if refused != nil {
			c.answers <- answerError(q.token, &refused.EffectError)
			continue
		}
		in.work.Go(func() {
			head, body, err := f(ctx, e)
			if ctx.Err() == nil {
				c.answers <- in.answerOf(q.token, e, head, body, err) // room for every open effect
			}
		})
	}
	c.queue = nil
}

// giveUp tells the guest that a call is over: at once when nobody is in it, as
// soon as it is free otherwise.
func (in *Instance) giveUp(ctx context.Context, g *guest, c *call) {
	tell := func() {
		defer in.release()
		if in.guest.Load() != g || in.isClosed() {
			return
		}
		delete(g.live, c.id)
		if err := g.enter(ctx, 0, nil, g.cancel, c.id); err != nil {
			in.report("cancel", err)
			in.drop(ctx, g)
		}
	}
	select {
	case in.turn <- struct{}{}:
		tell()
	default:
		in.work.Go(func() {
			in.turn <- struct{}{}
			tell()
		})
	}
}
