package remotemux

import (
	"context"
	"math/rand/v2"
	"net"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway/link"
)

// Options says which Harness to talk to. Launch.BaseURL is required.
type Options struct {
	Launch
	// Secret is what a fence in front of the Harness wants as Bearer token; "" for none.
	Secret string
	// Relearn gives the address and token of the Harness as they are now. It is asked
	// when the ones that are known are refused, as by a process that was started
	// again; nil gives up then.
	Relearn func(ctx context.Context) (Launch, error)
	// DialContext opens connections; nil takes a net.Dialer.
	DialContext link.Dialer
	// Logger gets methods, codes, counts and durations, never content; nil logs nothing.
	Logger *zap.Logger
	// Rand gives numbers in [0,1) for the jitter of reconnects; nil takes math/rand.
	Rand func() float64
}

// Launch is what the Harness prints when it is ready. Neither token nor cookie is
// ever logged.
type Launch struct {
	// BaseURL is its address, such as http://127.0.0.1:34411.
	BaseURL string
	// Token is the launch token that is exchanged for a cookie; "" where a fence alone
	// guards the Harness.
	Token string
}

func (o Options) withDefaults() Options {
	if o.DialContext == nil {
		o.DialContext = (&net.Dialer{}).DialContext
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Rand == nil {
		o.Rand = rand.Float64
	}
	return o
}
