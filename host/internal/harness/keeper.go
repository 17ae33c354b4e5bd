package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const (
	shortLife = 10 * time.Second // a process that ends before this age, and has done nothing, was no good
	maxShort  = 4                // short lives in a row until the Keeper pauses
	pause     = time.Minute      // until it tries again
)

// ErrClosed says that the Keeper was closed.
var ErrClosed = errors.New("harness keeper: closed")

// Keeper keeps one Process for many callers: whoever needs it gets the running
// one, and the first who finds none starts it.
type Keeper struct {
	start func(context.Context) (*Process, error)
	ctx   context.Context // of every start; ends with Close
	close context.CancelFunc

	mu       sync.Mutex
	closed   bool
	current  *Process
	useless  *Process // the current one, where it is to end
	why      error    // and why
	worked   *Process // the last one of which Worked was told
	attempt  *attempt // a start under way
	short    int      // short lives in a row
	lastEnd  time.Time
	lastErr  error // why there is none
	launches int
	ill      *chat.AgentEnd // the newest end that nobody asked for, or start that failed
}

// attempt is one start that several callers wait for.
type attempt struct {
	done    chan struct{}
	process *Process
	err     error
}

// NewKeeper gives a Keeper that starts processes with start, one at a time. The
// context of start ends with Close, not with the caller that caused it.
func NewKeeper(start func(context.Context) (*Process, error)) *Keeper {
	ctx, cancel := context.WithCancel(context.Background())
	return &Keeper{start: start, ctx: ctx, close: cancel}
}

// Get gives the running process, starting one where there is none. All who call
// meanwhile wait for the same start. After a short life in which nothing worked it
// waits 1, 2, then 4 seconds before the next start; after four in a row it refuses
// with KindLoop for a minute. Other errors are those of start, ErrClosed, or the context's.
func (k *Keeper) Get(ctx context.Context) (*Process, error) {
	k.mu.Lock()
	if k.closed {
		k.mu.Unlock()
		return nil, ErrClosed
	}
	if p := k.current; p != nil && p != k.useless && !isClosed(p.Done()) {
		k.mu.Unlock()
		return p, nil
	}
	a := k.attempt
	if a == nil {
		a = &attempt{done: make(chan struct{})}
		k.attempt = a
		go k.run(a)
	}
	k.mu.Unlock()
	select {
	case <-a.done:
		return a.process, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Current gives the running process or nil.
func (k *Keeper) Current() *Process {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

// Restart stops the running process, if any, and gives a new one.
func (k *Keeper) Restart(ctx context.Context) (*Process, error) {
	if p := k.Current(); p != nil {
		if err := p.Stop(ctx); err != nil {
			return nil, err
		}
		k.ended(p)
	}
	return k.Get(ctx)
}

// Discard says that a process is of no use though it runs, and why: it counts as one
// that ended by itself, and who calls Get from now on gets another one, once this one
// has ended. The caller stops it.
func (k *Keeper) Discard(p *Process, why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == p {
		k.useless, k.why = p, why
	}
}

// Worked says that a process did what it is for: however young it ends, that is no
// reason to wait with the next one.
func (k *Keeper) Worked(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.worked = p
}

// Close stops the running process, or the start under way, and refuses further
// ones. It returns when nothing runs any more.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	k.close()
	a := k.attempt
	k.mu.Unlock()
	if a != nil {
		<-a.done
	}
	if p := k.Current(); p != nil {
		return p.Stop(ctx)
	}
	return nil
}

// run makes one attempt and then watches its process to the end.
func (k *Keeper) run(a *attempt) {
	if p := k.Current(); p != nil { // one that ends: a home is one process's
		<-p.Done()
		k.ended(p)
	}
	if a.err = k.wait(); a.err == nil {
		a.process, a.err = k.start(k.ctx)
	}
	k.mu.Lock()
	k.attempt, k.current, k.lastErr = nil, a.process, a.err
	k.noteEnd(a.err)
	if a.process != nil {
		k.launches++
	} else if failedSoon(a.err) {
		k.short, k.lastEnd = k.short+1, time.Now()
	}
	k.mu.Unlock()
	close(a.done)
	if a.process != nil {
		<-a.process.Done()
		k.ended(a.process)
	}
}

// wait waits as long as the short lives so far ask for.
func (k *Keeper) wait() error {
	k.mu.Lock()
	short, last := k.short, k.lastErr
	since := time.Since(k.lastEnd)
	if short >= maxShort && since >= pause {
		k.short = maxShort - 1 // one more try
		short = 0
	}
	k.mu.Unlock()
	switch {
	case short == 0:
		return nil
	case short >= maxShort:
		return newError(KindLoop, details(last), say.Sentence(say.HarnessLoop, "times", fmt.Sprint(short)))
	}
	timer := time.NewTimer(time.Second<<(short-1) - since)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-k.ctx.Done():
		return ErrClosed
	}
}

// ended forgets a process that is done. A second call does nothing.
func (k *Keeper) ended(p *Process) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current != p {
		return
	}
	k.current, k.lastErr = nil, p.Err()
	if p == k.useless {
		k.useless, k.lastErr = nil, k.why
	}
	k.noteEnd(k.lastErr)
	k.lastEnd = time.Now()
	if time.Since(p.Begun()) < shortLife && p != k.worked && k.lastErr != nil {
		k.short++
	} else {
		k.short = 0
	}
}

