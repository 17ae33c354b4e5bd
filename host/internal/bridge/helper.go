package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// child is a helper of a run.
type child struct {
	id     string
	nth    int    // of the run's
	parent string // session that delegated to it
	view   *project.Child
	before chat.Usage // of its turns before this run
	known  bool       // what kind it is was told to the reducer
	gone   bool       // the Harness let go of it
	waits  bool       // for the rest of its log
}

// helperBorn follows a helper that has appeared. Again says that the Harness has
// just told so: one that was let go of works on.
func (r *active) helperBorn(id, parent string, again bool) {
	if ch := r.children[id]; ch != nil {
		if again && ch.gone {
			ch.gone, ch.waits = false, false
			delete(r.reported, id)
			r.apply(run.HelperBorn{ID: id})
			r.apply(run.HelperKind{ID: id, Reports: ch.reports(r)})
		}
		return
	}
	ch := &child{id: id, nth: len(r.children), parent: parent, view: project.NewChild(project.Config{Root: r.root, Session: id, CWD: r.c.log.cwd})}
	ch.view.Whole = isTask(r.c.id)
	ch.view.Dearer = func(route string) string { return dearer(r.c.b.o.Harness.Status().Routes, route, r.routeOf(parent)) }
	r.children[id] = ch
	r.apply(run.HelperBorn{ID: id})
	r.spawn(r.ctx, func(ctx context.Context) {
		s, err := r.followHelper(ctx, id)
		if err == nil {
			err = r.follow(ctx, s, id, -1, func(e dsh.Event) { r.helperEvent(ch, e) }, nil)
		}
		if err != nil && ctx.Err() == nil {
			r.c.b.o.Log.Info("a helper's log ended", zap.String("helper", id), zap.Error(err))
			r.post(func() { ch.gone = true; r.release(ch) })
		}
	})
}

// followHelper opens a helper's log. Its birth is told before it has said what it is, and
// until then the modern wire refuses it as another's or as broken (harness-wire.md §5.1).
func (r *active) followHelper(ctx context.Context, id string) (gateway.Stream, error) {
	for wait := retryFirst; ; wait *= 2 {
		s, err := r.link.gw.Follow(ctx, id, -1)
		var refused *gateway.Error
		if !errors.As(err, &refused) || wait > retryMost {
			return s, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// reports tells whether the helper will report to the chat's session.
func (c *child) reports(r *active) bool { return c.view.Continuable && c.parent == r.root }

// helperEvent takes in the next event of a helper's session.
func (r *active) helperEvent(ch *child, e dsh.Event) {
	frames := ch.view.Apply(e)
	if e.Time < r.since { // of an earlier run, which it goes on from
		ch.before = ch.view.Usage()
	} else {
		r.questions(ch.id, e, frames)
		r.emit(e.Time, r.c.log.fold.Untold(frames)...)
	}
	if e.Type == dsh.TypeSubagent {
		ch.known = true
		r.apply(run.HelperKind{ID: ch.id, Reports: ch.reports(r)})
	}
	if ch.gone || r.reported[ch.id] {
		r.settle(ch)
	}
}

// helperGone takes in that the Harness let go of a helper.
func (r *active) helperGone(id string) {
	if ch := r.children[id]; ch != nil && !ch.gone {
		ch.gone = true
		r.settle(ch)
	}
}

// helperReported takes in that a helper's report has reached the chat's session.
func (r *active) helperReported(id string) {
	r.reported[id] = true
	if ch := r.children[id]; ch != nil {
		r.settle(ch)
	}
}

// settle tells the reducer that a helper is gone or has reported, once its log is
// read: whether a report will follow stands at its beginning, how it ended at its
// end. A log that does not come gets some time.
func (r *active) settle(ch *child) {
	if ch.known && !ch.view.Running() {
		r.release(ch)
		return
	}
	if ch.waits {
		return
	}
	ch.waits = true
	r.spawn(r.ctx, func(ctx context.Context) {
		select {
		case <-time.After(logWait):
			r.post(func() { r.release(ch) })
		case <-ctx.Done():
		}
	})
}

// release tells the reducer what is known of a helper's end.
func (r *active) release(ch *child) {
	if ch.gone {
		r.apply(run.HelperGone{ID: ch.id})
	}
	if r.reported[ch.id] {
		r.apply(run.HelperReported{ID: ch.id})
	}
}

// resync looks for helpers that came or went while the notices were lost. Anyone
// but the loop may call it.
func (r *active) resync() {
	r.post(func() {
		since := r.since
		r.spawn(r.ctx, func(ctx context.Context) {
			if err := r.findHelpers(ctx, since); err != nil && ctx.Err() == nil {
				r.c.b.o.Log.Info("helpers could not be listed", zap.Error(err))
			}
		})
	})
}

// findHelpers tells the loop of helpers that it does not know: running ones, and
// those that settled since then; and of known ones that are gone.
func (r *active) findHelpers(ctx context.Context, since int64) error {
	sessions, err := r.link.gw.Sessions(ctx)
	if err != nil {
		return err
	}
	below, running := map[string]bool{}, map[string]bool{}
	for more := true; more; { // parents may stand after their children
		more = false
		for _, s := range sessions {
			if below[s.ID] || !(s.ParentID == r.root || below[s.ParentID]) {
				continue
			}
			below[s.ID], more = true, true
			running[s.ID] = s.Running
			if s.Running || s.UpdatedAt >= since { // one that settled just now may still report
				r.link.added(s, false)
			}
		}
	}
	r.post(func() {
		for _, ch := range r.sortedChildren() {
			if !running[ch.id] && !ch.view.Running() {
				r.helperGone(ch.id)
			}
		}
	})
	return nil
}

// keepHelpers keeps the rows of the run's helpers for the chat's history: the chat's own
// log has only that they were called.
func (r *active) keepHelpers(at int64) {
	m := chat.Message{Role: "assistant", Time: at}
	born := slices.SortedFunc(maps.Values(r.children), func(a, b *child) int { return a.nth - b.nth })
	for _, ch := range born {
		if row := ch.view.Row(); row.UpdatedAt >= r.since {
			m.Helpers = append(m.Helpers, row)
		}
	}
	if m.Helpers == nil || isTask(r.c.id) {
		return
	}
	at-- // a message that waited may be sent in the same millisecond, and comes after it
	e := exchange{RequestID: "helpers-" + r.id, Time: at, Whole: true, Command: true, Messages: []chat.Message{m}}
	if err := r.c.b.exchanges.add(r.c.id, e); err != nil {
		r.c.b.o.Log.Warn("the rows of helpers were not kept", zap.Error(err))
	}
}
