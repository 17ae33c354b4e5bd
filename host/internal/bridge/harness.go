package bridge

import (
	"context"
	"errors"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Harness is what the bridge needs of whoever runs the Harness.
type Harness interface {
	// Ensure gives the running process and starts one where there is none. The
	// error is a *chat.Error, or the context's.
	Ensure(ctx context.Context) (Process, error)
	// Status says how it stands: state, component, version, wire, plugins, routes.
	// It starts nothing.
	Status() chat.AgentStatus
}

// Process is one life of the Harness. It is comparable; the next life is another.
type Process interface {
	Gateway() gateway.Gateway
	// Done is closed when the process is gone or its gateway has given up.
	Done() <-chan struct{}
}

// unavailable makes a *chat.Error of what Ensure or a call through the gateway
// gave, or nil where the context ended it.
func unavailable(ctx context.Context, err error) *chat.Error {
	var ours *chat.Error
	var theirs *gateway.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &theirs) && theirs.Code == gateway.CodeAgentBusy:
		return say.Error(chat.CodeAgentUnavailable, theirs.Error(), say.AgentBusy)
	case errors.As(err, &theirs):
		return say.Error(chat.CodeAgentUnavailable, theirs.Error(), say.AgentRefused)
	case errors.Is(err, gateway.ErrLost), errors.Is(err, gateway.ErrClosed):
		return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentLost)
	}
	return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentFailed)
}
