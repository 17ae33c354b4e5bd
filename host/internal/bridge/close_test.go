package bridge

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

var closingSoon = fmt.Sprintf("status Strata is closing. This answer has %d more seconds to end; what is done by then is kept.", turnGrace/time.Second)

// TestClose: the host ends while a turn is at some point. It ends by itself in time, or
// is stopped in order; nothing that waited begins.
func TestClose(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		until      func(chat.Frame) bool
		want       []string // the frames after that; nil: whichever
		key        string   // of the last one
		took       time.Duration
		parting    Parting
	}{
		{"ends in time", "run x; wait 3000; say bye", running,
			[]string{"tool call_1_1 done", closingSoon, `delta "bye"`, "done completed false 100"}, "", 3 * time.Second, Parting{Ended: 1, Unsent: 1}},
		{"takes too long", "hang", running,
			[]string{closingSoon, "tool call_1_1 error", "error agent-stopped"}, say.AgentClosed, turnGrace, Parting{Stopped: 1, Unsent: 1}},
		{"a question waits", "ask rm x", proposed,
			[]string{"tool call_1_1 denied", "error agent-stopped"}, say.AgentClosed, 0, Parting{Stopped: 1, Unsent: 1}},
		{"a question comes", "run x; wait 2000; ask rm x", running,
			[]string{"tool call_1_1 done", closingSoon, "tool call_1_2 running", "tool call_1_2 proposed", "tool call_1_2 denied", "error agent-stopped"},
			say.AgentClosed, 2 * time.Second, Parting{Stopped: 1, Unsent: 1}},
		{"a helper works", "helper hang", rowRunning,
			nil, // it depends on who is stopped first
			say.AgentClosed, turnGrace, Parting{Stopped: 1, Unsent: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(s *stage) {
				sub, behind := s.send("c1", tt.text), s.send("c1", "say never")
				s.until(sub, tt.until)
				synctest.Wait()
				begun := time.Now()
				if d := cmp.Diff(tt.parting, s.close()); d != "" {
					t.Errorf("parting (-want +got):\n%s", d)
				}
				if took := time.Since(begun); took != tt.took {
					t.Errorf("it took %v, want %v", took, tt.took)
				}
				got := s.rest(sub)
				if tt.want != nil {
					s.expect(got, tt.want...)
				}
				if key := got[len(got)-1].Key; key != tt.key {
					t.Errorf("it ends with %q", key)
				}
				for _, f := range got {
					if f.Type == chat.AgentTool && f.Tool.State == chat.ToolDenied && f.Tool.Result != say.ToolCancelled {
						t.Errorf("the card says %q", f.Tool.Result)
					}
				}
				waited := s.rest(behind)
				s.expect(waited, "queued", "error agent-stopped")
				if f := waited[1]; f.Key != say.Unsent || len(f.Actions) == 0 {
					t.Errorf("what waited is told %+v", f)
				}
				s.d.mu.Lock()
				for _, x := range s.d.sessions {
					if x.turn != nil || len(x.waiting) > 0 {
						t.Errorf("something goes on in %s", x.id)
					}
				}
				s.d.mu.Unlock()
				if left := s.b.Pending(""); len(left) > 0 {
					t.Errorf("pending: %+v", left)
				}
				if _, err := s.b.Send(s.t.Context(), s.message("c1", "say more")); code(err) != chat.CodeAgentUnavailable {
					t.Error(err)
				}
			})
		})
	}
}

// TestCloseWhilePreparing: what the Harness does not have yet is not sent, wherever it
// stands.
func TestCloseWhilePreparing(t *testing.T) {
	for _, at := range points {
		if at.reached || at.hold == "Prompt" {
			continue
		}
		t.Run(at.name, func(t *testing.T) {
			play(t, func(s *stage) {
				_, release := s.d.hold(at.hold)
				defer release()
				sub := s.send("c1", at.text)
				synctest.Wait()
				begun := time.Now()
				if d := cmp.Diff(Parting{Unsent: 1}, s.close()); d != "" || time.Since(begun) != 0 {
					t.Errorf("after %v, parting (-want +got):\n%s", time.Since(begun), d)
				}
				got := s.rest(sub)
				s.expect(got, "queued", "error agent-stopped")
				if got[1].Key != say.Unsent || s.d.count("Prompt") != 0 {
					t.Errorf("%d prompts and %+v", s.d.count("Prompt"), got[1])
				}
			})
		})
	}
}

