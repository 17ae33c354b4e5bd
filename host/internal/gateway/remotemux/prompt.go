package remotemux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

// Prompt hands a message over. The Harness keeps the RequestID as source.rpcId of the
// message and takes a second one with it without effect, so that a resend needs
// nothing more (harness-wire.md §6.1).
func (g *Gateway) Prompt(ctx context.Context, p gateway.Prompt) error {
	return g.call(ctx, "session/prompt", wrapped{struct {
		RequestID string `json:"requestId"`
		SessionID string `json:"sessionId"`
		Mode      string `json:"mode"`
		Content   []any  `json:"content"`
	}{p.RequestID, p.SessionID, delivery(p), p.Content()}}, nil)
}

// PromptHelper hands a message to a helper.
func (g *Gateway) PromptHelper(ctx context.Context, parentID string, p gateway.Prompt) error {
	return g.call(ctx, "subagents/prompt", wrapped{struct {
		RequestID string `json:"requestId"`
		Parent    string `json:"parentSessionId"`
		Child     string `json:"childSessionId"`
		Mode      string `json:"mode"`
		Delivery  string `json:"delivery"`
		Content   []any  `json:"content"`
	}{p.RequestID, parentID, p.SessionID, modeContinuable, delivery(p), p.Content()}}, nil)
}

func delivery(p gateway.Prompt) string {
	if p.Steer {
		return "steer"
	}
	return "queue"
}
