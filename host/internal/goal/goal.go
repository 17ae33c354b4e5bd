// Package goal reads what a person asks of a chat's goal and says what is to be done. It
// is pure.
package goal

import (
	"strconv"
	"strings"
	"unicode"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Rounds is how many rounds a goal gets where nobody says another number: the Harness's
// own default (harness-rc8.md §3), which is passed all the same.
const Rounds = 256

// Phases of a goal (dsh.Goal).
const (
	Active   = "active"
	Complete = "complete"
)

// RoundLimit is the code of a goal that is blocked because it used all of its rounds.
const RoundLimit = "round-limit"

// Verb is what is asked of a goal.
type Verb string

// The verbs. Create and Edit come with a text.
const (
	Show   Verb = "show"
	Create Verb = "create"
	Edit   Verb = "edit"
	Pause  Verb = "pause"
	Resume Verb = "resume"
	Finish Verb = "complete"
	Clear  Verb = "clear"
)

// Command is what stands behind /goal.
type Command struct {
	Verb Verb
	Text string
}

// Parse reads what stands behind /goal, without space around it. A word that is no verb,
// and a verb with more behind it than it takes, is a goal.
func Parse(rest string) Command {
	if rest == "" {
		return Command{Verb: Show}
	}
	switch v := Verb(strings.ToLower(rest)); v {
	case Pause, Resume, Finish, Clear, Edit:
		return Command{Verb: v}
	}
	if word, text, ok := cutSpace(rest); ok && strings.EqualFold(word, string(Edit)) {
		return Command{Verb: Edit, Text: text}
	}
	return Command{Verb: Create, Text: rest}
}

func cutSpace(s string) (word, rest string, ok bool) {
	i := strings.IndexFunc(s, unicode.IsSpace)
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimSpace(s[i:]), true
}

// Step is one request to the Harness. Objective and Rounds belong to Create and Edit; ""
// and 0 leave as it is.
type Step struct {
	Verb      Verb
	Objective string
	Rounds    int
}

// Decide gives the requests that carry a command out, in order, and what is said besides
// what the goal's own changes say. State is the goal of the chat, nil where it has none;
// armed says that its rounds go on. Most caps the rounds that follow, 0 is Rounds.
func Decide(c Command, state *dsh.GoalState, armed bool, most int) ([]Step, *chat.Sentence) {
	if most <= 0 {
		most = Rounds
	}
	if c.Verb == Create {
		if state != nil && state.Goal.Phase != Complete {
			return nil, said(say.GoalExists, "goal", state.Goal.Objective)
		}
		return []Step{{Verb: Create, Objective: c.Text, Rounds: most}}, nil
	}
	if state == nil {
		return nil, said(say.GoalNone)
	}
	g := state.Goal
	if g.Phase == Complete && c.Verb != Clear {
		return nil, said(say.GoalReached, "goal", g.Objective)
	}
	switch c.Verb {
	case Edit:
		if c.Text == "" {
			return nil, said(say.GoalEditEmpty)
		}
		return []Step{{Verb: Edit, Objective: c.Text}}, said(say.GoalEdited, "goal", c.Text)
	case Pause:
		if g.Phase != Active {
			return nil, shown(state, armed)
		}
	case Resume:
		if armed {
			return nil, said(say.GoalBusy)
		}
		return []Step{{Verb: Edit, Rounds: state.RoundsStarted + most}, {Verb: Resume}}, nil
	case Finish, Clear:
	default:
		return nil, shown(state, armed)
	}
	return []Step{{Verb: c.Verb}}, nil
}

// shown says how a goal stands that is not reached.
func shown(state *dsh.GoalState, armed bool) *chat.Sentence {
	key := say.GoalWaits
	if armed {
		key = say.GoalActive
	}
	g := state.Goal
	return said(key, "goal", g.Objective, "rounds", strconv.Itoa(state.RoundsStarted), "most", strconv.Itoa(g.MaxGoalRounds))
}

func said(key string, args ...string) *chat.Sentence {
	s := say.Sentence(key, args...)
	return &s
}
