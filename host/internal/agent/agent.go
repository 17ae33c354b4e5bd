// Package agent runs the Harness for the bridge: it finds the component, writes
// its profile, starts the process, and connects to its wire.
package agent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/logx"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Options is what an Agent is made of. All paths are absolute.
type Options struct {
	Getenv  func(string) string // names the component, before Harness
	Harness string              // the component's folder, "" where the environment names it
	Node    string              // "" is the one on the PATH
	Shim    string              // folder of gate.mjs, fence.mjs, models.mjs, search.mjs and dist/strata.wasm
	Dir     string              // the agent's data folder; DSH_HOME is in it
	Secrets []string            // paths that no call may touch unasked

	Settings Settings // of the beginning

	Proxy  *connections.Proxy
	Redact *redact.Redactor
	Log    *zap.Logger
}

// Agent is the bridge's Harness: one process at a time, started when it is first
// needed and again after it ended, or after its gateway gave it up.
type Agent struct {
	o       Options
	keeper  *harness.Keeper
	compose func(Settings) (profile.Files, error)
	ensure  chan struct{} // held by the one Ensure that starts and connects, or by a restart
	tasks   sync.WaitGroup
	proven  string // fingerprint of the newest start that proved good; start's own

	changing sync.Mutex // held by the one Change that is under way

	mu          sync.Mutex
	closed      bool
	life        *life
	plugins     []chat.PluginStatus
	composition composition
}

var _ bridge.Harness = (*Agent)(nil)

// New gives an Agent. It starts nothing.
func New(o Options) *Agent {
	a := &Agent{o: o, ensure: make(chan struct{}, 1)}
	a.composition = composition{settings: o.Settings, changed: make(chan struct{})}
	a.compose, a.keeper = a.composeFiles, harness.NewKeeper(a.start)
	return a
}

// Ensure implements bridge.Harness.
func (a *Agent) Ensure(ctx context.Context) (bridge.Process, error) {
	select {
	case a.ensure <- struct{}{}:
		defer func() { <-a.ensure }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	p, err := a.keeper.Get(ctx)
	if err != nil {
		return nil, a.refusal(ctx, err)
	}
	if l := a.current(); l != nil && l.process == p && !l.over() {
		return l, nil
	}
	g, err := a.connect(ctx, p)
	if err != nil {
		if ctx.Err() == nil { // the next message gets another one
			a.discard(p, err)
		}
		return nil, a.refusal(ctx, err)
	}
	l := &life{process: p, gateway: g, worked: func() { a.keeper.Worked(p) }, done: make(chan struct{})}
	a.mu.Lock()
	a.life = l
	a.mu.Unlock()
	a.tasks.Go(func() { a.mind(l) })
	return l, nil
}

// current gives the newest life, or nil.
func (a *Agent) current() *life {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.life
}

// discard stops a process that cannot be talked to.
func (a *Agent) discard(p *harness.Process, why error) {
	a.o.Log.Warn("the Harness is given up", zap.Int("pid", p.PID()), zap.Error(why), zap.String(logx.KeyPart, "agent"))
	a.keeper.Discard(p, why)
	a.tasks.Go(func() { a.stop(p) })
}

func (a *Agent) stop(p *harness.Process) {
	if err := p.Stop(context.Background()); err != nil { // it kills after a few seconds
		a.o.Log.Warn("the Harness was not stopped in order", zap.Error(err), zap.String(logx.KeyPart, "agent"))
	}
}

// refusal makes a *chat.Error of what kept the Harness from running, and leaves
// the context's own error alone.
func (a *Agent) refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return a.unsettled(a.sentence(err))
}

// sentence is what a person reads of what kept the Harness from running.
func (a *Agent) sentence(err error) *chat.Error {
	var ours *chat.Error
	var failed *harness.Error
	var refused *gateway.Error
	key := say.AgentFailed
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &failed):
		e := failed.Chat()
		e.Details = a.o.Redact.Text(e.Details)
		return e
	case errors.As(err, &refused) && (refused.Code == gateway.CodeUnknownMethod || refused.Code == gateway.CodeProtocol):
		key = say.HarnessWire
	case refused != nil, errors.Is(err, gateway.ErrLost):
		key = say.AgentLost
	}
	return say.Error(chat.CodeAgentUnavailable, a.o.Redact.Text(err.Error()), key)
}

// Warm starts the Harness without waiting for a message. What goes wrong is in
// the log and in Status; the first message tries again.
func (a *Agent) Warm(ctx context.Context) {
	if _, err := a.Ensure(ctx); err != nil && ctx.Err() == nil {
		a.o.Log.Warn("the Harness did not start", zap.Error(err), zap.String(logx.KeyPart, "agent"))
	}
}

// Status implements bridge.Harness.
func (a *Agent) Status() chat.AgentStatus {
	s := a.keeper.Status()
	s.Routes = a.routes()
	s.Detail = a.o.Redact.Text(s.Detail)
	if p := a.keeper.Current(); p != nil && s.State == "ready" {
		s.Process = &chat.AgentProcess{PID: p.PID(), StartedAt: p.Begun().UnixMilli(), UptimeMs: time.Since(p.Begun()).Milliseconds(), Node: p.Node().Version, NodePath: p.Node().Path}
	}
	for _, skip := range a.Skipped() {
		s.Skipped = append(s.Skipped, chat.Skipped(skip))
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s.Plugins, s.RestartDue = slices.Clone(a.plugins), a.composition.stale()
	if a.life != nil && s.Process != nil && a.life.process.PID() == s.Process.PID && !a.life.over() {
		s.Wire = a.life.gateway.Wire()
	}
	return s
}

// Console gives the connection to the Harness, which is started where it does not run,
// to who looks for what is wrong with it. The error is a *chat.Error, or the context's.
func (a *Agent) Console(ctx context.Context) (gateway.Console, error) {
	p, err := a.Ensure(ctx)
	if err != nil {
		return nil, err
	}
	return p.(*life).gateway, nil
}

// Skipped lists what was left out on the wire of the running Harness; nil where none
// runs.
func (a *Agent) Skipped() []dsh.Skip {
	if l := a.current(); l != nil && !l.over() {
		return l.gateway.Skipped()
	}
	return nil
}

// Close stops the Harness and returns when nothing of it runs any more.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	err := a.keeper.Close(ctx)
	if err == nil {
		a.tasks.Wait()
	}
	return err
}
