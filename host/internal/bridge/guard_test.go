package bridge

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const brokenOften = "break a; break a; break a; break a; hang; say never"

var compacts = map[string]gateway.CommandResult{"compact": {Found: true, OK: true, Text: "Compacted 8 history items."}}

// lines drops what the cards tell.
func lines(frames []chat.Frame) []string {
	var out []string
	for _, l := range told(frames) {
		if !strings.HasPrefix(l, "tool ") {
			out = append(out, l)
		}
	}
	return out
}

func (s *stage) lines(frames []chat.Frame, want ...string) {
	s.t.Helper()
	if d := cmp.Diff(want, lines(frames)); d != "" {
		s.t.Errorf("(-want +got):\n%s", d)
	}
}

// TestGuardEndsATurn: as Stop does, but it ends as done, says why, and makes room.
func TestGuardEndsATurn(t *testing.T) {
	for name, c := range map[string]struct{ script, says string }{
		"one step fails again and again": {brokenOften, say.Sentence(say.GuardSameFailure, "times", "4").Text},
		"searches fail":                  {"search a; search b; search c; hang", say.Sentence(say.GuardSearchFails, "times", "3").Text},
		"no room":                        {"fill 950; hang", say.GuardFull},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.commands = compacts
				s.lines(s.run("c1", c.script), "queued", "start manual p/m session-1", "own "+c.says, "done guard false "+map[bool]string{true: "950", false: "0"}[strings.HasPrefix(c.script, "fill")])
				if n := s.d.count("/compact"); n != 1 {
					t.Errorf("room was made %d times", n)
				}
				s.lines(s.run("c1", "say on"), "queued", "start manual p/m session-1", `delta "on"`, "done completed false 100")
			})
		})
	}
}

// TestGuardBeforeTheHarnessAnswered: the turn goes nowhere before it is known that the
// Harness took the message that began it.
func TestGuardBeforeTheHarnessAnswered(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = compacts
		_, release := s.d.hold("Prompted")
		sub := s.send("c1", "fill 950; hang")
		synctest.Wait()
		release()
		s.lines(s.rest(sub), "queued", "start manual p/m session-1", "own "+say.GuardFull, "done guard false 950")
	})
}

// TestGuardEndsHelpersFirst: and leaves no error card behind.
func TestGuardEndsHelpersFirst(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = compacts
		frames := s.run("c1", "spawn hang; wait 10; "+brokenOften)
		got := lines(frames)
		stopped := slices.Index(got, "agent helper-2 stopped")
		why := slices.Index(got, "own "+say.Sentence(say.GuardSameFailure, "times", "4").Text)
		if stopped < 0 || why != len(got)-2 || stopped > why || !strings.HasPrefix(got[len(got)-1], "done guard false") {
			t.Errorf("got %q", got)
		}
		for _, f := range frames {
			if f.Type == chat.Failed {
				t.Errorf("an error: %+v", f)
			}
		}
		helpersBeforeTurn(t, s)
	})
}

// helpersBeforeTurn: each helper was interrupted before the turn they work for was.
func helpersBeforeTurn(t *testing.T, s *stage) {
	t.Helper()
	calls := s.d.called()
	interrupted, cancelled := slices.Index(calls, "InterruptHelper"), slices.Index(calls, "Cancel")
	if interrupted < 0 || cancelled < interrupted {
		t.Errorf("helpers were interrupted at %d, the turn at %d of %q", interrupted, cancelled, calls)
	}
}

// TestStopWhileRoomIsMade breaks only that off: the turn had ended.
func TestStopWhileRoomIsMade(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = compacts
		reached, _ := s.d.hold("Execute /compact")
		sub := s.send("c1", brokenOften)
		<-reached
		synctest.Wait()
		s.stop("c1")
		s.lines(s.rest(sub), "queued", "start manual p/m session-1", "own "+say.Sentence(say.GuardSameFailure, "times", "4").Text, "done guard false 0")
		s.lines(s.run("c1", "say on"), "queued", "start manual p/m session-1", `delta "on"`, "done completed false 100")
	})
}

// TestRoomIsMadeAfterARefusal of the model server's: the next message is to fit.
func TestRoomIsMadeAfterARefusal(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = compacts
		s.lines(s.run("c1", "fail CONTEXT_WINDOW_EXCEEDED"), "queued", "start manual p/m session-1", "error CONTEXT_WINDOW_EXCEEDED")
		if n := s.d.count("/compact"); n != 1 {
			t.Errorf("room was made %d times", n)
		}
		s.lines(s.run("c1", "fail ANOTHER"), "queued", "start manual p/m session-1", "error model-failed")
		if n := s.d.count("/compact"); n != 1 {
			t.Errorf("after another failure, too")
		}
	})
}

// TestRoomThatCannotBeMade is no failure of the turn's.
func TestRoomThatCannotBeMade(t *testing.T) {
	play(t, func(s *stage) {
		s.lines(s.run("c1", brokenOften), "queued", "start manual p/m session-1", "own "+say.Sentence(say.GuardSameFailure, "times", "4").Text, "done guard false 0")
	})
}
