package bridge

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/run"
)

const (
	retryFirst = 100 * time.Millisecond // after a call that failed; doubles
	retryMost  = 2 * time.Second
	// reportWait is how long a helper's report may take once the Harness let go of
	// it. rc.8 sends it in the same breath.
	reportWait = 3 * time.Second
	// interruptWait is how long Stop waits for helpers to be interrupted before it ends
	// the turn they work for.
	interruptWait = 2 * time.Second
	// logWait is how long the rest of a helper's log may take then.
	logWait = 10 * time.Second
)

// persist calls f until it works or the run ends: the gateway reconnects by
// itself, and a Harness that is gone ends the run.
func (r *active) persist(ctx context.Context, what string, f func() error) bool {
	for wait := retryFirst; ; wait = min(2*wait, retryMost) {
		err := f()
		if err == nil {
			return true
		}
		if ctx.Err() == nil {
			r.c.b.o.Log.Info("trying again", zap.String("what", what), zap.Error(err))
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
}

// cancelTurn asks the goal's next round not to begin where one is pursued, then the
// helpers to stop, then the running turn to end. A session that is not attached has none.
func (r *active) cancelTurn(ctx context.Context, pursued bool, helpers []*child) {
	if pursued {
		r.pauseGoal(ctx)
	}
	r.interruptAll(ctx, helpers)
	r.insist(ctx, "cancel", func() error { return r.link.gw.Cancel(ctx, r.root) })
	r.post(func() { r.apply(run.Cancelled{}) })
}

// insist makes a request until it is taken, or refused, which is as good.
func (r *active) insist(ctx context.Context, what string, ask func() error) {
	r.persist(ctx, what, func() error {
		err := ask()
		if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
			r.c.b.o.Log.Info("it was refused", zap.String("what", what), zap.Error(err))
			return nil // what is under way shows in the log
		}
		return err
	})
}

// interruptAll stops helpers' turns. One that does not answer holds the others up for a
// while only; it is asked on.
func (r *active) interruptAll(ctx context.Context, helpers []*child) {
	asked := make(chan struct{}, len(helpers))
	for _, ch := range helpers {
		r.spawn(r.ctx, func(ctx context.Context) { r.interrupt(ctx, ch); asked <- struct{}{} })
	}
	late := time.After(interruptWait)
	for range helpers {
		select {
		case <-asked:
		case <-late:
			return
		case <-ctx.Done():
			return
		}
	}
}

// interrupt stops a helper's turn.
func (r *active) interrupt(ctx context.Context, ch *child) {
	r.insist(ctx, "interrupt a helper", func() error { return r.link.gw.InterruptHelper(ctx, ch.parent, ch.id) })
}

// reading is how the session stood when its log ended at seq.
type reading struct {
	seq     int64
	running bool
}

// check reads how the session stands. Its answer waits until the loop has taken in
// all of that log.
func (r *active) check(ctx context.Context, from int64) {
	var got reading
	var unreadable error
	ok := r.persist(ctx, "read the session", func() error {
		snap, err := r.link.gw.Snapshot(ctx, r.root, from)
		if gateway.IsCode(err, gateway.CodeSessionNotFound) {
			got = reading{seq: -1}
			return nil
		}
		if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
			unreadable = err
			return nil
		}
		got = reading{seq: snap.LastSeq, running: snap.Running}
		return err
	})
	switch {
	case !ok:
		return
	case unreadable != nil:
		r.post(func() { r.apply(run.Died{Err: r.failure(ctx, r.link, unreadable)}) })
		return
	}
	r.post(func() {
		if r.delegate && !got.running {
			since := r.since
			r.spawn(r.ctx, func(ctx context.Context) { r.catchHelpers(ctx, since, got) })
			return
		}
		r.checks = append(r.checks, got)
		r.answerChecks()
	})
}

// catchHelpers looks for helpers whose birth was not told yet, before a session
// that delegated is taken for idle.
func (r *active) catchHelpers(ctx context.Context, since int64, got reading) {
	r.persist(ctx, "list the helpers", func() error {
		err := r.findHelpers(ctx, since)
		if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
			r.c.b.o.Log.Info("helpers could not be listed", zap.Error(err))
			return nil
		}
		return err
	})
	r.post(func() {
		r.checks = append(r.checks, got)
		r.answerChecks()
	})
}

// answerChecks gives the reducer the answers whose log is taken in.
func (r *active) answerChecks() {
	for len(r.checks) > 0 && r.checks[0].seq <= r.c.log.last {
		c := r.checks[0]
		r.checks = r.checks[1:]
		r.apply(run.Checked{Running: c.running, Waiting: r.waits()})
	}
}

// unqueue takes waiting messages back, where the wire can. One that stays is
// answered before the next message, and the page is told so.
func (r *active) unqueue(ctx context.Context, messages []queued) {
	if q, ok := r.link.gw.(gateway.Unqueuer); ok {
		for _, m := range messages {
			if err := q.Unqueue(ctx, r.root, m.message); err != nil {
				r.c.b.o.Log.Info("a waiting message could not be taken back", zap.Error(err))
				continue
			}
			r.c.returned(m.request)
		}
	}
	r.post(func() { r.apply(run.Unqueued{}) })
}

// await gives a helper's report its time.
func (r *active) await(ctx context.Context, id string) {
	select {
	case <-time.After(reportWait):
		r.post(func() { r.apply(run.HelperOverdue{ID: id}) })
	case <-ctx.Done():
	}
}

// sortedChildren are the helpers by id, so that frames come in a fixed order.
func (r *active) sortedChildren() []*child {
	out := make([]*child, 0, len(r.children))
	for _, c := range r.children {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *child) int { return strings.Compare(a.id, b.id) })
	return out
}
