package agent

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/detect"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/harness"
)

// dial connects to the process over the wire that it speaks.
func (a *Agent) dial(ctx context.Context, p *harness.Process) (gateway.Gateway, error) {
	log := a.o.Log.Named("gateway")
	ready := detect.Ready{BaseURL: p.URL(), Token: p.Token()}
	wire, err := detect.Wire(ctx, detect.Options{Ready: ready, Secret: p.Secret()})
	if err != nil {
		return nil, err
	}
	if wire == detect.RemoteMux {
		a.o.Redact.Add(ready.Token)
		return remotemux.Dial(ctx, remotemux.Options{
			Launch: remotemux.Launch{BaseURL: ready.BaseURL, Token: ready.Token}, Secret: p.Secret(), Logger: log,
		})
	}
	return eventsmux.Dial(ctx, eventsmux.Options{BaseURL: ready.BaseURL, Secret: p.Secret(), Logger: log})
}
