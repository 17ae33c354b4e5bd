package dsh

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
	GoalID   string `json:"goalId,omitempty"`   // goal
	Revision int64  `json:"revision,omitempty"` // goal
	Round    int    `json:"round,omitempty"`    // goal
	// CompactionID is set for the message that stands for compacted ones.
	CompactionID string `json:"compactionId,omitempty"`
}

// Message is a user, assistant or tool message.
type Message struct {
	ID      string  `json:"id"`
	Role    string  `json:"role"`
	Content []Block `json:"content"`
	Source  Source  `json:"source"`
	// ToolCallID and IsError belong to a tool's result, whose Role is tool from 0.1.5
	// on; in 0.1.0 they are in its block.
	ToolCallID string `json:"toolCallId,omitempty"`
	IsError    bool   `json:"isError,omitempty"`
}

// Block is one content block. Type is text, reasoning, tool-call, tool-result,
// image, …; the other fields belong to the types named beside them.
type Block struct {
	Type       string      `json:"type"`
	Text       string      `json:"text,omitempty"`       // text, reasoning
	ID         string      `json:"id,omitempty"`         // tool-call
	Name       string      `json:"name,omitempty"`       // tool-call
	Arguments  string      `json:"arguments,omitempty"`  // tool-call: JSON text as the model wrote it
	ToolCallID string      `json:"toolCallId,omitempty"` // tool-result
	Content    []Block     `json:"content,omitempty"`    // tool-result
	IsError    bool        `json:"isError,omitempty"`    // tool-result
	MediaType  string      `json:"mediaType,omitempty"`  // image given inline
	Attachment *Attachment `json:"attachment,omitempty"` // image in the Harness's store
}

// Attachment refers to a picture that the Harness keeps.
type Attachment struct {
	ID        string `json:"attachmentId"`
	MediaType string `json:"mediaType,omitempty"`
	Name      string `json:"name,omitempty"`
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
	// Stream is how the message came, from 0.1.5 on.
	Stream []Record `json:"stream,omitempty"`
}
