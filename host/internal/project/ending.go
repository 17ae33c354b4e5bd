package project

import (
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Actions that an error frame may offer (Frame.Actions).
const (
	ActionRetry   = "retry"
	ActionNewChat = "new-chat"
	ActionModel   = "choose-model"
	// ActionSummarize makes room in the chat (/compact) and has the agent go on with the
	// message, which its session holds.
	ActionSummarize = "summarize"
	ActionAsText    = "send-as-text" // the message again, with StreamRequest.AsText
	// ActionAttach and ActionPreview are for a message that is too long: its text as a
	// file, or shortened (POST /api/chat/oversize).
	ActionAttach  = "attach-as-file"
	ActionPreview = "send-preview"
)

// Failure is what went wrong with a turn, or nil where it ended as it should or
// was stopped.
func Failure(r dsh.EndReason) *chat.Error {
	switch r.Kind {
	case "error":
		return modelFailure(r.Error)
	case "interrupted":
		return &chat.Error{Code: chat.CodeAgentStopped, Sentence: say.Sentence(say.AgentStopped), Details: "the process ended before the turn did", Actions: []string{ActionRetry}}
	case "blocked":
		return &chat.Error{Code: chat.CodeInternal, Sentence: say.Sentence(say.AgentRefused), Details: "turn blocked", Actions: []string{ActionRetry}}
	}
	return nil
}

// ErrorFrame is a run's last frame where e ends it.
func ErrorFrame(e *chat.Error) chat.Frame {
	return chat.Frame{Type: chat.Failed, Sentence: e.Sentence, Code: e.Code, Details: e.Details, Actions: e.Actions}
}

// DoneFrame is a run's last frame where it ended as it should, or by Stop.
func DoneFrame(finish string, cancelled bool, u chat.Usage) chat.Frame {
	return chat.Frame{Type: chat.Done, Finish: finish, Cancelled: &cancelled, Usage: &u}
}

// End is the last frame of a run of which r ended the only turn.
func End(r dsh.EndReason, u chat.Usage) chat.Frame {
	if e := Failure(r); e != nil {
		return ErrorFrame(e)
	}
	return DoneFrame(r.Kind, r.Kind == "aborted", u)
}
