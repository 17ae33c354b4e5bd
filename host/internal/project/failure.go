package project

import (
	"regexp"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// telling is how a failure is told.
type telling struct {
	code    chat.Code
	key     string
	actions []string
}

var (
	again      = []string{ActionRetry}
	another    = []string{ActionModel}
	newChat    = []string{ActionNewChat}
	orAnother  = []string{ActionRetry, ActionModel}
	summarized = []string{ActionSummarize, ActionNewChat}
)

// modelFailures are the codes of a failed model request (harness-rc8.md §8, LlmFailure).
// One that is not here is told as ModelFailed.
var modelFailures = map[string]telling{
	"CONTEXT_WINDOW_EXCEEDED":      {chat.CodeContextFull, say.ContextOverflows, summarized},
	"RATE_LIMIT":                   {chat.CodeModelFailed, say.ModelLimited, again},
	"QUOTA":                        {chat.CodeModelFailed, say.ModelUnpaid, orAnother},
	"AUTH":                         {chat.CodeModelFailed, say.ModelKeyRefused, another},
	"MISSING_CREDENTIAL":           {chat.CodeModelFailed, say.ModelKeyMissing, another},
	"INVALID_REQUEST":              {chat.CodeModelFailed, say.ModelRejected, another},
	"SERVER":                       {chat.CodeModelFailed, say.ModelDown, again},
	"TIMEOUT":                      {chat.CodeModelFailed, say.ModelSlow, orAnother},
	"LLM_STREAM_IDLE_TIMEOUT":      {chat.CodeModelFailed, say.ModelSlow, orAnother},
	"TRANSPORT":                    {chat.CodeModelFailed, say.ModelUnreachable, again},
	"STREAM_CLOSED":                {chat.CodeModelFailed, say.ModelBrokeOff, again},
	"ABORTED":                      {chat.CodeModelFailed, say.ModelBrokeOff, again},
	"EMPTY_RESPONSE":               {chat.CodeModelFailed, say.ModelEmpty, orAnother},
	"NO_ADAPTER":                   {chat.CodeModelUnavailable, say.ModelGone, another},
	"UNKNOWN_MODEL":                {chat.CodeModelUnavailable, say.ModelGone, another},
	"UNSUPPORTED_REASONING_EFFORT": {chat.CodeModelFailed, say.ModelLevel, another},
	"UNSUPPORTED_CONTENT":          {chat.CodeModelFailed, say.PicturesInChat, []string{ActionModel, ActionNewChat}},
}

// modelFailure names the failure of a model request.
func modelFailure(f *dsh.LLMFailed) *chat.Error {
	if f == nil {
		return telling{chat.CodeModelFailed, say.ModelFailed, again}.error("")
	}
	t, ok := modelFailures[f.Code]
	switch {
	case !ok:
		t = telling{chat.CodeModelFailed, say.ModelFailed, again}
	case strings.Contains(f.Message, say.ModelNotRunning): // the key proxy's own refusal, quoted
		t = telling{chat.CodeModelUnavailable, say.ModelNotRunning, orAnother}
	case f.Code == "TRANSPORT" && brokeOff.MatchString(f.Message):
		t.key = say.ModelBrokeOff
	case f.Code == "INVALID_REQUEST" && tooLarge.MatchString(f.Message):
		t.key, t.actions = say.RequestTooLarge, newChat
	case f.Code == "SERVER" && (f.Status == 503 || f.Status == 529 || overloaded.MatchString(f.Message)):
		t.key, t.actions = say.ModelOverloaded, orAnother
	}
	e := t.error(f.Code + ": " + f.Message)
	if f.Code == "RATE_LIMIT" && f.RetryAfterMs > 0 {
		e.Sentence = say.Sentence(say.ModelWait, "seconds", strconv.FormatInt((int64(f.RetryAfterMs)+999)/1000, 10))
	}
	return e
}

func (t telling) error(details string) *chat.Error {
	return &chat.Error{Code: t.code, Sentence: say.Sentence(t.key), Details: details, Actions: t.actions}
}

// Words by which failures of one code are told apart: the messages are those of the
// Harness's model library, of Node's fetch, or begin with the HTTP status.
var (
	// brokeOff is an answer that came and did not go on; any other TRANSPORT is a
	// server that is not there.
	brokeOff   = regexp.MustCompile(`(?i)\bstream ended (before|without)\b|\bterminated\b|premature close|other side closed`)
	tooLarge   = regexp.MustCompile(`(?i)\b413\b|payload too large|request body too large|length limit exceeded`)
	overloaded = regexp.MustCompile(`(?i)\b(503|529)\b|overloaded`)
)
