package bridge

import (
	"cmp"
	"context"
	"slices"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Stop implements API. What waits behind the running turn ends with it and is given
// back: nothing that was sent before a Stop begins after it.
func (b *Bridge) Stop(ctx context.Context, req chat.StopRequest) (chat.StopAnswer, error) {
	id := cmp.Or(req.SessionID, req.ChatID)
	if id == "" {
		return chat.StopAnswer{}, say.Error(chat.CodeBadRequest, "sessionId", say.FieldMissing, "field", "sessionId")
	}
	c := b.named(id)
	if c == nil && req.ChatID != "" {
		c = b.named(req.ChatID)
	}
	if c == nil {
		return chat.StopAnswer{}, say.Error(chat.CodeUnknownSession, id, say.UnknownSession)
	}
	stopped := slices.ContainsFunc(c.waiting(), func(r *active) bool { return !r.log.over() })
	runs, unsent := c.halt()
	for _, r := range runs {
		select {
		case <-r.done:
		case <-ctx.Done():
			return chat.StopAnswer{}, ctx.Err()
		}
	}
	return chat.StopAnswer{Stopped: stopped, Unsent: append(c.unread(runs), unsent...)}, nil
}

// Pending implements API.
func (b *Bridge) Pending(chatID string) []chat.Pending { return b.approvals.list(chatID) }
