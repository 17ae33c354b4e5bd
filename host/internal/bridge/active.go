package bridge

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// active is one run: the loop that drives its reducer. Everything happens in the
// loop's goroutine (drive), but where a field says otherwise.
type active struct {
	id      string
	c       *conversation
	req     chat.StreamRequest
	line    command.Line // the message, read as a command
	text    string       // what of it the model gets
	title   string       // of a chat that it begins
	mode    abi.Mode
	started int64
	order   int64     // its place in the chat's queue; guarded by the chat's lock
	log     *frameLog // may be used by anyone
	resend  bool      // an earlier life of the host may have handed the message over

	route string // its model, once it has its turn; anyone may read it once base is there

	base atomic.Pointer[base] // where it began, once its session is open; anyone may read it

	in       chan func()   // what the loop is to do next
	turn     chan struct{} // closed once the runs before it have ended
	stop     chan struct{} // closed by the person's Stop
	shutdown chan struct{} // closed by the bridge's Close
	done     chan struct{} // closed once nothing of the run goes on
	stopOnce sync.Once
	shutOnce sync.Once

	ctx    context.Context // of what the run has under way; ends with it
	cancel context.CancelFunc
	tasks  sync.WaitGroup
	abort  context.CancelFunc // of the step under way

	parted parted // once the host closes
	letGo  func() // lets the Harness be started again for new settings; set by step Session

	state    run.State
	link     *link      // set by step Session, before anyone else can see the run
	root     string     // the chat's session
	modeSeq  int64      // seq up to which mode and policy are ours; -1 until they are set
	switched int64      // seq of the newest change of mode or policy; -1 for none
	usage    chat.Usage // of the session before this run
	since    int64      // Unix milliseconds: when the session was opened
	children map[string]*child
	reported map[string]bool     // helpers whose report has come
	further  map[string]*further // by request id
	taking   bool                // waiting messages are to be taken back
	held     []func()            // until the Harness is known to have the first message
	asked    int                 // how often the agent was asked to go on
	checks   []reading           // answers to Check that wait for the log
	lost     bool                // the sockets are
	delegate bool                // a delegation tool was called
	shown    shown               // of the running turn
	rounds   int                 // of the chat's goal, when the message was handed over
	why      []chat.Frame        // why it goes on without the Harness
	mapped   *record             // of a new session, until it is kept
}

func newActive(c *conversation, req chat.StreamRequest) *active {
	r := &active{
		id: newID(), c: c, req: req, text: req.Text, title: titleFor(req), mode: modeOf(req.Mode), started: now(),
		in: make(chan func(), 256), turn: make(chan struct{}), stop: make(chan struct{}),
		shutdown: make(chan struct{}), done: make(chan struct{}),
		modeSeq: -1, switched: -1, children: map[string]*child{}, reported: map[string]bool{}, further: map[string]*further{},
	}
	r.read()
	r.ctx, r.cancel = context.WithCancel(c.b.ctx)
	r.abort, r.letGo = func() {}, func() {}
	r.log = &frameLog{run: r.id, max: c.b.limits.run}
	r.log.user(spoken(req, r.started))
	r.log.append(chat.Frame{Type: chat.Queued}, r.started)
	return r
}

// begin is where its turn comes. Only now it is known on which model the chat goes on:
// those before it may have moved it.
func (r *active) begin() {
	r.route = r.c.b.model(r.req)
	r.state = run.New(chat.Frame{Agent: true, Mode: string(r.mode), Model: r.route}, r.mode == abi.Manual)
	r.apply(run.Begin{})
}

// modeOf reads a mode; what is unknown is Manual.
func modeOf(s string) abi.Mode {
	switch m := abi.Mode(s); m {
	case abi.Plan, abi.Bypass:
		return m
	}
	return abi.Manual
}

// over tells whether the run has ended. Anyone may ask.
func (r *active) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// called tells whether the run was told to end.
func (r *active) called() bool {
	select {
	case <-r.stop:
	case <-r.shutdown:
	default:
		return false
	}
	return true
}

// shutting tells whether the run is to end because the host does, and nothing else.
// Anyone may ask.
func (r *active) shutting() bool {
	select {
	case <-r.stop:
		return false
	default:
	}
	return r.called()
}

// halt is the person's Stop. Anyone may call it.
func (r *active) halt() { r.stopOnce.Do(func() { close(r.stop) }) }

// shut ends the run because the host does. Anyone may call it.
func (r *active) shut() { r.shutOnce.Do(func() { close(r.shutdown) }) }

// post hands the loop something to do, in the order of the calls. After the run's
// end it does nothing. Anyone but the loop may call it.
func (r *active) post(f func()) {
	select {
	case r.in <- f:
	case <-r.ctx.Done():
	}
}

// spawn runs f beside the loop; it must return soon after its context ended.
func (r *active) spawn(ctx context.Context, f func(context.Context)) {
	r.tasks.Go(func() { f(ctx) })
}

// drive is the loop.
func (r *active) drive() {
	turn, stop, shutdown := r.turn, r.stop, r.shutdown
	var late <-chan time.Time // when a run that may go on though the host closes has had its time
	for r.state.Phase != run.Ended {
		var gone <-chan struct{}
		if r.link != nil {
			gone = r.link.proc.Done()
		}
		select {
		case f := <-r.in:
			f()
			if late != nil && r.c.b.approvals.asks(r) { // which nobody may answer any more
				late = nil
				r.cutOff()
			}
		case <-late:
			late = nil
			r.cutOff()
		case <-turn:
			turn = nil
			if !r.called() { // or that is what comes next
				r.begin()
			}
		case <-stop:
			stop = nil
			r.apply(run.Stop{})
		case <-shutdown:
			shutdown = nil
			late = r.part()
		case <-r.c.b.ctx.Done():
			r.parted = max(r.parted, partedStopped)
			r.apply(run.Died{Err: closing()})
		case <-gone:
			r.drain()
			r.apply(run.Died{Err: died(r.link.proc.Ended())})
		}
	}
	r.cancel()
	if r.link != nil {
		r.link.bind(r.root, nil)
	}
	r.tasks.Wait()
	r.letGo()
	r.c.remove(r)
	r.c.b.retire(r)
	close(r.done)
}

