package bridge

import (
	"context"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// proposal is a plan that waits for the person's answer.
type proposal struct {
	plan chat.Plan
	from chat.StreamRequest // the message it answers
}

// Plan implements API. A plan that is approved becomes the chat's next message, in the
// mode the person picked, on the model that made it.
func (b *Bridge) Plan(ctx context.Context, req chat.PlanRequest) (chat.PlanAnswer, error) {
	var mode abi.Mode
	switch {
	case req.SessionID == "":
		return chat.PlanAnswer{}, say.Error(chat.CodeBadRequest, "sessionId", say.FieldMissing, "field", "sessionId")
	case req.Decision != chat.Approve && req.Decision != chat.Deny:
		return chat.PlanAnswer{}, say.Error(chat.CodeBadRequest, "decision", say.FieldWrong, "field", "decision")
	case req.Decision == chat.Approve:
		if mode = modeOf(req.Mode); mode == abi.Plan {
			return chat.PlanAnswer{}, say.Error(chat.CodeBadRequest, "mode", say.FieldWrong, "field", "mode")
		}
	}
	c := b.named(req.SessionID)
	if c == nil {
		return chat.PlanAnswer{}, say.Error(chat.CodeUnknownSession, req.SessionID, say.UnknownSession)
	}
	p := c.takePlan()
	if p == nil {
		return chat.PlanAnswer{}, say.Error(chat.CodeNotPending, "no plan", say.PlanOver)
	}
	if req.Decision == chat.Deny {
		return chat.PlanAnswer{Decision: chat.Deny}, nil
	}
	next := chat.StreamRequest{
		ChatID: c.id, Text: say.Sentence(say.PlanApproved).Text, Mode: string(mode),
		Model: p.from.Model, Thinking: p.from.Thinking, RequestID: newID(),
	}
	sub, err := b.Send(ctx, next)
	if err != nil {
		c.restorePlan(p)
		return chat.PlanAnswer{}, err
	}
	sub.Close()
	return chat.PlanAnswer{Decision: chat.Approve, RequestID: next.RequestID, Run: c.request(next.RequestID).id}, nil
}

// propose has a plan wait for an answer, until the chat's next message.
func (c *conversation) propose(r *active, p chat.Plan) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[0] == r && len(c.runs) == 1 { // or something was said since
		c.plan = &proposal{plan: p, from: r.req}
	}
}

// takePlan gives the plan that waits, and nobody else gets it; nil where none waits.
func (c *conversation) takePlan() *proposal {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.plan
	c.plan = nil
	return p
}

// restorePlan has it wait again, where nothing was said meanwhile.
func (c *conversation) restorePlan(p *proposal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.runs) == 0 && c.plan == nil {
		c.plan = p
	}
}

// waitingPlan is the plan that waits, nil where none does.
func (c *conversation) waitingPlan() *chat.Plan {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.plan == nil {
		return nil
	}
	p := c.plan.plan
	return &p
}
