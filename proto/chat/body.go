package chat

// MaxBody is the largest request body in bytes that the host reads.
const MaxBody = 8 << 20

// StreamRequest is the body of POST /api/chat/stream.
type StreamRequest struct {
	ChatID      string       `json:"chatId"`
	Text        string       `json:"text"`
	Mode        string       `json:"mode,omitempty"`  // plan, manual or bypass; anything else is manual
	Model       string       `json:"model,omitempty"` // provider/id; "" is the chat's own, in a new one the default
	Thinking    string       `json:"thinking,omitempty"`
	Attachments []Attachment `json:"attachments,omitempty"`
	CWD         string       `json:"cwd,omitempty"` // of a new chat; absolute
	RequestID   string       `json:"requestId"`     // makes a resend harmless
	Steer       bool         `json:"steer,omitempty"`
	MaxRounds   int          `json:"maxRounds,omitempty"`
	AsText      bool         `json:"asText,omitempty"` // a text that begins with a slash is no command
}

// Attachment is a file that goes with a message.
type Attachment struct {
	Name      string `json:"name"`
	MediaType string `json:"mediaType"`
	Data      []byte `json:"data"` // base64 in JSON
}

// ApprovalRequest is the body of POST /api/chat/approval.
type ApprovalRequest struct {
	SessionID string `json:"sessionId"` // the chat's session, also for a helper's call
	ToolID    string `json:"toolId"`
	Decision  string `json:"decision"` // approve or deny
	Digest    string `json:"digest,omitempty"`
	Scope     string `json:"scope,omitempty"`     // how far a yes reaches: once, chat or always; "" is once
	Pattern   string `json:"pattern,omitempty"`   // what it covers; "" is the card's own (SaveOffer)
	ExpiresAt int64  `json:"expiresAt,omitempty"` // Unix milliseconds; 0 is never
	Note      string `json:"note,omitempty"`      // handed to the model with a deny
}

// The two decisions.
const (
	Approve = "approve"
	Deny    = "deny"
)

// PlanRequest is the body of POST /api/chat/plan.
type PlanRequest struct {
	SessionID string `json:"sessionId"`
	Decision  string `json:"decision"`       // approve or deny
	Mode      string `json:"mode,omitempty"` // in which it is carried out: bypass; anything else but plan is manual
}

// PlanAnswer says what became of a plan: with a yes, which run carries it out.
type PlanAnswer struct {
	Decision  string `json:"decision"`
	RequestID string `json:"requestId,omitempty"`
	Run       string `json:"run,omitempty"`
}

// OversizeRequest is the body of POST /api/chat/oversize: a message that is too long.
type OversizeRequest struct {
	ChatID string `json:"chatId"`
	Text   string `json:"text"`
	As     string `json:"as"` // file or preview
}

// What becomes of a message that is too long.
const (
	OversizeFile    = "file"    // it is kept in the chat's folder, and the agent reads it in parts
	OversizePreview = "preview" // its beginning and its end
)

// OversizeAnswer is the message to send in its place.
type OversizeAnswer struct {
	Text string `json:"text"`
	// Path is the file that holds the text, relative to the chat's folder.
	Path string `json:"path,omitempty"`
}

// StopRequest is the body of POST /api/chat/stop.
type StopRequest struct {
	SessionID string `json:"sessionId,omitempty"`
	ChatID    string `json:"chatId,omitempty"` // where the run has no session yet
}

// StopAnswer says what Stop did, once the turn has ended.
type StopAnswer struct {
	Stopped bool `json:"stopped"` // false: nothing was running
	// Unsent are the messages that waited and that no turn has read, in their order.
	// They do not begin by themselves any more.
	Unsent []StreamRequest `json:"unsent,omitempty"`
}

