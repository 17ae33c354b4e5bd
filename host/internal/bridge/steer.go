package bridge

import (
	"context"
	"errors"
	"slices"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// steer puts a message into the chat's running turn and gives the frames of that run.
// It gives nil where no turn takes it: none runs, it runs in another mode or on another
// model than the message is for, files come with it, or it is too long to go in as it is.
// Such a message waits for its own turn.
func (b *Bridge) steer(ctx context.Context, c *conversation, req chat.StreamRequest) (Subscription, error) {
	r := c.current()
	if !req.Steer || r == nil || !r.takes(req) || r.outgrows(ctx, req.Text) {
		return nil, nil
	}
	result := make(chan error, 1)
	r.post(func() { r.steer(req, result) })
	return b.joined(ctx, c, r, result)
}

// joined gives the frames of a run that takes a request besides its own, once the result
// says so; nil where it does not.
func (b *Bridge) joined(ctx context.Context, c *conversation, r *active, result <-chan error) (Subscription, error) {
	select {
	case err := <-result:
		switch {
		case errors.Is(err, errNotTaken):
			return nil, nil
		case err != nil:
			return nil, refusal(ctx, err)
		}
	case <-r.done:
		return nil, nil
	case <-ctx.Done(): // it may have been taken; its request id makes a resend harmless
		return nil, ctx.Err()
	}
	if !r.log.holds(0) {
		return b.reset(ctx, c)
	}
	return newReader(r.log, 0), nil
}

// errNotTaken says that no turn takes the message.
var errNotTaken = errors.New("no turn takes it")

// steer is in the loop.
func (r *active) steer(req chat.StreamRequest, result chan<- error) {
	if r.state.Phase == run.Prompting { // its turn may have begun, and shown something
		r.held = append(r.held, func() {
			if !r.state.Stopped() {
				r.steer(req, result)
				return
			}
			r.c.adopt(req, r) // to be given back
			r.c.returned(req.RequestID)
			result <- nil
		})
		return
	}
	if _, known := r.further[req.RequestID]; known || !r.state.Open() {
		result <- errNotTaken
		return
	}
	if err := r.c.b.remember(r.c.id, req.RequestID); err != nil {
		result <- err
		return
	}
	r.c.adopt(req, r)
	p := gateway.Prompt{RequestID: req.RequestID, Text: req.Text, Steer: true}
	r.handOver(p, func(err error) {
		var refused *gateway.Error
		switch {
		case err == nil:
			r.emit(now(), chat.Frame{Type: chat.Status, Sentence: say.Sentence(say.Steered)})
		case errors.As(err, &refused):
			err = errNotTaken
		}
		if err != nil {
			r.c.disown(req.RequestID)
		}
		result <- err
		r.apply(run.Handed{})
	})
}

// remember keeps a request id, before the Harness can have its message.
func (b *Bridge) remember(chatID, requestID string) error {
	return b.records.change(chatID, func(c *record) {
		c.Updated, c.Unseen = now(), false
		if !slices.Contains(c.Requests, requestID) {
			c.Requests = append(c.Requests, requestID)
		}
	})
}

// adopt has a run stand for a request that went into its turn.
func (c *conversation) adopt(req chat.StreamRequest, r *active) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.requests[req.RequestID] == nil {
		c.known = append(c.known, req.RequestID)
	}
	c.requests[req.RequestID] = r
	if c.steered == nil {
		c.steered = map[string]*steered{}
	}
	c.steered[req.RequestID] = &steered{req: req, run: r, sent: now(), waits: true}
}

// steered is a message that went into a running turn.
type steered struct {
	req   chat.StreamRequest
	run   *active
	sent  int64 // Unix milliseconds
	waits bool  // the turn has not read it
	back  bool  // it was taken back
}

// read says that a turn has read a message that went into it.
func (c *conversation) read(requestID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.steered[requestID]; s != nil {
		s.waits = false
	}
}

// returned says that it was taken back instead.
func (c *conversation) returned(requestID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.steered[requestID]; s != nil {
		s.waits, s.back = false, true
	}
}

// unread are the messages that were taken back from runs, in the order in which they
// were sent.
func (c *conversation) unread(runs []*active) []chat.StreamRequest {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []chat.StreamRequest
	for _, id := range c.known {
		if s := c.steered[id]; s != nil && s.back && slices.Contains(runs, s.run) {
			s.back = false // one Stop gives it
			out = append(out, s.req)
		}
	}
	return out
}

// disown takes that back.
func (c *conversation) disown(requestID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, requestID)
	delete(c.steered, requestID)
	c.known = slices.DeleteFunc(c.known, func(id string) bool { return id == requestID })
}

// sent is the text of a request that r stands for.
func (c *conversation) sent(requestID string, r *active) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.steered[requestID]; s != nil {
		return s.req.Text
	}
	return r.req.Text
}
