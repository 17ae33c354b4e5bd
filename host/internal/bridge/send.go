package bridge

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// maxID is how long an id of the page's may be, in bytes.
const maxID = 200

// Send implements API.
func (b *Bridge) Send(ctx context.Context, req chat.StreamRequest) (Subscription, error) {
	if isTask(req.ChatID) { // the scheduler's alone
		return nil, say.Error(chat.CodeBadRequest, "chatId", say.FieldWrong, "field", "chatId")
	}
	return b.send(ctx, req)
}

func (b *Bridge) send(ctx context.Context, req chat.StreamRequest) (Subscription, error) {
	if err := b.check(req); err != nil {
		return nil, err
	}
	c, err := b.conversation(req.ChatID)
	if err != nil {
		return nil, err
	}
	if r := c.request(req.RequestID); r != nil {
		return b.again(ctx, c, r, req)
	}
	if b.exchanges.answered(req.ChatID, req.RequestID) {
		return b.reset(ctx, c)
	}
	rec, _ := b.records.get(req.ChatID)
	resend := slices.Contains(rec.Requests, req.RequestID)
	if resend {
		// Another life of this host took it. What the Harness did not get is sent again.
		taken, err := b.taken(ctx, rec, req.RequestID)
		if err != nil {
			return nil, err
		}
		if taken {
			return b.reset(ctx, c)
		}
	} else {
		for _, join := range []func(context.Context, *conversation, chat.StreamRequest) (Subscription, error){b.aside, b.steer} {
			if sub, err := join(ctx, c, req); sub != nil || err != nil {
				return sub, err
			}
		}
	}
	r := newActive(c, req)
	r.resend = resend
	got, err := c.add(r)
	if err != nil {
		return nil, err
	}
	if got != r {
		return b.again(ctx, c, got, req)
	}
	return newReader(r.log, 0), nil
}

// again gives the run that the request has started already.
func (b *Bridge) again(ctx context.Context, c *conversation, r *active, req chat.StreamRequest) (Subscription, error) {
	if c.sent(req.RequestID, r) != req.Text {
		return nil, say.Error(chat.CodeBadRequest, "requestId "+req.RequestID, say.RequestReused)
	}
	if !r.log.holds(0) {
		return b.reset(ctx, c)
	}
	return newReader(r.log, 0), nil
}

// check refuses what cannot become a run.
func (b *Bridge) check(req chat.StreamRequest) error {
	switch {
	case !validID(req.ChatID):
		return say.Error(chat.CodeBadRequest, "chatId", say.FieldWrong, "field", "chatId")
	case !validID(req.RequestID), strings.HasPrefix(req.RequestID, project.OursPrefix):
		return say.Error(chat.CodeBadRequest, "requestId", say.FieldWrong, "field", "requestId")
	case strings.TrimSpace(req.Text) == "" && len(req.Attachments) == 0:
		return say.Error(chat.CodeBadRequest, "text", say.NoText)
	}
	if err := b.checkPictures(req); err != nil {
		return err
	}
	if rec, known := b.records.get(req.ChatID); known && !rec.Unbegun || req.CWD == "" {
		return nil // a chat keeps its folder
	}
	info, err := os.Stat(req.CWD)
	if !filepath.IsAbs(req.CWD) || err != nil || !info.IsDir() {
		return say.Error(chat.CodeBadRequest, "cwd", say.NoFolder, "folder", req.CWD)
	}
	return nil
}

func validID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, unicode.IsControl)
}

// taken tells whether the session's log has a request's message.
func (b *Bridge) taken(ctx context.Context, rec record, requestID string) (bool, error) {
	l, err := b.connect(ctx)
	if err != nil {
		return false, refusal(ctx, err)
	}
	snap, err := l.gw.Snapshot(ctx, rec.SessionID, 0)
	if err != nil {
		return false, refusal(ctx, err)
	}
	var in inbox
	for _, e := range snap.Events {
		in.apply(e)
		if sentBy(e, requestID) {
			return true, nil
		}
	}
	_, waits := in.find(requestID)
	return waits, nil
}

// sentBy tells whether e is the message of a request.
func sentBy(e dsh.Event, requestID string) bool {
	if e.Type != dsh.TypeUserMessage {
		return false
	}
	m, ok := project.Data[dsh.Message](e)
	return ok && m.Source.RPCID == requestID
}

// refusal is what a route answers where the Harness could not be asked.
func refusal(ctx context.Context, err error) error {
	if e := unavailable(ctx, err); e != nil {
		return e
	}
	return ctx.Err()
}
