package abi

import "strings"

import "encoding/json"

// EffectLLM is one model request through the Harness: LLMRequest → LLMAnswer + the
// answer's text as body. The request's messages are those of the call's own caller;
// what goes out of them is named, so that no chat travels through a plugin.
const EffectLLM = "llm"

// EffectRestorePut keeps the messages of the call's own caller, as a transcript, in a file
// of the session's workspace, where the agent can read it: {} → RestorePutAnswer. The same
// messages are the same file, and a session's oldest ones go.
const EffectRestorePut = "restore.put"

// RestorePutAnswer names the file.
type RestorePutAnswer struct {
	Path string `json:"path"` // below the workspace, with slashes
}

// ContextOps is the context plugin's op table. A fault of any of them leaves the
// Harness's own figures and requests as they are.
var ContextOps = []Op{
	{Name: "observe", Sync: true, DeadlineMs: 1000},                                  // ContextObserve → ContextObserved
	{Name: "measure", Sync: true, DeadlineMs: 1000},                                  // ContextMeasure → ContextMeasured
	{Name: "cap", Sync: true, DeadlineMs: 1000},                                      // ContextCap → ContextCapped
	{Name: "refused", Sync: true, DeadlineMs: 1000},                                  // ContextRefusal → ContextRefused
	{Name: "select", Sync: true, DeadlineMs: 1000},                                   // ContextSurface → ContextSelection
	{Name: "summarize", Effects: []string{EffectLLM, EffectSleep, EffectRestorePut}}, // ContextSource → ContextSummary + its text
	{Name: "arith", Sync: true, Worker: true, DeadlineMs: 5_000},                     // ContextArith → ContextArithAnswer
}

// Kinds of a ContextEvent.
const (
	ContextNode   = "node"   // a message that the model sees
	ContextHeader = "header" // request/header: instructions, tools, route
	ContextWindow = "window" // request/context: the route's window
	// ContextFailed is a model request that failed, as its log has it. One that was refused
	// for its length is so still where the log is read again.
	ContextFailed = "failed"
	ContextBegun  = "begun"     // compaction/summary: how the summary begins
	ContextEnded  = "compacted" // compaction/end
	ContextOther  = "other"     // anything else: it moves the cursor alone
)

