package double

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"strata.dev/bridge/proto/dsh"
)

var accepted = map[string]any{"accepted": true}

// streaming are the endpoints that are opened on the socket.
var streaming = map[string]bool{"session/follow": true, "session/control": true, "$events": true}

// Bare is a preset that a session is created with and does not join.
const Bare = "bare"

type goal struct {
	dsh.GoalView
}

// methods are the calls that a chat makes.
var methods = map[string]func(*args) any{
	"llm/listProviders": func(a *args) any {
		if !a.flat(&struct{}{}, "") {
			return nil
		}
		return []any{map[string]any{"id": "strata", "name": "scripted"}}
	},
	"session/list": func(a *args) any {
		if !a.flat(&struct{}{}, "_request") {
			return nil
		}
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		items := []any{}
		for _, se := range a.s.ordered() {
			items = append(items, json.RawMessage(encode(a.s.row(se))))
		}
		return map[string]any{"items": items}
	},
	"session/create": func(a *args) any {
		var q struct{ CWD, SessionID, AgentPreset, WorkspaceID string }
		if !a.request(&q, "", "workspaceId", "cwd", "sessionId", "agentPreset") {
			return nil
		}
		if q.WorkspaceID != "" && q.CWD != "" {
			a.failed = fail("gateway/bad-request", "workspaceId and cwd")
			return nil
		}
		if se := a.s.Session(q.SessionID); se != nil && se.CWD != q.CWD {
			a.failed = fail("session/conflict", "another cwd", "sessionId", se.ID, "requestedCwd", q.CWD, "existingCwd", se.CWD)
			return nil
		}
		se := a.s.Create(q.SessionID, q.CWD)
		if a.s.Created != nil {
			a.s.Created(se)
		}
		if q.AgentPreset == Bare {
			return map[string]any{"sessionId": se.ID}
		}
		return map[string]any{"sessionId": se.ID, "agentPreset": cmp.Or(q.AgentPreset, "standard")}
	},
	"session/selectModel": func(a *args) any {
		var q struct{ SessionID, Provider, Model, ReasoningEffort string }
		if !a.request(&q, "sessionId provider model", "reasoningEffort") || a.live(q.SessionID) == nil {
			return nil
		}
		if q.Provider == "nope" {
			a.failed = fail("session/model-unavailable", "no such route", "provider", q.Provider, "model", q.Model)
			return nil
		}
		return map[string]any{"selected": map[string]any{"provider": q.Provider, "model": q.Model}}
	},
	"session/rename": func(a *args) any {
		var q struct{ SessionID, Title string }
		if !a.request(&q, "sessionId title") {
			return nil
		}
		se := a.live(q.SessionID)
		if se == nil {
			return nil
		}
		if strings.TrimSpace(q.Title) == "" {
			a.failed = fail("session/title-invalid", "blank", "sessionId", q.SessionID)
			return nil
		}
		return map[string]any{"title": q.Title, "seq": se.SetTitle(q.Title, "user").Seq}
	},
	"session/prompt": func(a *args) any {
		var q struct {
			RequestID, SessionID, Mode, ClientTimeZone string
			Content                                    []dsh.Block
		}
		if !a.request(&q, "requestId sessionId mode content", "clientTimeZone") {
			return nil
		}
		se := a.live(q.SessionID)
		if se == nil {
			return nil
		}
		a.prompt(se, q.RequestID, q.Mode, q.Content)
		return accepted
	},
	"session/cancel": func(a *args) any {
		var q struct{ SessionID string }
		if !a.request(&q, "sessionId") {
			return nil
		}
		se := a.s.Session(q.SessionID)
		a.s.mu.Lock()
		cold := se == nil || !se.attached
		a.s.mu.Unlock()
		switch {
		case cold:
			a.failed = notFound(q.SessionID)
		case se.Parent != "":
			a.failed = fail("session/agent-busy", "owned by its parent", "reason", "subagent")
		case a.s.Cancelled != nil:
			a.s.Cancelled(se)
		}
		return accepted
	},
	"session/updateQueue": func(a *args) any {
		var q struct {
			SessionID, ItemID string
			Action            struct{ Kind string }
		}
		if !a.request(&q, "sessionId itemId action") {
			return nil
		}
		se := a.live(q.SessionID)
		if se == nil {
			return nil
		}
		if !se.unqueue(q.ItemID) {
			a.failed = fail("session/queue-item-not-found", "not queued", "itemId", q.ItemID)
		}
		return accepted
	},
	"workspace/archiveSession": func(a *args) any {
		var q struct {
			SessionID    string
			StopActivity bool
		}
		if a.request(&q, "sessionId", "stopActivity") && a.s.Session(q.SessionID) == nil {
			a.failed = notFound(q.SessionID)
		}
		return nil
	},
	"session/projections": func(a *args) any {
		var q struct{ SessionID string }
		if !a.request(&q, "sessionId") {
			return nil
		}
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		se := a.s.sessions[q.SessionID]
		if se == nil {
			a.failed = notFound(q.SessionID)
			return nil
		}
		if se.uncached {
			return json.RawMessage("null")
		}
		return encode(map[string]any{"asOfSeq": len(se.log) - 1 - se.behind, "values": se.values})
	},
	"session/page": func(a *args) any {
		var q struct {
			Address     json.RawMessage
			ThroughSeq  int64
			BeforeSeq   *int64
			MaxMessages int
		}
		if !a.request(&q, "address throughSeq", "beforeSeq", "maxMessages", "turnWindow") {
			return nil
		}
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		se, failed := a.s.addressed(q.Address)
		if failed != nil {
			a.failed = failed
			return nil
		}
		if q.ThroughSeq < -1 || q.ThroughSeq >= int64(len(se.log)) {
			a.failed = fail("gateway/bad-request", "throughSeq is beyond the log")
			return nil
		}
		log := se.log[:q.ThroughSeq+1]
		if q.BeforeSeq != nil {
			log = log[:min(*q.BeforeSeq, int64(len(log)))]
		}
		events, more := window(log, q.MaxMessages)
		return encode(map[string]any{"records": records(events), "hasMore": more})
	},
	"commands/execute": func(a *args) any {
		third := "submittedAttachments"
		if a.s.Old {
			third = "images"
		}
		var q struct{ AgentID, Line string }
		if !a.flat(&q, "agentId line "+third) {
			return nil
		}
		se := a.live(q.AgentID)
		if se == nil || a.s.Executed == nil {
			return nil
		}
		text, ok, found := a.s.Executed(se, q.Line)
		if !found {
			return nil
		}
		kind := "error"
		if ok {
			kind = "success"
		}
		return map[string]any{"commandId": "command-1", "result": map[string]any{"kind": kind, "text": text}}
	},
	"subagents/prompt": func(a *args) any {
		var q struct {
			RequestID, ParentSessionID, ChildSessionID, Mode, Delivery, ClientTimeZone string
			Content                                                                    []dsh.Block
		}
		if !a.request(&q, "requestId parentSessionId childSessionId mode delivery content", "clientTimeZone") {
			return nil
		}
		se := a.child(q.ParentSessionID, q.ChildSessionID)
		if se == nil {
			return nil
		}
		if se.Mode != "continuable" || q.Mode != "continuable" {
			a.failed = fail("subagent/not-resumable", "one-shot", "childSessionId", se.ID)
			return nil
		}
		a.prompt(se, q.RequestID, q.Delivery, q.Content)
		return map[string]any{"messageId": "m"}
	},
	"subagents/interruptByParent": func(a *args) any {
		var q struct{ ParentSessionID, ChildSessionID, Mode string }
		if !a.flat(&q, "childSessionId parentSessionId mode") {
			return nil
		}
		se := a.child(q.ParentSessionID, q.ChildSessionID)
		if se != nil && a.s.Cancelled != nil {
			a.s.Cancelled(se)
		}
		return accepted
	},
	"$events/result": func(a *args) any {
		var q struct {
			ClientID, EventID string
			Outcome           json.RawMessage
		}
		if a.flat(&q, "clientId eventId outcome") {
			a.failed = a.s.result(q.ClientID, q.EventID, q.Outcome)
		}
		return nil
	},
	"goals/get": func(a *args) any {
		var q struct{ AgentID string }
		if !a.flat(&q, "agentId") {
			return nil
		}
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		if g := a.s.goals[q.AgentID]; g != nil {
			return g.GoalView
		}
		return nil
	},
	"goals/create": func(a *args) any {
		var q struct {
			AgentID string
			Request struct {
				Objective     string
				MaxGoalRounds int
			}
		}
		if !a.flat(&q, "agentId request") {
			return nil
		}
		a.s.mu.Lock()
		defer a.s.mu.Unlock()
		g := &goal{}
		g.ID, g.Revision, g.Objective, g.Phase, g.Activation = a.s.mint("goal"), 1, q.Request.Objective, "active", "armed"
		g.MaxGoalRounds = max(q.Request.MaxGoalRounds, 256*btoi(q.Request.MaxGoalRounds == 0))
		a.s.goals[q.AgentID] = g
		return map[string]any{"ref": dsh.GoalRef{ID: g.ID, Revision: g.Revision}}
	},
	"goals/edit":     func(a *args) any { return a.goal("", "request") },
	"goals/pause":    func(a *args) any { return a.goal("paused") },
	"goals/resume":   func(a *args) any { return a.goal("active") },
	"goals/complete": func(a *args) any { return a.goal("complete") },
	"goals/clear":    func(a *args) any { return a.goal("cleared") },
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// goal changes a goal whose reference is not stale.
func (a *args) goal(phase string, also ...string) any {
	var q struct {
		AgentID string
		Ref     dsh.GoalRef
		Request struct {
			Objective     string
			MaxGoalRounds int
		}
	}
	if !a.flat(&q, strings.Join(append([]string{"agentId ref"}, also...), " ")) {
		return nil
	}
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	g := a.s.goals[q.AgentID]
	if g == nil || (dsh.GoalRef{ID: g.ID, Revision: g.Revision}) != q.Ref {
		a.failed = fail("gateway/internal", "no current goal")
		return nil
	}
	g.Revision++
	switch {
	case phase == "cleared":
		delete(a.s.goals, q.AgentID)
		return q.Ref
	case phase != "":
		g.Phase = phase
	default:
		g.Objective = q.Request.Objective
	}
	return g.GoalView
}

// child finds a helper of a parent.
func (a *args) child(parent, child string) *Session {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	se := a.s.sessions[child]
	switch {
	case se == nil:
		a.failed = fail("subagent/not-found", "no such child", "parentSessionId", parent, "childSessionId", child)
	case se.Parent != parent:
		a.failed = fail("subagent/unauthorized", "another's child", "parentSessionId", parent, "childSessionId", child)
	default:
		return se
	}
	return nil
}

// prompt takes a message in, once per request id.
func (a *args) prompt(se *Session, requestID, mode string, content []dsh.Block) {
	var text strings.Builder
	for _, b := range content {
		text.WriteString(b.Text)
	}
	if strings.TrimSpace(text.String()) == "" || !slices.Contains([]string{"queue", "steer"}, mode) {
		a.failed = fail("gateway/bad-request", "blank content or unknown mode")
		return
	}
	p := Prompt{RequestID: requestID, Text: text.String(), Steer: mode == "steer"}
	if se.enqueue(p) && a.s.Prompted != nil {
		go a.s.Prompted(se, p)
	}
}
