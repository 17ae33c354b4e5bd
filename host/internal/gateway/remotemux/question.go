package remotemux

import (
	"context"
	"errors"
	"slices"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// Outcomes of an approval, as the Harness names them.
const (
	outcomeAllowed   = "allowed-once"
	outcomeRejected  = "rejected"
	outcomeCancelled = "cancelled"
)

// lookups is how often the log is read for an entry that should be there.
const lookups = 6

// question is an approval that waits. Its event id is the wire's; the id in the
// log, by which cards know it, is not on the wire and is found there.
type question struct {
	gateway.Approval
	delivered bool // on the connection that stands; only then an answer has an effect
	announced bool
	answered  bool // by us, and the Harness has taken it
}

// questions are the approvals that wait, by event id. The zero value is ready.
type questions struct {
	mu     sync.Mutex
	client string // of the connection that stands
	by     map[string]*question
	change chan struct{} // closed at the next change
}

// connected begins with a new client id and gives what waited before.
func (q *questions) connected(client string) []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.client = client
	var ids []string
	for id := range q.by {
		ids = append(ids, id)
	}
	q.changedLocked()
	return ids
}

// disconnected says that no answer has an effect until the questions come again.
func (q *questions) disconnected() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.client = ""
	for _, it := range q.by {
		it.delivered = false
	}
	q.changedLocked()
}

func (q *questions) clientID() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.client
}

func (q *questions) changed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changedLocked()
}

func (q *questions) changedLocked() {
	if q.change != nil {
		close(q.change)
		q.change = nil
	}
}

// look reads a question under the lock; ok is false when it does not wait. The
// channel is closed at the next change of any.
func (q *questions) look(id string) (it question, client string, changed <-chan struct{}, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.change == nil {
		q.change = make(chan struct{})
	}
	if p := q.by[id]; p != nil {
		return *p, q.client, q.change, true
	}
	return question{}, q.client, q.change, false
}

func (q *questions) update(id string, do func(*question)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if p := q.by[id]; p != nil {
		do(p)
		q.changedLocked()
	}
}

// take removes a question; false: somebody else did.
func (q *questions) take(id string) (question, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.by[id]
	if p == nil {
		return question{}, false
	}
	delete(q.by, id)
	q.changedLocked()
	return *p, true
}

// approval takes a request for one, new or delivered again after a reconnect.
func (g *Gateway) approval(v event) {
	q := &g.questions
	q.mu.Lock()
	defer q.mu.Unlock()
	it := q.by[v.EventID]
	if it == nil {
		it = &question{Approval: gateway.Approval{
			ID: v.EventID, SessionID: v.AgentID, CallID: v.Request.CallID, Tool: v.Request.ToolName, Reason: v.Request.Reason,
		}}
		if q.by == nil {
			q.by = map[string]*question{}
		}
		q.by[v.EventID] = it
		g.spawn(func(ctx context.Context) { g.announce(ctx, v.EventID) })
	} else if it.announced {
		g.hub.Requested(it.Approval)
	}
	it.delivered, it.answered = true, false
	q.changedLocked()
}

// announce finds the approval in the log and tells the watchers. One that the log
// does not have is told with the wire's id instead.
func (g *Gateway) announce(ctx context.Context, id string) {
	for try := 0; ; try++ {
		it, _, _, ok := g.questions.look(id)
		if !ok {
			return
		}
		approvalID, err := g.logged(ctx, it.Approval)
		refused := (*gateway.Error)(nil)
		if approvalID == "" && (err == nil || errors.As(err, &refused)) && try >= lookups {
			g.log.Warn("an approval is not in its session's log", zap.String("session", it.SessionID))
			approvalID = id
		}
		if approvalID != "" {
			q := &g.questions
			q.mu.Lock()
			defer q.mu.Unlock()
			if p := q.by[id]; p != nil && !p.announced {
				p.ApprovalID, p.announced = approvalID, true
				g.hub.Requested(p.Approval)
				q.changedLocked()
			}
			return
		}
		if link.Sleep(ctx, link.Delay(min(try, 1), g.opts.Rand())) != nil {
			return
		}
	}
}

// logged finds the id in the log of an approval that waits: of the newest that was
// asked for that call and not decided. "": not there.
func (g *Gateway) logged(ctx context.Context, a gateway.Approval) (id string, err error) {
	decided := map[string]bool{}
	err = g.read(ctx, a.SessionID, true, func(p link.Page) bool {
		for _, e := range slices.Backward(p.Events) {
			d, ok := approvalOf(e)
			switch {
			case e.Type == dsh.TypeTurnStart:
				return true // an approval is asked within its turn
			case !ok:
			case e.Type == dsh.TypeApprovalDecided:
				decided[d.ID] = true
			case d.CallID == a.CallID && d.ToolName == a.Tool && !decided[d.ID]:
				id = d.ID
				return true
			}
		}
		return false
	})
	return id, err
}

// decision finds how an approval ended. "": the log does not say.
func (g *Gateway) decision(ctx context.Context, a gateway.Approval, live bool) (outcome string, err error) {
	err = g.read(ctx, a.SessionID, live, func(p link.Page) bool {
		for _, e := range slices.Backward(p.Events) {
			if d, ok := approvalOf(e); ok && d.ID == a.ApprovalID {
				outcome = d.Outcome
				return true // where it was asked, nothing older is about it
			}
		}
		return false
	})
	return outcome, err
}

func approvalOf(e dsh.Event) (*dsh.Approval, bool) {
	if e.Type != dsh.TypeApprovalAsked && e.Type != dsh.TypeApprovalDecided {
		return nil, false
	}
	v, _ := dsh.Decode(e)
	d, ok := v.(*dsh.Approval)
	return d, ok
}

