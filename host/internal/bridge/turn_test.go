package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/dsh"
)

// A message tells its turn what to do, one word sequence per "; ":
//
//	say TEXT      answer, a word per chunk
//	run CMD       bash, runs at once
//	ask CMD       bash, asks first
//	break CMD     bash, which fails
//	search QUERY  a web search, which fails
//	hang          a tool call that ends with the turn's cancel
//	fail CODE     the model request fails
//	wait MS       time passes
//	cut           the answer is cut off at the output limit
//	fill TOKENS   a model request that gives no text and uses so much of 1000
//	unconfined    a command that cannot be confined
//	title TEXT    the session gets a title
//	helper SCRIPT a foreground helper that does SCRIPT (words with _ for spaces, + for ;)
//	spawn SCRIPT  a background helper, which reports when it settles
//	wake ID SCRIPT a message to a helper that has settled, which does SCRIPT and reports

// wakeSession opens a turn where something waits and none is open. The lock is held.
func (p *process) wakeSession(s *session) {
	if s.turn != nil || len(s.waiting) == 0 || p.ctx.Err() != nil {
		return
	}
	m := s.waiting[0]
	s.waiting = s.waiting[1:]
	ctx, cancel := context.WithCancel(p.ctx)
	s.turn = cancel
	s.turns++
	t := &turn{p: p, s: s, n: s.turns}
	s.append(dsh.TypeTurnStart, dsh.Turn{Turn: t.n})
	s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-turn", RemovedCount: 1})
	p.turns.Go(func() { t.play(ctx, m) })
}

// turn is one turn under way.
type turn struct {
	p    *process
	s    *session
	n    int
	step int
	call int
}

// append adds an event unless the process was killed.
func (t *turn) append(kind string, data any) {
	t.p.d.mu.Lock()
	defer t.p.d.mu.Unlock()
	if t.p.ctx.Err() == nil {
		t.s.append(kind, data)
	}
}

func (t *turn) play(ctx context.Context, m dsh.Message) {
	t.append(dsh.TypeUserMessage, m)
	t.append(dsh.TypeRequestContext, dsh.RequestContext{Provider: "p", Model: "m", ContextWindow: 1000})
	reason := dsh.EndReason{Kind: "completed"}
	text := m.Content[0].Text
	if m.Source.Kind != "user" {
		text = "say thanks"
	}
	if strings.HasPrefix(m.Source.RPCID, project.OursPrefix) {
		text = t.p.d.goesOn()
	}
	for parts := strings.Split(text, "; "); len(parts) > 0 && ctx.Err() == nil; {
		verb, rest, _ := strings.Cut(parts[0], " ")
		parts = parts[1:]
		if verb == "cut" {
			reason = dsh.EndReason{Kind: "max-tokens"}
			break
		}
		if failed := t.do(ctx, verb, rest); failed != nil {
			reason = dsh.EndReason{Kind: "error", Error: failed}
			break
		}
		if ctx.Err() == nil {
			parts = append(parts, t.steered()...)
		}
	}
	if ctx.Err() != nil {
		reason = dsh.EndReason{Kind: "aborted", Cause: &dsh.KindOnly{Kind: "user"}}
	}
	t.end(ctx.Err() != nil, reason)
}

func (t *turn) end(aborted bool, reason dsh.EndReason) {
	p := t.p
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if p.ctx.Err() != nil {
		return
	}
	t.s.append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: t.n, Reason: reason})
	t.s.turn = nil
	if !aborted { // after a cancel what waits stays parked
		p.wakeSession(t.s)
	}
}