// died is what a person reads where the process ended under a run.
func died(details string) *chat.Error {
	return offering(say.Error(chat.CodeAgentStopped, details, say.AgentStopped), project.ActionRetry)
}

// offering adds what the page may offer.
func offering(e *chat.Error, actions ...string) *chat.Error {
	e.Actions = actions
	return e
}

// drain does what was posted before the process went away.
func (r *active) drain() {
	for r.state.Phase != run.Ended {
		select {
		case f := <-r.in:
			f()
		default:
			return
		}
	}
}

// apply gives the reducer an event and does what it says.
func (r *active) apply(e run.Event) {
	before := r.state.Phase
	next, actions := run.Reduce(r.state, e)
	r.state = next
	if next.Phase != before {
		r.c.b.o.Log.Debug("run", zap.String("run", r.id), zap.Stringer("from", before), zap.Stringer("to", next.Phase))
	}
	for _, a := range actions {
		r.act(a, e)
	}
	if r.state.Phase == run.Prompting {
		return
	}
	held := r.held
	r.held = nil
	for _, f := range held {
		f()
	}
}

// act carries out one action. Why is the event it follows from.
func (r *active) act(a run.Action, why run.Event) {
	switch a := a.(type) {
	case run.Do:
		ctx, cancel := context.WithCancel(r.ctx)
		r.abort = cancel
		r.spawn(ctx, func(ctx context.Context) { defer cancel(); r.step(ctx, a.Step) })
	case run.Answer:
		at := now()
		r.emit(at, r.why...)
		ctx, cancel := context.WithCancel(r.ctx)
		r.abort = cancel
		r.spawn(ctx, func(ctx context.Context) { defer cancel(); r.answer(ctx, at) })
	case run.Abort:
		r.abort()
	case run.Prompt:
		r.rounds = r.c.log.fold.GoalRounds()
		r.spawn(r.ctx, func(ctx context.Context) { r.prompt(ctx, a.Resend || r.resend) })
	case run.Cancel:
		pursued := r.c.log.fold.Pursued()
		var helpers []*child
		for _, id := range a.Helpers {
			helpers = append(helpers, r.children[id])
		}
		r.spawn(r.ctx, func(ctx context.Context) { r.cancelTurn(ctx, pursued, helpers) })
	case run.Tidy:
		r.conclude()
		ctx, cancel := context.WithCancel(r.ctx)
		r.abort = cancel
		r.shown.tidied = math.MaxInt64 // until it is known
		from := r.c.log.last + 1
		r.spawn(ctx, func(ctx context.Context) { defer cancel(); r.tidy(ctx, from) })
	case run.Check:
		from := r.c.log.last + 1
		r.spawn(r.ctx, func(ctx context.Context) { r.check(ctx, from) })
	case run.Unqueue:
		r.takeBack()
	case run.GoOn:
		r.goOn()
	case run.Interrupt:
		ch := r.children[a.ID]
		r.spawn(r.ctx, func(ctx context.Context) { r.interrupt(ctx, ch) })
	case run.Await:
		r.spawn(r.ctx, func(ctx context.Context) { r.await(ctx, a.ID) })
	case run.Emit:
		if a.Frame.Type.Ends() {
			_, lost := why.(run.Died)
			r.closeCards(lost)
			r.keepHelpers(now())
			r.c.b.approvals.clear(r) // before anyone can see the end
			r.tellLeft()
			if _, unready := why.(run.StepDone); unready && r.parted == partedNot {
				r.keepUnsent(a.Frame)
			}
		}
		if a.Frame.Type == chat.Done && !*a.Frame.Cancelled {
			r.conclude()
		}
		if a.Frame.Type == chat.Done && r.link != nil {
			u := r.used()
			a.Frame.Usage = &u
		}
		if a.Frame.Type == chat.Failed {
			r.noteError(a.Frame)
		}
		r.emit(now(), a.Frame)
	}
}

// emit writes frames to the run's log.
func (r *active) emit(time int64, frames ...chat.Frame) {
	for _, f := range frames {
		if f.Key == say.SummaryStuck { // which need not be told by the next message
			r.c.b.sizes.news(r.c.id, r.c.b.model(r.req), f.Key)
		}
		r.log.append(f, time)
	}
}

// closeCards ends what is left open on the page.
func (r *active) closeCards(lost bool) {
	if r.link != nil { // the log is ours
		r.emit(now(), r.c.log.fold.Close(lost)...)
	}
	for _, ch := range r.sortedChildren() {
		r.emit(now(), ch.view.Close(lost, now())...)
	}
}

// used is what the run's model requests used, helpers included.
func (r *active) used() chat.Usage {
	var u chat.Usage
	if r.link != nil { // the log is ours
		all := r.c.log.fold.Usage()
		u = chat.Usage{Prompt: all.Prompt - r.usage.Prompt, Completion: all.Completion - r.usage.Completion, Cached: all.Cached - r.usage.Cached}
	}
	for _, ch := range r.children {
		h, old := ch.view.Usage(), ch.before
		u.Prompt += h.Prompt - old.Prompt
		u.Completion += h.Completion - old.Completion
		u.Cached += h.Cached - old.Cached
	}
	return u
}
