package eventsmux_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/dsh"
)

// player makes the double log what the real Harness logs for the orders of model.
type player struct {
	mu       sync.Mutex
	sessions map[string]*played
}

// played is what a session's next turn depends on.
type played struct {
	turn    int
	changed bool // the policy was changed since the last turn
	stop    chan struct{}
}

func (p *player) of(se *replay.Session) *played {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions[se.ID] == nil {
		p.sessions[se.ID] = &played{}
	}
	return p.sessions[se.ID]
}

// direct makes the double play.
func direct(s *replay.Server) {
	p := &player{sessions: map[string]*played{}}
	s.Created, s.Executed, s.Prompted, s.Cancelled = p.created, p.executed, p.prompted, p.cancelled
}

func (p *player) created(se *replay.Session) {
	se.Append(dsh.TypePermissionPreset, dsh.Value{Preset: "danger-full-access"})
	se.Append(dsh.TypeSandboxMode, dsh.Value{Mode: "danger-full-access"})
	se.Append(dsh.TypeApprovalPolicy, dsh.Value{Policy: "never"})
}

func (p *player) executed(se *replay.Session, line string) (text string, ok, found bool) {
	name, args, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if name != "permission" {
		return "", false, false
	}
	se.Append(dsh.TypeCommandRun, dsh.Command{CommandID: "c", Name: name, Args: " " + args})
	kind, text := "success", "preset "+args
	if args == "strata-manual" {
		se.Append(dsh.TypePermissionPreset, dsh.Value{Preset: args})
		se.Append(dsh.TypeApprovalPolicy, dsh.Value{Policy: "ask"})
		se.Append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-step", Inserted: []dsh.Message{ofPlugin}})
		p.of(se).changed = true
	} else {
		kind = "error"
		text = fmt.Sprintf("unknown preset %q (available: read-only, workspace-write, danger-full-access, strata-manual)", args)
	}
	se.Append(dsh.TypeCommandDone, dsh.Command{CommandID: "c", Kind: kind, Text: text})
	return text, kind == "success", true
}

var ofPlugin = dsh.Message{ID: "p", Role: "user", Content: []dsh.Block{{Type: "text", Text: "context"}}, Source: dsh.Source{Kind: "plugin"}}

func (p *player) cancelled(se *replay.Session) {
	at := p.of(se)
	p.mu.Lock()
	defer p.mu.Unlock()
	if at.stop != nil {
		close(at.stop)
		at.stop = nil
	}
}

// prompted plays one turn.
func (p *player) prompted(se *replay.Session, prompt replay.Prompt) {
	at := p.of(se)
	stop := make(chan struct{})
	p.mu.Lock()
	at.turn++
	turn, changed := at.turn, at.changed
	at.stop, at.changed = stop, false
	p.mu.Unlock()

	se.Running(true)
	se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: turn})
	if changed {
		se.Append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-step", RemovedCount: 1, Inserted: []dsh.Message{}})
	}
	se.Dequeue()
	se.Append(dsh.TypeStepStart, dsh.Step{Turn: turn, Step: 1})
	if changed {
		se.AppendFrom(dsh.TypeUserMessage, ofPlugin, nil)
	}
	se.AppendFrom(dsh.TypeUserMessage, dsh.Message{
		ID: "m", Role: "user", Content: []dsh.Block{{Type: "text", Text: prompt.Text}}, Source: dsh.Source{Kind: "user", RPCID: prompt.RPCID},
	}, nil)
	if turn == 1 {
		se.AppendFrom(dsh.TypeUserMessage, ofPlugin, nil)
		se.SetTitle(prompt.Text, "fallback")
	}
	if turn == 1 || se.Resumed() {
		se.Append(dsh.TypeRequestHeader, struct{}{})
	}
	if turn == 1 {
		se.Append(dsh.TypeRequestContext, dsh.RequestContext{Provider: "strata", Model: "scripted", ContextWindow: 20000})
	}
	a := act{se: se, turn: turn, step: 1}
	reason := dsh.EndReason{Kind: "completed"}
	if !a.perform(prompt.Text, stop) {
		reason = dsh.EndReason{Kind: "aborted", Cause: &dsh.KindOnly{Kind: "user"}}
	}
	se.Append(dsh.TypeStepEnd, dsh.Step{Turn: turn, Step: a.step})
	se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: turn, Reason: reason})
	se.Running(false)
}

// act is a turn's model requests and tools.
type act struct {
	se         *replay.Session
	turn, step int
	sources    []int64
}

