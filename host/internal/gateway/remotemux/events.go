package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// events is the sink of $events (harness-wire.md §4).
type events struct {
	gw    *Gateway
	sock  *socket
	ready chan struct{} // closed with the first frame
	ended chan error    // gets why it ended

	mu       sync.Mutex
	id       string // clientId, "" before ready
	released bool
	early    []event // what came between ready and release
}

// event is an item of $events: the fields of all types in one.
type event struct {
	Type     string            `json:"type"`
	ClientID string            `json:"clientId"`
	Event    string            `json:"event"`
	Args     []json.RawMessage `json:"args"`
	EventID  string            `json:"eventId"`
	AgentID  string            `json:"agentId"`
	Request  struct {
		ToolName string `json:"toolName"`
		CallID   string `json:"callId"`
		Reason   string `json:"reason"`
	} `json:"request"`
}

func (e *events) client() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.id
}

func (e *events) item(raw json.RawMessage) {
	var v event
	if !e.gw.decode("$events", raw, &v) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.id == "":
		if v.Type != "ready" || v.ClientID == "" {
			e.over(&gateway.Error{Method: "$events", Code: gateway.CodeProtocol, Message: "the first frame is not a ready one"})
			return
		}
		e.id = v.ClientID
		close(e.ready)
	case !e.released:
		e.early = append(e.early, v) // for the moment that connect needs
	default:
		e.gw.onEvent(v)
	}
}

// release hands over what came meanwhile, and from then on what comes.
func (e *events) release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, v := range e.early {
		e.gw.onEvent(v)
	}
	e.early, e.released = nil, true
}

func (e *events) over(err error) {
	select {
	case e.ended <- err:
	default: // the first counts
	}
}

// ignored are events that say nothing to a chat.
var ignored = map[string]bool{
	"api-session/activity": true, "agent-preset/selected": true, "commands/change": true,
	"goal/activation-changed": true, "llm/adapters-updated": true, "permission-presets/catalog-changed": true,
	"settings/document-updated": true, "credentials/reference-updated": true, "credentials/record-updated": true,
	"plugin-manager/changed": true, "plugin-manager/install-log": true, "plugin-manager/install-state": true,
	"schedule/changed": true, "cordis/request-run": true, "cordis/request-run-resolved": true,
	"cordis/dynamic-package": true, "cordis/dynamic-retract": true, "cordis/inspect-query": true,
	"cordis/inspect-query-resolved": true,
}

// onEvent takes one frame after ready. It never blocks.
func (g *Gateway) onEvent(v event) {
	switch v.Type {
	case "emit":
		g.emitted(v)
	case "waterfall":
		g.asked(v)
	case "cancel":
		g.withdrawn(v.EventID)
	default:
		g.counts.Add(dsh.SkipType, "$events "+v.Type)
	}
}

func (g *Gateway) emitted(v event) {
	var id string
	arg := func(n int, out any) bool {
		return n < len(v.Args) && g.decode(v.Event, v.Args[n], out)
	}
	switch {
	case ignored[v.Event]:
	case v.Event == "api-session/added":
		var s summary
		if arg(0, &s) && s.SessionID != "" {
			g.addresses.learn(s)
			row := s.session()
			g.hub.Added(row)
		}
	case v.Event == "api-session/removed":
		if arg(0, &id) {
			g.hub.Gone(id)
		}
	case v.Event == "api-session/status":
		var running bool
		if arg(0, &id) && arg(1, &running) {
			g.hub.Status(id, running)
		}
	case v.Event == "api-session/error":
		// Its text is a chain of error messages; the turn's own end says what a person
		// needs.
		_ = arg(0, &id)
		g.log.Warn("an agent of the Harness failed", zap.String("session", id))
	case v.Event == "deepseek-account/session-expired", v.Event == "deepseek-account/model-sign-in-required":
		g.log.Warn("the Harness's own account wants a sign-in", zap.String("event", v.Event))
	default:
		g.counts.Add(dsh.SkipType, "emit "+v.Event)
	}
}

