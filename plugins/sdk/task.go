package sdk

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"strata.dev/bridge/proto/abi"
)

// Task is one call in progress. It is what effects are asked on; it must not be
// used after the call's handler and its Groups have ended.
type Task struct {
	rt   *Runtime
	id   uint32
	sync bool
	idle chan struct{} // one signal per export: no goroutine of the call can run on

	// Under rt.mu.
	running   int // goroutines of the call that do not wait for the host or for a Group
	waiters   map[uint32]chan answer
	cancelled bool // by the host side, or because the handler returned
	silent    bool // the host side gave the call up: push nothing
	returned  bool
	fault     error // a panic of a child, an effect in a sync op: fails the call whatever the handler made of it
	head      []byte
	body      []byte
	err       error
	status    Status
}

// answer is what resume brings.
type answer struct {
	head, body []byte
	err        error
}

// ID is the call's number, for log lines.
func (t *Task) ID() uint32 { return t.id }

// Logf writes a line to the host side's log.
func (t *Task) Logf(level Level, format string, args ...any) {
	t.rt.host.Log(level, utf8(fmt.Sprintf(format, args...)))
}

// Now is the host side's clock, to the millisecond.
func (t *Task) Now() time.Time { return time.UnixMilli(int64(t.rt.host.Now())) }

// Random is 64 bits from the host side's random source.
func (t *Task) Random() uint64 { return t.rt.host.Random() }

// Host is the host side underneath. It is there for the conformance probe,
// which breaks the rules on purpose; a plugin has no business with it.
func (t *Task) Host() Host { return t.rt.host }

// Calls is how many calls of this instance have not ended, this one included.
func (t *Task) Calls() int { return t.rt.Open() }

// run is the handler's goroutine.
func (t *Task) run(h Handler, head, body []byte) {
	defer t.leave()
	var outHead, outBody []byte
	err := say(abi.CodePanic, abi.MsgNoEnd) // stands if the handler calls Goexit
	defer func() {
		t.rt.mu.Lock()
		defer t.rt.mu.Unlock()
		t.head, t.body, t.err, t.returned = outHead, outBody, err, true
		t.cancel() // children that outlive their handler
	}()
	err = t.rt.guard(func() (err error) {
		outHead, outBody, err = h(t, head, body)
		return err
	})
}

// leave counts a goroutine of the call out, for good.
func (t *Task) leave() {
	t.rt.mu.Lock()
	defer t.rt.mu.Unlock()
	t.park()
}

// park counts a goroutine out, for good or to wait. The last to go ends the step
// and, once the handler has returned, the call. Under the lock.
func (t *Task) park() {
	t.running--
	if t.running > 0 {
		return
	}
	if t.returned {
		t.end()
	}
	t.idle <- struct{}{}
}

func (t *Task) end() {
	delete(t.rt.calls, t.id)
	if t.silent {
		return
	}
	if t.fault != nil {
		t.err = t.fault
	}
	if t.err != nil {
		t.status = t.rt.fail(t.id, t.err)
		return
	}
	t.rt.host.Done(t.id, t.head, t.body)
	t.status = Done
}

// cancel wakes all that waits for the host. Under the lock.
func (t *Task) cancel() {
	t.cancelled = true
	for token := range t.waiters {
		t.wake(token, answer{err: ErrCancelled})
	}
}

// wake hands a an answer to the waiter of a token. Under the lock.
func (t *Task) wake(token uint32, a answer) {
	w := t.waiters[token]
	delete(t.waiters, token)
	t.running++
	w <- a
}

// effect asks for an effect and waits for its answer.
func (t *Task) effect(kind string, head, body []byte) ([]byte, []byte, error) {
	t.rt.mu.Lock()
	if t.sync {
		defer t.rt.mu.Unlock()
		t.fault = say(abi.CodeNotGranted, abi.MsgSyncEffect, "kind", kind)
		return nil, nil, t.fault
	}
	if t.cancelled {
		t.rt.mu.Unlock()
		runtime.Goexit()
	}
	t.rt.token++
	token, w := t.rt.token, make(chan answer, 1)
	if t.waiters == nil {
		t.waiters = map[uint32]chan answer{}
	}
	t.waiters[token] = w
	t.rt.host.Effect(t.id, token, kind, head, body)
	t.park()
	t.rt.mu.Unlock()
	a := <-w
	return a.head, a.body, a.err
}

// ask is effect with JSON on both sides.
func ask[Out any](t *Task, kind string, in any, body []byte) (out Out, outBody []byte, err error) {
	head, err := json.Marshal(in)
	if err != nil {
		return out, nil, fmt.Errorf("encoding effect %s: %w", kind, err)
	}
	head, outBody, err = t.effect(kind, head, body)
	if err != nil {
		return out, nil, err
	}
	if len(head) > 0 {
		if err := json.Unmarshal(head, &out); err != nil {
			return out, nil, fmt.Errorf("decoding the answer of effect %s: %w", kind, err)
		}
	}
	return out, outBody, nil
}

// effectError is the error in the head of a resume whose ok is false.
func effectError(head []byte) error {
	e := new(abi.EffectError)
	if json.Unmarshal(head, e) != nil || e.Code == "" {
		return say(abi.CodeFailed, abi.MsgNoReason)
	}
	return e
}
