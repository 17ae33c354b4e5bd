package eventsmux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

var _ gateway.Unqueuer = (*Gateway)(nil)

// Unqueue takes back a message that waits in a session. One that does not wait any
// more is queue-item-not-found.
func (g *Gateway) Unqueue(ctx context.Context, sessionID, messageID string) error {
	type action struct {
		Kind string `json:"kind"`
	}
	return g.call(ctx, "session.updateQueue", struct {
		SessionID string `json:"sessionId"`
		Item      string `json:"itemId"`
		Action    action `json:"action"`
	}{sessionID, messageID, action{"remove"}}, nil)
}
