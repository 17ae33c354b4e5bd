// Package dsh is the Harness's own vocabulary: session events, content blocks,
// turn ends, usage, queue and projections, with tolerant decoders (harness-rc8.md
// §2-3, harness-wire.md §7). It knows nothing of either wire.
//
// What it does not know is left out and counted (Counts), never an error: a newer
// Harness adds types and fields, and a chat has to go on.
package dsh

import "encoding/json"

// Event is one entry of a session's log. Data is decoded by Decode.
type Event struct {
	Type string          `json:"type"`
	Seq  int64           `json:"seq"`  // rises by one per session, from 0
	Time int64           `json:"time"` // Unix milliseconds
	Data json.RawMessage `json:"data"`
	// Surface says how the event changes what the model sees; nil for events that
	// are no part of it.
	Surface *Surface `json:"surfaceOp,omitempty"`
	// Sources are the events that this one was made of, such as a message's chunks.
	Sources []int64 `json:"sourceEventSeqs,omitempty"`
}

// Event types that the bridge reads. Any other type is skipped and counted.
const (
	TypeTurnStart         = "turn/start"
	TypeTurnEnd           = "turn/end"
	TypeStepStart         = "step/start"
	TypeStepEnd           = "step/end"
	TypeInboxSpliced      = "agent/inbox/spliced"
	TypeUserMessage       = "user/message"
	TypeAssistantChunk    = "assistant/chunk" // 0.1.0: live deltas are logged
	TypeAssistantMessage  = "assistant/message"
	TypeAssistantAttempt  = "assistant/attempt" // ≥ 0.1.5: a model request without a message
	TypeToolCall          = "tool/call"
	TypeToolResult        = "tool/result"
	TypeApprovalAsked     = "approval/asked"
	TypeApprovalDecided   = "approval/decided"
	TypeApprovalPolicy    = "approval/policy"
	TypePermissionPreset  = "permission/preset"
	TypeSandboxMode       = "sandbox/mode"
	TypeCommandRun        = "command/run"
	TypeCommandDone       = "command/done"
	TypeSubagent          = "subagent/descriptor"
	TypeRequestHeader     = "request/header"
	TypeRequestContext    = "request/context"
	TypeCompactionStart   = "compaction/start"
	TypeCompactionSummary = "compaction/summary"
	TypeCompactionEnd     = "compaction/end"
	TypeLLMRetry          = "llm/retry"
	TypeLLMRetryStarted   = "llm/retry-started"
	TypeSessionTitle      = "session/title"
	TypeGoalChange        = "goal/change"
	TypeStockSearch       = "web/deepseek-search-llm-request" // the Harness's own search has asked DeepSeek
)

// Surface is how an event changes the conversation that the model sees. Op is
// "append", or "replace" for a restatement of the events Start to End
// (compaction): a reader of the chat has seen those already and skips it.
type Surface struct {
	Op    string
	Start int64
	End   int64
}

// UnmarshalJSON reads the text "append" and the object {op,start,end}; any other
// shape gives an Op of "".
func (s *Surface) UnmarshalJSON(b []byte) error {
	*s = Surface{}
	if json.Unmarshal(b, &s.Op) == nil {
		return nil
	}
	var o struct {
		Op       string `json:"op"`
		Start    int64  `json:"start"`
		End      int64  `json:"end"`
		StartSeq int64  `json:"startSeq"` // ≥ 0.1.5
		EndSeq   int64  `json:"endSeq"`
	}
	if json.Unmarshal(b, &o) == nil {
		*s = Surface{Op: o.Op, Start: max(o.Start, o.StartSeq), End: max(o.End, o.EndSeq)}
	}
	return nil
}

// MarshalJSON writes the shape of 0.1.0.
func (s Surface) MarshalJSON() ([]byte, error) {
	if s.Op != "replace" {
		return json.Marshal(s.Op)
	}
	return json.Marshal(map[string]any{"op": s.Op, "start": s.Start, "end": s.End})
}
