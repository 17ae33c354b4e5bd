package bridge

import (
	"context"
	"errors"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// step carries out one step of the preparation, beside the loop.
func (r *active) step(ctx context.Context, s run.Step) {
	if s == run.Session {
		if r.local() {
			r.post(func() { r.apply(run.Alone{}) })
			return
		}
		if err := r.hold(ctx); err != nil {
			r.post(func() { r.apply(run.StepDone{Step: s, Err: err}) })
			return
		}
		if why := r.alone(ctx); why != nil && !isTask(r.c.id) { // a task without its tools is none
			r.letGo() // it needs no Harness
			r.post(func() {
				r.why = why
				r.apply(run.Alone{})
			})
			return
		}
		opened, err := r.openSession(ctx)
		r.post(func() {
			if err == nil {
				r.opened(opened)
				r.tellUntested()
			}
			r.apply(run.StepDone{Step: s, SessionID: opened.log.session, Err: err})
		})
		return
	}
	var err *chat.Error
	switch s {
	case run.Mode:
		var seq int64
		if seq, err = r.setMode(ctx); err == nil {
			r.post(func() { r.modeSet(seq) })
			err = r.unattended(ctx)
		}
	case run.Gate:
		err = r.confirmGate(ctx)
	case run.Model:
		if err = r.selectModel(ctx); err == nil {
			err = r.fits(ctx)
		}
		if err == nil {
			err = r.keep()
		}
	}
	r.post(func() { r.apply(run.StepDone{Step: s, Err: err}) })
}

// tellUntested says once in a chat that the Harness is a version that was not tested.
func (r *active) tellUntested() {
	s := r.c.b.o.Harness.Status().Untested
	if s == nil || r.c.untested {
		return
	}
	r.c.untested = true
	r.emit(now(), chat.Frame{Type: chat.Notice, Sentence: *s})
}

// hold waits until the Harness runs with the settings of now, and keeps it so to the
// run's end.
func (r *active) hold(ctx context.Context) *chat.Error {
	release, err := r.c.b.o.Harness.Hold(ctx, r.route, func() {
		r.post(func() { r.emit(now(), chat.Frame{Type: chat.Status, Sentence: say.Sentence(say.SettingsWait)}) })
	})
	var gone *chat.Error
	switch {
	case errors.As(err, &gone):
		return offering(gone, project.ActionModel)
	case err != nil:
		return r.failure(ctx, nil, err)
	}
	r.letGo = release
	return nil
}

// opened is what step Session found.
type opened struct {
	link   *link
	log    sessionLog
	stream gateway.Stream
	// replaced says that the Harness had no record of the chat's session.
	replaced bool
	// mapped is the chat's record where the session is new. It is kept once everything
	// is ready for the first message.
	mapped *record
}

// openSession brings up the Harness and the chat's session: the mapped one, or a
// new one.
func (r *active) openSession(ctx context.Context) (opened, *chat.Error) {
	b := r.c.b
	l, err := b.connect(ctx)
	if err != nil {
		return opened{}, r.failure(ctx, l, err)
	}
	rec, known := b.records.get(r.c.id)
	o := opened{link: l}
	known = known && !rec.Unbegun
	if known {
		// Taken away for the time being: a step that is broken off leaves nothing half
		// read behind.
		o.log, r.c.log = r.c.log, sessionLog{}
		if o.log.link != l || o.log.session != rec.SessionID {
			o.log = newSessionLog(l, rec.SessionID, rec.CWD)
		}
		err := o.catchUp(ctx)
		if err != nil && !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			return opened{}, r.failure(ctx, l, err)
		}
		o.replaced = err != nil
	}
	if !known || o.replaced {
		if !known {
			rec = rec.begin(r.req, b.o.Workspace, now())
		}
		var failed *chat.Error
		if o.log, failed = r.create(ctx, l, rec.CWD); failed != nil {
			return opened{}, failed
		}
		if err := o.catchUp(ctx); err != nil {
			return opened{}, r.failure(ctx, l, err)
		}
		rec.SessionID, rec.Updated = o.log.session, now()
		o.mapped = &rec
	}
	if err := o.follow(ctx); err != nil {
		return opened{}, r.failure(ctx, l, err)
	}
	context.AfterFunc(r.ctx, o.stream.Close) // the run may have ended before anyone reads it
	return o, nil
}

// catchUp takes in what the log has beyond what was read. One that ends before is
// another: it is read from its beginning.
func (o *opened) catchUp(ctx context.Context) error {
	snap, err := o.link.gw.Snapshot(ctx, o.log.session, o.log.last+1)
	if err == nil && snap.LastSeq < o.log.last {
		o.log = newSessionLog(o.link, o.log.session, o.log.cwd)
		snap, err = o.link.gw.Snapshot(ctx, o.log.session, 0)
	}
	if err != nil {
		return err
	}
	for _, e := range snap.Events {
		o.log.apply(e)
	}
	return nil
}

// follow opens the stream behind what was read.
func (o *opened) follow(ctx context.Context) (err error) {
	o.stream, err = o.link.gw.Follow(ctx, o.log.session, o.log.last)
	if !errors.Is(err, gateway.ErrRewound) {
		return err
	}
	o.log = newSessionLog(o.link, o.log.session, o.log.cwd)
	if err = o.catchUp(ctx); err == nil {
		o.stream, err = o.link.gw.Follow(ctx, o.log.session, o.log.last)
	}
	return err
}

// failure is why a step failed: the end of the process before what followed from
// it. Where Stop broke it off the reducer asks for none.
func (r *active) failure(ctx context.Context, l *link, err error) *chat.Error {
	if l != nil && l.gone() {
		return died(l.proc.Ended())
	}
	if e := unavailable(ctx, err); e != nil {
		if len(e.Actions) > 0 {
			return e
		}
		with := *e // who gave it may give it to others, too
		with.Actions = retry
		return &with
	}
	return closing()
}
