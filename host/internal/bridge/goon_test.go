package bridge

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestCutReplies: the agent is asked to go on, at most twice a message.
func TestCutReplies(t *testing.T) {
	cut, goes := "own "+say.AnswerCut, "own "+say.AnswerGoesOn
	for _, tt := range []struct {
		name, message string
		goOn          []string
		want          []string
		history       []string
	}{
		{"once", "say one; cut", nil, []string{`delta "one"`, goes, `delta "the rest"`, "done completed false 200"},
			[]string{"user say one; cut", "assistant onethe rest[" + say.AnswerGoesOn + "]"}},
		{"always", "say one; cut", []string{"say two; cut", "say three; cut"}, []string{`delta "one"`, goes, `delta "two"`, goes, `delta "three"`, cut, "done max-tokens false 300"}, nil},
		{"nothing but thoughts", "fill 500; cut", []string{"fill 500; cut", "fill 500; cut"}, []string{goes, goes, "own " + say.NoAnswer, "done max-tokens false 1500"}, nil},
		{"no room", "fill 850; cut", nil, []string{"own " + say.NoRoom, "done max-tokens false 850"}, nil},
		{"fails then", "say one; cut", []string{"fail RATE_LIMIT"}, []string{`delta "one"`, goes, "error model-failed"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.goOn = tt.goOn
				s.expect(s.run("c1", tt.message), append([]string{"queued", "start manual p/m session-1"}, tt.want...)...)
				if d := cmp.Diff(tt.history, notes(s.history("c1"))); tt.history != nil && d != "" {
					t.Errorf("history (-want +got):\n%s", d)
				}
				s.d.goOn = nil
				s.expect(s.run("c1", "say anew; cut"), "queued", "start manual p/m session-1", `delta "anew"`, goes, `delta "the rest"`, "done completed false 200")
			})
		})
	}
}

// TestStopWhileItGoesOn: what the host asks for is stopped like anything else.
func TestStopWhileItGoesOn(t *testing.T) {
	play(t, func(s *stage) {
		s.d.goOn = []string{"hang"}
		sub := s.send("c1", "say one; cut")
		s.until(sub, running)
		synctest.Wait()
		s.stop("c1")
		s.expect(s.rest(sub), "tool call_2_1 error", "done aborted true 100")
	})
}

// TestEmptyEndings say why, in one sentence.
func TestEmptyEndings(t *testing.T) {
	for message, want := range map[string][]string{
		"fill 849":         {"own " + say.NoAnswer, "done completed false 849"},
		"fill 850":         {"own " + say.NoRoom, "done completed false 850"},
		"fill 900; run x":  {"tool call_1_1 running", "tool call_1_1 done", "done completed false 900"},
		"fill 900; fail X": {"error model-failed"},
	} {
		play(t, func(s *stage) {
			s.expect(s.run("c1", message), append([]string{"queued", "start manual p/m session-1"}, want...)...)
		})
	}
}

// TestPlanWithoutConfinement says once in a chat what to install.
func TestPlanWithoutConfinement(t *testing.T) {
	play(t, func(s *stage) {
		req := s.message("c1", "unconfined; unconfined; say read only")
		req.Mode = "plan"
		frames := s.rest(s.post(req))
		s.expect(frames, "queued", "start plan p/m session-1", "tool call_1_1 running", "tool call_1_1 denied", "notice "+say.Unconfined,
			"tool call_1_2 running", "tool call_1_2 denied", `delta "read only"`, "done completed false 100")
		if got := frames[3].Tool.Result; got != say.ToolUnconfined {
			t.Errorf("the card says %q", got)
		}
		req = s.message("c1", "unconfined; say again")
		req.Mode = "plan"
		s.expect(s.rest(s.post(req)), "queued", "start plan p/m session-1", "tool call_2_1 running", "tool call_2_1 denied", `delta "again"`, "done completed false 100")
	})
}

// TestNotJoined: a session without our preset gets no message and is not the chat's.
func TestNotJoined(t *testing.T) {
	for _, code := range []string{gateway.CodeNotJoined, gateway.CodePresetNotFound} {
		play(t, func(s *stage) {
			s.d.on("CreateSession", func(ctx) error { return &gateway.Error{Method: "session.create", Code: code, Message: "bare"} })
			frames := s.run("c1", "say hi")
			s.expect(frames, "queued", "error agent-unavailable")
			if f := frames[1]; f.Key != say.AgentBare || f.Details == "" {
				t.Errorf("got %+v", f)
			}
			if all := s.b.records.all(); len(all) > 0 {
				t.Errorf("kept: %+v", all)
			}
			s.d.on("CreateSession", nil)
			s.expect(s.run("c1", "say hi"), "queued", "start manual p/m session-1", `delta "hi"`, "done completed false 100")
		})
	}
}

// TestHalfASetUp leaves no record of the chat, and its session is used by the next message.
func TestHalfASetUp(t *testing.T) {
	for _, method := range []string{"CreateSession", "Snapshot", "Execute /permission", "Execute /strata-gate", "SelectModel"} {
		play(t, func(s *stage) {
			s.d.on(method, func(ctx) error { return errBoom })
			s.expect(s.run("c1", "say hi"), "queued", "error agent-unavailable")
			if all := s.b.records.all(); len(all) > 0 {
				t.Errorf("%s: kept: %+v", method, all)
			}
			if _, err := s.b.Chat(t.Context(), "c1"); code(err) != chat.CodeUnknownChat {
				t.Errorf("%s: the chat's history: %v", method, err)
			}
			s.d.on(method, nil)
			want := "session-1"
			if method == "Snapshot" {
				want = "session-2" // nothing of the first one was seen
			}
			s.expect(s.run("c1", "say hi"), "queued", "start manual p/m "+want, `delta "hi"`, "done completed false 100")
		})
	}
}
