package eventsmux

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// muxFrame is a frame of events.mux: the fields of all methods in one, as a frame
// is on the hot path and this decodes it in one go.
type muxFrame struct {
	RPCID   string `json:"rpcId"`
	Method  string `json:"method"`
	Payload struct {
		SessionID  string          `json:"sessionId"`
		Event      dsh.Event       `json:"event"`
		Key        string          `json:"key"`
		Value      json.RawMessage `json:"value"`
		Seq        int64           `json:"seq"`
		LastSeq    int64           `json:"lastSeq"`
		ApprovalID string          `json:"approvalId"`
		Tool       string          `json:"toolName"`
		CallID     string          `json:"callId"`
		Reason     string          `json:"reason"`
		Outcome    string          `json:"outcome"`
		Items      []dsh.QueueItem `json:"items"`
		Error      struct {
			Code string `json:"code"`
		} `json:"error"`
	} `json:"payload"`
}

// hostFrame is a frame of events.host.
type hostFrame struct {
	Method  string `json:"method"`
	Payload struct {
		SessionID string `json:"sessionId"`
		Parent    string `json:"parentSessionId"`
		Origin    string `json:"origin"`
		CWD       string `json:"cwd"`
		Running   bool   `json:"running"`
	} `json:"payload"`
}

// decode fills frame. A field of a strange type is counted, the rest is used; text
// that is no JSON at all says that the socket is broken.
func (g *Gateway) decode(path string, raw []byte, frame any) error {
	err := json.Unmarshal(raw, frame)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		g.counts.Add(dsh.SkipWrong, path+" "+wrong.Field)
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: a frame of %d bytes is not JSON", path, len(raw))
	}
	return nil
}

// onMux takes one frame of events.mux. It never blocks.
func (g *Gateway) onMux(raw []byte) error {
	var f muxFrame
	if err := g.decode("mux", raw, &f); err != nil {
		return err
	}
	p := &f.Payload
	switch f.Method {
	case "session/event":
		g.streams.event(p.SessionID, &p.Event)
	case "session/projection":
		g.streams.projection(p.SessionID, &gateway.Projection{Key: p.Key, Value: p.Value, Seq: p.Seq})
	case "session/subscribed":
		g.streams.subscribed(p.SessionID, p.LastSeq)
	case "session/queue":
		g.hub.Notice(gateway.Notice{Queue: &gateway.Queue{SessionID: p.SessionID, Items: p.Items}})
	case "approval/requested":
		g.hub.Requested(gateway.Approval{
			ID: f.RPCID, SessionID: p.SessionID, ApprovalID: p.ApprovalID, CallID: p.CallID, Tool: p.Tool, Reason: p.Reason,
		})
	case "approval/resolved":
		g.hub.Resolved(gateway.Resolved{SessionID: p.SessionID, ApprovalID: p.ApprovalID, Outcome: p.Outcome})
	case "question/requested":
		g.hub.Notice(gateway.Notice{Question: &gateway.Question{ID: f.RPCID, SessionID: p.SessionID}})
		g.decline(f.RPCID)
	case "question/resolved":
	case "stream/error":
		g.log.Warn("the Harness ends its event stream", zap.String("code", p.Error.Code))
	default:
		g.counts.Add(dsh.SkipType, "frame "+f.Method)
	}
	return nil
}

// onHost takes one frame of events.host. It never blocks.
func (g *Gateway) onHost(raw []byte) error {
	var f hostFrame
	if err := g.decode("host", raw, &f); err != nil {
		return err
	}
	p := &f.Payload
	switch f.Method {
	case "host/session-added":
		g.hub.Added(gateway.Session{ID: p.SessionID, ParentID: p.Parent, Origin: p.Origin, CWD: p.CWD})
	case "host/session-removed":
		g.hub.Gone(p.SessionID)
	case "host/session-status":
		g.hub.Status(p.SessionID, p.Running)
	case "host/agent-error":
		// Its text is a chain of error messages; the turn's own end says what a
		// person needs.
		g.log.Warn("an agent of the Harness failed", zap.String("session", p.SessionID))
	default:
		g.counts.Add(dsh.SkipType, "frame "+f.Method)
	}
	return nil
}
