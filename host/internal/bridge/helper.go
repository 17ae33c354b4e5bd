package bridge

import (
	"context"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// child is a helper of a run.
type child struct {
	id     string
	parent string // session that delegated to it
	view   *project.Child
	before chat.Usage // of its turns before this run
	known  bool       // what kind it is was told to the reducer
	gone   bool       // the Harness let go of it
}

// helperBorn follows a helper that has just appeared.
func (r *active) helperBorn(id, parent string) {
	if r.children[id] != nil || r.state.Phase == run.Ended {
		return
	}
	ch := &child{id: id, parent: parent, view: project.NewChild(project.Config{Root: r.root, Session: id, CWD: r.c.log.cwd})}
	r.children[id] = ch
	r.apply(run.HelperBorn{ID: id})
	r.spawn(r.ctx, func(ctx context.Context) {
		s, err := r.link.gw.Follow(ctx, id, -1)
		if err == nil {
			err = r.follow(ctx, s, id, -1, func(e dsh.Event) { r.helperEvent(ch, e) })
		}
		if err != nil && ctx.Err() == nil {
			r.c.b.o.Log.Info("a helper's log ended", zap.String("helper", id), zap.Error(err))
			r.post(func() { r.kindKnown(ch) })
		}
	})
}

// helperEvent takes in the next event of a helper's session.
func (r *active) helperEvent(ch *child, e dsh.Event) {
	frames := ch.view.Apply(e)
	if e.Time < r.started { // of an earlier run, which it goes on from
		ch.before = ch.view.Usage()
	} else {
		r.emit(e.Time, frames...)
		r.questions(ch.id, e, frames)
	}
	if e.Type == dsh.TypeSubagent {
		r.apply(run.HelperKind{ID: ch.id, Reports: ch.view.Continuable && ch.parent == r.root})
		r.kindKnown(ch)
	}
}

// helperGone takes in that the Harness let go of a helper. The reducer is told
// once it knows whether a report will follow.
func (r *active) helperGone(id string) {
	ch := r.children[id]
	if ch == nil || ch.gone {
		return
	}
	ch.gone = true
	if ch.known {
		r.apply(run.HelperGone{ID: id})
	}
}

func (r *active) kindKnown(ch *child) {
	if ch.known {
		return
	}
	ch.known = true
	if ch.gone {
		r.apply(run.HelperGone{ID: ch.id})
	}
}

// resync looks for helpers that came or went while the notices were lost. Anyone
// but the loop may call it.
func (r *active) resync() {
	r.post(func() { r.spawn(r.ctx, r.findHelpers) })
}

// findHelpers tells the loop of running helpers that it does not know, and of
// known ones that are gone.
func (r *active) findHelpers(ctx context.Context) {
	sessions, err := r.link.gw.Sessions(ctx)
	if err != nil {
		if ctx.Err() == nil {
			r.c.b.o.Log.Info("helpers could not be listed", zap.Error(err))
		}
		return
	}
	running := map[string]bool{}
	for more := true; more; { // parents may stand after their children
		more = false
		for _, s := range sessions {
			if s.Running && !running[s.ID] && (s.ParentID == r.root || running[s.ParentID]) {
				running[s.ID], more = true, true
				r.link.added(s)
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
}
