package project

import "strata.dev/bridge/host/internal/say"

// Codes that the Harness gives a tool's failure (harness-rc8.md §3, §8).
const (
	aborted        = "ABORTED"
	abortedEarly   = "ABORTED_BEFORE_DISPATCH"
	outcomeUnknown = "TOOL_OUTCOME_UNKNOWN"
	notStarted     = "TOOL_NOT_STARTED"
	sandboxDenied  = "FS_SANDBOX_DENIED"
	unconfined     = "SANDBOX_UNAVAILABLE"
)

// toolFailures are the codes of a call that ran and failed. One that is not here is
// told as ToolFailed.
var toolFailures = map[string]string{
	aborted:                     say.ToolStopped,
	"FS_ABORTED":                say.ToolStopped,
	outcomeUnknown:              say.ToolLost,
	"FS_NOT_FOUND":              say.ToolNotFound,
	"FS_PERMISSION_DENIED":      say.ToolNoAccess,
	"FS_NOT_DIRECTORY":          say.ToolWrongKind,
	"FS_NOT_REGULAR_FILE":       say.ToolWrongKind,
	"FS_NOT_TEXT":               say.ToolWrongKind,
	"IMAGE_TYPE_MISMATCH":       say.ToolWrongKind,
	"FS_TOO_LARGE":              say.ToolTooLarge,
	"IMAGE_DIMENSION_TOO_LARGE": say.ToolTooLarge,
	"IMAGE_TOO_MANY_PIXELS":     say.ToolTooLarge,
	"FS_AMBIGUOUS_EDIT":         say.ToolFileChanged,
	"FS_EDIT_NOT_FOUND":         say.ToolFileChanged,
	"FS_NOT_OBSERVED":           say.ToolFileChanged,
	"FS_STALE_VERSION":          say.ToolFileChanged,
	"INVALID_ARGS":              say.ToolMisused,
	"UNKNOWN_TOOL":              say.ToolMisused,
	"UNSUPPORTED_SCHEMA":        say.ToolMisused,
	"BASH_TIMEOUT":              say.ToolSlow,
	"TASK_WAIT_TIMEOUT":         say.ToolSlow,
}
