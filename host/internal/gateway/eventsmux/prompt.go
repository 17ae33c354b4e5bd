package eventsmux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// Prompt hands a message over. Its RequestID is the request's rpcId, which the
// Harness keeps as source.rpcId of the message, first in the queue (logged as
// agent/inbox/spliced), then in the log. It does not look for it itself.
func (g *Gateway) Prompt(ctx context.Context, p gateway.Prompt) error {
	if p.Resend {
		taken, err := g.taken(ctx, p.SessionID, p.RequestID)
		if err != nil || taken {
			return err
		}
	}
	mode := "queue"
	if p.Steer {
		mode = "steer"
	}
	return g.callAs(ctx, "session.prompt", p.RequestID, struct {
		SessionID string `json:"sessionId"`
		Mode      string `json:"mode"`
		Content   []any  `json:"content"`
	}{p.SessionID, mode, p.Content()}, nil)
}

// taken tells whether an earlier try with this id was taken.
func (g *Gateway) taken(ctx context.Context, sessionID, requestID string) (bool, error) {
	// An earlier try may still wait for the session to be attached. A call that
	// waits for the same, and does nothing else, comes after it.
	if err := g.call(ctx, "commands/list", remote{struct {
		Agent string `json:"agentId"`
	}{sessionID}}, nil); err != nil {
		return false, err
	}
	found := false
	err := g.pages(ctx, sessionID, func(p link.Page) bool {
		for _, e := range p.Events {
			found = found || mentions(e, requestID)
		}
		return found
	})
	return found, err
}

// mentions tells whether e takes a prompt of that id in.
func mentions(e dsh.Event, requestID string) bool {
	if e.Type != dsh.TypeInboxSpliced && e.Type != dsh.TypeUserMessage {
		return false
	}
	v, _ := dsh.Decode(e) // what does not fit is not ours
	switch v := v.(type) {
	case *dsh.Message:
		return v.Source.RPCID == requestID
	case *dsh.Splice:
		for _, m := range v.Inserted {
			if m.Source.RPCID == requestID {
				return true
			}
		}
	}
	return false
}
