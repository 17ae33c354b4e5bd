package goal

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/dsh"
)

func TestParse(t *testing.T) {
	for rest, want := range map[string]Command{
		"":                     {Show, ""},
		"pause":                {Pause, ""},
		"Resume":               {Resume, ""},
		"complete":             {Finish, ""},
		"CLEAR":                {Clear, ""},
		"edit":                 {Edit, ""},
		"edit  all tests pass": {Edit, "all tests pass"},
		"edit\nall":            {Edit, "all"},
		"editing is fun":       {Create, "editing is fun"},
		"pause the video":      {Create, "pause the video"},
		"clear the cache dir":  {Create, "clear the cache dir"},
		"make all tests pass":  {Create, "make all tests pass"},
		"目標":                   {Create, "目標"},
	} {
		if d := cmp.Diff(want, Parse(rest)); d != "" {
			t.Errorf("%q (-want +got):\n%s", rest, d)
		}
	}
}

func TestDecide(t *testing.T) {
	of := func(phase string, started int) *dsh.GoalState {
		return &dsh.GoalState{Goal: dsh.Goal{ID: "g", Revision: 2, Objective: "ship it", Phase: phase, MaxGoalRounds: 256}, RoundsStarted: started}
	}
	for _, c := range []struct {
		name  string
		rest  string
		state *dsh.GoalState
		armed bool
		most  int
		steps []Step
		says  string // the key
	}{
		{"the first goal", "ship it", nil, false, 0, []Step{{Create, "ship it", 256}}, ""},
		{"capped", "ship it", nil, false, 3, []Step{{Create, "ship it", 3}}, ""},
		{"a negative cap is none", "ship it", nil, false, -1, []Step{{Create, "ship it", 256}}, ""},
		{"after one that is reached", "more", of("complete", 3), false, 0, []Step{{Create, "more", 256}}, ""},
		{"a second one", "more", of("active", 3), true, 0, nil, say.GoalExists},
		{"beside a paused one", "more", of("paused", 3), false, 0, nil, say.GoalExists},
		{"beside a blocked one", "more", of("blocked", 3), false, 0, nil, say.GoalExists},

		{"show none", "", nil, false, 0, nil, say.GoalNone},
		{"show one at work", "", of("active", 3), true, 0, nil, say.GoalActive},
		{"show one that waits since a restart", "", of("active", 3), false, 0, nil, say.GoalWaits},
		{"show a paused one", "", of("paused", 3), false, 0, nil, say.GoalWaits},
		{"show one that is reached", "", of("complete", 3), false, 0, nil, say.GoalReached},

		{"pause", "pause", of("active", 3), true, 0, []Step{{Verb: Pause}}, ""},
		{"pause since a restart", "pause", of("active", 3), false, 0, []Step{{Verb: Pause}}, ""},
		{"pause twice", "pause", of("paused", 3), false, 0, nil, say.GoalWaits},
		{"pause none", "pause", nil, false, 0, nil, say.GoalNone},

		{"resume", "resume", of("paused", 3), false, 0, []Step{{Verb: Edit, Rounds: 259}, {Verb: Resume}}, ""},
		{"resume, capped", "resume", of("paused", 3), false, 2, []Step{{Verb: Edit, Rounds: 5}, {Verb: Resume}}, ""},
		{"resume at the limit", "resume", of("blocked", 256), false, 0, []Step{{Verb: Edit, Rounds: 512}, {Verb: Resume}}, ""},
		{"resume one at work", "resume", of("active", 3), true, 0, nil, say.GoalBusy},
		{"resume one that is reached", "resume", of("complete", 3), false, 0, nil, say.GoalReached},
		{"resume none", "resume", nil, false, 0, nil, say.GoalNone},

		{"edit", "edit ship more", of("active", 3), true, 0, []Step{{Verb: Edit, Objective: "ship more"}}, say.GoalEdited},
		{"edit to nothing", "edit", of("active", 3), true, 0, nil, say.GoalEditEmpty},
		{"edit none", "edit x", nil, false, 0, nil, say.GoalNone},

		{"complete", "complete", of("blocked", 3), false, 0, []Step{{Verb: Finish}}, ""},
		{"complete twice", "complete", of("complete", 3), false, 0, nil, say.GoalReached},
		{"clear", "clear", of("complete", 3), false, 0, []Step{{Verb: Clear}}, ""},
		{"clear none", "clear", nil, false, 0, nil, say.GoalNone},
	} {
		steps, said := Decide(Parse(c.rest), c.state, c.armed, c.most)
		key := ""
		if said != nil {
			key = said.Key
		}
		if d := cmp.Diff(c.steps, steps); d != "" || key != c.says {
			t.Errorf("%s: says %q, want %q (-want +got):\n%s", c.name, key, c.says, d)
		}
	}
}
