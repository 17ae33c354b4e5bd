package bridge

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// waiting are the messages that wait, as the list of chats has them.
func (s *stage) waiting(chatID string) []chat.Waiting {
	s.t.Helper()
	list, err := s.b.Chats(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range list.Chats {
		if c.ChatID == chatID {
			return c.Waiting
		}
	}
	s.t.Fatalf("no chat %s in %+v", chatID, list)
	return nil
}

// texts are the messages that wait.
func texts(all []chat.Waiting) []string {
	var out []string
	for _, w := range all {
		out = append(out, w.Text)
	}
	return out
}

// asked are the texts of messages given back.
func asked(all []chat.StreamRequest) []string {
	var out []string
	for _, r := range all {
		out = append(out, r.Text)
	}
	return out
}

// TestWaiting: a chat's row lists what waits, whoever asks, until each gets its turn.
func TestWaiting(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		second := s.send("c1", "wait 1000; say two")
		third := s.message("c1", "/plan say three")
		third.Model, third.Attachments = "p/eyes", []chat.Attachment{{Name: "a.png", MediaType: "image/png", Data: picture(t, 2, 3)}}
		s.post(third)
		got := s.waiting("c1")
		for i := range got {
			if got[i].Run == "" {
				t.Errorf("%+v has no run", got[i])
			}
			got[i].Run = ""
		}
		want := []chat.Waiting{
			{RequestID: "req-2", Text: "wait 1000; say two", Mode: "manual", Model: "p/m", Time: now(), Steers: true},
			{RequestID: "req-3", Text: "/plan say three", Mode: "plan", Model: "p/eyes", Time: now(), Pictures: []chat.Picture{{Name: "a.png", MediaType: "image/png"}}},
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if d := cmp.Diff(texts(got), texts(s.history("c1").Waiting)); d != "" {
			t.Errorf("the chat itself (-want +got):\n%s", d)
		}
		s.rest(first)
		synctest.Wait()
		if d := cmp.Diff([]string{"/plan say three"}, texts(s.waiting("c1"))); d != "" {
			t.Errorf("after the first turn (-want +got):\n%s", d)
		}
		s.rest(second)
	})
}

