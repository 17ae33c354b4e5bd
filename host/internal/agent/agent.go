// Package agent runs the Harness for the bridge: it finds the component, writes
// its profile, starts the process, and connects to its wire.
package agent

import (
	"context"
	"errors"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/logx"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Options is what an Agent is made of. All paths are absolute.
type Options struct {
	Getenv  func(string) string // names the component, before Harness
	Harness string              // the component's folder, "" where the environment names it
	Node    string              // "" is the one on the PATH
	Shim    string              // folder of gate.mjs, fence.mjs and dist/strata.wasm
	Dir     string              // the agent's data folder; DSH_HOME is in it
	Secrets []string            // paths that no call may touch unasked

	Connections []connections.Connection
	Proxy       *connections.Proxy
	Redact      *redact.Redactor
	Log         *zap.Logger
}

// Agent is the bridge's Harness: one process at a time, started when it is first
// needed and again after it ended.
type Agent struct {
	o      Options
	keeper *harness.Keeper

	mu      sync.Mutex
	life    *life
	plugins []chat.PluginStatus
}

var _ bridge.Harness = (*Agent)(nil)

// life is one process and the connection to it.
type life struct {
	process *harness.Process
	gateway gateway.Gateway
	done    chan struct{} // closed when the process is gone
	closed  chan struct{} // and then, when the connection is let go
}

var _ bridge.Process = (*life)(nil)

// Gateway implements bridge.Process.
func (l *life) Gateway() gateway.Gateway { return l.gateway }

// Done implements bridge.Process.
func (l *life) Done() <-chan struct{} { return l.done }

// New gives an Agent. It starts nothing.
func New(o Options) *Agent {
	a := &Agent{o: o}
	a.keeper = harness.NewKeeper(a.start)
	return a
}

// Ensure implements bridge.Harness.
func (a *Agent) Ensure(ctx context.Context) (bridge.Process, error) {
	p, err := a.keeper.Get(ctx)
	if err != nil {
		return nil, a.refusal(ctx, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life != nil && a.life.process == p {
		return a.life, nil
	}
	g, err := a.dial(ctx, p)
	if err != nil {
		return nil, a.refusal(ctx, err)
	}
	l := &life{process: p, gateway: g, done: make(chan struct{}), closed: make(chan struct{})}
	go func() { // ends with the process, which Close ends
		<-p.Done()
		close(l.done) // first: what fails from now on fails because of that
		_ = g.Close() // nothing is lost by it: the other end is gone
		close(l.closed)
	}()
	a.life = l
	return l, nil
}

// refusal makes a *chat.Error of what kept the Harness from running, and leaves
// the context's own error alone.
func (a *Agent) refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var ours *chat.Error
	var failed *harness.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &failed):
		refused := failed.Chat()
		refused.Details = a.o.Redact.Text(refused.Details)
		return refused
	}
	return say.Error(chat.CodeAgentUnavailable, a.o.Redact.Text(err.Error()), say.AgentFailed)
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
	s.Routes = connections.Routes(a.o.Connections)
	s.Detail = a.o.Redact.Text(s.Detail)
	a.mu.Lock()
	defer a.mu.Unlock()
	s.Plugins = a.plugins
	if a.life != nil && s.State == "ready" {
		s.Wire = a.life.gateway.Wire()
	}
	return s
}

// Close stops the Harness and returns when nothing of it runs any more.
func (a *Agent) Close(ctx context.Context) error {
	err := a.keeper.Close(ctx)
	a.mu.Lock()
	l := a.life
	a.mu.Unlock()
	if l != nil && err == nil {
		<-l.closed
	}
	return err
}
