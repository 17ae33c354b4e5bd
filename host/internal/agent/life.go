package agent

import (
	"context"
	"errors"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/harness"
)

// life is one process and the connection to it.
type life struct {
	process *harness.Process
	gateway gateway.Console
	done    chan struct{} // closed when the process is gone, or its gateway has given up
}

var _ bridge.Process = (*life)(nil)

// Gateway implements bridge.Process.
func (l *life) Gateway() gateway.Gateway { return l.gateway }

// Done implements bridge.Process.
func (l *life) Done() <-chan struct{} { return l.done }

func (l *life) over() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// mind ends a life: with its process, or where the gateway has given up for good
// while the process lives. A token and a secret are a process's for as long as it
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
		a.discard(l.process, err)
		close(l.done)
	}
	_ = l.gateway.Close() // nothing is lost by it: nobody is at the other end
}

// givenUp waits until the gateway will never be connected again, and says why. The
// context ends the waiting.
func givenUp(ctx context.Context, g gateway.Gateway) error {
	for {
		w := g.Watch()
		var err error
		for err == nil {
			_, err = w.Next(ctx)
		}
		w.Close()
		if !errors.Is(err, gateway.ErrSlow) {
			return err
		}
	}
}