// Waiting is a message that was sent while a turn runs and that no turn has read.
type Waiting struct {
	// Run is what it is taken back by, or sent now; "" where it is on its way into the
	// running turn already.
	Run       string    `json:"run,omitempty"`
	RequestID string    `json:"requestId"`
	Text      string    `json:"text"` // at most 500 characters of it, then "…"
	Pictures  []Picture `json:"pictures,omitempty"`
	Mode      string    `json:"mode"`
	Model     string    `json:"model"`
	Time      int64     `json:"time"` // Unix milliseconds: when it was sent
	// Steers says that the running turn may take it.
	Steers bool `json:"steers,omitempty"`
}

// Pending is one approval that waits (GET /api/agent/pending).
type Pending struct {
	ChatID    string `json:"chatId"`
	SessionID string `json:"sessionId"`
	Run       string `json:"run,omitempty"`
	Tool      Tool   `json:"tool"`
}

// PendingAnswer is the body of GET /api/agent/pending.
type PendingAnswer struct {
	Pending []Pending `json:"pending"`
}

// AgentStatus is the body of GET /api/agent/status: no token, no key.
type AgentStatus struct {
	State     string         `json:"state"` // ready, starting, stopped, missing
	Component string         `json:"component,omitempty"`
	Version   string         `json:"version,omitempty"`
	Wire      string         `json:"wire,omitempty"` // events.mux or remote.mux
	Plugins   []PluginStatus `json:"plugins,omitempty"`
	Routes    []Route        `json:"routes,omitempty"`
	Turns     []ActiveTurn   `json:"turns,omitempty"`
	Pending   int            `json:"pending"`
	Detail    string         `json:"detail,omitempty"`
	Sentence
	Process   *AgentProcess `json:"process,omitempty"` // nil where none runs
	Restarts  int           `json:"restarts"`          // of the Harness, since the host began
	LastError *LastError    `json:"lastError,omitempty"`
	DataDir   string        `json:"dataDir,omitempty"` // the host's data folder
	LogFile   string        `json:"logFile,omitempty"` // the host's log
	Skipped   []Skipped     `json:"skipped,omitempty"` // what of the Harness's frames was not read
	Queued    int           `json:"queued"`            // messages that wait behind a running turn
	// Errors are how runs ended that failed, the newest first; LastError is the first.
	Errors  []LastError `json:"errors,omitempty"`
	LastEnd *AgentEnd   `json:"lastEnd,omitempty"` // nil where none has
	// RestartDue says that the Harness is started again, for new settings, once no turn runs.
	RestartDue bool `json:"restartDue,omitempty"`
	// Untested says that the Harness is a version that was not tested; null for others.
	Untested *Sentence   `json:"untested,omitempty"`
	Host     *HostStatus `json:"host,omitempty"`
	Data     *DataStatus `json:"data,omitempty"`
}

// AgentEnd is how the newest Harness ended that nobody had asked to, or did not start.
type AgentEnd struct {
	Time    int64  `json:"time"` // Unix milliseconds
	Details string `json:"details,omitempty"`
	Sentence
}

// HostStatus is the host that answers.
type HostStatus struct {
	Version   string `json:"version"`
	ABI       string `json:"abi"` // of the plugins
	Go        string `json:"go"`
	OS        string `json:"os"`     // such as linux/amd64
	System    string `json:"system"` // as it calls itself, such as "Debian GNU/Linux 13"; "" where it does not say
	CPUs      int    `json:"cpus"`
	PID       int    `json:"pid"`
	StartedAt int64  `json:"startedAt"` // Unix milliseconds
	UptimeMs  int64  `json:"uptimeMs"`
}

// DataStatus is what the data folder holds, as of MeasuredAt.
type DataStatus struct {
	Bytes      int64      `json:"bytes"`
	Files      int64      `json:"files"`
	FreeBytes  int64      `json:"freeBytes"`         // that its disk has for this user; -1 where that is not known
	Parts      []DataPart `json:"parts,omitempty"`   // the largest first
	MeasuredAt int64      `json:"measuredAt"`        // Unix milliseconds; not more often than every half minute
	Details    string     `json:"details,omitempty"` // what could not be read
}

