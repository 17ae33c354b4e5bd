package double

import (
	"fmt"

	"strata.dev/bridge/proto/dsh"
)

// Start begins an attempt: a model request whose deltas are sent. Its id is of the
// session and this life of the process: the next one counts from 1 again.
func (se *Session) Start(turn, step int) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.attempts++
	se.attempt = &dsh.Attempt{
		AttemptID: fmt.Sprintf("%s:%d", se.ID, se.attempts), StartedAfterSeq: int64(len(se.log)) - 1, Turn: turn, Step: step, Stream: []dsh.Record{},
	}
	se.revision++
	se.server.follow(se, map[string]any{"type": "assistant-stream", "frame": map[string]any{
		"type": "start", "attemptId": se.attempt.AttemptID, "revision": se.revision,
		"startedAfterSeq": se.attempt.StartedAfterSeq, "turn": turn, "step": step,
	}}, true)
}

// Delta sends a piece of the running attempt. Lost leaves it out on the wire.
func (se *Session) Delta(c dsh.Chunk, lost bool) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	a := se.attempt
	a.Stream = append(a.Stream, packed(c))
	se.revision++
	index := a.NextIndex
	a.NextIndex++
	if lost {
		return
	}
	se.server.follow(se, map[string]any{"type": "assistant-stream", "frame": map[string]any{
		"type": "chunk", "attemptId": a.AttemptID, "revision": se.revision, "index": index, "time": now(), "chunk": c,
	}}, true)
}

func packed(c dsh.Chunk) dsh.Record {
	switch c.Type {
	case "text-delta":
		return dsh.Record{Type: "text-chunks", Time0: now(), Index: c.Index, Texts: []string{c.Text}}
	case "reasoning-delta":
		return dsh.Record{Type: "reasoning-chunks", Time0: now(), Index: c.Index, Texts: []string{c.Text}}
	}
	if c.Type == "tool-call-delta" {
		return dsh.Record{Type: "tool-call-chunks", Time0: now(), Index: c.Index, ID: c.ID, Name: c.Name, Args: []string{c.ArgumentsDelta}}
	}
	return dsh.Record{Type: "chunk", Time: now(), Chunk: &c}
}

// Commit ends the attempt with a message of that text; "" abandons it.
func (se *Session) Commit(text string) {
	if text == "" {
		se.end(nil)
		return
	}
	se.CommitMessage(dsh.Message{
		ID: "a", Role: "assistant", Content: []dsh.Block{{Type: "text", Text: text}}, Source: dsh.Source{Kind: "model"},
	}, nil)
}

// CommitMessage ends the attempt with a message.
func (se *Session) CommitMessage(m dsh.Message, usage *dsh.Usage) {
	se.end(func(a *dsh.Attempt) dsh.Event {
		return dsh.Event{Type: dsh.TypeAssistantMessage, Surface: &dsh.Surface{Op: "append"}, Data: encode(dsh.AssistantMessage{
			Turn: a.Turn, Step: a.Step, Stream: a.Stream, Message: m, Usage: usage,
		})}
	})
}

// Fail ends the attempt as one that gave no message.
func (se *Session) Fail() {
	se.end(func(a *dsh.Attempt) dsh.Event {
		return dsh.Event{Type: dsh.TypeAssistantAttempt, Data: encode(dsh.AssistantAttempt{Turn: a.Turn, Step: a.Step, Stream: a.Stream})}
	})
}

// end logs what became of the attempt, if anything, and then says so.
func (se *Session) end(made func(*dsh.Attempt) dsh.Event) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	a := se.attempt
	outcome := map[string]any{"kind": dsh.Abandoned}
	if made != nil {
		e := se.logged(made(a))
		outcome = map[string]any{"kind": dsh.Committed, "eventType": e.Type, "seq": e.Seq}
	}
	se.revision++
	se.attempt = nil
	se.server.follow(se, map[string]any{"type": "assistant-stream", "frame": map[string]any{
		"type": "end", "attemptId": a.AttemptID, "revision": se.revision, "index": a.NextIndex, "outcome": outcome,
	}}, true)
}
