package gateway

import "errors"

var (
	// ErrLost says that the Harness cannot be reached.
	ErrLost = errors.New("the connection to the Harness is lost")
	// ErrClosed says that the stream or gateway was closed by us.
	ErrClosed = errors.New("closed")
	// ErrSlow says that a reader fell too far behind and was let go; follow again
	// from the last seq.
	ErrSlow = errors.New("reader fell behind")
	// ErrRewound says that the session's log ends before, or differs at, the last
	// event that was read: the Harness was killed before it wrote what it had sent.
	// Read a Snapshot again and follow from there.
	ErrRewound = errors.New("the session's log is shorter than what was read")
)

// Codes that the Harness answers with (harness-rc8.md §3), and ours. Those of the
// newer wire that have an older name are given under it; see also modern.go.
const (
	CodeSessionNotFound  = "session-not-found"
	CodeSessionConflict  = "session-conflict"
	CodePresetNotFound   = "agent-preset-not-found"
	CodeNotJoined        = "agent-preset-not-joined" // ours: the new session has not the preset that was asked for
	CodeModelUnavailable = "model-unavailable"
	CodeBadRequest       = "bad-request"
	CodeAgentBusy        = "agent-busy"
	CodeInternal         = "internal"
	CodeNotPending       = "not-pending"    // ours: /api/respond accepted:false
	CodeBadResponse      = "bad-response"   // ours: an answer that does not fit its question; it is still pending
	CodeUnauthorized     = "unauthorized"   // ours: HTTP 401 or 403
	CodeUnknownMethod    = "unknown-method" // ours: HTTP 404
	CodeTooLarge         = "too-large"      // ours: HTTP 413
	CodeProtocol         = "protocol"       // ours: an answer that is not what the wire says
)

// Error is the Harness's refusal of a request.
type Error struct {
	Method  string
	Code    string
	Message string
	// Details is the JSON object that the Harness gave with it; "" for an empty one.
	Details string
}

// Error gives method, code and message.
func (e *Error) Error() string { return e.Method + ": " + e.Code + ": " + e.Message }

// IsCode tells whether err is a refusal with that code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
