package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/detect"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/harness"
)

// dialLimit is how long connecting to a process that is ready may take: milliseconds
// on an idle machine.
const dialLimit = 60 * time.Second

// connect dials, as long as the process lives.
func (a *Agent) connect(ctx context.Context, p *harness.Process) (gateway.Console, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-p.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	g, err := a.dial(ctx, p)
	cancel()
	<-ended
	select {
	case <-p.Done():
		if err == nil {
			err = g.Close()
		}
		return nil, errors.Join(p.Err(), err)
	default:
		return g, err
	}
}

// dial connects to the process over the wire that it speaks.
func (a *Agent) dial(ctx context.Context, p *harness.Process) (gateway.Console, error) {
	log := a.o.Log.Named("gateway")
	ready := detect.Ready{BaseURL: p.URL(), Token: p.Token()}
	a.o.Redact.Add(ready.Token)
	wire, err := detectWire(ctx, detect.Options{Ready: ready, Secret: p.Secret()})
	if err != nil {
		return nil, err
	}
	if wire == detect.RemoteMux {
		return remotemux.Dial(ctx, remotemux.Options{
			Launch: remotemux.Launch{BaseURL: ready.BaseURL, Token: ready.Token}, Secret: p.Secret(), Logger: log,
		})
	}
	return eventsmux.Dial(ctx, eventsmux.Options{BaseURL: ready.BaseURL, Secret: p.Secret(), Logger: log})
}

// detectWire asks until the process says which wire it speaks, or that it is neither.
func detectWire(ctx context.Context, o detect.Options) (string, error) {
	for try := 0; ; try++ {
		wire, err := detect.Wire(ctx, o)
		if err == nil || !errors.Is(err, gateway.ErrLost) {
			return wire, err
		}
		if link.Sleep(ctx, link.Delay(try, rand.Float64())) != nil {
			return "", fmt.Errorf("finding the Harness's wire: %w", err)
		}
	}
}
