package chat

// Task is a message that is sent by itself, at one time or again and again.
type Task struct {
	ID string `json:"id"`
	TaskSpec
	CreatedAt int64 `json:"createdAt"` // Unix milliseconds
	UpdatedAt int64 `json:"updatedAt"`
	// NextAt is when it runs next (Unix milliseconds); 0 is never: it is switched off,
	// or its one time is over.
	NextAt  int64       `json:"nextAt,omitempty"`
	Running *TaskRun    `json:"running,omitempty"`
	Last    *TaskResult `json:"last,omitempty"` // the newest result
}

// TaskSpec is what a person says of a task: the body of POST /api/tasks.
type TaskSpec struct {
	Name string `json:"name"`
	Text string `json:"text"` // the message
	// Of Cron and At there is exactly one. Cron is "minute hour day month weekday" or
	// @hourly, @daily, @weekly, @monthly, @yearly; At a time of a clock on the wall
	// (2026-12-24T18:00), or one with an offset (2026-12-24T18:00:00+01:00).
	Cron string `json:"cron,omitempty"`
	At   string `json:"at,omitempty"`
	Zone string `json:"zone,omitempty"` // IANA name; "" is the host's own
	Mode string `json:"mode,omitempty"` // plan, manual or bypass; "" is plan
	// Model, Thinking and CWD are as in StreamRequest.
	Model      string `json:"model,omitempty"`
	Thinking   string `json:"thinking,omitempty"`
	CWD        string `json:"cwd,omitempty"`
	MaxMinutes int    `json:"maxMinutes,omitempty"` // of a run; 0 is 60
	Disabled   bool   `json:"disabled,omitempty"`   // it runs only when it is told to
}

// TaskPatch is the body of PATCH /api/tasks/{id}; nil leaves as it is. A new Cron
// takes At away, and the reverse.
type TaskPatch struct {
	Name       *string `json:"name,omitempty"`
	Text       *string `json:"text,omitempty"`
	Cron       *string `json:"cron,omitempty"`
	At         *string `json:"at,omitempty"`
	Zone       *string `json:"zone,omitempty"`
	Mode       *string `json:"mode,omitempty"`
	Model      *string `json:"model,omitempty"`
	Thinking   *string `json:"thinking,omitempty"`
	CWD        *string `json:"cwd,omitempty"`
	MaxMinutes *int    `json:"maxMinutes,omitempty"`
	Disabled   *bool   `json:"disabled,omitempty"` // true stops a run under way
}

// TaskRun is a run of a task that has not ended.
type TaskRun struct {
	ID      string `json:"id"`              // of the result that it will have
	DueAt   int64  `json:"dueAt,omitempty"` // Unix milliseconds; 0: a person began it
	BegunAt int64  `json:"begunAt,omitempty"`
	Waits   bool   `json:"waits,omitempty"` // for others to end
	ChatID  string `json:"chatId"`          // by which it can be stopped
}

// TaskList is the body of GET /api/tasks, in the order of their names.
type TaskList struct {
	Tasks []Task `json:"tasks"`
}

// TaskOutcome is how a run of a task ended.
type TaskOutcome string

// The outcomes.
const (
	TaskDone    TaskOutcome = "done"
	TaskFailed  TaskOutcome = "failed"
	TaskStopped TaskOutcome = "stopped"
	TaskMissed  TaskOutcome = "missed"  // the host did not run, or the computer slept
	TaskSkipped TaskOutcome = "skipped" // the run before had not ended
)

// TaskResult is what a run of a task came to.
type TaskResult struct {
	ID      string      `json:"id"`
	TaskID  string      `json:"taskId"`
	Outcome TaskOutcome `json:"outcome"`
	Mode    string      `json:"mode,omitempty"`
	Model   string      `json:"model,omitempty"`
	// DueAt is when it was to run (0: a person began it), BegunAt when it did (0: it
	// did not), EndedAt when this was written down; all in Unix milliseconds.
	DueAt      int64 `json:"dueAt,omitempty"`
	BegunAt    int64 `json:"begunAt,omitempty"`
	EndedAt    int64 `json:"endedAt"`
	DurationMs int64 `json:"durationMs,omitempty"`
	// Times is how many runs in a row this stands for, where they were missed or
	// skipped; DueAt is that of the first.
	Times int `json:"times,omitempty"`
	// Note says in one sentence what a person should know: why it failed, that nothing
	// was changed, that requests were answered with no.
	Note Sentence `json:"note"`
	// Told is what else the host said during the run, such as why it ended a turn; the
	// newest ten.
	Told []Sentence `json:"told,omitempty"`
	Code Code       `json:"code,omitempty"` // of a failure
	// Details is the technical text of a failure.
	Details string `json:"details,omitempty"`
	Summary string `json:"summary,omitempty"` // the agent's last words, at most 16 KiB
	// Changes are the calls that changed something or may have, Refused those that a
	// person would have been asked about, or the mode does not allow: they did not run.
	// Of each at most 100 are kept; More counts the others.
	Changes []TaskAction `json:"changes,omitempty"`
	Refused []TaskAction `json:"refused,omitempty"`
	More    int          `json:"more,omitempty"`
	Usage   *Usage       `json:"usage,omitempty"` // what it cost, in tokens; nil where that is not known
}

// TaskAction is a tool call of a task's run.
type TaskAction struct {
	Tool   string   `json:"tool"`
	Title  string   `json:"title"`            // as on a card
	Reason Sentence `json:"reason,omitzero"`  // why it was not done
	Failed bool     `json:"failed,omitempty"` // it ran and failed, perhaps after a part of it
}

// TaskResults is the body of GET /api/tasks/{id}/results, the newest first.
type TaskResults struct {
	Results []TaskResult `json:"results"`
}

// Event is one thing that happened outside of chats: the data of an event of GET
// /api/events, whose name is its Type.
type Event struct {
	Type EventType  `json:"type"`
	Task *TaskEvent `json:"task,omitempty"` // task
}

// EventType names what an event tells.
type EventType string

// The event types.
const (
	EventTask  EventType = "task"
	EventReset EventType = "reset" // earlier events are no longer held: read anew what is shown
)

// TaskEvent tells what became of a task.
type TaskEvent struct {
	What   string      `json:"what"` // added, changed, removed, begun or ended
	TaskID string      `json:"taskId"`
	Name   string      `json:"name"`
	Result *TaskResult `json:"result,omitempty"` // ended
}

// What a TaskEvent tells.
const (
	TaskAdded   = "added"
	TaskChanged = "changed"
	TaskRemoved = "removed"
	TaskBegun   = "begun"
	TaskEnded   = "ended"
)
