package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/goal"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// TestHowAGoalStops: the line at the end tells complete, paused, blocked, the round limit
// and a round that went wrong apart, at the end of the turn it happened in.
func TestHowAGoalStops(t *testing.T) {
	change := func(operation, phase string, why *dsh.Blocked) dsh.Event {
		return eventOf(t, dsh.TypeGoalChange, dsh.GoalChange{
			Operation: operation, Goal: &dsh.Goal{ID: "g", Objective: "o", Phase: phase, BlockedReason: why, MaxGoalRounds: 3},
		})
	}
	for name, c := range map[string]struct {
		change []dsh.Event // inside the round
		end    string      // of the round
		want   []chat.Sentence
	}{
		"complete":           {[]dsh.Event{change("complete", "complete", nil)}, "completed", []chat.Sentence{say.Sentence(say.GoalDone)}},
		"paused":             {[]dsh.Event{change("pause", "paused", nil)}, "completed", []chat.Sentence{say.Sentence(say.GoalPaused)}},
		"cleared":            {[]dsh.Event{change("clear", "", nil)}, "aborted", []chat.Sentence{say.Sentence(say.GoalCleared)}},
		"the round limit":    {[]dsh.Event{change("block", "blocked", &dsh.Blocked{Code: goal.RoundLimit, Message: "x"})}, "completed", []chat.Sentence{say.Sentence(say.GoalLimit, "rounds", "3")}},
		"blocked":            {[]dsh.Event{change("block", "blocked", &dsh.Blocked{Code: "model", Message: "I need a key. "})}, "completed", []chat.Sentence{say.Sentence(say.GoalBlocked, "reason", "I need a key")}},
		"blocked wordlessly": {[]dsh.Event{change("block", "blocked", nil)}, "completed", []chat.Sentence{say.Sentence(say.GoalBlocked, "reason", "…")}},
		"a failed round":     {nil, "error", []chat.Sentence{say.Sentence(say.GoalHalted)}},
		"a cut round":        {nil, "max-tokens", []chat.Sentence{say.Sentence(say.GoalHalted)}},
		"a round":            {nil, "completed", nil},
		"stopped":            {nil, "aborted", nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(Config{Root: "s", Session: "s"})
			events := append([]dsh.Event{change("create", goal.Active, nil), eventOf(t, dsh.TypeTurnStart, dsh.Turn{Turn: 1})}, c.change...)
			events = append(events, eventOf(t, dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1, Reason: dsh.EndReason{Kind: c.end}}))
			var got []chat.Sentence
			for _, e := range events {
				for _, frame := range f.Apply(e) {
					if frame.Own {
						got = append(got, frame.Sentence)
					}
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
