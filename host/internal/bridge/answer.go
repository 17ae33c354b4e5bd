package bridge

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// readyWait is how long an answer waits for the notice that says how the question is
// answered. It comes with the card, over the same socket.
const readyWait = 10 * time.Second

// maxNote is how many characters of a person's words, or of their pattern, the
// gate takes.
const maxNote = 4000

// Answer implements API.
func (b *Bridge) Answer(ctx context.Context, req chat.ApprovalRequest) error {
	if err := checkAnswer(req); err != nil {
		return err
	}
	c := b.named(req.SessionID)
	if c == nil || isTask(c.id) { // whose questions are answered already
		return say.Error(chat.CodeUnknownSession, req.SessionID, say.UnknownSession)
	}
	return b.answer(ctx, c, req)
}

// answer answers a card of a chat.
func (b *Bridge) answer(ctx context.Context, c *conversation, req chat.ApprovalRequest) error {
	p, err := b.approvals.begin(c.id, req)
	if err != nil {
		return err
	}
	settled := false
	defer func() { b.approvals.finish(p, settled) }()
	select {
	case <-p.ready:
	case <-p.gone:
		return say.Error(chat.CodeNotPending, "", say.NotPending)
	case <-time.After(readyWait):
		return say.Error(chat.CodeAgentUnavailable, "no notice of the question", say.AgentBusy)
	case <-ctx.Done():
		return ctx.Err()
	}
	gw := p.run.link.gw
	told, err := b.tellGate(ctx, gw, p, req)
	if err != nil {
		return refusal(ctx, err)
	}
	unsaid := false
	if note := strings.TrimSpace(req.Note); note != "" && !p.allow && !told && !isTask(c.id) { // a task goes on without
		if unsaid, err = b.passNote(ctx, p, note); err != nil {
			return refusal(ctx, err)
		}
	}
	switch err := gw.Answer(ctx, gateway.Answer{ID: p.wire, SessionID: p.session, ApprovalID: p.approvalID, Allow: p.allow}); {
	case gateway.IsCode(err, gateway.CodeNotPending):
		settled = true
		return say.Error(chat.CodeNotPending, err.Error(), say.NotPending)
	case err != nil:
		return refusal(ctx, err)
	}
	settled = true
	if unsaid {
		b.sendNote(p, strings.TrimSpace(req.Note))
	}
	if err := b.written(ctx, gw, p); err != nil {
		return refusal(ctx, err)
	}
	return nil
}

// written waits until the gate has the decision in its log, which is before the tool
// runs: what a person is told was taken, a crash does not lose.
func (b *Bridge) written(ctx context.Context, gw gateway.Gateway, p *pending) error {
	if p.tool.Digest == "" {
		return nil // not the gate's
	}
	line, err := json.Marshal(map[string]string{"callId": p.callID, "session": p.session})
	if err != nil {
		return err
	}
	res, err := gw.Execute(ctx, p.run.root, "/strata-gate settled "+string(line))
	if err == nil && (!res.Found || !res.OK) {
		b.o.Log.Info("the gate does not say when an answer is written", zap.Bool("found", res.Found), zap.String("text", res.Text))
	}
	return err
}

func checkAnswer(req chat.ApprovalRequest) error {
	switch {
	case req.SessionID == "":
		return say.Error(chat.CodeBadRequest, "sessionId", say.FieldMissing, "field", "sessionId")
	case req.ToolID == "":
		return say.Error(chat.CodeBadRequest, "toolId", say.FieldMissing, "field", "toolId")
	case req.Decision != chat.Approve && req.Decision != chat.Deny:
		return say.Error(chat.CodeBadRequest, "decision", say.FieldWrong, "field", "decision")
	case len([]rune(req.Note)) > maxNote:
		return say.Error(chat.CodeBadRequest, "note", say.FieldWrong, "field", "note")
	case req.Scope != "" && req.Scope != chat.ScopeOnce && req.Scope != chat.ScopeChat && req.Scope != chat.ScopeAlways:
		return say.Error(chat.CodeBadRequest, "scope", say.FieldWrong, "field", "scope")
	case len([]rune(req.Pattern)) > maxNote:
		return say.Error(chat.CodeBadRequest, "pattern", say.FieldWrong, "field", "pattern")
	case req.ExpiresAt < 0:
		return say.Error(chat.CodeBadRequest, "expiresAt", say.FieldWrong, "field", "expiresAt")
	}
	return nil
}

// tellGate hands digest, note and scope to the gate before the Harness's own
// answer, which would drop them, and tells whether it took them. A question that is not the gate's, or a Harness
// without one, is answered all the same: what the gate refuses to keep it does not
// take for a yes. Only a yes that cannot reach as far as the person wants is
// refused, and the question waits on.
func (b *Bridge) tellGate(ctx context.Context, gw gateway.Gateway, p *pending, req chat.ApprovalRequest) (told bool, err error) {
	reaches := p.allow && (req.Scope == chat.ScopeChat || req.Scope == chat.ScopeAlways)
	if p.tool.Digest == "" {
		if reaches {
			return false, say.Error(chat.CodeBadRequest, "not a question of the gate", say.CannotSave, "reason", say.NotTheGates)
		}
		return false, nil
	}
	answer := map[string]any{
		"callId": p.callID, "session": p.session, "digest": p.tool.Digest, "allow": p.allow, "note": req.Note,
	}
	if req.Scope != "" {
		answer["scope"], answer["pattern"], answer["expires"] = req.Scope, req.Pattern, req.ExpiresAt
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return false, err
	}
	// The Harness runs no command on a helper's session; the gate takes the answer
	// to a helper's question on its chat's own.
	switch res, err := gw.Execute(ctx, p.run.root, "/strata-gate answer "+string(line)); {
	case err != nil:
		return false, err
	case res.Found && res.OK:
		return true, nil
	case reaches:
		return false, say.Error(chat.CodeBadRequest, res.Text, say.CannotSave, "reason", cmp.Or(res.Text, say.NotTheGates))
	default:
		b.o.Log.Info("the gate did not take an answer", zap.Bool("found", res.Found), zap.String("text", res.Text))
	}
	return false, nil
}

// begin claims a question for one answer.
func (a *approvals) begin(chatID string, req chat.ApprovalRequest) (*pending, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	p := a.cards[cardKey{chatID, req.ToolID}]
	switch {
	case p == nil:
		return nil, a.missing(chatID, req.ToolID)
	case p.state != open:
		return nil, say.Error(chat.CodeNotPending, "", say.NotPending)
	case req.Digest != "" && req.Digest != p.tool.Digest:
		return nil, say.Error(chat.CodeChanged, "", say.Changed)
	}
	p.state, p.allow = answering, req.Decision == chat.Approve
	p.sent = p.sent || p.allow
	return p, nil
}

// missing says why a chat has no such card waiting. The lock is held.
func (a *approvals) missing(chatID, toolID string) error {
	if slices.Contains(a.over[chatID], toolID) {
		return say.Error(chat.CodeNotPending, "", say.NotPending)
	}
	for key := range a.cards {
		if key.tool == toolID {
			return say.Error(chat.CodeNotYours, "", say.NotYours)
		}
	}
	return say.Error(chat.CodeUnknownTool, toolID, say.UnknownTool)
}

// finish ends an answer: settled once the Harness has one, whoever gave it.
// Otherwise the question waits on.
func (a *approvals) finish(p *pending, settled bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case settled:
		p.state = answered
	case p.state == answering:
		p.state = open
	}
}