// TestTakeBack: a message that waits comes back whole and never begins; one that has
// begun does not.
func TestTakeBack(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		req := s.message("c1", "say two")
		req.Thinking, req.Mode, req.Model = "high", "plan", "p/eyes"
		req.Attachments = []chat.Attachment{{Name: "a.png", MediaType: "image/png", Data: picture(t, 2, 3)}}
		second := s.post(req)
		third := s.send("c1", "say three")
		rows := s.waiting("c1")
		got, err := s.b.TakeBack(t.Context(), "c1", rows[0].Run)
		if d := cmp.Diff(req, got); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
		s.expect(s.rest(second), "queued", "done aborted true 0")
		if d := cmp.Diff([]string{"say three"}, texts(s.waiting("c1"))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		s.expect(s.rest(s.post(req)), "queued", "done aborted true 0") // a resend of it is not a new message
		for _, run := range []string{rows[0].Run, s.history("c1").Run, "nope"} {
			if _, err := s.b.TakeBack(t.Context(), "c1", run); code(err) != chat.CodeNotWaiting {
				t.Errorf("taking back %s: %v", run, err)
			}
		}
		if _, err := s.b.TakeBack(t.Context(), "nope", rows[1].Run); code(err) != chat.CodeUnknownChat {
			t.Errorf("of a chat that is none: %v", err)
		}
		s.expect(s.rest(first), "queued", "start manual p/m session-1", `delta "one"`, "done completed false 100")
		s.expect(s.rest(third), "queued", "start manual p/m session-1", `delta "three"`, "done completed false 100")
		want := []string{"user wait 1000; say one", "assistant one", "user say three", "assistant three"}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestSteerWaiting: a message that waits goes into the running turn, and stands in the
// run's frames where the turn has read it.
func TestSteerWaiting(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		s.send("c1", "say two")
		third := s.send("c1", "say three")
		if err := s.b.SteerWaiting(t.Context(), "c1", s.waiting("c1")[0].Run); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"say two", "say three"}, texts(s.waiting("c1"))); d != "" {
			t.Errorf("before the turn has read it (-want +got):\n%s", d)
		}
		if w := s.waiting("c1")[0]; w.Run != "" || w.Steers {
			t.Errorf("it can be taken back, or sent once more: %+v", w)
		}
		frames := s.rest(first)
		s.expect(frames, "queued", "start manual p/m session-1", "status "+say.Steered, "message say two", `delta "one"`, `delta "\n\ntwo"`, "done completed false 200")
		s.expect(s.rest(third), "queued", "start manual p/m session-1", `delta "three"`, "done completed false 100")
		want := []string{"user wait 1000; say one", "user say two", "assistant one\n\ntwo", "user say three", "assistant three"}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestSteerWaitingOverALostLine: each time the answer to the handing over is lost. The
// message is in the turn all the same, once, and nothing is told that is not so.
func TestSteerWaitingOverALostLine(t *testing.T) {
	for _, taken := range []bool{true, false} {
		t.Run(fmt.Sprint("taken ", taken), func(t *testing.T) {
			play(t, func(s *stage) {
				first := s.send("c1", "wait 1000; say one")
				synctest.Wait()
				second := s.send("c1", "say two")
				at := "Prompt"
				if taken {
					at = "Prompted"
				}
				lost := 3
				s.d.on(at, func(context.Context) error {
					if lost--; lost >= 0 {
						return gateway.ErrLost
					}
					return nil
				})
				err := s.b.SteerWaiting(t.Context(), "c1", s.waiting("c1")[0].Run)
				if (err == nil) != taken {
					t.Errorf("taken %v: %v", taken, err)
				}
				var notices []string
				for _, f := range append(s.rest(first), s.rest(second)...) {
					if f.Type == chat.Notice {
						notices = append(notices, f.Text)
					}
				}
				synctest.Wait()
				var got []string
				for _, m := range s.history("c1").Messages {
					got = append(got, m.Role+": "+m.Text)
				}
				want := []string{"user: wait 1000; say one", "assistant: one", "user: say two", "assistant: two"}
				if taken {
					want = []string{"user: wait 1000; say one", "user: say two", "assistant: one\n\ntwo"}
				}
				if d := cmp.Diff(want, got); d != "" || notices != nil {
					t.Errorf("told %q; history (-want +got):\n%s", notices, d)
				}
			})
		})
	}
}

// TestSteerWaitingIsNotTaken: what no turn takes stays where it was.
func TestSteerWaitingIsNotTaken(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		command := s.send("c1", "/help")
		other := s.message("c1", "say two")
		other.Mode = "bypass"
		s.post(other)
		s.send("c1", "say three")
		fourth := s.send("c1", "say four")
		s.d.on("Prompt", func(ctx) error { return &gateway.Error{Method: "session/prompt", Code: gateway.CodeSteerUnavailable} })
		for _, w := range s.waiting("c1")[:3] {
			if err := s.b.SteerWaiting(t.Context(), "c1", w.Run); code(err) != chat.CodeNotTaken {
				t.Errorf("%q: %v", w.Text, err)
			}
		}
		s.d.on("Prompt", nil)
		if d := cmp.Diff([]string{"/help", "say two", "say three", "say four"}, texts(s.waiting("c1"))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		s.rest(first)
		s.rest(command)
		s.rest(fourth)
		want := []string{
			"user wait 1000; say one", "assistant one", "user /help", "assistant [" + say.HelpPlan + "][" + say.HelpCompact + "][" + say.HelpGoal + "][" + say.HelpText + "]",
			"user say two", "assistant two", "user say three", "assistant three", "user say four", "assistant four",
		}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestStopGivesBackWhatWaited: also what was on its way into the turn.
func TestStopGivesBackWhatWaited(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000000; say one")
		synctest.Wait()
		s.post(s.steering("c1", "say two"))
		s.send("c1", "say three")
		s.send("c1", "say four")
		a := s.stop("c1")
		if d := cmp.Diff([]string{"say two", "say three", "say four"}, asked(a.Unsent)); d != "" || !a.Stopped {
			t.Errorf("%v (-want +got):\n%s", a.Stopped, d)
		}
		if again := s.stop("c1"); again.Stopped || len(again.Unsent) > 0 {
			t.Errorf("a second Stop gives %+v", again)
		}
		s.rest(first)
		if w := s.waiting("c1"); len(w) > 0 {
			t.Errorf("still waiting: %+v", w)
		}
		want := []string{"user wait 1000000; say one", "assistant [" + say.Stopped + "]"}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestTakeBackAsItBegins: whoever wins, the message is given back or answered, never
// both and never neither.
func TestTakeBackAsItBegins(t *testing.T) {
	for range 20 {
		play(t, func(s *stage) {
			first := s.send("c1", "say one")
			second := s.send("c1", "say two")
			took := make(chan error, 1)
			rows := s.waiting("c1")
			go func() {
				if len(rows) == 0 {
					took <- say.Error(chat.CodeNotWaiting, "", say.NotWaiting)
					return
				}
				_, err := s.b.TakeBack(t.Context(), "c1", rows[0].Run)
				took <- err
			}()
			s.rest(first)
			end := told(s.rest(second))
			want := []string{"queued", "done aborted true 0"}
			if err := <-took; err != nil {
				if code(err) != chat.CodeNotWaiting {
					t.Errorf("taking back: %v", err)
				}
				want = []string{"queued", "start manual p/m session-1", `delta "two"`, "done completed false 100"}
			}
			if d := cmp.Diff(want, end); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
