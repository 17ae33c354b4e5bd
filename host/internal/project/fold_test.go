package project

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// log makes events of lines "type data"; each is a millisecond later.
func log(t testing.TB, lines ...string) []dsh.Event {
	t.Helper()
	var out []dsh.Event
	for i, l := range lines {
		kind, data, _ := strings.Cut(l, " ")
		if !json.Valid([]byte(data)) {
			t.Fatalf("line %d is no JSON: %s", i, data)
		}
		out = append(out, dsh.Event{Type: kind, Seq: int64(i), Time: int64(1000 + i), Data: json.RawMessage(data)})
	}
	return out
}

const (
	callLs   = `tool/call {"turn":1,"step":1,"callId":"c","name":"bash","arguments":"{\"command\":\"ls\"}"}`
	askedLs  = `approval/asked {"id":"a","toolName":"bash","callId":"c","reason":"why"}`
	startOne = `turn/start {"turn":1}`
)

func decided(outcome string) string {
	return fmt.Sprintf(`approval/decided {"id":"a","outcome":%q}`, outcome)
}

func failed(text, code string) string {
	e := ""
	if code != "" {
		e = fmt.Sprintf(`,"error":{"name":"E","code":%q}`, code)
	}
	return fmt.Sprintf(`tool/result {"turn":1,"step":1,"message":{"role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","isError":true,"content":[{"type":"text","text":%q}]}]}%s}`, text, e)
}