// TestCloseBrokenOff: a Harness that ends nothing does not hold the host for ever, nor
// does one that does not answer a prompt; every run has its last frame.
func TestCloseBrokenOff(t *testing.T) {
	for method, text := range map[string]string{"Cancel": "hang", "Prompt": "say hi"} {
		t.Run(method, func(t *testing.T) {
			play(t, func(s *stage) {
				_, release := s.d.hold(method)
				defer release()
				sub := s.send("c1", text)
				synctest.Wait()
				begun := time.Now()
				if p := s.close(); p != (Parting{Stopped: 1}) || time.Since(begun) != turnGrace+stopGrace {
					t.Errorf("after %v: %+v", time.Since(begun), p)
				}
				got := s.rest(sub)
				if last := got[len(got)-1]; last.Type != chat.Failed || last.Key != say.AgentClosed {
					t.Errorf("got %v", told(got))
				}
			})
			play(t, func(s *stage) { // nor longer than the caller waits
				_, release := s.d.hold(method)
				defer release()
				s.send("c1", text)
				synctest.Wait()
				ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
				defer cancel()
				begun := time.Now()
				if p, err := s.b.Close(ctx); err != nil || p != (Parting{Stopped: 1}) || time.Since(begun) != time.Second {
					t.Errorf("after %v: %+v %v", time.Since(begun), p, err)
				}
			})
		})
	}
}

// TestUnsentIsKept: the chat shows the message that was not sent, in its place, until
// it is sent after all.
func TestUnsentIsKept(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, d: newDisk()}
		s.b = s.open(dir, cwd)
		s.run("c1", "say one")
		time.Sleep(time.Second)
		running := s.send("c1", "hang")
		synctest.Wait()
		time.Sleep(time.Second)
		second, third := s.message("c1", "say two"), s.message("c1", "say three")
		s.post(second)
		time.Sleep(time.Second)
		s.post(third)
		s.close()
		s.rest(running)
		s.d.die()

		s.b = s.open(dir, cwd)
		note := "assistant [" + say.Unsent + "]"
		before := []string{"user say one", "assistant one", "user hang", "assistant [" + say.Stopped + "]"}
		want := append(before[:4:4], "user say two", note, "user say three", note)
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("after the start (-want +got):\n%s", d)
		}
		s.expect(s.rest(s.post(second)), "queued", "start manual p/m session-1", `delta "two"`, "done completed false 100")
		want = append(before[:4:4], "user say three", note, "user say two", "assistant two")
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("once one was sent (-want +got):\n%s", d)
		}
		s.close()
		s.d.die()
	})
}

// TestCloseAlone: an answer without the Harness has the same time.
func TestCloseAlone(t *testing.T) {
	playApart(t, func(s *apart) {
		sub, behind := s.send("c1", "hang on"), s.send("c1", "say never")
		synctest.Wait()
		begun := time.Now()
		p := s.close()
		if p != (Parting{Stopped: 1, Unsent: 1}) || time.Since(begun) != turnGrace {
			t.Errorf("after %v: %+v", time.Since(begun), p)
		}
		got, waited := s.rest(sub), s.rest(behind)
		if last := got[len(got)-1]; last.Type != chat.Failed || last.Key != say.AgentClosed {
			t.Errorf("got %v", told(got))
		}
		if last := waited[len(waited)-1]; last.Key != say.Unsent {
			t.Errorf("got %v", told(waited))
		}
		s.reopen()
		want := []string{"user hang on", "user say never"}
		var users []string
		for _, n := range notes(s.history("c1")) {
			if n[:4] == "user" {
				users = append(users, n)
			}
		}
		if d := cmp.Diff(want, users); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestSettingsChange: a message that comes while a restart for new settings is due
// waits for it, says so, and can be stopped; those that run hold it.
func TestSettingsChange(t *testing.T) {
	wait := "status " + say.SettingsWait
	play(t, func(s *stage) {
		first := s.send("c1", "hang")
		s.until(first, running)
		if s.d.held != 1 {
			t.Errorf("held %d times", s.d.held)
		}
		_, restarted := s.d.hold("Hold")
		second, third := s.send("c2", "say two"), s.send("c3", "say three")
		synctest.Wait()
		s.stop("c3")
		s.expect(s.rest(third), "queued", wait, "done aborted true 0")
		s.stop("c1")
		s.rest(first)
		if s.d.held != 0 {
			t.Errorf("held %d times after the last turn", s.d.held)
		}
		s.d.die() // the restart
		restarted()
		s.d.on("Hold", nil)
		s.expect(s.rest(second), "queued", wait, "start manual p/m session-2", `delta "two"`, "done completed false 100")
		if s.d.starts != 2 {
			t.Errorf("%d starts", s.d.starts)
		}
	})
}

// TestHistoryDuringARestart: a chat that is read while the Harness is started again is
// read from the next one.
func TestHistoryDuringARestart(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say one")
		reached, release := s.d.hold("Snapshot")
		got := make(chan []string, 1)
		go func() { got <- notes(s.history("c1")) }()
		<-reached
		s.d.die()
		s.d.on("Snapshot", nil)
		release()
		if d := cmp.Diff([]string{"user say one", "assistant one"}, <-got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
