// Package gateway is one interface over the Harness's wires. gateway/eventsmux
// speaks the one of 0.1.0; gateway/remotemux (≥ 0.1.5) has the same interface.
package gateway

import (
	"context"
	"encoding/json"

	"strata.dev/bridge/proto/dsh"
)

// Gateway is a connection to one running Harness. It keeps itself connected: a
// lost socket is opened again with full jitter, and what was missed is read from
// the log, so that a Stream never has a hole. All methods may be called at once
// from many goroutines. Errors are *Error where the Harness answered, and wrap
// ErrLost where it could not be reached.
type Gateway interface {
	// Wire names the wire: "events.mux" or "remote.mux".
	Wire() string
	// Describe answers once the Harness serves requests.
	Describe(ctx context.Context) (Info, error)
	// CreateSession makes a new session; CWD is absolute. One that did not join the
	// preset is an *Error with CodeNotJoined: its agent has no tools. With preset "" it
	// may join any.
	CreateSession(ctx context.Context, cwd, preset string) (sessionID string, err error)
	// SelectModel chooses the session's model for what is prompted next.
	SelectModel(ctx context.Context, sessionID string, m Model) error
	// Prompt hands a message over. RequestID makes it idempotent: where an earlier
	// try may have been taken, the session's log and queue are searched for it
	// before it is sent again.
	Prompt(ctx context.Context, p Prompt) error
	// Cancel asks the running turn to end. It is an admission only: wait for turn/end.
	Cancel(ctx context.Context, sessionID string) error
	// Execute runs a slash command of the Harness on the session.
	Execute(ctx context.Context, sessionID, line string) (CommandResult, error)
	// Snapshot reads a session's state: events with seq ≥ from, and projections.
	Snapshot(ctx context.Context, sessionID string, from int64) (Snapshot, error)
	// Sessions lists what the Harness knows.
	Sessions(ctx context.Context) ([]Session, error)
	// Rename sets a session's title.
	Rename(ctx context.Context, sessionID, title string) error
	// InterruptHelper stops a helper's turn (session.cancel on a helper is refused).
	InterruptHelper(ctx context.Context, parentID, helperID string) error
	// Follow gives a session's events with seq > after, in order, without a hole,
	// then live, until the Stream is closed or the Gateway is. The context bounds
	// the call only. ErrRewound: the log ends before after.
	Follow(ctx context.Context, sessionID string, after int64) (Stream, error)
	// Watch gives what happens outside session logs, beginning with the approvals
	// that are pending. After a reconnect the pending ones are given again with
	// the same ID; one that was resolved meanwhile is given as ApprovalResolved.
	Watch() Watcher
	// Answer answers an approval. A second answer is an *Error with CodeNotPending.
	Answer(ctx context.Context, a Answer) error
	// Close ends all streams and sockets.
	Close() error
}

// Unqueuer is a Gateway whose wire can take back a message that waits in a session.
type Unqueuer interface {
	// Unqueue removes the waiting message of that id (dsh.Message.ID). One that does
	// not wait any more is an *Error.
	Unqueue(ctx context.Context, sessionID, messageID string) error
}

// Archiver is a Gateway whose wire can put a session away.
type Archiver interface {
	// Archive hides a session from the Harness's own lists; its log stays. Doing so
	// again is no error.
	Archive(ctx context.Context, sessionID string) error
}

// Goals is a Gateway whose wire has goals. A change of a goal that is not as the
// reference says any more is an *Error. How a goal stands is the projection KeyGoal of a
// Snapshot: goals/get is missing in the older Harnesses.
type Goals interface {
	// CreateGoal sets one; MaxRounds 0 leaves the number to the Harness.
	CreateGoal(ctx context.Context, sessionID, objective string, maxRounds int) (dsh.GoalRef, error)
	// EditGoal changes what is not "" or 0.
	EditGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, objective string, maxRounds int) error
	// ChangeGoal does what verb says: pause, resume, complete or clear.
	ChangeGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, verb string) error
}

// HelperPrompter is a Gateway whose wire can speak to a helper.
type HelperPrompter interface {
	// PromptHelper hands a message to a helper that goes on; p.SessionID is the
	// helper's. RequestID makes it idempotent.
	PromptHelper(ctx context.Context, parentID string, p Prompt) error
}

// Console is a Gateway for people who look for what is wrong with a wire.
type Console interface {
	Gateway
	// Call makes any request and gives the answer's value, nil where it has none.
	// Payload is what the wire calls so; of remote.mux it is what is under args.
	Call(ctx context.Context, method string, payload json.RawMessage) (json.RawMessage, error)
	// Skipped lists what of the Harness's frames and answers was left out.
	Skipped() []dsh.Skip
}

// Info is what the Harness says of itself. A wire that does not say it leaves it "".
type Info struct {
	Version string
	CWD     string
}

// Model names a route, and a thinking level or "".
type Model struct {
	Provider, ID, Effort string
}

// Prompt is a message for a session. Steer puts it into the running turn.
type Prompt struct {
	SessionID string
	RequestID string
	Text      string
	Images    []Image
	Steer     bool
	// Resend says that an earlier try with this RequestID may have been taken.
	Resend bool
}

