package eventsmux

import (
	"context"
	"math/rand/v2"
	"net"

	"go.uber.org/zap"
)

// Options says which Harness to talk to. BaseURL is required.
type Options struct {
	// BaseURL is the address that the Harness printed, such as http://127.0.0.1:34411.
	BaseURL string
	// Secret is the launch secret that the fence wants; it is sent with every
	// request and is never logged.
	Secret string
	// DialContext opens connections; nil takes a net.Dialer.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger gets methods, codes, counts and durations, never content; nil logs nothing.
	Logger *zap.Logger
	// Rand gives numbers in [0,1) for the jitter of reconnects; nil takes math/rand.
	Rand func() float64
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
