package bridge

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestEveryRefusal: how what the Harness answers to a session's requests is told.
func TestEveryRefusal(t *testing.T) {
	for code, want := range map[string]struct {
		code   chat.Code
		key    string
		action string
	}{
		"agent-busy":                       {chat.CodeAgentUnavailable, say.AgentBusy, "retry"},
		"unavailable":                      {chat.CodeAgentUnavailable, say.AgentBusy, "retry"},
		"cancelled":                        {chat.CodeAgentUnavailable, say.AgentBusy, "retry"},
		"session-not-found":                {chat.CodeUnknownSession, say.UnknownSession, "new-chat"},
		"session-writer-held":              {chat.CodeAgentUnavailable, say.SessionHeld, "retry"},
		"session-conflict":                 {chat.CodeAgentUnavailable, say.AgentRefused, "retry"},
		"agent-preset-not-found":           {chat.CodeAgentUnavailable, say.PresetGone, "retry"},
		"agent-preset-conflict":            {chat.CodeAgentUnavailable, say.PresetGone, "new-chat"},
		"agent-preset-invalid":             {chat.CodeAgentUnavailable, say.PresetGone, "retry"},
		"model-unavailable":                {chat.CodeModelUnavailable, say.ModelGone, "choose-model"},
		"provider-models-unavailable":      {chat.CodeModelUnavailable, say.ModelGone, "choose-model"},
		"provider-credentials-unavailable": {chat.CodeModelFailed, say.ModelKeyMissing, "choose-model"},
		"attachment-error":                 {chat.CodeBadRequest, say.PictureRefused, "retry"},
		"session-attachment-invalid":       {chat.CodeBadRequest, say.PictureRefused, "retry"},
		"too-large":                        {chat.CodeTooLarge, say.RequestTooLarge, "new-chat"},
		"unauthorized":                     {chat.CodeAgentUnavailable, say.HarnessFence, "retry"},
		"unknown-method":                   {chat.CodeAgentUnavailable, say.HarnessWire, "retry"},
		"arguments-invalid":                {chat.CodeAgentUnavailable, say.HarnessWire, "retry"},
		"protocol":                         {chat.CodeAgentUnavailable, say.HarnessWire, "retry"},
		"bad-request":                      {chat.CodeAgentUnavailable, say.AgentRefused, "retry"},
		"internal":                         {chat.CodeAgentUnavailable, say.AgentRefused, "retry"},
		"a code of tomorrow":               {chat.CodeAgentUnavailable, say.AgentRefused, "retry"},
	} {
		got := unavailable(t.Context(), fmt.Errorf("x: %w", &gateway.Error{Method: "m", Code: code, Message: "why", Details: `{"a":1}`}))
		wanted := &chat.Error{Code: want.code, Sentence: say.Sentence(want.key), Details: "m: " + code + `: why {"a":1}`, Actions: []string{want.action}}
		if d := cmp.Diff(wanted, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", code, d)
		}
	}
	for _, message := range []string{"history unavailable: corrupt session log: seq gap", "corrupt session log"} {
		got := unavailable(t.Context(), &gateway.Error{Method: "session.history", Code: gateway.CodeInternal, Message: message})
		if got.Key != say.SessionDamaged || !cmp.Equal(got.Actions, []string{"new-chat"}) {
			t.Errorf("%s: %+v", message, got)
		}
	}
	for err, want := range map[error]string{
		gateway.ErrLost: say.AgentLost, gateway.ErrClosed: say.AgentLost, errors.New("x"): say.AgentFailed,
	} {
		if got := unavailable(t.Context(), err); got.Key != want || got.Code != chat.CodeAgentUnavailable {
			t.Errorf("%v: %+v", err, got)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if got := unavailable(over, gateway.ErrLost); got != nil {
		t.Errorf("after the caller went away: %+v", got)
	}
}
