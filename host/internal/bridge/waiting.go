package bridge

import (
	"context"
	"slices"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// waitingText is how many characters of a waiting message its chat's row has.
const waitingText = 500

// TakeBack implements API.
func (b *Bridge) TakeBack(_ context.Context, chatID, run string) (chat.StreamRequest, error) {
	c, err := b.chat(chatID)
	if err != nil {
		return chat.StreamRequest{}, err
	}
	_, req, err := c.takeOut(run, nil)
	return req, err
}

// SteerWaiting implements API. Once the message is out of the queue it goes somewhere,
// whether or not anyone waits for the answer.
func (b *Bridge) SteerWaiting(ctx context.Context, chatID, run string) error {
	c, err := b.chat(chatID)
	if err != nil {
		return err
	}
	r, req, err := c.takeOut(run, c.current())
	if err != nil {
		return err
	}
	steering := req
	steering.Steer = true
	sub, err := b.steer(context.WithoutCancel(ctx), c, steering)
	if sub != nil {
		sub.Close()
		return nil
	}
	again := newActive(c, req)
	again.order = r.order // back to its place
	if err != nil {       // the line broke, perhaps once it was taken
		rec, _ := b.records.get(chatID)
		if taken, unknown := b.taken(context.WithoutCancel(ctx), rec, req.RequestID); unknown == nil && taken {
			return nil
		}
		again.resend = true
	}
	c.disown(req.RequestID)
	if _, full := c.add(again); full != nil {
		return full
	}
	if err != nil {
		return err
	}
	return notTaken()
}

// chat gives a chat that exists.
func (b *Bridge) chat(id string) (*conversation, error) {
	if c := b.known(id); c != nil {
		return c, nil
	}
	return nil, say.Error(chat.CodeUnknownChat, id, say.UnknownChat)
}

func notTaken() error { return say.Error(chat.CodeNotTaken, "", say.NotTaken) }

// takeOut ends a run that has not begun, and gives it and its message. Where it is for
// another run's turn it stays if that one does not take it.
func (c *conversation) takeOut(id string, into *active) (*active, chat.StreamRequest, error) {
	c.mu.Lock()
	i := slices.IndexFunc(c.runs, func(r *active) bool { return r.id == id })
	if i < 1 || c.runs[i].called() {
		c.mu.Unlock()
		return nil, chat.StreamRequest{}, say.Error(chat.CodeNotWaiting, id, say.NotWaiting)
	}
	r, req := c.runs[i], c.runs[i].req
	if into != nil && !into.takes(req) {
		c.mu.Unlock()
		return nil, chat.StreamRequest{}, notTaken()
	}
	r.halt() // with the lock held, so that it cannot become the first one before
	c.mu.Unlock()
	<-r.done
	return r, req, nil
}

// halt stops all runs of a chat, the last first, so that none begins. It gives them,
// the first one first, and the messages of those that had not begun.
func (c *conversation) halt() (runs []*active, unsent []chat.StreamRequest) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range slices.Backward(c.runs) {
		if i > 0 && !r.called() {
			unsent = append(unsent, r.req)
		}
		r.halt()
	}
	slices.Reverse(unsent)
	return slices.Clone(c.runs), unsent
}

// takes tells whether the run's turn may take a message: one in the same mode and on
// the same model, without files, and no command. Anyone may ask.
func (r *active) takes(req chat.StreamRequest) bool {
	return r.base.Load() != nil && r.mode == modeOf(req.Mode) && r.route == r.c.b.model(req) &&
		len(req.Attachments) == 0 && (req.AsText || command.Parse(req.Text).Kind == command.None)
}

// queue lists what waits in the chat: what is on its way into the running turn, then
// what gets turns of its own, in their order.
func (c *conversation) queue() []chat.Waiting {
	c.mu.Lock()
	var out []chat.Waiting
	for _, id := range c.known {
		if s := c.steered[id]; s != nil && s.waits {
			out = append(out, c.b.waitingOf(s.run, s.req, s.sent))
		}
	}
	runs := slices.Clone(c.runs)
	var waiting []chat.StreamRequest // as their runs let go of the files
	for i, r := range runs {
		if i > 0 {
			waiting = append(waiting, r.req)
		}
	}
	c.mu.Unlock()
	for i, req := range waiting {
		r := runs[i+1]
		if r.called() {
			continue
		}
		w := c.b.waitingOf(r, req, r.started)
		w.Run, w.Steers = r.id, runs[0].takes(req)
		out = append(out, w)
	}
	return out
}

// waitingOf is a message that waits as a chat's row has it.
func (b *Bridge) waitingOf(r *active, req chat.StreamRequest, sent int64) chat.Waiting {
	text := []rune(req.Text)
	if len(text) > waitingText {
		text = append(text[:waitingText:waitingText], '…')
	}
	return chat.Waiting{
		RequestID: req.RequestID, Text: string(text), Pictures: spoken(req, sent).Pictures,
		Mode: string(r.mode), Model: b.model(req), Time: sent,
	}
}
