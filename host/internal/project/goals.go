package project

import (
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/goal"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// goalKind is the source of a message that begins a goal's round.
const goalKind = "goal"

// Pursued tells whether the session has a goal that is active.
func (f *Fold) Pursued() bool { return f.goal != nil && f.goal.Goal.Phase == goal.Active }

// GoalRounds is how many rounds of the session's goal have begun. The projection of the
// goal learns of a round with the goal's next change only.
func (f *Fold) GoalRounds() int {
	if f.goal == nil {
		return 0
	}
	return f.goal.RoundsStarted
}

// goalChanged takes in a change of the goal. Inside a turn it is told at the turn's end.
func (f *Fold) goalChanged(d dsh.GoalChange) []chat.Frame {
	rounds := d.RoundsStarted
	if f.goal != nil && d.Goal != nil && f.goal.Goal.ID == d.Goal.ID {
		rounds = max(rounds, f.goal.RoundsStarted)
	}
	f.goal = nil
	if d.Goal != nil {
		f.goal = &dsh.GoalState{Goal: *d.Goal, RoundsStarted: rounds, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt}
	}
	var note chat.Frame
	switch d.Operation {
	case "create", "resume":
		f.goalNotes = nil
		return []chat.Frame{status(say.GoalWorking)}
	case "pause":
		note = own(say.GoalPaused)
	case "complete":
		note = own(say.GoalDone)
	case "block":
		note = blocked(f.goal)
	case "clear":
		note = own(say.GoalCleared)
	default:
		return nil
	}
	if f.open {
		f.goalNotes = append(f.goalNotes, note)
		return nil
	}
	return []chat.Frame{note}
}

// goalRound takes in that a round of the goal begins.
func (f *Fold) goalRound(s dsh.Source) []chat.Frame {
	if f.goal != nil && s.Round > f.goal.RoundsStarted {
		at := *f.goal
		at.RoundsStarted = s.Round
		f.goal = &at
	}
	return []chat.Frame{status(say.GoalWorking)}
}

// goalEnded tells at a turn's end what became of the goal in it. The Harness halts a
// goal whose round did not end well, and says so nowhere.
func (f *Fold) goalEnded(kind string) []chat.Frame {
	notes := f.goalNotes
	f.goalNotes = nil
	if f.Pursued() && (kind == "error" || kind == "max-tokens") {
		notes = append(notes, own(say.GoalHalted))
	}
	return notes
}

func blocked(g *dsh.GoalState) chat.Frame {
	f := own(say.GoalBlocked)
	reason := "…"
	if g != nil && g.Goal.BlockedReason != nil {
		if g.Goal.BlockedReason.Code == goal.RoundLimit {
			f.Sentence = say.Sentence(say.GoalLimit, "rounds", strconv.Itoa(g.Goal.MaxGoalRounds))
			return f
		}
		reason = strings.TrimRight(g.Goal.BlockedReason.Message, ". ")
	}
	f.Sentence = say.Sentence(say.GoalBlocked, "reason", reason)
	return f
}