// withdrawn takes in that a question is over: somebody else answered, or its turn
// was cancelled. The log says which.
func (g *Gateway) withdrawn(id string) {
	if it, ok := g.questions.take(id); ok {
		g.spawn(func(ctx context.Context) { g.resolve(ctx, it, outcomeCancelled) })
	}
}

// resolve tells the watchers how a question ended, as the log says, or else the
// fallback.
func (g *Gateway) resolve(ctx context.Context, it question, fallback string) string {
	if !it.announced {
		return fallback
	}
	outcome := ""
	for try := 0; outcome == "" && try < lookups; try++ {
		if try > 0 && link.Sleep(ctx, link.Delay(try-1, g.opts.Rand())) != nil {
			break
		}
		var err error
		outcome, err = g.decision(ctx, it.Approval, true)
		if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
			break // no such session any more
		}
	}
	if outcome == "" {
		outcome = fallback
	}
	g.hub.Resolved(gateway.Resolved{SessionID: it.SessionID, ApprovalID: it.ApprovalID, Outcome: outcome})
	return outcome
}

// Answer answers an approval. It returns once the log says that this answer counts;
// where another one came first, that is CodeNotPending.
func (g *Gateway) Answer(ctx context.Context, a gateway.Answer) error {
	const method = "$events/result"
	notPending := &gateway.Error{Method: method, Code: gateway.CodeNotPending, Message: "nobody waits for this answer any more"}
	value := outcomeRejected
	if a.Allow {
		value = outcomeAllowed
	}
	for try := 0; ; {
		if err := g.state.Await(ctx); err != nil {
			return err
		}
		it, client, changed, ok := g.questions.look(a.ID)
		switch {
		case !ok || it.answered:
			return notPending
		case it.SessionID != a.SessionID || it.announced && it.ApprovalID != a.ApprovalID:
			return &gateway.Error{Method: method, Code: gateway.CodeBadResponse, Message: "the answer does not fit the question"}
		case !it.delivered: // an answer now would be taken and have no effect
			select {
			case <-changed:
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-g.life.Done():
				return gateway.ErrClosed
			}
			continue
		}
		g.questions.update(a.ID, func(q *question) { q.answered = true })
		err := g.settle(ctx, client, a.ID, outcome{Kind: "result", Value: value})
		if err != nil {
			g.questions.update(a.ID, func(q *question) { q.answered = false })
			// A client id that the Harness does not know any more: a connection that
			// ended unnoticed. The next one brings the question again.
			if try++; gateway.IsCode(err, gateway.CodeInternal) && try < lookups {
				if slept := link.Sleep(ctx, link.Delay(try, g.opts.Rand())); slept != nil {
					return slept
				}
				continue
			}
			if errors.Is(err, gateway.ErrLost) { // it may have been taken all the same
				g.spawn(func(ctx context.Context) { g.recheck(ctx, a.ID) })
			}
			return err
		}
		if it, ok = g.questions.take(a.ID); !ok {
			return notPending // withdrawn meanwhile
		}
		if g.resolve(ctx, it, value) != value {
			return notPending
		}
		return nil
	}
}

// recheck finds out whether an answer counts that the Harness may have taken: nobody
// would tell its sender.
func (g *Gateway) recheck(ctx context.Context, id string) {
	for try := range lookups {
		if link.Sleep(ctx, link.Delay(try, g.opts.Rand())) != nil {
			return
		}
		it, _, _, ok := g.questions.look(id)
		if !ok || it.answered || !it.announced {
			return
		}
		outcome, err := g.decision(ctx, it.Approval, true)
		if err != nil || outcome == "" {
			continue
		}
		if it, ok := g.questions.take(id); ok {
			g.hub.Resolved(gateway.Resolved{SessionID: it.SessionID, ApprovalID: it.ApprovalID, Outcome: outcome})
		}
		return
	}
}

// reconcile learns what happened while no socket stood: which of the approvals that
// waited do so still, and which sessions run.
func (g *Gateway) reconcile(ctx context.Context, asked []string) {
	listed := false
	for try := 0; ctx.Err() == nil; try++ {
		list, err := g.Sessions(ctx)
		if err == nil && !listed {
			g.hub.Listed(list)
			listed = true
		}
		if err == nil {
			asked = slices.DeleteFunc(asked, func(id string) bool { return g.redelivered(ctx, id, list) })
		}
		if listed && len(asked) == 0 {
			return
		}
		if link.Sleep(ctx, link.Delay(try+1, g.opts.Rand())) != nil {
			return
		}
	}
}

// redelivered tells whether nothing is to be found out about a question: it came
// again, or it is over. One that waits still comes right after ready; what does not
// come was decided, or went with its process.
func (g *Gateway) redelivered(ctx context.Context, id string, list []gateway.Session) bool {
	it, _, _, ok := g.questions.look(id)
	if !ok || it.delivered {
		return true
	}
	outcome, err := g.decision(ctx, it.Approval, false)
	refused := (*gateway.Error)(nil)
	running := slices.ContainsFunc(list, func(s gateway.Session) bool { return s.ID == it.SessionID && s.Running })
	switch {
	case err != nil && !errors.As(err, &refused):
		return false
	case outcome == "" && running && refused == nil:
		return false // it may come yet
	case outcome == "":
		outcome = outcomeCancelled
	}
	if again, _, _, ok := g.questions.look(id); !ok || again.delivered {
		return true
	}
	if it, ok := g.questions.take(id); ok && it.announced {
		g.hub.Resolved(gateway.Resolved{SessionID: it.SessionID, ApprovalID: it.ApprovalID, Outcome: outcome})
	}
	return true
}