func TestOutcomes(t *testing.T) {
	type ending struct {
		States []chat.ToolState
		Result string
	}
	for _, tt := range []struct {
		name string
		log  []string
		want ending
	}{
		{"failed", []string{callLs, failed("Error: boom", "")},
			ending{[]chat.ToolState{"running", "error"}, say.ToolFailed + "\n\nDetails: Error: boom"}},
		{"denied by the person, with a note", []string{callLs, askedLs, decided("rejected"), failed("Error: The person said no. Their note: no. It did not run.", "")},
			ending{[]chat.ToolState{"running", "proposed", "denied"}, say.ToolDeniedByPerson}},
		{"allowed, then failed", []string{callLs, askedLs, decided("allowed-once"), failed("Error: boom", "")},
			ending{[]chat.ToolState{"running", "proposed", "running", "error"}, say.ToolFailed + "\n\nDetails: Error: boom"}},
		{"allowed, but another call would have run", []string{callLs, askedLs, decided("allowed-once"), failed("Error: What was answered was not this, so it did not run.", "")},
			ending{[]chat.ToolState{"running", "proposed", "running", "denied"}, say.ToolDenied}},
		{"refused in Plan", []string{callLs, failed("Error: "+abi.NotInMode+". Look only.", "")},
			ending{[]chat.ToolState{"running", "denied"}, say.ToolDeniedByMode}},
		{"refused unasked", []string{callLs, failed("Error: It did not run.", "")},
			ending{[]chat.ToolState{"running", "denied"}, say.ToolDenied}},
		{"policy never", []string{`approval/policy {"policy":"never"}`, callLs, askedLs, decided("rejected"), failed("Error: no", "")},
			ending{[]chat.ToolState{"running", "denied"}, say.ToolDeniedByMode}},
		{"stopped with the question open", []string{callLs, askedLs, decided("cancelled"), failed("Error: aborted", "ABORTED_BEFORE_DISPATCH")},
			ending{[]chat.ToolState{"running", "proposed", "denied"}, say.ToolCancelled}},
		{"stopped before it ran", []string{callLs, failed("Error: aborted", "ABORTED_BEFORE_DISPATCH")},
			ending{[]chat.ToolState{"running", "denied"}, say.ToolCancelled}},
		{"stopped while it ran", []string{callLs, failed("Error: aborted", "ABORTED")},
			ending{[]chat.ToolState{"running", "error"}, say.ToolStopped + "\n\nDetails: Error: aborted"}},
		{"killed while it ran", []string{callLs, failed("Error: interrupted", "TOOL_OUTCOME_UNKNOWN")},
			ending{[]chat.ToolState{"running", "error"}, say.ToolLost + "\n\nDetails: Error: interrupted"}},
		{"killed with the question open", []string{callLs, askedLs, failed("Error: interrupted", "TOOL_OUTCOME_UNKNOWN")},
			ending{[]chat.ToolState{"running", "proposed", "denied"}, say.ToolCancelled}},
		{"no result ever", []string{startOne, callLs, `turn/end {"turn":1,"reason":{"kind":"interrupted"}}`},
			ending{[]chat.ToolState{"running", "error"}, say.ToolLost + "\n\nDetails: " + processGone}},
		{"no result and no answer ever", []string{startOne, callLs, askedLs, `turn/end {"turn":1,"reason":{"kind":"interrupted"}}`},
			ending{[]chat.ToolState{"running", "proposed", "denied"}, say.ToolCancelled}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := New(Config{Root: "s", Session: "s"})
			var got ending
			for _, e := range log(t, tt.log...) {
				for _, fr := range f.Apply(e) {
					if fr.Type == chat.AgentTool {
						got.States = append(got.States, fr.Tool.State)
						got.Result = fr.Tool.Result
					}
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestProposedCard(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  Config
		id   string
	}{
		{"the chat's own", Config{Root: "s", Session: "s"}, "c"},
		{"a helper's", Config{Root: "s", Session: "h"}, "h:c"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := New(tt.cfg)
			var got *chat.Tool
			for _, e := range log(t, callLs, askedLs) {
				for _, fr := range f.Apply(e) {
					got = fr.Tool
				}
			}
			want := &chat.Tool{
				ID: tt.id, Name: "bash", Title: "Run: ls", TitleKey: say.TitleRun, TitleArgs: map[string]string{"what": "ls"}, State: chat.ToolProposed, Reason: "why", Input: `{"command":"ls"}`,
				Digest: abi.Digest("s", tt.cfg.Session, "c", "bash", []byte(`{"command":"ls"}`)),
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestDurationIsWithoutTheWait(t *testing.T) {
	f := New(Config{Root: "s", Session: "s"})
	events := log(t, callLs, askedLs, decided("allowed-once"), strings.Replace(failed("ok", ""), "true", "false", 1))
	events[2].Time, events[3].Time = 60_000, 60_007
	var got *chat.Tool
	for _, e := range events {
		for _, fr := range f.Apply(e) {
			got = fr.Tool
		}
	}
	if got.State != chat.ToolDone || got.DurationMs != 7 {
		t.Errorf("got %+v", got)
	}
}

const cutOne = `turn/end {"turn":1,"reason":{"kind":"max-tokens"}}`

func TestEmptyTurnSaysWhy(t *testing.T) {
	for _, tt := range []struct {
		name string
		log  []string
		want []chat.Sentence
	}{
		{"nothing", []string{startOne, `turn/end {"turn":1,"reason":{"kind":"completed"}}`}, []chat.Sentence{say.Sentence(say.NoAnswer)}},
		{"cut", []string{startOne, cutOne}, []chat.Sentence{say.Sentence(say.AnswerGoesOn)}},
		{"cut three times", []string{startOne, cutOne, `user/message {"source":{"kind":"user","rpcId":"strata:r-1"}}`, startOne, cutOne, startOne, callLs, cutOne},
			[]chat.Sentence{say.Sentence(say.AnswerGoesOn), say.Sentence(say.AnswerGoesOn), say.Sentence(say.AnswerCut)}},
		{"cut, and then another message", []string{startOne, cutOne, startOne, cutOne, `user/message {"source":{"kind":"user","rpcId":"r"}}`, startOne, cutOne},
			[]chat.Sentence{say.Sentence(say.AnswerGoesOn), say.Sentence(say.AnswerGoesOn), say.Sentence(say.AnswerGoesOn)}},
		{"no room", []string{startOne, `request/context {"contextWindow":100}`, `assistant/message {"turn":1,"step":1,"usage":{"inputTokens":84,"outputTokens":1}}`, cutOne},
			[]chat.Sentence{say.Sentence(say.NoRoom)}},
		{"stopped", []string{startOne, `turn/end {"turn":1,"reason":{"kind":"aborted","reason":{"kind":"user"}}}`}, nil},
		{"cards were shown", []string{startOne, callLs, `turn/end {"turn":1,"reason":{"kind":"completed"}}`}, nil},
		{"text was shown", []string{startOne, `assistant/message {"turn":1,"step":1,"message":{"content":[{"type":"text","text":"hi"}]}}`, `turn/end {"turn":1,"reason":{"kind":"completed"}}`}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := New(Config{Root: "s", Session: "s"})
			var got []chat.Sentence
			for _, e := range log(t, tt.log...) {
				for _, fr := range f.Apply(e) {
					if fr.Own {
						got = append(got, fr.Sentence)
					}
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestFailure(t *testing.T) {
	got := map[string]chat.Code{}
	for _, code := range []string{"RATE_LIMIT", "AUTH", "MISSING_CREDENTIAL", "TRANSPORT", "CONTEXT_WINDOW_EXCEEDED", "INVALID_REQUEST", "SERVER"} {
		e := Failure(dsh.EndReason{Kind: "error", Error: &dsh.LLMFailed{Code: code, Message: "m"}})
		if e.Details != code+": m" || e.Text == "" || e.Key == "" {
			t.Errorf("%s: %+v", code, e)
		}
		got[code] = e.Code
	}
	want := map[string]chat.Code{
		"RATE_LIMIT": chat.CodeModelFailed, "AUTH": chat.CodeModelFailed, "MISSING_CREDENTIAL": chat.CodeModelFailed,
		"TRANSPORT": chat.CodeModelFailed, "CONTEXT_WINDOW_EXCEEDED": chat.CodeContextFull,
		"INVALID_REQUEST": chat.CodeModelFailed, "SERVER": chat.CodeModelFailed,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for message, want := range map[string]string{
		"Stream ended without finish_reason":         say.ModelBrokeOff,
		"Stream ended before the response completed": say.ModelBrokeOff,
		"terminated":           say.ModelBrokeOff,
		"other side closed":    say.ModelBrokeOff,
		"Premature close":      say.ModelBrokeOff,
		"Connection error.":    say.ModelUnreachable,
		"fetch failed":         say.ModelUnreachable,
		"connect ECONNREFUSED": say.ModelUnreachable,
	} {
		if e := Failure(dsh.EndReason{Kind: "error", Error: &dsh.LLMFailed{Code: "TRANSPORT", Message: message}}); e.Key != want {
			t.Errorf("%q is told as %q, want %q", message, e.Key, want)
		}
	}
	for _, kind := range []string{"completed", "aborted", "max-tokens"} {
		if e := Failure(dsh.EndReason{Kind: kind}); e != nil {
			t.Errorf("%s: %v", kind, e)
		}
	}
	for _, kind := range []string{"interrupted", "blocked", "error"} {
		if Failure(dsh.EndReason{Kind: kind}) == nil {
			t.Errorf("%s is no failure", kind)
		}
	}
}

func TestTitles(t *testing.T) {
	for _, tt := range []struct{ tool, arguments, want string }{
		{"bash", `{"command":"ls -la\n pwd"}`, "Run: ls -la pwd"},
		{"bash", `{"command":7}`, "Run: …"},
		{"bash", `not JSON`, "Run: …"},
		{"write", `{"file_path":"/w/a/hello.txt"}`, "Write a/hello.txt"},
		{"read", `{"file_path":"README.md"}`, "Read README.md"},
		{"edit", `{"file_path":"/w2/x"}`, "Edit /w2/x"},
		{"todo_write", `{}`, "Update the task list"},
		{"mcp__browser__click", `{}`, "Use click of browser"},
		{"mcp__custom-notes__add", `{}`, "Use add of notes"},
		{"strange", `{}`, "Use strange"},
		{"bash", `{"command":"` + strings.Repeat("é", 200) + `"}`, "Run: " + strings.Repeat("é", maxTitle-6) + "…"},
	} {
		got := title(tt.tool, tt.arguments, "/w")
		if got.Text != tt.want {
			t.Errorf("title(%s, %s) = %q, want %q", tt.tool, tt.arguments, got.Text, tt.want)
		}
		// A page in another language makes the same of key and arguments.
		var args []string
		for name, value := range got.Args {
			args = append(args, name, value)
		}
		if whole := say.Sentence(got.Key, args...); got.Key == "" || cut(whole).Text != got.Text {
			t.Errorf("title(%s, %s) = %+v, whose key makes %q", tt.tool, tt.arguments, got, whole.Text)
		}
	}
}

func TestClip(t *testing.T) {
	if s := strings.Repeat("x", MaxText); clip(s) != s {
		t.Error("text of the limit was cut")
	}
	long := strings.Repeat("é", MaxText)
	got := clip(long)
	if len(got) > MaxText || !utf8.ValidString(got) || !strings.HasSuffix(got, "more bytes)") {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-30:])
	}
}

// FuzzApply: no event data may make the projection panic or split a character.
func FuzzApply(f *testing.F) {
	for _, l := range []string{callLs, askedLs, decided("rejected"), failed("x", "ABORTED"), startOne,
		`assistant/chunk {"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"a"}}`} {
		kind, data, _ := strings.Cut(l, " ")
		f.Add(kind, data, kind, data)
	}
	f.Fuzz(func(t *testing.T, k1, d1, k2, d2 string) {
		events := []dsh.Event{{Type: k1, Data: json.RawMessage(d1)}, {Type: k2, Seq: 1, Data: json.RawMessage(d2)}}
		cfg := Config{Root: "s", Session: "s"}
		a, b := New(cfg), NewChild(Config{Root: "s", Session: "h"})
		for _, e := range events {
			for _, fr := range append(a.Apply(e), b.Apply(e)...) {
				if _, err := json.Marshal(fr); err != nil {
					t.Fatal(err)
				}
			}
		}
		if d := cmp.Diff(History(cfg, events), History(cfg, events), cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}
