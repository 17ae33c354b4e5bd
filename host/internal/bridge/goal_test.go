package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
)

// TestGoalsOff: the host says so by itself, and asks nobody.
func TestGoalsOff(t *testing.T) {
	play(t, func(s *stage) {
		s.b.o.GoalsOff = true
		s.expect(s.run("c1", "/goal ship it"), "queued", "own "+say.GoalsOff, "done completed false 0")
		if calls := s.d.called(); len(calls) > 0 {
			t.Errorf("the Harness was asked: %v", calls)
		}
	})
}

// TestNoGoalsOnThisWire: a Harness without them is told in plain words.
func TestNoGoalsOnThisWire(t *testing.T) {
	play(t, func(s *stage) {
		frames := s.run("c1", "/goal ship it")
		if d := cmp.Diff(say.GoalsMissing, frames[len(frames)-1].Text); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
