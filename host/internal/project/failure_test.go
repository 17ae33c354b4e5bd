package project

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// TestEveryEnding: how each end of a turn that the Harness knows is told.
func TestEveryEnding(t *testing.T) {
	failed := func(code, message string) dsh.EndReason {
		return dsh.EndReason{Kind: "error", Error: &dsh.LLMFailed{Code: code, Message: message}}
	}
	limited := failed("RATE_LIMIT", "429: slow down")
	limited.Error.RetryAfterMs = 1500
	for _, tt := range []struct {
		name    string
		end     dsh.EndReason
		code    chat.Code // "" where it is no failure
		key     string
		details string
		actions []string
	}{
		{"completed", dsh.EndReason{Kind: "completed"}, "", "", "", nil},
		{"the answer's limit", dsh.EndReason{Kind: "max-tokens"}, "", "", "", nil},
		{"cancelled", dsh.EndReason{Kind: "aborted"}, "", "", "", nil},
		{"killed", dsh.EndReason{Kind: "interrupted"}, chat.CodeAgentStopped, say.AgentStopped, "the process ended before the turn did", []string{"retry"}},
		{"blocked", dsh.EndReason{Kind: "blocked"}, chat.CodeInternal, say.AgentRefused, "turn blocked", []string{"retry"}},
		{"an error without a word", dsh.EndReason{Kind: "error"}, chat.CodeModelFailed, say.ModelFailed, "", []string{"retry"}},

		{"a full window", failed("CONTEXT_WINDOW_EXCEEDED", "400: too long"), chat.CodeContextFull, say.ContextOverflows, "CONTEXT_WINDOW_EXCEEDED: 400: too long", []string{"summarize", "new-chat"}},
		{"a missing key", failed("MISSING_CREDENTIAL", "no credential"), chat.CodeModelFailed, say.ModelKeyMissing, "MISSING_CREDENTIAL: no credential", []string{"choose-model"}},
		{"401", failed("AUTH", "401: {}"), chat.CodeModelFailed, say.ModelKeyRefused, "AUTH: 401: {}", []string{"choose-model"}},
		{"403", failed("AUTH", "403: {}"), chat.CodeModelFailed, say.ModelKeyRefused, "AUTH: 403: {}", []string{"choose-model"}},
		{"no credit", failed("QUOTA", "402: pay"), chat.CodeModelFailed, say.ModelUnpaid, "QUOTA: 402: pay", []string{"retry", "choose-model"}},
		{"400", failed("INVALID_REQUEST", "400: {}"), chat.CodeModelFailed, say.ModelRejected, "INVALID_REQUEST: 400: {}", []string{"choose-model"}},
		{"413", failed("INVALID_REQUEST", "413: payload too large"), chat.CodeModelFailed, say.RequestTooLarge, "INVALID_REQUEST: 413: payload too large", []string{"new-chat"}},
		{"429", failed("RATE_LIMIT", "429: {}"), chat.CodeModelFailed, say.ModelLimited, "RATE_LIMIT: 429: {}", []string{"retry"}},
		{"500", failed("SERVER", "500: {}"), chat.CodeModelFailed, say.ModelDown, "SERVER: 500: {}", []string{"retry"}},
		{"503", failed("SERVER", "503: {}"), chat.CodeModelFailed, say.ModelOverloaded, "SERVER: 503: {}", []string{"retry", "choose-model"}},
		{"529", failed("SERVER", "529: overloaded_error"), chat.CodeModelFailed, say.ModelOverloaded, "SERVER: 529: overloaded_error", []string{"retry", "choose-model"}},
		{"silence", failed("TIMEOUT", "idle"), chat.CodeModelFailed, say.ModelSlow, "TIMEOUT: idle", []string{"retry", "choose-model"}},
		{"the socket cut", failed("TRANSPORT", "terminated"), chat.CodeModelFailed, say.ModelBrokeOff, "TRANSPORT: terminated", []string{"retry"}},
		{"the server down", failed("TRANSPORT", "Connection error."), chat.CodeModelFailed, say.ModelUnreachable, "TRANSPORT: Connection error.", []string{"retry"}},
		{"the engine gone", failed("INVALID_REQUEST", `400: {"message":"`+say.ModelNotRunning+`"}`), chat.CodeModelUnavailable, say.ModelNotRunning, `INVALID_REQUEST: 400: {"message":"` + say.ModelNotRunning + `"}`, []string{"retry", "choose-model"}},
		{"the stream closed", failed("STREAM_CLOSED", "m"), chat.CodeModelFailed, say.ModelBrokeOff, "STREAM_CLOSED: m", []string{"retry"}},
		{"nothing came", failed("EMPTY_RESPONSE", "m"), chat.CodeModelFailed, say.ModelEmpty, "EMPTY_RESPONSE: m", []string{"retry", "choose-model"}},
		{"no such provider", failed("NO_ADAPTER", "m"), chat.CodeModelUnavailable, say.ModelGone, "NO_ADAPTER: m", []string{"choose-model"}},
		{"no such model", failed("UNKNOWN_MODEL", "m"), chat.CodeModelUnavailable, say.ModelGone, "UNKNOWN_MODEL: m", []string{"choose-model"}},
		{"no such thinking level", failed("UNSUPPORTED_REASONING_EFFORT", "m"), chat.CodeModelFailed, say.ModelLevel, "UNSUPPORTED_REASONING_EFFORT: m", []string{"choose-model"}},
		{"pictures for a model that reads none", failed("UNSUPPORTED_CONTENT", "m"), chat.CodeModelFailed, say.PicturesInChat, "UNSUPPORTED_CONTENT: m", []string{"choose-model", "new-chat"}},
		{"an answer that is none", failed("MALFORMED_RESPONSE", "m"), chat.CodeModelFailed, say.ModelFailed, "MALFORMED_RESPONSE: m", []string{"retry"}},
		{"the library's own", failed("PI_AI_ERROR", "m"), chat.CodeModelFailed, say.ModelFailed, "PI_AI_ERROR: m", []string{"retry"}},
		{"a code of tomorrow", failed("WHATEVER", "m"), chat.CodeModelFailed, say.ModelFailed, "WHATEVER: m", []string{"retry"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var want *chat.Error
			if tt.code != "" {
				want = &chat.Error{Code: tt.code, Sentence: say.Sentence(tt.key), Details: tt.details, Actions: tt.actions}
			}
			if d := cmp.Diff(want, Failure(tt.end)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	want := say.Sentence(say.ModelWait, "seconds", "2")
	if d := cmp.Diff(want, Failure(limited).Sentence); d != "" {
		t.Errorf("429 with a time (-want +got):\n%s", d)
	}
}

// TestEveryToolFailure: how a card ends for each code of the Harness. What failed has
// one sentence, then the technical text, which Details holds alone.
func TestEveryToolFailure(t *testing.T) {
	for code, want := range map[string]struct {
		state chat.ToolState
		key   string
	}{
		"":                          {chat.ToolError, say.ToolFailed},
		"WHATEVER":                  {chat.ToolError, say.ToolFailed},
		"CODE_RUN_FAILED":           {chat.ToolError, say.ToolFailed},
		"ABORTED":                   {chat.ToolError, say.ToolStopped},
		"FS_ABORTED":                {chat.ToolError, say.ToolStopped},
		"ABORTED_BEFORE_DISPATCH":   {chat.ToolDenied, say.ToolCancelled},
		"TOOL_OUTCOME_UNKNOWN":      {chat.ToolError, say.ToolLost},
		"TOOL_NOT_STARTED":          {chat.ToolDenied, say.ToolNotStarted},
		"FS_SANDBOX_DENIED":         {chat.ToolDenied, say.ToolDeniedByMode},
		"SANDBOX_UNAVAILABLE":       {chat.ToolDenied, say.ToolUnconfined},
		"FS_NOT_FOUND":              {chat.ToolError, say.ToolNotFound},
		"FS_PERMISSION_DENIED":      {chat.ToolError, say.ToolNoAccess},
		"FS_NOT_DIRECTORY":          {chat.ToolError, say.ToolWrongKind},
		"FS_NOT_REGULAR_FILE":       {chat.ToolError, say.ToolWrongKind},
		"FS_NOT_TEXT":               {chat.ToolError, say.ToolWrongKind},
		"IMAGE_TYPE_MISMATCH":       {chat.ToolError, say.ToolWrongKind},
		"FS_TOO_LARGE":              {chat.ToolError, say.ToolTooLarge},
		"IMAGE_DIMENSION_TOO_LARGE": {chat.ToolError, say.ToolTooLarge},
		"IMAGE_TOO_MANY_PIXELS":     {chat.ToolError, say.ToolTooLarge},
		"FS_AMBIGUOUS_EDIT":         {chat.ToolError, say.ToolFileChanged},
		"FS_EDIT_NOT_FOUND":         {chat.ToolError, say.ToolFileChanged},
		"FS_NOT_OBSERVED":           {chat.ToolError, say.ToolFileChanged},
		"FS_STALE_VERSION":          {chat.ToolError, say.ToolFileChanged},
		"INVALID_ARGS":              {chat.ToolError, say.ToolMisused},
		"UNKNOWN_TOOL":              {chat.ToolError, say.ToolMisused},
		"UNSUPPORTED_SCHEMA":        {chat.ToolError, say.ToolMisused},
		"BASH_TIMEOUT":              {chat.ToolError, say.ToolSlow},
		"TASK_WAIT_TIMEOUT":         {chat.ToolError, say.ToolSlow},
	} {
		for _, text := range []string{"Error: why\nat length", ""} {
			f := New(Config{Root: "s", Session: "s"})
			call(t, f, "c", "read")
			var last *chat.Tool
			for _, frame := range f.Apply(failedResult(t, "c", code, text)) {
				if frame.Type == chat.AgentTool {
					last = frame.Tool
				}
			}
			if last == nil {
				t.Fatalf("%s: no card", code)
			}
			details := text
			if details == "" {
				details = code
			}
			if details == "" {
				details = noResult
			}
			result := say.Sentence(want.key).Text
			if want.state == chat.ToolError {
				result += "\n\nDetails: " + details
			}
			wanted := chat.Tool{ID: "c", Name: "read", Title: last.Title, TitleKey: last.TitleKey, TitleArgs: last.TitleArgs, Input: "{}", State: want.state, Result: result, ResultKey: want.key, Details: details}
			if d := cmp.Diff(wanted, *last); d != "" {
				t.Errorf("%s (-want +got):\n%s", code, d)
			}
		}
	}
}

// TestUnclosedCards: a card without a result says so, too.
func TestUnclosedCards(t *testing.T) {
	for lost, want := range map[bool]string{
		true:  say.ToolLost + "\n\nDetails: " + processGone,
		false: say.ToolStopped + "\n\nDetails: " + turnOver,
	} {
		f := New(Config{Root: "s", Session: "s"})
		call(t, f, "c", "bash")
		frames := f.Close(lost)
		if len(frames) != 1 || frames[0].Tool.Result != want || !strings.HasSuffix(want, frames[0].Tool.Details) {
			t.Errorf("lost %v: %+v", lost, frames)
		}
	}
}

// TestUnconfinedOnce: where nothing confines commands, each is refused and the chat
// says once what to install.
func TestUnconfinedOnce(t *testing.T) {
	f := New(Config{Root: "s", Session: "s"})
	var notices []string
	for _, id := range []string{"a", "b"} {
		call(t, f, id, "bash")
		for _, frame := range f.Apply(failedResult(t, id, "SANDBOX_UNAVAILABLE", "refusing to run the command unconfined")) {
			if frame.Type == chat.Notice {
				notices = append(notices, frame.Key)
			}
		}
	}
	if d := cmp.Diff([]string{say.Unconfined}, notices); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func call(t *testing.T, f *Fold, id, tool string) {
	t.Helper()
	f.Apply(eventOf(t, dsh.TypeToolCall, dsh.ToolCall{CallID: id, Name: tool, Arguments: "{}"}))
}

func failedResult(t *testing.T, id, code, text string) dsh.Event {
	t.Helper()
	r := map[string]any{"message": map[string]any{
		"role": "user", "source": map[string]any{"kind": "tool", "callId": id},
		"content": []any{map[string]any{"type": "tool-result", "toolCallId": id, "isError": true, "content": []any{map[string]any{"type": "text", "text": text}}}},
	}}
	if code != "" {
		r["error"] = map[string]any{"name": "E", "code": code}
	}
	return eventOf(t, dsh.TypeToolResult, r)
}

func eventOf(t *testing.T, kind string, data any) dsh.Event {
	t.Helper()
	raw, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return dsh.Event{Type: kind, Data: raw}
}
