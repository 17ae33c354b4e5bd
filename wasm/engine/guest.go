package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"strata.dev/bridge/proto/abi"
)

const (
	exportRealloc = "cabi_realloc"
	guestPrefix   = "strata:plugin/guest@" + abi.Version + "#"
)

// exports are what a module gives besides its memory and allocator.
var exports = []string{
	guestPrefix + "describe", guestPrefix + "init", guestPrefix + "call", guestPrefix + "resume", guestPrefix + "cancel",
}

// status is what an export returns, as in the WIT enum.
type status uint32

const (
	statusDone status = iota
	statusFailed
	statusWaiting
)

// guest is one WebAssembly instance. Whoever enters it holds its instance's
// turn; nothing here is locked.
type guest struct {
	module   api.Module
	realloc  api.Function
	describe api.Function
	init     api.Function
	call     api.Function
	resume   api.Function
	cancel   api.Function

	log    *slog.Logger
	step   time.Duration // bound of one export; 0: cannot be stopped
	stderr stderr
	lastID uint32
	live   map[uint32]*call // calls that have not ended

	entered *call           // the call that the running export serves; nil: none
	stop    <-chan struct{} // ends the running export, also while it sleeps
	dead    chan struct{}   // closed when the guest is dropped
}

// guestKey finds the guest in the context that its imports get.
type guestKey struct{}

// newGuest instantiates the module and runs its initialiser.
func (e *Engine) newGuest(ctx context.Context, log *slog.Logger) (*guest, *Error) {
	g := &guest{log: log, live: map[uint32]*call{}, dead: make(chan struct{})}
	if !e.cfg.Unstoppable {
		g.step = e.cfg.Step
	}
	ctx, cancel := g.bounded(ctx, 0)
	defer cancel()
	defer g.flush()
	module, err := e.runtime.InstantiateModule(ctx, e.compiled, wazero.NewModuleConfig().
		WithName(""). // any number of them
		WithStartFunctions("_initialize").
		WithStderr(&g.stderr).
		WithStdout(&g.stderr).
		WithRandSource(rand.Reader).
		WithSysWalltime().
		WithSysNanotime().
		WithNanosleep(g.sleep))
	if err != nil {
		return nil, g.fault(ctx, err)
	}
	g.module = module
	g.realloc = module.ExportedFunction(exportRealloc)
	for i, f := range []*api.Function{&g.describe, &g.init, &g.call, &g.resume, &g.cancel} {
		*f = module.ExportedFunction(exports[i])
	}
	return g, nil
}

// bounded is the context of one export: it ends after the step bound, or after
// limit when that is shorter and not 0. A caller who goes away does not end it,
// because that would cost the guest.
func (g *guest) bounded(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx = context.WithValue(context.WithoutCancel(ctx), guestKey{}, g)
	if g.step == 0 {
		return ctx, func() {}
	}
	bound := g.step
	if limit > 0 {
		bound = min(bound, limit)
	}
	ctx, cancel := context.WithTimeout(ctx, bound)
	g.stop = ctx.Done()
	return ctx, cancel
}

// enter runs one export on behalf of c, nil for cancel. An error is a trap (or
// a passed bound): the guest must be dropped.
func (g *guest) enter(ctx context.Context, limit time.Duration, c *call, f api.Function, args ...any) *Error {
	ctx, cancel := g.bounded(ctx, limit)
	defer cancel()
	defer g.flush()
	lowered, err := g.lower(ctx, args)
	if err != nil {
		return g.fault(ctx, err)
	}
	g.entered = c
	results, err := f.Call(ctx, lowered...)
	g.entered = nil
	if err != nil {
		return g.fault(ctx, err)
	}
	if c == nil {
		return nil
	}
	if rule := c.check(status(results[0])); rule != "" {
		return violation(rule).fault()
	}
	return nil
}

// callZero runs describe or init, which are call 0.
func (g *guest) callZero(ctx context.Context, f api.Function, args ...any) ([]byte, *Error) {
	c := newCall(op{Op: abi.Op{Sync: true}})
	if err := g.enter(ctx, 0, c, f, args...); err != nil {
		return nil, err
	}
	return c.end.head, c.end.err
}

// lower writes lists and texts into the guest's memory and flattens arguments.
func (g *guest) lower(ctx context.Context, args []any) ([]uint64, error) {
	flat := make([]uint64, 0, 2*len(args))
	for _, arg := range args {
		switch v := arg.(type) {
		case uint32:
			flat = append(flat, uint64(v))
		case bool:
			flat = append(flat, map[bool]uint64{true: 1}[v])
		case string:
			p, err := g.alloc(ctx, []byte(v))
			if err != nil {
				return nil, err
			}
			flat = append(flat, p, uint64(len(v)))
		case []byte:
			p, err := g.alloc(ctx, v)
			if err != nil {
				return nil, err
			}
			flat = append(flat, p, uint64(len(v)))
		default:
			return nil, fmt.Errorf("cannot lower a %T", arg)
		}
	}
	return flat, nil
}

// alloc copies b into memory that the guest owns and gives its address.
func (g *guest) alloc(ctx context.Context, b []byte) (uint64, error) {
	if len(b) == 0 {
		return 0, nil
	}
	r, err := g.realloc.Call(ctx, 0, 0, 1, uint64(len(b)))
	if err != nil {
		return 0, err
	}
	if !g.module.Memory().Write(uint32(r[0]), b) {
		return 0, violation(abi.RuleMemory)
	}
	return r[0], nil
}

// fault says why an export did not return.
func (g *guest) fault(ctx context.Context, err error) *Error {
	g.entered = nil
	var rule violation
	switch {
	case errors.As(err, &rule):
		return rule.fault()
	case ctx.Err() != nil:
		return fault(abi.CodeDeadline, abi.MsgStep, "ms", millis(g.step.Milliseconds()))
	}
	detail := g.stderr.firstLine()
	if detail == "" {
		detail = err.Error()
	}
	return trap(detail)
}

// flush logs what the guest wrote to stderr during one export.
func (g *guest) flush() {
	if text := g.stderr.take(); text != "" {
		g.log.Warn(text, "from", "stderr")
	}
}

// sleep serves poll_oneoff; a bound that passes ends it.
func (g *guest) sleep(ns int64) {
	timer := time.NewTimer(time.Duration(ns))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-g.stop:
	}
}

// nextID is a call id that is not in use: they rise from 1 and wrap.
func (g *guest) nextID() uint32 {
	for {
		g.lastID++
		if _, taken := g.live[g.lastID]; g.lastID != 0 && !taken {
			return g.lastID
		}
	}
}

func (g *guest) close(ctx context.Context) {
	g.module.Close(ctx) // its only error is an exit code, which says nothing here
}