func (t *turn) do(ctx context.Context, verb, rest string) *dsh.LLMFailed {
	switch verb {
	case "say":
		t.say(rest)
	case "run":
		id := t.begin("bash", map[string]string{"command": rest})
		t.append(dsh.TypeToolResult, toolResult(id, "out of "+rest, false, ""))
	case "break":
		id := t.begin("bash", map[string]string{"command": rest})
		t.append(dsh.TypeToolResult, toolResult(id, "Error: "+rest+" failed", true, ""))
	case "search":
		id := t.begin("web_search", map[string]string{"query": rest})
		t.append(dsh.TypeToolResult, toolResult(id, "Error: Web search is limited right now.", true, ""))
	case "ask":
		t.ask(ctx, rest)
	case "hang":
		id := t.begin("bash", map[string]string{"command": "sleep 1000"})
		<-ctx.Done()
		t.append(dsh.TypeToolResult, toolResult(id, "Error: tool call aborted", true, "ABORTED"))
	case "fail":
		return &dsh.LLMFailed{Code: rest, Message: "as told"}
	case "fill":
		n, _ := strconv.ParseInt(rest, 10, 64)
		t.step++
		t.append(dsh.TypeAssistantMessage, dsh.AssistantMessage{Turn: t.n, Step: t.step, Usage: &dsh.Usage{InputTokens: n}})
	case "unconfined":
		id := t.begin("bash", map[string]string{"command": "ls"})
		t.append(dsh.TypeToolResult, toolResult(id, "Error: refusing to run the command unconfined", true, "SANDBOX_UNAVAILABLE"))
	case "wait":
		ms, _ := time.ParseDuration(rest + "ms")
		select {
		case <-time.After(ms):
		case <-ctx.Done():
		}
	case "title":
		t.append(dsh.TypeSessionTitle, map[string]any{"title": "fallback", "source": map[string]string{"kind": "fallback"}})
		t.append(dsh.TypeSessionTitle, map[string]any{"title": rest, "source": map[string]string{"kind": "provider"}})
	case "helper":
		t.delegate(ctx, rest, false)
	case "spawn":
		t.delegate(ctx, rest, true)
	case "wake":
		to, script, _ := strings.Cut(rest, " ")
		t.wake(to, script)
	default:
		t.say(verb + " " + rest)
	}
	return nil
}

// steered takes in what was put into the turn, and gives what it is to do.
func (t *turn) steered() []string {
	t.p.d.mu.Lock()
	defer t.p.d.mu.Unlock()
	if len(t.s.steering) == 0 || t.p.ctx.Err() != nil {
		return nil
	}
	m := t.s.steering[0]
	t.s.steering = t.s.steering[1:]
	t.s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-step", RemovedCount: 1})
	t.s.append(dsh.TypeUserMessage, m)
	return strings.Split(m.Content[0].Text, "; ")
}

func (t *turn) say(text string) {
	t.step++
	for _, w := range strings.SplitAfter(text, " ") {
		t.append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: t.n, Step: t.step, Chunk: dsh.Chunk{Type: "text-delta", Text: w}})
	}
	t.append(dsh.TypeAssistantMessage, dsh.AssistantMessage{
		Turn: t.n, Step: t.step, Message: dsh.Message{Content: []dsh.Block{{Type: "text", Text: text}}},
		Usage: &dsh.Usage{InputTokens: 90, OutputTokens: 10},
	})
}

// begin logs a tool call.
func (t *turn) begin(tool string, args any) string {
	t.step++
	t.call++
	id := fmt.Sprintf("call_%d_%d", t.n, t.call)
	raw, _ := json.Marshal(args)
	t.append(dsh.TypeToolCall, dsh.ToolCall{Turn: t.n, Step: t.step, CallID: id, Name: tool, Arguments: string(raw)})
	return id
}

func (t *turn) ask(ctx context.Context, command string) {
	id := t.begin("bash", map[string]string{"command": command})
	q := &ask{outcome: make(chan string, 1), Approval: gateway.Approval{
		ID: "rpc-" + t.s.id + id, SessionID: t.s.id, ApprovalID: "a-" + t.s.id + id, CallID: id, Tool: "bash", Reason: "It changes something.",
	}}
	t.p.d.mu.Lock()
	t.s.append(dsh.TypeApprovalAsked, dsh.Approval{ID: q.ApprovalID, ToolName: "bash", CallID: id, Reason: q.Reason})
	t.p.asks[q.ID] = q
	t.p.notify(gateway.Notice{Approval: &q.Approval})
	t.p.d.mu.Unlock()
	outcome := ""
	select {
	case outcome = <-q.outcome:
	case <-ctx.Done():
		t.p.d.mu.Lock()
		if t.p.asks[q.ID] != nil && t.p.ctx.Err() == nil {
			t.p.decide(q, "cancelled")
		}
		t.p.d.mu.Unlock()
	}
	t.p.d.mu.Lock()
	answer := t.p.answers[t.s.id+"/"+id]
	t.p.d.mu.Unlock()
	switch outcome {
	case "allowed-once":
		t.append(dsh.TypeToolResult, toolResult(id, "out of "+command, false, ""))
	case "rejected":
		t.append(dsh.TypeToolResult, toolResult(id, "Error: The person said no. It did not run. "+answer, true, ""))
	default:
		t.append(dsh.TypeToolResult, toolResult(id, "Error: tool call aborted before dispatch", true, "ABORTED_BEFORE_DISPATCH"))
	}
}

