package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/harness"
)

// life is one process and the connection to it.
type life struct {
	process *harness.Process
	worked  func() // tells whoever keeps the process
	gateway gateway.Console
	done    chan struct{} // closed when the process is gone, or its gateway has given up
	why     error         // once done: why the gateway has given up
}

var _ bridge.Process = (*life)(nil)

// Gateway implements bridge.Process.
func (l *life) Gateway() gateway.Gateway { return l.gateway }

// Done implements bridge.Process.
func (l *life) Done() <-chan struct{} { return l.done }

// Worked implements bridge.Process.
func (l *life) Worked() { l.worked() }

// Ended implements bridge.Process: how the process ended, and the last that it said.
func (l *life) Ended() string {
	switch {
	case !l.over():
		return ""
	case l.why != nil:
		return l.why.Error()
	}
	var e *harness.Error
	if !errors.As(l.process.Err(), &e) {
		return l.process.Exit()
	}
	lines := strings.Split(strings.TrimSpace(e.Details), "\n")
	return strings.Join(slices.Compact([]string{lines[0], lines[len(lines)-1]}), "\n")
}

func (l *life) over() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// mind ends a life: with its process, or where the gateway has given up for good, or
// is not connected for long, while the process lives. A token and a secret are a process's for as long as it
// lives, so that one that refuses them is of no use to us: it is stopped, and the next
// message gets another one, whose ready line says how to get in.
func (a *Agent) mind(l *life) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lost := make(chan error, 1)
	go func() { lost <- givenUp(ctx, l.gateway) }()
	select {
	case <-l.process.Done():
		close(l.done) // first: what fails from now on fails because of that
		cancel()
		<-lost
	case err := <-lost:
		l.why = err
		a.discard(l.process, err)
		close(l.done)
	}
	_ = l.gateway.Close() // nothing is lost by it: nobody is at the other end
}

// downLimit is how long a process may live that cannot be connected to any more: one
// that hangs. A busy one misses a few tries, of which there is one in ten seconds at
// least.
const downLimit = 2 * time.Minute

// givenUp waits until the gateway will never be connected again, or is not for too
// long, and says why. The context ends the waiting.
func givenUp(ctx context.Context, g gateway.Gateway) error {
	w := g.Watch()
	defer func() { w.Close() }()
	var down time.Time // since when; zero: it stands
	for {
		n, err := nextWithin(ctx, w, down)
		switch {
		case errors.Is(err, gateway.ErrSlow):
			w.Close()
			w = g.Watch()
		case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			return fmt.Errorf("it was not connected for %v: %w", downLimit, gateway.ErrLost)
		case err != nil:
			return err
		case n.Connection != nil && n.Connection.Up:
			down = time.Time{}
		case n.Connection != nil && down.IsZero():
			down = time.Now()
		}
	}
}

// nextWithin gives the next notice, within the limit where the gateway is down.
func nextWithin(ctx context.Context, w gateway.Watcher, down time.Time) (gateway.Notice, error) {
	if !down.IsZero() {
		within, cancel := context.WithDeadline(ctx, down.Add(downLimit))
		defer cancel()
		ctx = within
	}
	return w.Next(ctx)
}
