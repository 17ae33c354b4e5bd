package chat

// How far a yes reaches.
const (
	ScopeOnce   = "once"   // the call that was asked about
	ScopeChat   = "chat"   // this chat and its helpers
	ScopeAlways = "always" // every chat in the same folder
)

// Permission is a yes that a person gave for more than one call.
type Permission struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`                // "bash" also for sh, "web" for searching and opening pages
	Pattern   string `json:"pattern"`             // the words of one command, a path, a tool's name
	Scope     string `json:"scope"`               // chat or always
	SessionID string `json:"sessionId,omitempty"` // the chat's, for scope chat
	Folder    string `json:"folder"`              // the workspace it holds in
	CreatedAt int64  `json:"createdAt"`           // Unix milliseconds
	ExpiresAt int64  `json:"expiresAt,omitempty"` // Unix milliseconds; 0 is never
}

// PermissionList is the body of GET /api/permissions, the oldest first.
type PermissionList struct {
	Permissions []Permission `json:"permissions"`
}

// Decision is one line of the decision log: a tool call and what became of it.
type Decision struct {
	Time      int64  `json:"time"`                // Unix milliseconds
	SessionID string `json:"sessionId,omitempty"` // the chat's
	ToolID    string `json:"toolId,omitempty"`    // of the call's card
	Tool      string `json:"tool"`
	What      string `json:"what,omitempty"` // the command, path or address, shortened and redacted
	Mode      string `json:"mode,omitempty"`
	Decision  string `json:"decision"` // allow or deny
	// By is who decided: person, rule, permission, mode, fault or nobody.
	By         string `json:"by"`
	Rule       string `json:"rule"`                 // which rule, or which one asked
	Permission string `json:"permission,omitempty"` // ids of saved permissions, parted by commas
	Outcome    string `json:"outcome,omitempty"`    // of the question: allowed-once, rejected, cancelled, unavailable
	Scope      string `json:"scope,omitempty"`      // how far the yes reaches
	Digest     string `json:"digest,omitempty"`     // what the answer was bound to
}

// DecisionList is the body of GET /api/decisions, the newest first. Query: limit
// (100, at most 1000), before (Unix milliseconds), sessionId.
type DecisionList struct {
	Decisions []Decision `json:"decisions"`
	Before    int64      `json:"before,omitempty"` // for the next older ones; 0 is no more
}
