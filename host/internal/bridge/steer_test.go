package bridge

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// steering makes a message that is to go into the running turn.
func (s *stage) steering(chatID, text string) chat.StreamRequest {
	r := s.message(chatID, text)
	r.Steer = true
	return r
}

// TestSteer: the message goes into the running turn, whose frames its sender gets.
func TestSteer(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		req := s.steering("c1", "say two")
		second := s.post(req)
		again := s.post(req)
		want := []string{"queued", "start manual p/m session-1", "status " + say.Steered, "message say two", `delta "one"`, `delta "\n\ntwo"`, "done completed false 200"}
		frames := s.rest(first)
		s.expect(frames, want...)
		for _, sub := range []Subscription{second, again} {
			if d := cmp.Diff(frames, s.rest(sub)); d != "" {
				t.Errorf("(-first +second):\n%s", d)
			}
		}
		if d := cmp.Diff([]string{"user wait 1000; say one", "user say two", "assistant one\n\ntwo"}, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
		if n := s.d.count("Prompt"); n != 2 {
			t.Errorf("%d messages were handed over", n)
		}
	})
}

// TestSteerWaitsWhereNoTurnTakesIt: a message for another mode or model, one without a
// running turn, and one that the Harness refuses get turns of their own.
func TestSteerWaitsWhereNoTurnTakesIt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*chat.StreamRequest)
		start  string
	}{
		{"another mode", func(r *chat.StreamRequest) { r.Mode = "plan" }, "start plan p/m session-1"},
		{"another model", func(r *chat.StreamRequest) { r.Model = "p/other" }, "start manual p/other session-1"},
		{"refused", func(*chat.StreamRequest) {}, "start manual p/m session-1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(s *stage) {
				first := s.send("c1", "wait 1000; say one")
				synctest.Wait()
				if tt.name == "refused" {
					s.d.on("Prompt", func(context.Context) error {
						s.d.on("Prompt", nil)
						return &gateway.Error{Method: "session/prompt", Code: gateway.CodeSteerUnavailable}
					})
				}
				req := s.steering("c1", "say two")
				tt.change(&req)
				second := s.post(req)
				s.expect(s.rest(first), "queued", "start manual p/m session-1", `delta "one"`, "done completed false 100")
				s.expect(s.rest(second), "queued", tt.start, `delta "two"`, "done completed false 100")
			})
		})
	}
	play(t, func(s *stage) {
		s.expect(s.rest(s.post(s.steering("c1", "say hi"))), "queued", "start manual p/m session-1", `delta "hi"`, "done completed false 100")
	})
}

// TestSteerLooksAtTheSize: what never fits is refused as any other message, and where room
// must be made first that is done before its own turn; a short one goes in however full
// the chat is.
func TestSteerLooksAtTheSize(t *testing.T) {
	long := func(tokens int) string { return "say " + strings.Repeat("x", 4*tokens) }
	for name, tt := range map[string]struct {
		size    string
		text    string
		second  []string
		prompts int
	}{
		"never fits":   {halfFull, long(60_000), []string{"queued", "error CONTEXT_MESSAGE_TOO_LARGE"}, 1},
		"room is made": {nearly, long(20_000), []string{"queued", "status " + say.Compacting, "start", "delta", "context", "done"}, 2},
		"it fits":      {halfFull, long(10_000), []string{"queued", "start", "status " + say.Steered, "message", "delta", "context", "delta", "context", "done"}, 2},
		"a full chat":  {nearly, "say two", []string{"queued", "start", "status " + say.Steered, "message", "delta", "context", "delta", "context", "done"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.sizes = []string{tt.size}
				s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: "Compacted 8 history items."}}
				s.b.o.Counter = &tokenizer{}
				first := s.send("c1", "wait 1000; say one")
				synctest.Wait()
				second := s.post(s.steering("c1", tt.text))
				s.rest(first)
				var got []string
				for _, f := range s.rest(second) {
					kind := strings.TrimSpace(string(f.Type) + " " + string(f.Code))
					if f.Type == chat.Status {
						kind = "status " + f.Key
					}
					if len(got) == 0 || got[len(got)-1] != kind {
						got = append(got, kind)
					}
				}
				if d := cmp.Diff(tt.second, got); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if n := s.d.count("Prompt"); n != tt.prompts {
					t.Errorf("%d messages were handed over", n)
				}
			})
		})
	}
}

// TestStopTakesBackWhatWasSteered: what the turn has not read does not begin later.
func TestStopTakesBackWhatWasSteered(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000000; say one")
		synctest.Wait()
		s.post(s.steering("c1", "say two"))
		waiting := s.send("c1", "say three")
		synctest.Wait()
		s.stop("c1")
		s.expect(s.rest(first), "queued", "start manual p/m session-1", "status "+say.Steered, "done aborted true 0")
		s.expect(s.rest(waiting), "queued", "done aborted true 0")
		s.expect(s.run("c1", "say four"), "queued", "start manual p/m session-1", `delta "four"`, "done completed false 100")
		if n := s.d.count("Unqueue"); n != 1 {
			t.Errorf("%d messages were taken back", n)
		}
	})
}

// TestSteerOverABrokenLine: an answer that got lost is no second message.
func TestSteerOverABrokenLine(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "wait 1000; say one")
		synctest.Wait()
		s.d.on("Prompted", func(context.Context) error {
			s.d.on("Prompted", nil)
			return errLost
		})
		s.post(s.steering("c1", "say two"))
		s.expect(s.rest(first), "queued", "start manual p/m session-1", "status "+say.Steered, "message say two", `delta "one"`, `delta "\n\ntwo"`, "done completed false 200")
	})
}

// TestSteerBeforeTheHarnessAnswered: a message for a turn that may have begun waits until
// that is known; what was to go into a turn that a Stop ended does not begin later.
func TestSteerBeforeTheHarnessAnswered(t *testing.T) {
	for _, stop := range []bool{false, true} {
		play(t, func(s *stage) {
			_, release := s.d.hold("Prompted")
			first := s.send("c1", "wait 1000; say one")
			synctest.Wait()
			sent := make(chan Subscription, 1)
			go func() { sent <- s.post(s.steering("c1", "say two")) }()
			synctest.Wait()
			stopped := make(chan chat.StopAnswer, 1)
			if stop {
				go func() { stopped <- s.stop("c1") }()
				synctest.Wait()
			}
			release()
			frames := s.rest(first)
			if d := cmp.Diff(frames, s.rest(<-sent)); d != "" {
				t.Errorf("(-first +second):\n%s", d)
			}
			if !stop {
				s.expect(frames, "queued", "start manual p/m session-1", "status "+say.Steered, "message say two", `delta "one"`, `delta "\n\ntwo"`, "done completed false 200")
				return
			}
			s.expect(frames, "queued", "start manual p/m session-1", "done aborted true 0")
			if d := cmp.Diff([]string{"say two"}, asked((<-stopped).Unsent)); d != "" {
				t.Errorf("given back (-want +got):\n%s", d)
			}
			synctest.Wait()
			if n := s.d.count("Prompt"); n != 1 {
				t.Errorf("%d messages were handed over", n)
			}
		})
	}
}
