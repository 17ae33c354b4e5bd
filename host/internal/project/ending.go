package project

import (
	"regexp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Actions that an error frame may offer (Frame.Actions).
const (
	ActionRetry   = "retry"
	ActionNewChat = "new-chat"
	ActionModel   = "choose-model"
)

// Failure is what went wrong with a turn, or nil where it ended as it should or
// was stopped.
func Failure(r dsh.EndReason) *chat.Error {
	switch r.Kind {
	case "error":
		return modelFailure(r.Error)
	case "interrupted":
		return &chat.Error{Code: chat.CodeAgentStopped, Sentence: say.Sentence(say.AgentStopped), Actions: []string{ActionRetry}}
	case "blocked":
		return &chat.Error{Code: chat.CodeInternal, Sentence: say.Sentence(say.AgentRefused), Details: "turn blocked", Actions: []string{ActionRetry}}
	}
	return nil
}

// modelFailure names the failure of a model request (harness-rc8.md §8).
func modelFailure(f *dsh.LLMFailed) *chat.Error {
	e := &chat.Error{Code: chat.CodeModelFailed, Sentence: say.Sentence(say.ModelFailed), Actions: []string{ActionRetry}}
	if f == nil {
		return e
	}
	e.Details = f.Code + ": " + f.Message
	switch f.Code {
	case "CONTEXT_WINDOW_EXCEEDED":
		e.Code, e.Sentence, e.Actions = chat.CodeContextFull, say.Sentence(say.ContextFull), []string{ActionNewChat}
	case "RATE_LIMIT":
		e.Sentence = say.Sentence(say.ModelLimited)
	case "AUTH", "MISSING_CREDENTIAL":
		e.Sentence, e.Actions = say.Sentence(say.ModelKeyRefused), []string{ActionModel}
	case "TRANSPORT", "TIMEOUT":
		e.Sentence = say.Sentence(say.ModelUnreachable)
		if brokeOff.MatchString(f.Message) {
			e.Sentence = say.Sentence(say.ModelBrokeOff)
		}
	}
	return e
}

// brokeOff tells an answer that came and did not go on from a server that is not there:
// the Harness gives both the code TRANSPORT, and their messages are those of its model
// library and of Node's fetch.
var brokeOff = regexp.MustCompile(`(?i)\bstream ended (before|without)\b|\bterminated\b|premature close|other side closed`)

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
