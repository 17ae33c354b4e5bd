package bridge

import (
	"context"
	"encoding/json"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// detail asks the gate what a question carries beyond the text on its card: the
// sentence by its key, and how far a yes may reach. The card can be answered
// without; a question that is not the gate's has none.
func (r *active) detail(ctx context.Context, p *pending) {
	if p.tool.Digest == "" {
		return
	}
	res, err := r.link.gw.Execute(ctx, r.root, "/strata-gate questions")
	if err != nil || !res.Found || !res.OK {
		if ctx.Err() == nil {
			r.c.b.o.Log.Info("the gate did not tell more about a question", zap.Error(err), zap.String("text", res.Text))
		}
		return
	}
	var open []abi.GateQuestion
	if json.Unmarshal([]byte(res.Text), &open) != nil {
		return
	}
	i := slices.IndexFunc(open, func(q abi.GateQuestion) bool { return q.Session == p.session && q.Digest == p.tool.Digest })
	if i < 0 {
		return
	}
	r.post(func() {
		if tool, ok := r.c.b.approvals.detailed(p, open[i]); ok {
			r.emit(now(), chat.Frame{Type: chat.AgentTool, Tool: &tool})
		}
	})
}

// detailed adds to a card what the gate told of it, and gives it; ok is false
// where the question no longer waits.
func (a *approvals) detailed(p *pending, q abi.GateQuestion) (tool chat.Tool, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byID[p.approvalID] != p || p.state == answered {
		return chat.Tool{}, false
	}
	p.tool.ReasonKey, p.tool.ReasonArgs = q.Key, q.Args
	p.tool.Save = &chat.SaveOffer{
		Scopes: q.Offer.Scopes, Scope: q.Offer.Scope, Pattern: q.Offer.Pattern,
		Sentence: chat.Sentence{Text: q.Offer.Reason, Key: q.Offer.Key, Args: q.Offer.Args},
	}
	return p.tool, true
}