// DataPart is a file or folder of the data folder.
type DataPart struct {
	Name  string `json:"name"` // relative to it, with slashes
	Bytes int64  `json:"bytes"`
	Files int64  `json:"files"`
}

// AgentProcess is the running Harness.
type AgentProcess struct {
	PID       int   `json:"pid"`
	StartedAt int64 `json:"startedAt"` // Unix milliseconds
	UptimeMs  int64 `json:"uptimeMs"`
	// Node is the version that it runs on, NodePath the program.
	Node     string `json:"node,omitempty"`
	NodePath string `json:"nodePath,omitempty"`
}

// LastError is how the newest run that failed ended.
type LastError struct {
	Time    int64  `json:"time"` // Unix milliseconds
	ChatID  string `json:"chatId"`
	Run     string `json:"run"`
	Code    Code   `json:"code"`
	Details string `json:"details,omitempty"`
	Sentence
}

// Skipped is a thing that was left out on the wire, and how often.
type Skipped struct {
	Kind string `json:"kind"` // type, field or wrong
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// PluginStatus is a plugin row and the bytes it must have.
type PluginStatus struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"`
	// Running are the bytes that the plugin says it runs, Missing the seams that it
	// did not find. Both are as of CheckedAt (Unix milliseconds), the newest time that
	// a chat in Manual asked it; 0 is never.
	Running   string   `json:"running,omitempty"`
	Missing   []string `json:"missing,omitempty"`
	CheckedAt int64    `json:"checkedAt,omitempty"`
}

// Route is a model that a chat can choose.
type Route struct {
	ID            string `json:"id"` // provider/model
	Name          string `json:"name"`
	ContextWindow int64  `json:"contextWindow,omitempty"`
	Default       bool   `json:"default,omitempty"`
	Images        bool   `json:"images,omitempty"` // it reads pictures
	// Connection is the name of what serves it, as shown; Local says that this is of the
	// person's own.
	Connection string   `json:"connection,omitempty"`
	Local      bool     `json:"local,omitempty"`
	Thinking   []string `json:"thinking,omitempty"` // levels that can be chosen; none: the model's own
	Price      *Price   `json:"price,omitempty"`
}

// ActiveTurn is a run that has not ended.
type ActiveTurn struct {
	ChatID    string `json:"chatId"`
	SessionID string `json:"sessionId,omitempty"`
	Run       string `json:"run"`
	Seq       int64  `json:"seq"` // of its newest frame
	Mode      string `json:"mode"`
	Started   int64  `json:"startedAt"` // Unix milliseconds
}

// ChatSummary is one row of GET /api/chats, newest first.
type ChatSummary struct {
	ChatID    string `json:"chatId"`
	SessionID string `json:"sessionId,omitempty"`
	Title     string `json:"title"`
	CWD       string `json:"cwd,omitempty"`
	Archived  bool   `json:"archived,omitempty"`
	Run       string `json:"run,omitempty"` // of the run under way
	UpdatedAt int64  `json:"updatedAt"`     // Unix milliseconds
	// Waiting are the messages behind the run under way, in the order of their turns.
	Waiting []Waiting `json:"waiting,omitempty"`
}

// ChatList is the body of GET /api/chats.
type ChatList struct {
	Chats []ChatSummary `json:"chats"`
}

// Chat is the body of GET /api/chats/{id}: its history by the same projection as
// the stream. While a run is under way Messages include its turn as far as it
// got; Run and Seq say from where to re-attach so that nothing is shown twice.
type Chat struct {
	ChatSummary
	Model    string    `json:"model,omitempty"` // route of its newest run: messages that name none go there
	Messages []Message `json:"messages"`
	Seq      int64     `json:"seq,omitempty"`
	Plan     *Plan     `json:"plan,omitempty"`    // that waits for an answer
	Context  *Context  `json:"context,omitempty"` // the newest that is known
}

// ChatPatch is the body of PATCH /api/chats/{id}; nil leaves as it is.
type ChatPatch struct {
	Title    *string `json:"title,omitempty"`
	Archived *bool   `json:"archived,omitempty"`
}
