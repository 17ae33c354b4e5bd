package bridge

import (
	"context"
	"errors"
	"regexp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// telling is how a refusal of the Harness is told.
type telling struct {
	code    chat.Code
	key     string
	actions []string
}

var (
	retry   = []string{project.ActionRetry}
	newChat = []string{project.ActionNewChat}
	another = []string{project.ActionModel}
)

// codeAttachment is what 0.1.0 calls gateway.CodeAttachmentInvalid.
const codeAttachment = "attachment-error"

// refusals are the Harness's codes (harness-rc8.md §3, §8; harness-wire.md §2.5). One
// that is not here is told as AgentRefused.
var refusals = map[string]telling{
	gateway.CodeAgentBusy:         {chat.CodeAgentUnavailable, say.AgentBusy, retry},
	gateway.CodeUnavailable:       {chat.CodeAgentUnavailable, say.AgentBusy, retry},
	gateway.CodeCancelled:         {chat.CodeAgentUnavailable, say.AgentBusy, retry},
	gateway.CodeSessionNotFound:   {chat.CodeUnknownSession, say.UnknownSession, newChat},
	gateway.CodeWriterHeld:        {chat.CodeAgentUnavailable, say.SessionHeld, retry},
	gateway.CodePresetNotFound:    {chat.CodeAgentUnavailable, say.PresetGone, retry},
	gateway.CodePresetConflict:    {chat.CodeAgentUnavailable, say.PresetGone, newChat},
	"agent-preset-invalid":        {chat.CodeAgentUnavailable, say.PresetGone, retry},
	gateway.CodeModelUnavailable:  {chat.CodeModelUnavailable, say.ModelGone, another},
	gateway.CodeModelsUnavailable: {chat.CodeModelUnavailable, say.ModelGone, another},
	gateway.CodeCredentials:       {chat.CodeModelFailed, say.ModelKeyMissing, another},
	codeAttachment:                {chat.CodeBadRequest, say.PictureRefused, retry},
	gateway.CodeAttachmentInvalid: {chat.CodeBadRequest, say.PictureRefused, retry},
	gateway.CodeTooLarge:          {chat.CodeTooLarge, say.RequestTooLarge, newChat},
	gateway.CodeUnauthorized:      {chat.CodeAgentUnavailable, say.HarnessFence, retry},
	gateway.CodeUnknownMethod:     {chat.CodeAgentUnavailable, say.HarnessWire, retry},
	gateway.CodeArguments:         {chat.CodeAgentUnavailable, say.HarnessWire, retry},
	gateway.CodeProtocol:          {chat.CodeAgentUnavailable, say.HarnessWire, retry},
}

// damaged is what the Harness says of a log that two processes wrote, or that broke; it
// has no code of its own.
var damaged = regexp.MustCompile(`corrupt session log|history unavailable`)

// tell names a refusal.
func tell(refused *gateway.Error) *chat.Error {
	t, ok := refusals[refused.Code]
	switch {
	case damaged.MatchString(refused.Message):
		t = telling{chat.CodeAgentUnavailable, say.SessionDamaged, newChat}
	case !ok:
		t = telling{chat.CodeAgentUnavailable, say.AgentRefused, retry}
	}
	details := refused.Error()
	if refused.Details != "" {
		details += " " + refused.Details
	}
	return &chat.Error{Code: t.code, Sentence: say.Sentence(t.key), Details: details, Actions: t.actions}
}

// unavailable makes a *chat.Error of what Ensure or a call through the gateway
// gave, or nil where the context ended it.
func unavailable(ctx context.Context, err error) *chat.Error {
	var ours *chat.Error
	var theirs *gateway.Error
	switch {
	case errors.As(err, &ours):
		return ours
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &theirs):
		return tell(theirs)
	case errors.Is(err, gateway.ErrLost), errors.Is(err, gateway.ErrClosed):
		return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentLost)
	}
	return say.Error(chat.CodeAgentUnavailable, err.Error(), say.AgentFailed)
}
