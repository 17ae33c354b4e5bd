package bridge

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Stop implements API. What waits behind the running turn ends with it: nothing
// that was sent before a Stop begins after it.
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
	runs := c.waiting()
	stopped := slices.ContainsFunc(runs, func(r *active) bool { return !r.log.over() })
	for _, r := range slices.Backward(runs) { // the last first, so that none begins
		r.halt()
	}
	for _, r := range runs {
		select {
		case <-r.done:
		case <-ctx.Done():
			return chat.StopAnswer{}, ctx.Err()
		}
	}
	return chat.StopAnswer{Stopped: stopped}, nil
}

// Pending implements API.
func (b *Bridge) Pending(chatID string) []chat.Pending { return b.approvals.list(chatID) }

// Status implements API.
func (b *Bridge) Status(context.Context) chat.AgentStatus {
	s := b.o.Harness.Status()
	b.mu.Lock()
	talks := slices.Collect(maps.Values(b.chats))
	b.mu.Unlock()
	for _, c := range talks {
		for _, r := range c.waiting() {
			if r.log.over() {
				continue
			}
			turn := chat.ActiveTurn{ChatID: c.id, Run: r.id, Seq: r.log.seq(), Mode: string(r.mode), Started: r.started}
			if at := r.base.Load(); at != nil {
				turn.SessionID = at.session
			}
			s.Turns = append(s.Turns, turn)
		}
	}
	slices.SortFunc(s.Turns, func(x, y chat.ActiveTurn) int {
		return cmp.Or(cmp.Compare(x.Started, y.Started), cmp.Compare(x.Run, y.Run))
	})
	s.Pending = len(b.Pending(""))
	return s
}
