package eventsmux

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// Outcomes of an approval, as the Harness names them.
const (
	outcomeAllowed   = "allowed-once"
	outcomeRejected  = "rejected"
	outcomeCancelled = "cancelled"
)

// verdict is the value of an approval's answer.
type verdict struct {
	SessionID  string `json:"sessionId"`
	ApprovalID string `json:"approvalId"`
	Outcome    string `json:"outcome"`
}

// Answer answers an approval. CodeBadResponse leaves it pending.
func (g *Gateway) Answer(ctx context.Context, a gateway.Answer) error {
	v := verdict{SessionID: a.SessionID, ApprovalID: a.ApprovalID, Outcome: outcomeRejected}
	if a.Allow {
		v.Outcome = outcomeAllowed
	}
	return g.respond(ctx, a.ID, given{true, v})
}

// decline says of a question of the agent's own that nobody will answer it, so that
// its call fails at once instead of waiting for ever: no surface of ours shows one.
// The wire's one way to say so is that it was cancelled.
func (g *Gateway) decline(frameID string) {
	type failure struct {
		Code    string   `json:"code"`
		Message string   `json:"message"`
		Details struct{} `json:"details"`
	}
	g.tasks.Go(func() {
		for try := 0; ; try++ {
			err := g.respond(g.life, frameID, struct {
				OK    bool    `json:"ok"`
				Error failure `json:"error"`
			}{false, failure{Code: "cancelled", Message: "no surface of this host shows questions"}})
			refused := (*gateway.Error)(nil)
			if err == nil || errors.As(err, &refused) { // by now it is over
				return
			}
			g.log.Info("declining a question failed", zap.Int("try", try), zap.String("code", link.CodeOf(err)))
			if link.Sleep(g.life, link.Delay(try, g.opts.Rand())) != nil {
				return
			}
		}
	})
}

// given is the result of a response; no Value fits no question.
type given struct {
	OK    bool `json:"ok"`
	Value any  `json:"value"`
}

// respond answers the frame of that id.
func (g *Gateway) respond(ctx context.Context, frameID string, result any) error {
	const method = "respond"
	raw, err := g.caller.Post(ctx, method, struct {
		Type   string `json:"type"`
		RPCID  string `json:"rpcId"`
		Result any    `json:"result"`
	}{"client-response", frameID, result})
	if err != nil {
		return err
	}
	var r struct {
		Accepted *bool  `json:"accepted"`
		Reason   string `json:"reason"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || r.Accepted == nil {
		return &gateway.Error{Method: method, Code: gateway.CodeProtocol, Message: "the answer is not one to this request"}
	}
	switch {
	case *r.Accepted:
		return nil
	case r.Reason == gateway.CodeNotPending:
		return &gateway.Error{Method: method, Code: gateway.CodeNotPending, Message: "nobody waits for this answer any more"}
	default:
		return &gateway.Error{Method: method, Code: gateway.CodeBadResponse, Message: "the answer does not fit the question"}
	}
}

// stillPending finds out by an answer that fits nothing: it is refused, and the
// refusal tells. The replay on connecting has no end by which one that is missing
// in it could be known.
func (g *Gateway) stillPending(ctx context.Context, a gateway.Approval) (bool, error) {
	err := g.respond(ctx, a.ID, given{OK: true})
	switch {
	case gateway.IsCode(err, gateway.CodeBadResponse):
		return true, nil
	case gateway.IsCode(err, gateway.CodeNotPending):
		return false, nil
	case err == nil:
		return false, &gateway.Error{Method: "respond", Code: gateway.CodeProtocol, Message: "an answer without a value was taken"}
	default:
		return false, err
	}
}

// outcome reads from the log how an approval ended. One that no decision was
// logged for went with the process: cancelled.
func (g *Gateway) outcome(ctx context.Context, a gateway.Approval) (string, error) {
	outcome := outcomeCancelled
	err := g.pages(ctx, a.SessionID, func(p link.Page) bool {
		for _, e := range slices.Backward(p.Events) {
			if e.Type != dsh.TypeApprovalAsked && e.Type != dsh.TypeApprovalDecided {
				continue
			}
			v, _ := dsh.Decode(e)
			d, ok := v.(*dsh.Approval)
			if !ok || d.ID != a.ApprovalID {
				continue
			}
			if e.Type == dsh.TypeApprovalAsked {
				return true // nothing older is about it
			}
			outcome = d.Outcome
			return true
		}
		return false
	})
	if refused := (*gateway.Error)(nil); errors.As(err, &refused) {
		return outcomeCancelled, nil // no such session any more
	}
	return outcome, err
}
