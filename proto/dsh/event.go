// Package dsh is the Harness's own vocabulary: session events, content blocks,
// turn ends, usage and projections, with tolerant decoders (harness-rc8.md §2-3,
// harness-wire.md). It knows nothing of either wire.
package dsh

import "encoding/json"

// Event is one entry of a session's log. Data is decoded by Decode.
type Event struct {
	Type string          `json:"type"`
	Seq  int64           `json:"seq"`  // rises by one per session, from 0
	Time int64           `json:"time"` // Unix milliseconds
	Data json.RawMessage `json:"data"`
}

// Event types that the bridge reads. Any other type is skipped and counted.
const (
	TypeTurnStart         = "turn/start"
	TypeTurnEnd           = "turn/end"
	TypeStepStart         = "step/start"
	TypeStepEnd           = "step/end"
	TypeUserMessage       = "user/message"
	TypeAssistantChunk    = "assistant/chunk" // 0.1.0: live deltas are logged
	TypeAssistantMessage  = "assistant/message"
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
	TypeSessionTitle      = "session/title"
	TypeGoalChange        = "goal/change"
	TypeInboxSpliced      = "agent/inbox/spliced"
)

// Turn is the data of turn/start.
type Turn struct {
	Turn int `json:"turn"`
}

// Step is the data of step/start and step/end.
type Step struct {
	Turn int `json:"turn"`
	Step int `json:"step"`
}

// TurnEnd is the data of turn/end.
type TurnEnd struct {
	Turn   int       `json:"turn"`
	Reason EndReason `json:"reason"`
}

// EndReason says how a turn ended. Kind is one of completed, aborted, blocked,
// error, max-tokens, interrupted, forked (harness-contract.txt); Cause is set
// for aborted (user, parent, hook, disposed, legacy), Error for error.
type EndReason struct {
	Kind  string     `json:"kind"`
	Cause *KindOnly  `json:"reason,omitempty"`
	Error *LLMFailed `json:"error,omitempty"`
}

// KindOnly is an object of which only its kind matters here.
type KindOnly struct {
	Kind string `json:"kind"`
}

// LLMFailed is a failed model request. Code is AUTH, RATE_LIMIT, TRANSPORT,
// CONTEXT_WINDOW_EXCEEDED, MISSING_CREDENTIAL, INVALID_REQUEST, SERVER, …
type LLMFailed struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
}

// Usage is a model request's token count. InputTokens leaves out what was read
// from the provider's cache.
type Usage struct {
	InputTokens      int64 `json:"inputTokens"`
	OutputTokens     int64 `json:"outputTokens"`
	CacheReadTokens  int64 `json:"cacheReadTokens,omitempty"`
	CacheWriteTokens int64 `json:"cacheWriteTokens,omitempty"`
	ReasoningTokens  int64 `json:"reasoningTokens,omitempty"`
	TotalTokens      int64 `json:"totalTokens,omitempty"`
}

// Prompt is the size of what was sent: fresh and cached input together.
func (u Usage) Prompt() int64 { return u.InputTokens + u.CacheReadTokens + u.CacheWriteTokens }