// perform does what the prompt orders; false when it was stopped.
func (a *act) perform(text string, stop <-chan struct{}) bool {
	raw, _ := json.Marshal(text)
	verb, rest, _ := directive([]chatMessage{{Role: "user", Content: raw}})
	switch verb {
	case "bash":
		result, ok := a.tool(rest, stop)
		if !ok {
			return false
		}
		a.se.Append(dsh.TypeStepEnd, dsh.Step{Turn: a.turn, Step: a.step})
		a.step++
		a.se.Append(dsh.TypeStepStart, dsh.Step{Turn: a.turn, Step: a.step})
		a.say("it said: "+result, "stop")
	case "hang":
		a.chunk(dsh.Chunk{Type: "block-start", BlockType: "text"})
		a.chunk(dsh.Chunk{Type: "text-delta", Text: "working"})
		<-stop
		a.message(dsh.Block{Type: "text", Text: "working"})
		return false
	default:
		a.say(rest, "stop")
	}
	return true
}

func (a *act) chunk(c dsh.Chunk) {
	e := a.se.Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: a.turn, Step: a.step, Chunk: c})
	a.sources = append(a.sources, e.Seq)
}

func (a *act) message(b dsh.Block) {
	a.se.AppendFrom(dsh.TypeAssistantMessage, dsh.AssistantMessage{
		Turn: a.turn, Step: a.step, Message: dsh.Message{ID: "a", Role: "assistant", Content: []dsh.Block{b}},
	}, a.sources)
	a.sources = nil
}

func (a *act) end(b dsh.Block, finish string) {
	a.chunk(dsh.Chunk{Type: "block-end", Block: &b})
	a.chunk(dsh.Chunk{Type: "usage", Usage: &dsh.Usage{InputTokens: 100, OutputTokens: 5}})
	a.chunk(dsh.Chunk{Type: "finish", Reason: &dsh.EndReason{Kind: finish}})
	a.message(b)
}

func (a *act) say(text, finish string) {
	a.chunk(dsh.Chunk{Type: "block-start", BlockType: "text"})
	for _, word := range strings.SplitAfter(text, " ") {
		a.chunk(dsh.Chunk{Type: "text-delta", Text: word})
	}
	a.end(dsh.Block{Type: "text", Text: text}, finish)
}

// tool plays a call of bash, of which echo is all there is.
func (a *act) tool(command string, stop <-chan struct{}) (result string, ok bool) {
	args, _ := json.Marshal(map[string]string{"command": command, "description": "test"})
	call := fmt.Sprintf("call-%d", a.turn)
	a.chunk(dsh.Chunk{Type: "block-start", BlockType: "tool-call"})
	a.chunk(dsh.Chunk{Type: "tool-call-delta", ID: call, Name: "bash", ArgumentsDelta: string(args)})
	a.end(dsh.Block{Type: "tool-call", ID: call, Name: "bash", Arguments: string(args)}, "tool-calls")
	a.se.Append(dsh.TypeToolCall, dsh.ToolCall{Turn: a.turn, Step: a.step, CallID: call, Name: "bash", Arguments: string(args)})

	text, failed := strings.TrimPrefix(command, "echo "), (*dsh.Coded)(nil)
	if strings.Contains(command, "ASKME") {
		id := fmt.Sprintf("%s-%s", a.se.ID, call)
		outcome := a.se.Ask(id, call, "bash", "the test asks")
		var settled string
		select {
		case settled = <-outcome:
		case <-stop:
			a.se.Resolve(id, "cancelled")
			settled = <-outcome
		}
		a.se.Append(dsh.TypeApprovalDecided, dsh.Approval{ID: id, Outcome: settled})
		switch settled {
		case "rejected":
			text = `Error: the user rejected tool "bash"`
		case "cancelled":
			text, failed = "Error: tool call aborted before dispatch", &dsh.Coded{Code: "ABORTED_BEFORE_DISPATCH"}
		}
	}
	a.se.AppendFrom(dsh.TypeToolResult, dsh.ToolResult{Turn: a.turn, Step: a.step, Error: failed, Message: dsh.Message{
		ID: "t", Role: "user", Source: dsh.Source{Kind: "tool", CallID: call},
		Content: []dsh.Block{{
			Type: "tool-result", ToolCallID: call, IsError: strings.HasPrefix(text, "Error: "),
			Content: []dsh.Block{{Type: "text", Text: text}},
		}},
	}}, nil)
	return text, failed == nil
}
