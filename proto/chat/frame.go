// Package chat is the contract between the host and whatever shows a chat: the
// NDJSON frames of a run, the HTTP bodies, the error codes (design §5).
package chat

// Frame is one line of a run's stream. Run and Seq are on every frame; Seq
// rises by one per run, from 1. The other fields belong to the types named
// beside them.
type Frame struct {
	Run  string    `json:"run"`
	Seq  int64     `json:"seq"`
	Type FrameType `json:"type"`

	Agent     any    `json:"agent,omitempty"`     // start: bool, false on the direct path; agent: *Helper
	Mode      string `json:"mode,omitempty"`      // start
	Model     string `json:"model,omitempty"`     // start
	SessionID string `json:"sessionId,omitempty"` // start; absent on the direct path

	Sentence             // reasoning, delta, status, notice, error
	Own        bool      `json:"own,omitempty"`     // delta: the host's own words
	Code       Code      `json:"code,omitempty"`    // notice, error
	Details    string    `json:"details,omitempty"` // notice, error: technical text
	Actions    []string  `json:"actions,omitempty"` // error: what the page may offer
	Tool       *Tool     `json:"tool,omitempty"`    // agent-tool
	*ToolDraft           // agent-tool-draft
	*Context             // context
	Message    *Message  `json:"message,omitempty"`      // message
	Plan       *Plan     `json:"plan,omitempty"`         // plan
	Snapshot   *Snapshot `json:"snapshot,omitempty"`     // reset
	Usage      *Usage    `json:"usage,omitempty"`        // done
	Finish     string    `json:"finishReason,omitempty"` // done
	Cancelled  *bool     `json:"cancelled,omitempty"`    // done
}

// FrameType names what a frame carries.
type FrameType string

// The frame types of design §5. Every run ends with exactly one Done or Failed.
const (
	Queued     FrameType = "queued"
	Started    FrameType = "start"
	Reasoning  FrameType = "reasoning"
	Delta      FrameType = "delta"
	AgentTool  FrameType = "agent-tool"
	AgentDraft FrameType = "agent-tool-draft"
	AgentRow   FrameType = "agent"
	ContextUse FrameType = "context"
	Status     FrameType = "status"
	Heard      FrameType = "message" // the running turn has read a further message of the person's
	PlanReady  FrameType = "plan"
	Notice     FrameType = "notice"
	Reset      FrameType = "reset"
	Failed     FrameType = "error"
	Done       FrameType = "done"
)

// Ends tells whether a frame of this type is a run's last.
func (t FrameType) Ends() bool { return t == Failed || t == Done }

// Sentence is text for a person. Key is the English sentence with {name}
// places, by which a page translates it; Args fill the places. Model text has
// no key.
type Sentence struct {
	Text string            `json:"text,omitempty"`
	Key  string            `json:"key,omitempty"`
	Args map[string]string `json:"args,omitempty"`
}

// Tool is a tool call's card: an upsert by ID.
type Tool struct {
	ID    string    `json:"id"` // call id; <helper session>:<call id> for a helper's
	Name  string    `json:"name"`
	Title string    `json:"title"`
	State ToolState `json:"state"`
	// TitleKey is Title's English template, TitleArgs what fills its {name} places; a
	// title may be cut.
	TitleKey  string            `json:"titleKey,omitempty"`
	TitleArgs map[string]string `json:"titleArgs,omitempty"`
	// Reason is the gate's sentence on a proposed or denied card.
	Reason string `json:"reason,omitempty"`
	// ReasonKey is Reason's English template, ReasonArgs what fills its {name}
	// places; they come with a proposed card, a moment after it.
	ReasonKey  string            `json:"reasonKey,omitempty"`
	ReasonArgs map[string]string `json:"reasonArgs,omitempty"`
	// Save says how far a yes to a proposed card may reach; it comes with ReasonKey.
	Save   *SaveOffer `json:"save,omitempty"`
	Input  string     `json:"input,omitempty"`  // JSON text of the arguments
	Result string     `json:"result,omitempty"` // plain text, at most 64 KiB
	// ResultKey and ResultArgs are those of the sentence that Result begins with, where a
	// call did not do its work.
	ResultKey  string            `json:"resultKey,omitempty"`
	ResultArgs map[string]string `json:"resultArgs,omitempty"`
	// Details is the technical text of a failure.
	Details string `json:"details,omitempty"`
	// Digest is what an answer to a proposed card is bound to (abi.Digest).
	Digest     string `json:"digest,omitempty"`
	DurationMs int64  `json:"durationMs,omitempty"`
}

