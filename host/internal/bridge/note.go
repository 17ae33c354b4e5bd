package bridge

import (
	"context"
	"errors"

	"go.uber.org/zap"

	"strata.dev/bridge/proto/chat"
)

// note is a person's words to a no that the gate does not take, as a message of theirs.
func (p *pending) note(text string) chat.StreamRequest {
	return chat.StreamRequest{
		ChatID: p.run.c.id, RequestID: "note-" + p.approvalID, Text: text,
		Mode: string(p.run.mode), Model: p.run.route, Steer: true, AsText: true,
	}
}

// passNote hands such words over before the answer, so that the turn's next step has
// them: the Harness would drop them. It tells whether they still have to be sent.
func (b *Bridge) passNote(ctx context.Context, p *pending, text string) (left bool, err error) {
	req := p.note(text)
	if p.run.c.request(req.RequestID) != nil {
		return false, nil // an answer that got lost is given again
	}
	if p.run.outgrows(ctx, text) {
		return true, nil
	}
	result := make(chan error, 1)
	p.run.post(func() { p.run.steer(req, result) })
	select {
	case err = <-result:
	case <-p.run.done:
		err = errNotTaken
	case <-ctx.Done():
		return false, ctx.Err()
	}
	if errors.Is(err, errNotTaken) {
		return true, nil
	}
	return false, err
}

// sendNote sends them as a message of their own: no turn took them, as where a helper
// asked while its chat's own turn is over.
func (b *Bridge) sendNote(p *pending, text string) {
	if _, err := p.run.c.add(newActive(p.run.c, p.note(text))); err != nil {
		b.o.Log.Warn("a note was not sent", zap.Error(err))
	}
}
