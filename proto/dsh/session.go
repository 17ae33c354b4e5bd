package dsh

import "encoding/json"

// Subagent is the data of subagent/descriptor, in the helper's own log.
type Subagent struct {
	Version  int    `json:"version,omitempty"`
	Mode     string `json:"mode"` // one-shot or continuable
	Provider string `json:"provider"`
	Label    string `json:"label"`
	Model    string `json:"agentModel,omitempty"`
}

// Title is the data of session/title. Its source is fallback (the first words of
// the first message), provider (a model made it) or user (renamed).
type Title struct {
	Title  string   `json:"title"`
	Source KindOnly `json:"source"`
}

// Compaction is the data of compaction/start and compaction/end.
type Compaction struct {
	CompactionID string          `json:"compactionId"`
	Turn         *int            `json:"turn"` // nil when it ran between turns
	Error        json.RawMessage `json:"error,omitempty"`
}

// CompactionSummary is the data of compaction/summary: what stands for the events
// of Range from now on.
type CompactionSummary struct {
	CompactionID string  `json:"compactionId"`
	Summary      []Block `json:"summary"`
	Range        struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	} `json:"shadowedRange"`
	Tokens   int64  `json:"shadowedTokenCount"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Usage    *Usage `json:"usage,omitempty"`
}

// Splice is the data of agent/inbox/spliced: a change of what waits for the next
// turn or the next step. A prompt is taken once it is in Inserted.
type Splice struct {
	Target       string    `json:"target"` // next-turn or next-step
	Start        int       `json:"start"`
	RemovedCount int       `json:"removedCount,omitempty"`
	Inserted     []Message `json:"inserted"`
	Outcome      string    `json:"outcome,omitempty"`
}

// QueueItem is a message that waits. Placement is queued (next turn), steering
// (a person's, next step) or context (anyone else's, next step).
type QueueItem struct {
	ID        string  `json:"id"`
	Placement string  `json:"placement"`
	Message   Message `json:"message"`
}

// Goal is a long-running objective. Phase is active, paused, blocked or complete.
type Goal struct {
	ID            string   `json:"id"`
	Revision      int64    `json:"revision"`
	Objective     string   `json:"objective"`
	Phase         string   `json:"phase"`
	BlockedReason *Blocked `json:"blockedReason,omitempty"`
	MaxGoalRounds int      `json:"maxGoalRounds"`
}

// GoalRef names a goal as of a revision: what was changed since is not overwritten.
type GoalRef struct {
	ID       string `json:"id"`
	Revision int64  `json:"revision"`
}

// GoalView is what goals/get answers: flat, unlike the projection goal. Activation is
// armed, or disarmed, such as after a restart until it is resumed.
type GoalView struct {
	Goal
	RoundsStarted int    `json:"roundsStarted"`
	CreatedAt     int64  `json:"createdAt"` // Unix milliseconds
	UpdatedAt     int64  `json:"updatedAt"` // Unix milliseconds
	Activation    string `json:"activation"`
}

// Blocked says why a goal is blocked, such as round-limit.
type Blocked struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// GoalChange is the data of goal/change. Goal is nil when it was cleared.
type GoalChange struct {
	Operation     string `json:"operation"` // create, edit, pause, resume, complete, block, clear
	Goal          *Goal  `json:"goal,omitempty"`
	RoundsStarted int    `json:"roundsStarted"`
	CreatedAt     int64  `json:"createdAt,omitempty"` // Unix milliseconds
	UpdatedAt     int64  `json:"updatedAt,omitempty"` // Unix milliseconds
}