// noteEnd keeps why a process ended or did not start; nil and a host that ends are no
// reason. The lock is held.
func (k *Keeper) noteEnd(err error) {
	var e *Error
	ours := errors.As(err, &e)
	if err == nil || k.closed || ours && e.Kind == KindLoop { // which says again what it was
		return
	}
	k.ill = &chat.AgentEnd{Time: time.Now().UnixMilli(), Details: details(err), Sentence: say.Sentence(say.AgentFailed)}
	if ours {
		k.ill.Sentence = e.Sentence
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// failedSoon tells whether a failed start had a process that ended: what is
// missing is found at once and may be tried as often as one likes.
func failedSoon(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case KindMissing, KindBroken, KindNode, KindHome, KindInUse, KindLeftover, KindLaunch, KindLoop:
		return false
	}
	return true
}

// Status says how the Harness stands, as far as the Keeper knows: State,
// Component, Version, restarts, the sentence and its details. It starts
// nothing.
func (k *Keeper) Status() chat.AgentStatus {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := k.state()
	s.Restarts, s.LastEnd = max(0, k.launches-1), k.ill
	return s
}

// state is Status with the lock held, without how often it was started.
func (k *Keeper) state() chat.AgentStatus {
	var e *Error
	switch {
	case k.current != nil && k.current != k.useless:
		c := k.current.Component()
		return chat.AgentStatus{State: "ready", Component: c.Dir, Version: c.Version, Untested: c.Untested(), Sentence: say.Sentence(say.AgentReady)}
	case k.attempt != nil && k.launches > 0:
		return chat.AgentStatus{State: "starting", Sentence: say.Sentence(say.AgentRestarting)}
	case k.attempt != nil:
		return chat.AgentStatus{State: "starting", Sentence: say.Sentence(say.AgentStarting)}
	case errors.As(k.lastErr, &e):
		state := "stopped"
		if e.Kind == KindMissing || e.Kind == KindBroken || e.Kind == KindNode {
			state = "missing"
		}
		return chat.AgentStatus{State: state, Sentence: e.Sentence, Detail: e.Details}
	case k.lastErr != nil:
		return chat.AgentStatus{State: "stopped", Sentence: say.Sentence(say.AgentFailed), Detail: k.lastErr.Error()}
	}
	return chat.AgentStatus{State: "stopped", Sentence: say.Sentence(say.AgentIdle)}
}

func details(err error) string {
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Details
	case err != nil:
		return err.Error()
	}
	return ""
}