// delegate runs a helper: its turn in its own session.
func (t *turn) delegate(ctx context.Context, script string, background bool) {
	p := t.p
	script = strings.NewReplacer("_", " ", "+", "; ").Replace(script)
	id := t.begin("subagent", map[string]string{"description": "work", "prompt": script})
	p.d.mu.Lock()
	if p.ctx.Err() != nil {
		p.d.mu.Unlock()
		return
	}
	h := p.create("helper-", t.s.id)
	mode := "one-shot"
	if background {
		mode = "continuable"
	}
	h.append(dsh.TypeSubagent, dsh.Subagent{Mode: mode, Provider: "spawn", Label: "work"})
	p.notify(gateway.Notice{SessionAdded: &gateway.Session{ID: h.id, ParentID: t.s.id, Origin: "subagent"}})
	parent := ctx
	if background {
		parent = p.ctx
	}
	work := t.helping(parent, h, script, background)
	p.d.mu.Unlock()
	if background {
		p.turns.Go(work)
		t.append(dsh.TypeToolResult, toolResult(id, "started subagent "+h.id, false, ""))
		return
	}
	work()
	if ctx.Err() != nil {
		t.append(dsh.TypeToolResult, toolResult(id, "Error: tool call aborted", true, "ABORTED"))
		return
	}
	t.append(dsh.TypeToolResult, toolResult(id, "helper's answer", false, ""))
}

// wake sends a message to a helper that has settled, which takes another turn and reports.
func (t *turn) wake(to, script string) {
	p := t.p
	id := t.begin("send_message", map[string]string{"to": to})
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	h := p.d.sessions[to]
	p.notify(gateway.Notice{SessionAdded: &gateway.Session{ID: h.id, ParentID: t.s.id, Origin: "subagent"}})
	p.turns.Go(t.helping(p.ctx, h, strings.NewReplacer("_", " ", "+", "; ").Replace(script), true))
	t.s.append(dsh.TypeToolResult, toolResult(id, "sent", false, ""))
}

// helping begins a helper's turn; what it gives plays it. The lock is held.
func (t *turn) helping(ctx context.Context, h *session, script string, reports bool) func() {
	p := t.p
	ctx, cancel := context.WithCancel(ctx)
	h.turns++
	h.turn, h.attached = cancel, true
	ht := &turn{p: p, s: h, n: h.turns}
	h.append(dsh.TypeTurnStart, dsh.Turn{Turn: ht.n})
	return func() {
		defer cancel()
		ht.play(ctx, dsh.Message{Content: []dsh.Block{{Type: "text", Text: script}}, Source: dsh.Source{Kind: "user"}})
		p.d.mu.Lock()
		defer p.d.mu.Unlock()
		if p.ctx.Err() != nil {
			return
		}
		h.attached = false
		p.notify(gateway.Notice{SessionGone: h.id})
		if reports {
			p.queue(t.s, dsh.Message{
				ID: fmt.Sprint("r-", h.id, "-", ht.n), Role: "user", Content: []dsh.Block{{Type: "text", Text: "Background subagent finished."}},
				Source: dsh.Source{Kind: "subagent-settled", Sender: h.id},
			})
		}
	}
}

func toolResult(call, text string, failed bool, code string) any {
	r := map[string]any{"turn": 1, "step": 1, "message": dsh.Message{
		Role: "user", Source: dsh.Source{Kind: "tool", CallID: call},
		Content: []dsh.Block{{Type: "tool-result", ToolCallID: call, IsError: failed, Content: []dsh.Block{{Type: "text", Text: text}}}},
	}}
	if code != "" {
		r["error"] = map[string]string{"name": "E", "code": code}
	}
	return r
}