// asked takes a request that waits for an answer. What no surface of ours shows is
// passed on at once, so that nothing hangs (§4.4).
func (g *Gateway) asked(v event) {
	if v.EventID == "" {
		g.counts.Add(dsh.SkipWrong, "waterfall "+v.Event)
		return
	}
	if v.Event == "approval/request" {
		g.approval(v)
		return
	}
	if v.Event == "user-questions/request" {
		g.hub.Notice(gateway.Notice{Question: &gateway.Question{ID: v.EventID, SessionID: v.AgentID}})
	} else {
		g.counts.Add(dsh.SkipType, "waterfall "+v.Event)
	}
	client := g.questions.clientID()
	g.spawn(func(ctx context.Context) { g.pass(ctx, client, v) })
}

// pass passes a request on. After a reconnect it comes again, to another client id.
func (g *Gateway) pass(ctx context.Context, client string, v event) {
	for try := 0; ; try++ {
		err := g.settle(ctx, client, v.EventID, outcome{Kind: "next"})
		refused := (*gateway.Error)(nil)
		if err == nil || errors.As(err, &refused) || g.questions.clientID() != client {
			return
		}
		g.log.Info("passing a question on failed", zap.String("event", v.Event), zap.Int("try", try), zap.Error(err))
		if link.Sleep(ctx, link.Delay(try, g.opts.Rand())) != nil {
			return
		}
	}
}

// outcome is what $events/result takes: exactly these keys.
type outcome struct {
	Kind  string `json:"kind"` // result or next
	Value string `json:"value,omitempty"`
}

func (g *Gateway) settle(ctx context.Context, clientID, eventID string, o outcome) error {
	return g.call(ctx, "$events/result", struct {
		ClientID string  `json:"clientId"`
		EventID  string  `json:"eventId"`
		Outcome  outcome `json:"outcome"`
	}{clientID, eventID, o}, nil)
}

// controls is the sink of session/control, in both its shapes (§5.3).
type controls struct {
	gw    *Gateway
	ended chan error
}

func (c *controls) over(err error) { c.ended <- orEnded(err) }

func (c *controls) item(raw json.RawMessage) {
	g := c.gw
	var v struct {
		Type      string          `json:"type"`
		SessionID string          `json:"sessionId"`
		Key       string          `json:"key"`
		Value     json.RawMessage `json:"value"`
		Seq       int64           `json:"seq"`
		Items     []dsh.QueueItem `json:"items"`
	}
	if !g.decode("session/control", raw, &v) {
		return
	}
	switch v.Type {
	case "baseline":
		g.baseline(v.Value)
	case "projection":
		g.projected(v.SessionID, gateway.Projection{Key: v.Key, Value: v.Value, Seq: v.Seq})
	case "queue":
		g.queued(v.SessionID, v.Items)
	case "jobs":
	default:
		g.counts.Add(dsh.SkipType, "session/control "+v.Type)
	}
}

func (g *Gateway) baseline(raw json.RawMessage) {
	var v struct {
		Queues      map[string][]dsh.QueueItem `json:"queues"` // 0.1.5
		Projections map[string]projections     `json:"projections"`
	}
	if !g.decode("session/control baseline", raw, &v) {
		return
	}
	for id, items := range v.Queues {
		g.queued(id, items)
	}
	for id, p := range v.Projections {
		for key, value := range p.Values {
			g.projected(id, gateway.Projection{Key: key, Value: value, Seq: p.AsOfSeq})
		}
	}
}

func (g *Gateway) projected(sessionID string, p gateway.Projection) {
	switch p.Key {
	case dsh.KeyInbox:
		if v, err := dsh.DecodeProjection(p.Key, p.Value); err == nil && v != nil {
			g.queued(sessionID, v.(*dsh.Inbox).Queue())
		}
	case dsh.KeySubagentCatalog:
		g.addresses.catalog(sessionID, p.Value)
	}
	g.streams.projection(sessionID, p)
}

func (g *Gateway) queued(sessionID string, items []dsh.QueueItem) {
	g.hub.Notice(gateway.Notice{Queue: &gateway.Queue{SessionID: sessionID, Items: items}})
}