// CommandResult is what a slash command answered. Found is false for a command
// the Harness does not have.
type CommandResult struct {
	Found bool
	OK    bool
	Text  string
}

// Snapshot is a session's log from a seq on and its projections by key, both as of
// LastSeq.
type Snapshot struct {
	Events  []dsh.Event
	LastSeq int64 // of the newest event; -1 for an empty log
	// Running says that the log's last turn has not ended.
	Running     bool
	Projections map[string]json.RawMessage
}

// Session is one row of the Harness's list.
type Session struct {
	ID        string `json:"id"`
	ParentID  string `json:"parentId,omitempty"`
	Origin    string `json:"origin,omitempty"` // "subagent" for a helper
	Title     string `json:"title,omitempty"`
	CWD       string `json:"cwd,omitempty"`
	Running   bool   `json:"running"`
	UpdatedAt int64  `json:"updatedAt,omitempty"` // Unix milliseconds
}

// Stream is a session's events, without a hole. One goroutine reads it; Close may
// be called from any.
type Stream interface {
	// Next waits for the next item. The error of an ended stream is ErrClosed,
	// ErrSlow, ErrRewound, the Harness's *Error (the log cannot be read any more),
	// or ErrLost wrapped once the Gateway gave up reconnecting. An error of the
	// context ends the call, not the stream.
	Next(ctx context.Context) (Item, error)
	Close()
}

// Item is one delivery of a Stream: an event, a projection's new value, or a piece
// of an answer while it is made; exactly one field is set.
// Projections are delivered in order with the events but are not replayed: where
// events are read from the log (at the start, after a reconnect) the current
// values follow them once.
type Item struct {
	Event      *dsh.Event  `json:"event,omitempty"`
	Projection *Projection `json:"projection,omitempty"`
	// Live is set on the wire of 0.1.5 and later, where deltas are no events (on the
	// older one they are, of type assistant/chunk). Turn and Step are set in all of an
	// attempt's frames. Each attempt is given from its start, its chunks by rising
	// Index, and each has its end, also where a reconnect lies between. A start of
	// the same AttemptID again means: what came of it so far is void.
	Live *dsh.Live `json:"live,omitempty"`
}

// Projection is a folded value the Harness keeps beside the log.
type Projection struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
	Seq   int64           `json:"seq"`
}

// Watcher gives Notices in order. A watcher that falls 4,096 behind is closed
// with ErrSlow. One goroutine reads it; Close may be called from any.
type Watcher interface {
	// Next waits for the next notice. The error of an ended watcher is ErrClosed,
	// ErrSlow, or ErrLost wrapped once the Gateway gave up reconnecting. An error
	// of the context ends the call, not the watcher.
	Next(ctx context.Context) (Notice, error)
	Close()
}

// Notice is one thing that happened outside a session's log; exactly one field
// is set. Its JSON is for people (Console).
type Notice struct {
	Approval      *Approval      `json:"approval,omitempty"`
	Resolved      *Resolved      `json:"resolved,omitempty"`
	Question      *Question      `json:"question,omitempty"`
	SessionAdded  *Session       `json:"sessionAdded,omitempty"`
	SessionGone   string         `json:"sessionGone,omitempty"`
	SessionStatus *SessionStatus `json:"sessionStatus,omitempty"`
	Queue         *Queue         `json:"queue,omitempty"`
	Connection    *Connection    `json:"connection,omitempty"`
}

// Approval is a pending question of the approval service. ID stays the same
// across reconnects and is what Answer takes.
type Approval struct {
	ID         string `json:"id"`
	SessionID  string `json:"sessionId"`
	ApprovalID string `json:"approvalId"`
	CallID     string `json:"callId,omitempty"`
	Tool       string `json:"tool"`
	Reason     string `json:"reason,omitempty"`
}

// Resolved says that an approval is over, whoever answered.
type Resolved struct {
	SessionID  string `json:"sessionId"`
	ApprovalID string `json:"approvalId"`
	Outcome    string `json:"outcome"`
}

// Question is a question of the agent's own (ask_user_question).
type Question struct {
	ID        string `json:"id"`
	SessionID string `json:"sessionId"`
}

// Queue is what waits in a session for its next turn or step, after each change.
type Queue struct {
	SessionID string          `json:"sessionId"`
	Items     []dsh.QueueItem `json:"items"`
}

// SessionStatus says whether a turn is running.
type SessionStatus struct {
	SessionID string `json:"sessionId"`
	Running   bool   `json:"running"`
}

// Connection says that the sockets were lost (Err set) or stand again. An Err that
// is an *Error is final: the Gateway has given up.
type Connection struct {
	Up  bool
	Err error
}

// MarshalJSON gives the error as its text.
func (c Connection) MarshalJSON() ([]byte, error) {
	v := struct {
		Up  bool   `json:"up"`
		Err string `json:"error,omitempty"`
	}{Up: c.Up}
	if c.Err != nil {
		v.Err = c.Err.Error()
	}
	return json.Marshal(v)
}

// Answer is a person's answer to an approval.
type Answer struct {
	ID         string // Approval.ID
	SessionID  string
	ApprovalID string
	Allow      bool
}
