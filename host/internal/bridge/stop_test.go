package bridge

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// points are the moments of a run at which something may happen to it: a method that
// is held, or what a turn is doing.
var points = []struct {
	name    string
	text    string
	hold    string // method
	until   func(chat.Frame) bool
	reached bool // the Harness has the message
}{
	{"the Harness starts", "say hi", "Ensure", nil, false},
	{"the session is made", "say hi", "CreateSession", nil, false},
	{"the log is read", "say hi", "Snapshot", nil, false},
	{"the session is followed", "say hi", "Follow", nil, false},
	{"the mode is set", "say hi", "Execute /permission", nil, false},
	{"the gate is asked", "say hi", "Execute /strata-gate", nil, false},
	{"the model is chosen", "say hi", "SelectModel", nil, false},
	{"the message is on its way", "say hi", "Prompt", nil, false},
	{"the message was taken", "hang", "Prompted", nil, true},
	{"a tool runs", "hang", "", running, true},
	{"a question waits", "ask rm x", "", proposed, true},
	{"a helper works", "helper hang", "", rowRunning, true},
	{"a helper asks", "helper ask_rm", "", proposed, true},
	{"a background helper works", "spawn hang; say on", "", rowRunning, true},
	{"a background helper asks", "spawn ask_rm", "", proposed, true},
	{"a helper's helper works", "helper helper_hang", "", rowRunning, true},
}

func rowRunning(f chat.Frame) bool { return f.Type == chat.AgentRow }

// TestStopAnywhere: Stop ends the run from every point, is answered once the turn has
// ended, and the next message works and is the only thing that happens.
func TestStopAnywhere(t *testing.T) {
	for _, at := range points {
		t.Run(at.name, func(t *testing.T) {
			play(t, func(s *stage) {
				release := func() {}
				if at.hold != "" {
					_, release = s.d.hold(at.hold)
				}
				sub := s.send("c1", at.text)
				if at.until != nil {
					s.until(sub, at.until)
				}
				synctest.Wait()
				behind := s.send("c1", "say never")
				answered := make(chan chat.StopAnswer, 1)
				go func() { answered <- s.stop("c1") }()
				synctest.Wait()
				if at.hold == "Prompt" || at.hold == "Prompted" { // it cannot be broken off
					select {
					case <-answered:
						t.Error("Stop was answered before the message's fate was known")
					default:
					}
				}
				release()
				if a := <-answered; !a.Stopped {
					t.Error("nothing was stopped")
				}
				s.d.mu.Lock()
				for _, x := range s.d.sessions {
					if x.turn != nil {
						t.Errorf("a turn of %s is open", x.id)
					}
					if len(x.waiting) > 0 {
						t.Errorf("something waits in %s", x.id)
					}
				}
				s.d.mu.Unlock()
				got := told(s.rest(sub))
				if last := got[len(got)-1]; len(last) < 17 || last[:17] != "done aborted true" {
					t.Errorf("got %v", got)
				}
				s.expect(s.rest(behind), "queued", "done aborted true 0")
				if left := s.b.Pending(""); len(left) > 0 {
					t.Errorf("pending: %+v", left)
				}
				if n := s.d.count("Prompt"); (n > 0) != (at.reached || at.hold == "Prompt") {
					t.Errorf("%d prompts", n)
				}
				s.d.on(at.hold, nil)
				next := told(s.run("c1", "say fine"))
				if d := next[len(next)-2:]; d[0] != `delta "fine"` || d[1] != "done completed false 100" || len(next) != 4 {
					t.Errorf("the next message: %v", next)
				}
			})
		})
	}
}

func TestStopOfNothing(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say hi")
		if a := s.stop("c1"); a.Stopped {
			t.Error("something was stopped")
		}
		if a, err := s.b.Stop(s.t.Context(), chat.StopRequest{SessionID: "session-1"}); err != nil || a.Stopped {
			t.Error(a, err)
		}
	})
}

// TestParkedMessage: what another client queued and a cancel left behind is answered
// first, and the page is told.
func TestParkedMessage(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "hang")
		s.until(sub, running)
		s.d.mu.Lock()
		x := s.d.sessions["session-1"]
		s.d.current.queue(x, dsh.Message{ID: "p", Content: []dsh.Block{{Type: "text", Text: "say parked"}}, Source: dsh.Source{Kind: "user", RPCID: "other"}})
		s.d.mu.Unlock()
		s.stop("c1")
		s.expect(s.rest(sub), "tool call_1_1 error", "done aborted true 0")
		s.expect(s.run("c1", "say mine"), "queued", "start manual p/m session-1",
			"notice An earlier message that was still waiting is answered first: say parked", `delta "parked"`, `delta "mine"`, "done completed false 200")
	})
}