// Source tells where a message came from. Kind is user, plugin, model, tool,
// goal, subagent-settled, …; RPCID is the request id of the prompt that a user
// message came from, CallID the tool call a result answers.
type Source struct {
	Kind     string `json:"kind"`
	RPCID    string `json:"rpcId,omitempty"`
	CallID   string `json:"callId,omitempty"`
	Plugin   string `json:"plugin,omitempty"`
	Sender   string `json:"senderSessionId,omitempty"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// Message is a user, assistant or tool message.
type Message struct {
	ID      string  `json:"id"`
	Role    string  `json:"role"`
	Content []Block `json:"content"`
	Source  Source  `json:"source"`
}

// Block is one content block. Type is text, reasoning, tool-call, tool-result,
// image, …; the other fields belong to the types named beside them.
type Block struct {
	Type       string  `json:"type"`
	Text       string  `json:"text,omitempty"`       // text, reasoning
	ID         string  `json:"id,omitempty"`         // tool-call
	Name       string  `json:"name,omitempty"`       // tool-call
	Arguments  string  `json:"arguments,omitempty"`  // tool-call: JSON text as the model wrote it
	ToolCallID string  `json:"toolCallId,omitempty"` // tool-result
	Content    []Block `json:"content,omitempty"`    // tool-result
	IsError    bool    `json:"isError,omitempty"`    // tool-result
	MediaType  string  `json:"mediaType,omitempty"`  // image
}

// AssistantChunk is the data of assistant/chunk (0.1.0).
type AssistantChunk struct {
	Turn  int   `json:"turn"`
	Step  int   `json:"step"`
	Chunk Chunk `json:"chunk"`
}

// Chunk is one piece of a streamed answer. Type is block-start, text-delta,
// reasoning-delta, tool-call-delta, block-end, usage or finish.
type Chunk struct {
	Type           string     `json:"type"`
	Index          int        `json:"index"`
	BlockType      string     `json:"blockType,omitempty"`
	Text           string     `json:"text,omitempty"`
	ID             string     `json:"id,omitempty"`
	Name           string     `json:"name,omitempty"`
	ArgumentsDelta string     `json:"argumentsDelta,omitempty"`
	Block          *Block     `json:"block,omitempty"`
	Usage          *Usage     `json:"usage,omitempty"`
	Reason         *EndReason `json:"reason,omitempty"` // finish
}

// AssistantMessage is the data of assistant/message.
type AssistantMessage struct {
	Turn        int     `json:"turn"`
	Step        int     `json:"step"`
	Message     Message `json:"message"`
	Usage       *Usage  `json:"usage,omitempty"`
	Interrupted bool    `json:"interrupted,omitempty"`
}

// ToolCall is the data of tool/call; Arguments is JSON text.
type ToolCall struct {
	Turn      int    `json:"turn"`
	Step      int    `json:"step"`
	CallID    string `json:"callId"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// ToolResult is the data of tool/result.
type ToolResult struct {
	Turn    int     `json:"turn"`
	Step    int     `json:"step"`
	Message Message `json:"message"`
	Error   *Coded  `json:"error,omitempty"`
}

// Coded is an error of which code and message are known.
type Coded struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Approval is the data of approval/asked (Reason) and approval/decided (Outcome:
// allowed-once, rejected, cancelled, unavailable).
type Approval struct {
	ID       string `json:"id"`
	ToolName string `json:"toolName,omitempty"`
	CallID   string `json:"callId,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Outcome  string `json:"outcome,omitempty"`
}

// Command is the data of command/run and command/done.
type Command struct {
	CommandID string `json:"commandId"`
	Name      string `json:"name,omitempty"`
	Kind      string `json:"kind,omitempty"` // done: success or error
	Text      string `json:"text,omitempty"`
}

// Subagent is the data of subagent/descriptor, in the helper's own log.
type Subagent struct {
	Mode     string `json:"mode"` // one-shot or continuable
	Provider string `json:"provider"`
	Label    string `json:"label"`
	Model    string `json:"agentModel,omitempty"`
}

// RequestContext is the data of request/context.
type RequestContext struct {
	Provider      string `json:"provider"`
	Model         string `json:"model"`
	ContextWindow int64  `json:"contextWindow"`
}

// Retry is the data of llm/retry.
type Retry struct {
	Retry      int       `json:"retry"`
	MaxRetries int       `json:"maxRetries"`
	DelayMs    float64   `json:"delayMs"`
	Failure    LLMFailed `json:"failure"`
}

// Splice is the data of agent/inbox/spliced: what was put into or taken out of
// the messages that wait. Target is next-turn or next-step; a prompt waits in
// next-turn until its turn claims it (RemovedCount).
type Splice struct {
	Target       string    `json:"target"`
	Start        int       `json:"start"`
	RemovedCount int       `json:"removedCount,omitempty"`
	Inserted     []Message `json:"inserted"`
}

// Title is the data of session/title.
type Title struct {
	Title string `json:"title"`
}

// Compaction is the data of compaction/start and compaction/end.
type Compaction struct {
	CompactionID string          `json:"compactionId"`
	Error        json.RawMessage `json:"error,omitempty"`
}

// Value is one of the two string-valued switches: sandbox/mode (Mode) or
// approval/policy (Policy) or permission/preset (Preset).
type Value struct {
	Mode   string `json:"mode,omitempty"`
	Policy string `json:"policy,omitempty"`
	Preset string `json:"preset,omitempty"`
}