// ContextEvent is what the meter needs of one event of a session's log.
type ContextEvent struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"`
	// Tokens is a node's price as the Harness reckons it.
	Tokens int `json:"tokens,omitempty"`
	// Start and End are the range of nodes that this one stands for from now on,
	// where Replaces says so.
	Replaces bool  `json:"replaces,omitempty"`
	Start    int64 `json:"start,omitempty"`
	End      int64 `json:"end,omitempty"`
	// Prompt is the size of the prompt that the model server reported for the answer
	// that this node is, in tokens: input and cache. 0: it reported none.
	Prompt int `json:"prompt,omitempty"`
	// System and Tools are a header's texts in UTF-16 units, the tools as JSON.
	System int `json:"system,omitempty"`
	Tools  int `json:"tools,omitempty"`
	// Route is a header's provider and model, Output the reply that it reserves.
	Route  string `json:"route,omitempty"`
	Output int    `json:"output,omitempty"`
	// Window is the route's, in tokens.
	Window int `json:"window,omitempty"`
	// Code, Status and Message are a failure's; Message is also how a summary begins and
	// why a compaction failed, "" where it did not.
	Code    string `json:"code,omitempty"`
	Status  int    `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
}

// ContextObserve feeds the meter of a session: the events from Cursor on, in order.
type ContextObserve struct {
	Session string `json:"session"`
	// Cursor is the seq of the first event of those, and must be where the meter
	// stands; at 0 it begins anew.
	Cursor int64          `json:"cursor"`
	Events []ContextEvent `json:"events"`
	// Close lets the session go.
	Close bool `json:"close,omitempty"`
}

// ContextObserved says where the meter stands now.
type ContextObserved struct {
	Cursor int64 `json:"cursor"`
	// Stale says that it stood elsewhere and took nothing in.
	Stale bool `json:"stale,omitempty"`
}

// ContextMeasure asks how full a session is.
type ContextMeasure struct {
	Session string `json:"session"`
	Cursor  int64  `json:"cursor"` // seq of the next event, as the asker knows it
	// Surface is the Harness's own price of the messages, 0 where it is not known. One
	// that is not the meter's says that the meter missed something.
	Surface int `json:"surface,omitempty"`
	// Routed is that price by what the route counts for a message, as for a picture, where
	// the Harness has one beside the ledger's. No prompt is taken for less.
	Routed int `json:"routed,omitempty"`
}

// Sources of a ContextMeasured.
const (
	Measured  = "measured"  // from a size that the model server reported
	Estimated = "estimated" // by the Harness's rule of thumb
)

// ContextMeasured is how full a session is. All sizes are tokens.
type ContextMeasured struct {
	// Stale says that this instance has not seen the session up to the cursor; the
	// Harness's figures hold until it has.
	Stale  bool   `json:"stale,omitempty"`
	Cursor int64  `json:"cursor"`
	Tokens int    `json:"tokens"` // of the next prompt
	Window int    `json:"window,omitempty"`
	Source string `json:"source,omitempty"`
	// Density is how many tokens of the server one of the Harness's stands for.
	Density float64 `json:"density,omitempty"`
	// Fixed is what every request carries: instructions and tools.
	Fixed int `json:"fixed,omitempty"`
	// Compact says that earlier messages are to be summarized before the next request.
	Compact bool `json:"compact,omitempty"`
	// Hopeless says that a prompt of this size was refused: it is not sent again.
	Hopeless bool `json:"hopeless,omitempty"`
	// Stuck is why summarizing is not tried again by itself, one of the Said
	// sentences; "" where it is.
	Stuck string `json:"stuck,omitempty"`
	// Outline says that the newest summary is none, but SaidOutline and what follows.
	Outline bool `json:"outline,omitempty"`
	// Kept is the file that has what such an outline leaves out (OutlineFile); "" is none.
	Kept string `json:"kept,omitempty"`
}

// ContextCap asks how long a reply may be asked for.
type ContextCap struct {
	Session string `json:"session"`
	Cursor  int64  `json:"cursor"`
	// Asked is the reply that the request asks for; 0 where it names none.
	Asked int `json:"asked,omitempty"`
	// Own says that somebody chose Asked; otherwise it is what the route reserves and
	// may be raised.
	Own bool `json:"own,omitempty"`
	// Most is the longest reply that the route takes; 0 is not known.
	Most  int    `json:"most,omitempty"`
	Route string `json:"route,omitempty"` // provider/model
}

// ContextCapped is the reply to ask for; 0 leaves the request as it is.
type ContextCapped struct {
	MaxTokens int `json:"maxTokens"`
}

// ContextRefusal is a model request that failed.
type ContextRefusal struct {
	Session string `json:"session"`
	Cursor  int64  `json:"cursor"`
	Route   string `json:"route,omitempty"`
	Code    string `json:"code"` // the Harness's
	Status  int    `json:"status,omitempty"`
	Message string `json:"message"`
	// Reply is the longer reply that the request asked for than the Harness would have, in
	// tokens; 0 where it asked for the Harness's own.
	Reply int `json:"reply,omitempty"`
}

// ContextRefused tells whether the request was refused because it is too long.
type ContextRefused struct {
	Overflow bool `json:"overflow"`
	// Cap says that the length of the reply that it asked for is why, or may be: asked
	// for as the Harness would, it may be taken.
	Cap bool `json:"cap,omitempty"`
}

// Triggers of a compaction.
const (
	TriggerPressure = "pressure"         // the chat is nearly full
	TriggerOverflow = "context-overflow" // a request was refused
	TriggerManual   = "manual"           // a person wants it
)

// Kinds of a ContextPiece.
const (
	PieceAnswer  = "answer"  // the model's
	PieceSummary = "summary" // stands for messages that were summarized before
	PieceFixed   = "fixed"   // instructions of the Harness, which stay
)

// ContextPiece is one node of the surface, or one message of a summary's source.
type ContextPiece struct {
	Seq    int64 `json:"seq,omitempty"`
	Tokens int   `json:"tokens"` // the Harness's price
	// Units is its text as it stands in a transcript, in UTF-16 units.
	Units int `json:"units,omitempty"`
	// Kind is one of the Piece constants; "" is any other message.
	Kind string `json:"kind,omitempty"`
	// Calls and Results are the tool calls that it makes and those that it answers.
	Calls   int `json:"calls,omitempty"`
	Results int `json:"results,omitempty"`
	// Said is how a person's message begins; "" for any other.
	Said string `json:"said,omitempty"`
}

// ContextSurface asks what of a session is to be summarized.
type ContextSurface struct {
	Session string         `json:"session"`
	Cursor  int64          `json:"cursor"`
	Trigger string         `json:"trigger"`
	Nodes   []ContextPiece `json:"nodes"`
	// Pruned says that long tool results have been shortened.
	Pruned bool `json:"pruned,omitempty"`
}

// ContextSelection is the range of nodes to summarize, both ends included. None says
// that there is nothing, and Why, one of the Said sentences, why.
type ContextSelection struct {
	// Prune says that long tool results are to be shortened first, and then asked again.
	Prune bool   `json:"prune,omitempty"`
	None  bool   `json:"none,omitempty"`
	Start int64  `json:"start,omitempty"`
	End   int64  `json:"end,omitempty"`
	Why   string `json:"why,omitempty"`
}

// ContextSource is what is to be summarized: the messages of a request, whose last one
// (not among them) is the Harness's instruction.
type ContextSource struct {
	Session  string         `json:"session"`
	Trigger  string         `json:"trigger"`
	Window   int            `json:"window,omitempty"` // of the route that summarizes; 0 is not known
	Asked    int            `json:"asked,omitempty"`  // the summary's cap that the request names
	System   int            `json:"system,omitempty"` // its instructions in UTF-16 units
	Tools    int            `json:"tools,omitempty"`  // its tools as JSON, in UTF-16 units
	Messages []ContextPiece `json:"messages"`
	// Instruction is the instruction's text in UTF-16 units.
	Instruction int `json:"instruction"`
}

// ContextSummary is a summary that was made; its text is the answer's body.
type ContextSummary struct {
	Pieces   int `json:"pieces"`   // 0: in one request, as it stood
	Requests int `json:"requests"` // that were made
	// Outline says that no model could be had, so that only what was asked is kept.
	Outline bool `json:"outline,omitempty"`
	Input   int  `json:"input,omitempty"` // tokens that the server reported
	Output  int  `json:"output,omitempty"`
}

// LLMRequest is what goes to the model.
type LLMRequest struct {
	// Whole sends the caller's request as it stands, except for MaxTokens and After.
	Whole bool `json:"whole,omitempty"`
	// Before stands before the parts, After behind the instruction.
	Before string    `json:"before,omitempty"`
	Parts  []LLMPart `json:"parts,omitempty"`
	After  string    `json:"after,omitempty"`
	// MaxTokens is the answer's cap.
	MaxTokens int `json:"maxTokens"`
}

// LLMPart is a message of the caller's, as text: all of it, or, where Head or Tail are
// set, its first and last UTF-16 units with Gap between them.
type LLMPart struct {
	Message int    `json:"message"` // index
	Head    int    `json:"head,omitempty"`
	Tail    int    `json:"tail,omitempty"`
	Gap     string `json:"gap,omitempty"`
}

// LLMAnswer is how the request ended.
type LLMAnswer struct {
	// Finish is the Harness's word: "stop", "max-tokens", "tool-calls", "error", "aborted".
	Finish  string `json:"finish"`
	Code    string `json:"code,omitempty"`
	Status  int    `json:"status,omitempty"`
	Message string `json:"message,omitempty"`
	Input   int    `json:"input,omitempty"` // tokens that the server reported
	Output  int    `json:"output,omitempty"`
}

// ContextArith is one call of the arithmetic: a function of context.md §3 by name.
type ContextArith struct {
	Fn    string          `json:"fn"`
	Input json.RawMessage `json:"input"`
}

// ContextArithAnswer is its value; null where there is none.
type ContextArithAnswer struct {
	Value any `json:"value"`
}

// Codes of a summary that was not made.
const (
	CodeNoSummary = "no-summary" // the model made none
	CodeNoGain    = "no-gain"    // it would free nothing
	CodeNoRoom    = "no-room"    // the window holds no piece of the history
	CodeStuck     = "stuck"      // two passes freed nothing; it is not tried again
)

// Sentences of a chat that cannot be summarized: what stands in the log's
// compaction/end, by which the host knows them again.
const (
	SaidNoSummary = "The model could not summarize the earlier messages."
	SaidNoGain    = "Summarizing the earlier messages would free no room."
	SaidNoRoom    = "This model's context window is too small to summarize the earlier messages."
	SaidStuck     = "Summarizing freed no room twice, so it is not tried again by itself. Write /compact to try once more, or start a new chat."
	SaidFixed     = "The agent's instructions and tools alone nearly fill this model's context window. Choose a model with a larger window."
)

// SaidOutline stands in what is kept of messages where no model made a summary of them.
const SaidOutline = "(No summary of this part of the conversation could be made. This is how the person's messages began.)"

// SaidKept stands behind SaidOutline where what was left out is in a file, whose path and a
// colon follow.
const SaidKept = "All of it is in the file "

// OutlineFile is the path below the workspace of the file that has what an outline leaves
// out; "" where there is none.
func OutlineFile(outline string) string {
	if _, rest, ok := strings.Cut(outline, SaidOutline+" "+SaidKept); ok {
		if path, _, ok := strings.Cut(rest, ":"); ok {
			return path
		}
	}
	return ""
}

// ContextSentences are those of a chat that cannot be summarized.
var ContextSentences = []string{SaidNoSummary, SaidNoGain, SaidNoRoom, SaidStuck, SaidFixed}