// TestClosedTab: a reader that goes away stops nothing.
func TestClosedTab(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x; say ok")
		s.until(sub, proposed)
		sub.Close()
		sub.Close()
		synctest.Wait()
		if len(s.b.Pending("c1")) != 1 {
			t.Error("the question is gone")
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if h := s.history("c1"); h.Run != "" || len(h.Messages) != 3 || h.Messages[2].Text != "ok" {
			t.Errorf("got %+v", h)
		}
	})
}

// TestDeathAnywhere: the process ends at any point. The run ends with one plain error,
// open cards say what became of them, and the next message goes on in the session.
func TestDeathAnywhere(t *testing.T) {
	for _, at := range points {
		if at.hold == "Ensure" {
			continue // there is none yet
		}
		t.Run(at.name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.run("c1", "say before")
				session := s.d.only().id
				release := func() {}
				hold := at.hold
				if hold == "CreateSession" {
					hold = "Snapshot" // the session is there
				}
				if hold != "" {
					_, release = s.d.hold(hold)
				}
				sub := s.send("c1", at.text)
				if at.until != nil {
					s.until(sub, at.until)
				}
				synctest.Wait()
				s.d.die()
				release()
				got := s.rest(sub)
				last := got[len(got)-1]
				if last.Type != chat.Failed || (last.Code != chat.CodeAgentStopped) || last.Key == "" {
					t.Errorf("got %v", told(got))
				}
				open := map[string]chat.ToolState{}
				for _, f := range got {
					if f.Type == chat.AgentTool {
						open[f.Tool.ID] = f.Tool.State
					}
				}
				for id, state := range open {
					if state == chat.ToolRunning || state == chat.ToolProposed {
						t.Errorf("the card %s is left %s", id, state)
					}
				}
				if left := s.b.Pending(""); len(left) > 0 {
					t.Errorf("pending: %+v", left)
				}
				s.d.on(hold, nil)
				next := told(s.run("c1", "say after"))
				if next[1] != "start manual p/m "+session || next[len(next)-1][:14] != "done completed" {
					t.Errorf("the next message: %v", next)
				}
				texts := ""
				for _, m := range s.history("c1").Messages {
					if m.Role == "assistant" && m.Text != "" {
						texts += m.Text + "|"
					}
				}
				if len(texts) < 13 || texts[:7] != "before|" || texts[len(texts)-6:] != "after|" {
					t.Errorf("history: %q", texts)
				}
				if s.d.starts != 2 {
					t.Errorf("%d starts", s.d.starts)
				}
			})
		})
	}
}

// TestUnreadableLog: the session's log cannot be read any more. The run says so
// instead of waiting for ever.
func TestUnreadableLog(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "wait 10; say on")
		synctest.Wait()
		s.d.on("Snapshot", func(ctx) error {
			return &gateway.Error{Method: "session.history", Code: gateway.CodeInternal, Message: "corrupt session log"}
		})
		s.expect(s.rest(sub), "queued", "start manual p/m session-1", `delta "on"`, "error agent-unavailable")
	})
}

// TestRefusedCancel: a cancel that the Harness refuses does not hold Stop for ever.
func TestRefusedCancel(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "wait 1000; say on")
		synctest.Wait()
		s.d.on("Cancel", func(ctx) error { return &gateway.Error{Code: gateway.CodeAgentBusy} })
		s.stop("c1")
		s.expect(s.rest(sub), "queued", "start manual p/m session-1", `delta "on"`, "done aborted true 100")
	})
}

// TestStopInterruptsHelpers: before their chat's turn, and again where the line is lost
// just then. One whose interrupt hangs holds up nobody else.
func TestStopInterruptsHelpers(t *testing.T) {
	for name, fault := range map[string]func(*stage){
		"at once": func(*stage) {},
		"lost twice": func(s *stage) {
			lost := 2
			s.d.on("InterruptHelper", func(context.Context) error {
				if lost--; lost >= 0 {
					return gateway.ErrLost
				}
				return nil
			})
		},
		"late": func(s *stage) {
			_, release := s.d.hold("InterruptHelper")
			time.AfterFunc(time.Minute, release)
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				fault(s)
				sub := s.send("c1", "spawn hang; say on; hang")
				s.until(sub, rowRunning)
				synctest.Wait()
				if a := s.stop("c1"); !a.Stopped {
					t.Errorf("stop: %+v", a)
				}
				got := told(s.rest(sub))
				if !slices.Contains(got, "agent helper-2 stopped") {
					t.Errorf("the helper works on: %q", got)
				}
				helpersBeforeTurn(t, s)
			})
		})
	}
}
