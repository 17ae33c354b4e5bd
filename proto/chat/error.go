package chat

// Code is a stable word for what went wrong.
type Code string

// Error codes of the routes and of error and notice frames.
const (
	CodeBadRequest        Code = "bad-request"        // 400: not JSON, a field missing or of the wrong kind
	CodeUnauthorized      Code = "unauthorized"       // 401: no token or a wrong one
	CodeForbidden         Code = "forbidden"          // 403: foreign Host or Origin
	CodeNotFound          Code = "not-found"          // 404: no such route
	CodeUnknownChat       Code = "unknown-chat"       // 404
	CodeUnknownSession    Code = "unknown-session"    // 404
	CodeUnknownTool       Code = "unknown-tool"       // 404: no such card in this chat, or tool of the person's own
	CodeUnknownPermission Code = "unknown-permission" // 404
	CodeNotWaiting        Code = "not-waiting"        // 409: the message has its turn already, or was taken back
	CodeNotTaken          Code = "not-taken"          // 409: the running turn does not take the message, which waits on
	CodeUnknownTask       Code = "unknown-task"       // 404
	CodeUnknownConnection Code = "unknown-connection" // 404
	CodeMethod            Code = "method"             // 405
	CodeNotPending        Code = "not-pending"        // 409: already answered, or over
	CodeChanged           Code = "changed"            // 409: not the request that was shown
	CodeNotYours          Code = "not-yours"          // 409: another chat's card
	CodeTaskRunning       Code = "task-running"       // 409: a run of it has not ended
	CodeTooMany           Code = "too-many"           // 409: as many as there may be
	CodeTooLarge          Code = "too-large"          // 413: body over MaxBody
	CodeMediaType         Code = "media-type"         // 415: not application/json
	CodeInternal          Code = "internal"           // 500
	CodeAgentUnavailable  Code = "agent-unavailable"  // 503: no Harness, or it does not start
	CodeAgentStopped      Code = "agent-stopped"      // frame: the Harness process ended mid turn
	CodeModeUnavailable   Code = "mode-unavailable"   // frame: the mode or the gate could not be confirmed
	CodeModelUnavailable  Code = "model-unavailable"  // frame: the route is gone
	CodeModelFailed       Code = "model-failed"       // frame: the model server refused or broke off
	CodeUnknownCommand    Code = "unknown-command"    // frame: nobody has the command; the page may offer to send it as text
	CodeCommandFailed     Code = "command-failed"     // frame: the agent did not carry the command out
	CodeContextFull       Code = "CONTEXT_WINDOW_EXCEEDED"
	CodeMessageTooLarge   Code = "CONTEXT_MESSAGE_TOO_LARGE" // frame: the message fits into no chat; it was not sent
)

// Error is what a route answers when it refuses, and what ends a run badly. The
// sentence is for the person, with a next step; Details is the technical text.
type Error struct {
	Code Code `json:"code"`
	Sentence
	Details string   `json:"details,omitempty"`
	Actions []string `json:"actions,omitempty"`
}

// Error makes it an error; the text is the code and the plain sentence.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Text }

// ErrorBody is the JSON body of every refused request.
type ErrorBody struct {
	Error Error `json:"error"`
}
