package bridge

import (
	"context"
	"errors"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// link is the bridge's side of one life of the Harness: it watches what happens
// outside session logs and hands it to the runs.
type link struct {
	b    *Bridge
	proc Process
	gw   gateway.Gateway

	mu    sync.Mutex
	roots map[string]string  // helper session to the chat's session
	runs  map[string]*active // chat's session to the run under way
}

// connect gives the link to the running Harness, which is started where needed.
func (b *Bridge) connect(ctx context.Context) (*link, error) {
	p, err := b.o.Harness.Ensure(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.link != nil && b.link.proc == p {
		return b.link, nil
	}
	if b.closed {
		return nil, say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	}
	b.link = &link{b: b, proc: p, gw: p.Gateway(), roots: map[string]string{}, runs: map[string]*active{}}
	b.tasks.Go(b.link.watch)
	b.tasks.Go(b.link.archive)
	return b.link, nil
}

// gone tells whether that life of the Harness is over.
func (l *link) gone() bool {
	select {
	case <-l.proc.Done():
		return true
	default:
		return false
	}
}

// watch reads the notices of one life of the Harness to its end. The next life
// begins at once: whoever was cut off was told so.
func (l *link) watch() {
	ctx, cancel := context.WithCancel(l.b.ctx)
	defer cancel()
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-l.proc.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	for more := true; more; {
		w := l.gw.Watch()
		err := l.notices(ctx, w)
		w.Close()
		if more = errors.Is(err, gateway.ErrSlow); more {
			l.b.o.Log.Warn("the watcher of the Harness fell behind and begins again")
			l.each((*active).resync)
		}
	}
	<-over
	l.b.approvals.forget()
	if l.b.ctx.Err() != nil {
		return
	}
	if _, err := l.b.connect(l.b.ctx); err != nil && l.b.ctx.Err() == nil {
		l.b.o.Log.Warn("the Harness was not started again", zap.Error(err))
	}
}

func (l *link) notices(ctx context.Context, w gateway.Watcher) error {
	for {
		n, err := w.Next(ctx)
		if err != nil {
			return err
		}
		switch {
		case n.Approval != nil:
			l.b.approvals.requested(*n.Approval)
		case n.Resolved != nil:
			l.b.approvals.resolved(*n.Resolved)
		case n.SessionAdded != nil:
			l.added(*n.SessionAdded, true)
		case n.SessionGone != "":
			if r := l.run(n.SessionGone); r != nil {
				id := n.SessionGone
				r.post(func() { r.helperGone(id) })
			}
		case n.Connection != nil:
			l.connection(*n.Connection)
		case n.Question != nil:
			l.b.o.Log.Warn("the agent asked a question of its own, which no surface shows", zap.String("session", n.Question.SessionID))
		}
	}
}

// bind says which run a chat's session answers to; nil: none.
func (l *link) bind(session string, r *active) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r == nil {
		delete(l.runs, session)
		for helper, root := range l.roots {
			if root == session {
				delete(l.roots, helper)
			}
		}
		return
	}
	l.runs[session] = r
}

// run gives the run that a helper's session belongs to, or nil.
func (l *link) run(helper string) *active {
	l.mu.Lock()
	defer l.mu.Unlock()
	root, ok := l.roots[helper]
	if !ok {
		return nil
	}
	return l.runs[root]
}

// each calls f for every run under way.
func (l *link) each(f func(*active)) {
	l.mu.Lock()
	runs := make([]*active, 0, len(l.runs))
	for _, r := range l.runs {
		runs = append(runs, r)
	}
	l.mu.Unlock()
	for _, r := range runs {
		f(r)
	}
}

// added takes in a session that is there: a helper of ours, or of one of our
// helpers. Just says that it has just appeared.
func (l *link) added(s gateway.Session, just bool) {
	if s.ParentID == "" {
		return
	}
	l.mu.Lock()
	root, ok := l.roots[s.ParentID]
	if !ok {
		root = s.ParentID
	}
	r := l.runs[root]
	if r != nil {
		l.roots[s.ID] = root
	}
	l.mu.Unlock()
	if r != nil {
		r.post(func() { r.helperBorn(s.ID, s.ParentID, just) })
	}
}

// connection tells the runs that the sockets were lost, or stand again.
func (l *link) connection(c gateway.Connection) {
	key := say.Reconnecting
	if c.Up {
		key = say.Reconnected
	}
	l.each(func(r *active) { r.post(func() { r.connection(key) }) })
	if c.Up {
		l.each((*active).resync)
	}
}
