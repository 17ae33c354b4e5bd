package eventsmux

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
)

// remote is the payload of the typed remotes, which take exactly their declared
// fields.
type remote struct {
	Args any `json:"args"`
}

// call makes one request under an id of our own; see link.Caller.Call.
func (g *Gateway) call(ctx context.Context, method string, payload, out any) error {
	return g.callAs(ctx, method, g.rpcID(method), payload, out)
}

// callAs is call with a chosen id.
func (g *Gateway) callAs(ctx context.Context, method, rpcID string, payload, out any) error {
	return g.caller.Call(ctx, method, rpcID, payload, out)
}

// Call makes any request; see gateway.Console.
func (g *Gateway) Call(ctx context.Context, method string, payload json.RawMessage) (value json.RawMessage, err error) {
	err = g.call(ctx, method, payload, &value)
	return value, err
}

// target is where requests go, and adds the launch secret.
func (g *Gateway) target(h http.Header) *url.URL {
	if g.opts.Secret != "" {
		h.Set("Authorization", "Bearer "+g.opts.Secret)
	}
	return g.base
}
