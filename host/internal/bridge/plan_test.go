package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const aPlan = "say 1. look\n2. change"

// plan has the chat write a plan and gives its frames.
func (s *stage) plan(script string) []chat.Frame {
	s.t.Helper()
	req := s.message("c1", script)
	req.Mode, req.Model, req.Thinking = "plan", "p/other", "high"
	return s.rest(s.post(req))
}

// TestPlanIsCarriedOut in the mode the person picks, on the model that made it.
func TestPlanIsCarriedOut(t *testing.T) {
	play(t, func(s *stage) {
		s.lines(s.plan("run ls; "+aPlan), "queued", "start plan p/other session-1", `delta "1. look\n2. change"`, `plan "1. look\n2. change"`, "done completed false 100")
		if d := cmp.Diff(&chat.Plan{Text: "1. look\n2. change"}, s.history("c1").Plan); d != "" {
			t.Errorf("it waits (-want +got):\n%s", d)
		}
		a, err := s.b.Plan(t.Context(), chat.PlanRequest{SessionID: "session-1", Decision: chat.Approve, Mode: "bypass"})
		if err != nil {
			t.Fatal(err)
		}
		sub, err := s.b.Attach(t.Context(), "c1", a.Run, 0)
		if err != nil {
			t.Fatal(err)
		}
		s.lines(s.rest(sub), "queued", "start bypass p/other session-1", `delta "`+say.PlanApproved+`"`, "done completed false 100")
		if d := cmp.Diff((*chat.Plan)(nil), s.history("c1").Plan); d != "" {
			t.Errorf("it waits still (-want +got):\n%s", d)
		}
		if _, err := s.b.Plan(t.Context(), chat.PlanRequest{SessionID: "c1", Decision: chat.Approve}); code(err) != chat.CodeNotPending {
			t.Errorf("a second yes: %v", err)
		}
	})
}

// TestPlanIsDroppedOrAnswered by a no, or by whatever is said next.
func TestPlanIsDroppedOrAnswered(t *testing.T) {
	play(t, func(s *stage) {
		s.plan(aPlan)
		a, err := s.b.Plan(t.Context(), chat.PlanRequest{SessionID: "c1", Decision: chat.Deny})
		if d := cmp.Diff(chat.PlanAnswer{Decision: chat.Deny}, a); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		if _, err := s.b.Plan(t.Context(), chat.PlanRequest{SessionID: "c1", Decision: chat.Approve}); code(err) != chat.CodeNotPending {
			t.Errorf("a yes after a no: %v", err)
		}
		s.plan(aPlan)
		s.run("c1", "say wait, not so")
		if _, err := s.b.Plan(t.Context(), chat.PlanRequest{SessionID: "c1", Decision: chat.Approve}); code(err) != chat.CodeNotPending {
			t.Errorf("a yes after another message: %v", err)
		}
	})
}

// TestPlanWithCaution: a turn that the guard ended proposes what it had written.
func TestPlanWithCaution(t *testing.T) {
	play(t, func(s *stage) {
		why := say.Sentence(say.GuardSearchFails, "times", "3").Text
		s.lines(s.plan(aPlan+"; search a; search b; search c; hang"), "queued", "start plan p/other session-1",
			`delta "1. look\n2. change"`, `plan "1. look\n2. change" `+why, "done guard false 100")
		s.lines(s.plan("search a; search b; search c; hang"), "queued", "start plan p/other session-1", "own "+why, "done guard false 0")
	})
}

// TestNoPlan: not each answer of a plan turn is one, and none of a turn that failed or
// was stopped.
func TestNoPlan(t *testing.T) {
	play(t, func(s *stage) {
		for _, script := range []string{"say It is 4.", aPlan + "; fail BOOM"} {
			for _, f := range s.plan(script) {
				if f.Type == chat.PlanReady {
					t.Errorf("%s: a plan %+v", script, f.Plan)
				}
			}
		}
		sub := s.send("c1", "/plan "+aPlan+"; hang")
		seen := s.until(sub, running)
		s.stop("c1")
		for _, f := range append(seen, s.rest(sub)...) {
			if f.Type == chat.PlanReady {
				t.Errorf("stopped: a plan %+v", f.Plan)
			}
		}
	})
}

func TestPlanRefusals(t *testing.T) {
	play(t, func(s *stage) {
		s.plan(aPlan)
		for name, c := range map[string]struct {
			req  chat.PlanRequest
			want chat.Code
		}{
			"no session":      {chat.PlanRequest{Decision: chat.Approve}, chat.CodeBadRequest},
			"unknown session": {chat.PlanRequest{SessionID: "x", Decision: chat.Approve}, chat.CodeUnknownSession},
			"no decision":     {chat.PlanRequest{SessionID: "c1"}, chat.CodeBadRequest},
			"in plan mode":    {chat.PlanRequest{SessionID: "c1", Decision: chat.Approve, Mode: "plan"}, chat.CodeBadRequest},
		} {
			if _, err := s.b.Plan(t.Context(), c.req); code(err) != c.want {
				t.Errorf("%s: %v", name, err)
			}
		}
		if s.history("c1").Plan == nil {
			t.Error("a refused answer took the plan away")
		}
	})
}

// TestPlanOfSeveralTurns: an answer that is cut off goes on with its plan, and a helper's
// report does not replace it.
func TestPlanOfSeveralTurns(t *testing.T) {
	for _, c := range []struct {
		name, script string
		goOn         []string
		want         string
	}{
		{"cut", aPlan + "; cut", []string{"say 3. test\n4. ship"}, "1. look\n2. change\n\n3. test\n4. ship"},
		{"cut before its last words", aPlan + "; cut", []string{"say and ship it"}, "1. look\n2. change\n\nand ship it"},
		{"a report", "spawn say_found; " + aPlan, nil, "1. look\n2. change"},
		{"a report to what was asked for", "/plan spawn say_found; say just do it", nil, "just do it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.goOn = c.goOn
				var got string
				for _, f := range s.plan(c.script) {
					if f.Type == chat.PlanReady {
						got = f.Plan.Text
					}
				}
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("the plan (-want +got):\n%s", d)
				}
			})
		})
	}
}
