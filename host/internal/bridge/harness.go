package bridge

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
)

// Harness is what the bridge needs of whoever runs the Harness.
type Harness interface {
	// Ensure gives the running process and starts one where there is none. The
	// error is a *chat.Error, or the context's.
	Ensure(ctx context.Context) (Process, error)
	// Hold keeps the Harness from being started again for new settings until release
	// is called, once or more: a turn needs the process that it began on. Where such
	// a restart is due and concerns the route, Hold waits for its end, and calls waiting
	// once before. The error is the context's, or a *chat.Error where the route is gone.
	Hold(ctx context.Context, route string, waiting func()) (release func(), err error)
	// Status says how it stands: state, component, version, wire, plugins, routes.
	// It starts nothing.
	Status() chat.AgentStatus
}

// Process is one life of the Harness. It is comparable; the next life is another.
type Process interface {
	Gateway() gateway.Gateway
	// Done is closed when the process is gone or its gateway has given up.
	Done() <-chan struct{}
	// Worked says that a turn came to its end in it.
	Worked()
	// Ended tells, once Done, why it is gone, for the details of an error: a line or two.
	Ended() string
}