// SaveOffer is what can be saved with a yes. Without scopes nothing can, and the
// sentence says why.
type SaveOffer struct {
	Scopes  []string `json:"scopes"`            // of chat and always
	Scope   string   `json:"scope,omitempty"`   // how far a yes reaches that names no scope: once, or chat
	Pattern string   `json:"pattern,omitempty"` // the narrowest; a person may edit it; one line a permission
	Sentence
}

// ToolState is where a tool call stands.
type ToolState string

// The states of a card.
const (
	ToolRunning  ToolState = "running"
	ToolProposed ToolState = "proposed" // waits for the person; nothing has happened
	ToolDone     ToolState = "done"
	ToolDenied   ToolState = "denied" // did not run
	ToolError    ToolState = "error"
)

// ToolDraft is a file being written in a call's arguments.
type ToolDraft struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Size  int    `json:"size"`
	Lines int    `json:"lines"`
	Tail  string `json:"tail"`
}

// Helper is a helper agent's row.
type Helper struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Status      string `json:"status"` // running, done, failed, stopped
	DurationMs  int64  `json:"durationMs"`
	Tokens      int64  `json:"tokens"`
	UpdatedAt   int64  `json:"updatedAt"` // Unix milliseconds
}

// Context says how full the window is.
type Context struct {
	Tokens  int64  `json:"tokens"`
	Window  int64  `json:"window"`
	Percent int    `json:"percent"`
	Source  string `json:"source"` // measured or estimated
}

// Plan is a plan turn's proposal.
type Plan struct {
	Text string `json:"text"`
	// Caution says why the turn was ended before the assistant was done; CautionKey is
	// its English template, CautionArgs what fills its {name} places.
	Caution     string            `json:"caution,omitempty"`
	CautionKey  string            `json:"cautionKey,omitempty"`
	CautionArgs map[string]string `json:"cautionArgs,omitempty"`
}

// Usage is what a run used, in tokens.
type Usage struct {
	Prompt     int64 `json:"promptTokens"`
	Completion int64 `json:"completionTokens"`
	Cached     int64 `json:"cachedTokens"`
}

// Snapshot stands for the frames that a replay log no longer holds.
type Snapshot struct {
	Messages []Message `json:"messages"`          // the chat so far, the running turn included
	Context  *Context  `json:"context,omitempty"` // the newest that is known
}

// Message is one entry of a chat's history.
type Message struct {
	Role      string `json:"role"` // user or assistant
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Tools     []Tool `json:"tools,omitempty"`
	// Helpers are the rows of helper agents that worked on this turn.
	Helpers []Helper `json:"helpers,omitempty"`
	// Notes are the host's own sentences that belong to this turn (stopped, failed).
	Notes []Note `json:"notes,omitempty"`
	Time  int64  `json:"time"`                // Unix milliseconds
	RPCID string `json:"requestId,omitempty"` // user: the request that sent it
	// Pictures went with a user's message.
	Pictures []Picture `json:"pictures,omitempty"`
}

// Note is a sentence of the host's in a chat's history: what a delta of its own, a notice
// or an error frame said.
type Note struct {
	Sentence
	Code    Code     `json:"code,omitempty"`    // of a notice or an error
	Details string   `json:"details,omitempty"` // technical text
	Actions []string `json:"actions,omitempty"` // of an error: what the page may offer
}

// Picture is one that went with a message. The picture itself is with the agent.
type Picture struct {
	Name      string `json:"name,omitempty"`
	MediaType string `json:"mediaType"`
}
