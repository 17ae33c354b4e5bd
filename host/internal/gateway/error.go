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
)

// Codes that the Harness answers with (harness-rc8.md §3), and ours.
const (
	CodeSessionNotFound  = "session-not-found"
	CodeSessionConflict  = "session-conflict"
	CodePresetNotFound   = "agent-preset-not-found"
	CodeModelUnavailable = "model-unavailable"
	CodeBadRequest       = "bad-request"
	CodeAgentBusy        = "agent-busy"
	CodeInternal         = "internal"
	CodeNotPending       = "not-pending"  // ours: /api/respond accepted:false
	CodeUnauthorized     = "unauthorized" // ours: HTTP 401 or 403
)

// Error is the Harness's refusal of a request.
type Error struct {
	Method  string
	Code    string
	Message string
}

// Error gives method, code and message.
func (e *Error) Error() string { return e.Method + ": " + e.Code + ": " + e.Message }

// IsCode tells whether err is a refusal with that code.
func IsCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
