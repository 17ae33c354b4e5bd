package dsh

import (
	"encoding/json"
	"fmt"
)

// From 0.1.5 on, an answer's deltas are no events of their own (harness-wire.md
// §5.1, §7.4): they come live as frames beside the log, and the finished message
// holds them packed into records.

// Record is one packed piece of an answer's deltas. Type is text-chunks,
// reasoning-chunks, tool-call-chunks, or chunk for any other one.
type Record struct {
	Type  string  `json:"type"`
	Time0 int64   `json:"time0,omitempty"` // Unix milliseconds
	Index int     `json:"index,omitempty"` // of the block
	DT    []int64 `json:"dt,omitempty"`    // milliseconds between two pieces: one less than them
	// Texts are the pieces of text-chunks and reasoning-chunks, Args those of
	// tool-call-chunks.
	Texts []string `json:"texts,omitempty"`
	ID    string   `json:"id,omitempty"`
	Name  string   `json:"name,omitempty"`
	Args  []string `json:"args,omitempty"`
	Time  int64    `json:"time,omitempty"`  // chunk
	Chunk *Chunk   `json:"chunk,omitempty"` // chunk
}

// TimedChunk is a chunk and when it came, in Unix milliseconds.
type TimedChunk struct {
	Time  int64
	Chunk Chunk
}

// Unpack gives the chunks that records stand for, in order. A record of a strange
// type stands for none. A gap that is missing counts as none.
func Unpack(records []Record) []TimedChunk {
	var list []TimedChunk
	for _, r := range records {
		pieces, typ := r.Texts, "text-delta"
		switch r.Type {
		case "text-chunks":
		case "reasoning-chunks":
			typ = "reasoning-delta"
		case "tool-call-chunks":
			pieces, typ = r.Args, "tool-call-delta"
		case "chunk":
			if r.Chunk != nil {
				list = append(list, TimedChunk{r.Time, *r.Chunk})
			}
			continue
		default:
			continue
		}
		at := r.Time0
		for i, piece := range pieces {
			c := Chunk{Type: typ, Index: r.Index}
			if typ == "tool-call-delta" {
				c.ID, c.Name, c.ArgumentsDelta = r.ID, r.Name, piece
			} else {
				c.Text = piece
			}
			if i > 0 && i <= len(r.DT) {
				at += r.DT[i-1]
			}
			list = append(list, TimedChunk{at, c})
		}
	}
	return list
}

// What a Live is.
const (
	LiveStart = "start"
	LiveChunk = "chunk"
	LiveEnd   = "end"
)

// Live is a frame beside the log: one model request's answer as it is made. Type
// is one of LiveStart, LiveChunk and LiveEnd.
type Live struct {
	Type      string `json:"type"`
	AttemptID string `json:"attemptId"`
	// Revision rises by one per frame of a session, and begins at 1 with each agent.
	Revision int64 `json:"revision"`
	// StartedAfterSeq is the log's newest seq when the attempt began.
	StartedAfterSeq int64 `json:"startedAfterSeq,omitempty"` // start
	Turn            int   `json:"turn,omitempty"`            // start
	Step            int   `json:"step,omitempty"`            // start
	// Index counts the attempt's chunks; that of an end is their number.
	Index   int      `json:"index,omitempty"`   // chunk, end
	Time    int64    `json:"time,omitempty"`    // chunk; Unix milliseconds
	Chunk   *Chunk   `json:"chunk,omitempty"`   // chunk
	Outcome *Outcome `json:"outcome,omitempty"` // end
}

// Kinds of an Outcome.
const (
	Committed = "committed"
	Abandoned = "abandoned"
)

// Outcome says what became of an attempt: Committed as the event of Seq, whose type
// is assistant/message or assistant/attempt, or Abandoned.
type Outcome struct {
	Kind      string `json:"kind"`
	EventType string `json:"eventType,omitempty"`
	Seq       int64  `json:"seq,omitempty"`
}

// Attempt is the running attempt in a snapshot: the deltas so far.
type Attempt struct {
	AttemptID       string   `json:"attemptId"`
	StartedAfterSeq int64    `json:"startedAfterSeq"`
	Turn            int      `json:"turn"`
	Step            int      `json:"step"`
	NextIndex       int      `json:"nextIndex"` // of the next chunk
	Stream          []Record `json:"stream"`
}

// AssistantAttempt is the data of assistant/attempt: a model request that gave no
// message.
type AssistantAttempt struct {
	Turn   int      `json:"turn"`
	Step   int      `json:"step"`
	Stream []Record `json:"stream"`
}

// SubagentCatalog is one entry of the projection subagentCatalog. Mode is
// one-shot, continuable or unknown.
type SubagentCatalog struct {
	ID        string `json:"id"`
	CreatedAt int64  `json:"createdAt"` // Unix milliseconds
	Mode      string `json:"mode"`
	Label     string `json:"label,omitempty"`
}

// Inbox is the projection inbox (0.2): what waits for the next turn and the next
// step.
type Inbox struct {
	NextTurn []Message `json:"next-turn"`
	NextStep []Message `json:"next-step"`
}

// Queue gives the inbox as the older wires give it: the next step's messages are
// steering where a person sent them, else context.
func (i Inbox) Queue() []QueueItem {
	items := make([]QueueItem, 0, len(i.NextTurn)+len(i.NextStep))
	for _, m := range i.NextTurn {
		items = append(items, QueueItem{ID: m.ID, Placement: "queued", Message: m})
	}
	for _, m := range i.NextStep {
		placement := "context"
		if m.Source.Kind == "user" {
			placement = "steering"
		}
		items = append(items, QueueItem{ID: m.ID, Placement: placement, Message: m})
	}
	return items
}

// Frames of /api/remote.mux that a client sends. The Harness closes the whole
// socket on a key too many or too few, so each kind is encoded by a type of its own.

// OpenFrame encodes the opening of a stream. Args is what encoding/json makes an
// object of; nil is {}.
func OpenFrame(streamID, endpoint string, args any) ([]byte, error) {
	if args == nil {
		args = struct{}{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encoding the arguments of %s: %w", endpoint, err)
	}
	if len(raw) == 0 || raw[0] != '{' {
		return nil, fmt.Errorf("the arguments of %s are no JSON object", endpoint)
	}
	if streamID == "" {
		return nil, fmt.Errorf("the stream of %s has no id", endpoint)
	}
	type payload struct {
		Args json.RawMessage `json:"args"`
	}
	return json.Marshal(struct {
		Type     string  `json:"type"`
		StreamID string  `json:"streamId"`
		Endpoint string  `json:"endpoint"`
		Payload  payload `json:"payload"`
	}{"open", streamID, endpoint, payload{raw}})
}

// CancelFrame encodes the end of a stream that its client does not want any more.
func CancelFrame(streamID string) []byte {
	raw, _ := json.Marshal(struct { // of strings alone: never fails
		Type     string `json:"type"`
		StreamID string `json:"streamId"`
	}{"cancel", streamID})
	return raw
}
