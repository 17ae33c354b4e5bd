package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"strata.dev/bridge/proto/abi"
)

// Instance is one plugin of a module. It outlives its guests: one that trapped
// is dropped and the next call gets a fresh one, so that state which must last
// does not belong in a plugin's memory. All methods may be called at once.
type Instance struct {
	engine  *Engine
	plugin  string
	config  []byte
	effects Effects
	table   map[string]op
	log     *slog.Logger

	turn  chan struct{}         // held by whoever enters the guest or changes it
	guest atomic.Pointer[guest] // nil: none yet, or dropped

	closed chan struct{}
	mu     sync.Mutex     // closing, against join
	work   sync.WaitGroup // calls, their effects and late cancels
}

func newInstance(e *Engine, plugin string, table map[string]op, o Options) *Instance {
	return &Instance{
		engine: e, plugin: plugin, config: o.Config, effects: o.Effects, table: table,
		log:    o.Logger.With("plugin", plugin),
		turn:   make(chan struct{}, 1),
		closed: make(chan struct{}),
	}
}

// Start makes the guest now instead of at the first call. The error is an
// *Error: init's own, or why the module could not be run.
func (in *Instance) Start(ctx context.Context) error {
	if !in.join() {
		return cancelled()
	}
	defer in.work.Done()
	if err := in.start(ctx); err != nil {
		return err
	}
	return nil
}

// Call runs one op. head is JSON or empty, body raw bytes; so are the results.
//
// The error is an *Error. When it is a fault and the op's row has a default,
// that default comes as the head beside it. A caller whose ctx ends gets code
// "cancelled" and the plugin is told; its effects are aborted either way.
func (in *Instance) Call(ctx context.Context, name string, head, body []byte) ([]byte, []byte, error) {
	row, ok := in.table[name]
	switch {
	case !ok:
		return nil, nil, refusal(abi.CodeUnknownOp, abi.MsgUnknownOp, "plugin", in.plugin, "op", name)
	case !isHead(head):
		return nil, nil, refusal(abi.CodeBadInput, abi.MsgHead)
	case !in.join():
		return nil, nil, cancelled()
	}
	defer in.work.Done()
	outHead, outBody, err := in.run(ctx, row, head, body)
	if err == nil {
		return outHead, outBody, nil
	}
	if err.Fault {
		in.report(name, err)
		return row.fallback(), nil, err
	}
	return nil, nil, err
}

// Close ends the calls in flight with code "cancelled", aborts their effects,
// drops the guest and waits for all of it. A running export is waited for.
func (in *Instance) Close() {
	in.mu.Lock()
	if !in.isClosed() {
		close(in.closed)
	}
	in.mu.Unlock()
	in.work.Wait()
	if g := in.guest.Load(); g != nil {
		in.drop(context.Background(), g)
	}
}

// join counts a caller in, so that Close waits for it; false when closed.
func (in *Instance) join() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.isClosed() {
		return false
	}
	in.work.Add(1)
	return true
}

func (in *Instance) isClosed() bool {
	select {
	case <-in.closed:
		return true
	default:
		return false
	}
}

func (in *Instance) report(op string, err *Error) {
	in.log.Error("plugin fault", "op", op, "code", err.Code, "message", err.Message, "detail", err.Detail)
}

func cancelled() *Error { return refusal(abi.CodeCancelled, abi.MsgCancelled) }
