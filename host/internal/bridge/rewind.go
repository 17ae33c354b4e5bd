package bridge

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/dsh"
)

// rewind ends the run where the session's log has become another, shorter one: the
// process behind the connection was killed before it wrote what it had sent, and its
// turn with it. The log is read from its beginning, and the page is shown what stands
// there.
func (r *active) rewind(ctx context.Context, cwd string) {
	log := newSessionLog(r.link, r.root, cwd)
	snap, err := r.link.gw.Snapshot(ctx, r.root, 0)
	for _, e := range snap.Events {
		log.apply(e)
	}
	r.post(func() {
		r.c.b.o.Log.Warn("a session's log is shorter than what was read", zap.String("session", r.root), zap.Error(err))
		if err == nil {
			r.connection(say.Reconnected) // the log could be read, whether or not the notice of it came
			r.c.log, r.usage = log, log.fold.Usage()
			r.base.Store(&base{session: r.root, cwd: cwd, seq: -1}) // what follows is the whole chat
			r.log.reset(r.transcript(snap.Events, cwd), now())
		} else {
			r.c.log.link = nil // to be read from its beginning by the next run
		}
		r.apply(run.Died{Err: died("the session's log is not the one that was read")})
	})
}

// transcript is the chat as its log has it, with the message of this run in any case.
func (r *active) transcript(events []dsh.Event, cwd string) project.Transcript {
	var t project.Transcript
	t.Read(project.Config{Root: r.root, Session: r.root, CWD: cwd}, events)
	if !slices.ContainsFunc(events, func(e dsh.Event) bool { return sentBy(e, r.req.RequestID) }) {
		t.User(spoken(r.req, r.started))
	}
	return t
}
