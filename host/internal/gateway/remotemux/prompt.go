package remotemux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

// text is the one kind of content that is sent.
type text struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Prompt hands a message over. The Harness keeps the RequestID as source.rpcId of the
// message and takes a second one with it without effect, so that a resend needs
// nothing more (harness-wire.md §6.1).
func (g *Gateway) Prompt(ctx context.Context, p gateway.Prompt) error {
	return g.call(ctx, "session/prompt", wrapped{struct {
		RequestID string `json:"requestId"`
		SessionID string `json:"sessionId"`
		Mode      string `json:"mode"`
		Content   []text `json:"content"`
	}{p.RequestID, p.SessionID, delivery(p), []text{{"text", p.Text}}}}, nil)
}

// PromptHelper hands a message to a helper.
func (g *Gateway) PromptHelper(ctx context.Context, parentID string, p gateway.Prompt) error {
	return g.call(ctx, "subagents/prompt", wrapped{struct {
		RequestID string `json:"requestId"`
		Parent    string `json:"parentSessionId"`
		Child     string `json:"childSessionId"`
		Mode      string `json:"mode"`
		Delivery  string `json:"delivery"`
		Content   []text `json:"content"`
	}{p.RequestID, parentID, p.SessionID, modeContinuable, delivery(p), []text{{"text", p.Text}}}}, nil)
}

func delivery(p gateway.Prompt) string {
	if p.Steer {
		return "steer"
	}
	return "queue"
}
