package conformance

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"strata.dev/bridge/wasm/engine"
)

// wireCall is a call in flight and its effects that wait for an answer.
type wireCall struct {
	name   string
	cancel context.CancelFunc

	mu      sync.Mutex
	over    bool
	open    map[int]chan Command
	aborted []int
	work    sync.WaitGroup // scripted effects that have been told of
}

type callKey struct{}

func (h *EngineHost) find(name string) *wireCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[name]
}

// call runs a call beside the commands that follow.
func (h *EngineHost) call(c Command) error {
	h.mu.Lock()
	in := h.instances[c.Instance]
	h.mu.Unlock()
	if in == nil {
		return fmt.Errorf("no instance %q", c.Instance)
	}
	call := &wireCall{name: c.Call, open: map[int]chan Command{}}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), callKey{}, call))
	call.cancel = cancel
	h.mu.Lock()
	h.calls[c.Call] = call
	h.mu.Unlock()
	in.calls.Go(func() {
		defer cancel()
		head, body, err := in.Call(ctx, c.Op, []byte(c.Head), c.Body)
		call.mu.Lock()
		call.over = true
		call.mu.Unlock()
		call.work.Wait() // the engine aborts what is open, or this hangs and the case fails
		slices.Sort(call.aborted)
		for _, n := range call.aborted {
			h.emit(Event{On: "aborted", Call: c.Call, N: n})
		}
		if err != nil {
			h.emit(Event{On: "failed", Call: c.Call, Error: told(err), Head: string(head)})
			return
		}
		h.emit(Event{On: "done", Call: c.Call, Head: string(head), Body: body})
	})
	return nil
}

// scripted asks the runner to carry out an effect.
func (h *EngineHost) scripted(ctx context.Context, e engine.Effect) ([]byte, []byte, error) {
	call := ctx.Value(callKey{}).(*wireCall)
	answer := make(chan Command, 1)
	call.mu.Lock()
	if call.over {
		call.mu.Unlock()
		return nil, nil, ctx.Err()
	}
	call.open[e.N] = answer
	call.work.Add(1)
	call.mu.Unlock()
	defer call.work.Done()
	h.emit(Event{On: "effect", Call: call.name, N: e.N, Kind: e.Kind, Head: string(e.Head), Body: e.Body})

	select {
	case a := <-answer:
		if a.Error != nil {
			return nil, nil, a.Error
		}
		return []byte(a.Head), a.Body, nil
	case <-ctx.Done():
		call.mu.Lock()
		defer call.mu.Unlock()
		delete(call.open, e.N)
		call.aborted = append(call.aborted, e.N)
		return nil, nil, ctx.Err()
	}
}

// answer hands the runner's answer to the effect that waits for it, if one does.
func (h *EngineHost) answer(c Command) {
	call := h.find(c.Call)
	if call == nil {
		return
	}
	call.mu.Lock()
	defer call.mu.Unlock()
	if waiting := call.open[c.N]; waiting != nil {
		delete(call.open, c.N)
		waiting <- c
	}
}
