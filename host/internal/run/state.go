// Package run is the life of one run as a pure reducer: an event and the state
// give the next state and what to do. It knows no clock, no Harness, no HTTP.
package run

import (
	"slices"

	"strata.dev/bridge/proto/chat"
)

// Phase is where a run stands.
type Phase int

// The phases, in order.
const (
	Queued    Phase = iota // waits for the chat's earlier runs
	Preparing              // session, mode, gate, model
	Prompting              // the message is on its way to the Harness
	Running                // the Harness has it
	Ending                 // stopped; the turn has not ended yet
	Answering              // the model answers without the Harness
	Tidying                // the turn has ended; room is made for the next message
	Ended                  // the last frame is written
)

// String names the phase in logs and tests.
func (p Phase) String() string {
	return [...]string{"queued", "preparing", "prompting", "running", "ending", "answering", "tidying", "ended"}[p]
}

// Step is one thing that must hold before the message is handed over.
type Step int

// The steps, in order.
const (
	Session Step = iota // the Harness runs and has the chat's session
	Mode                // the session is in the chat's mode
	Gate                // the gate answers; Manual only
	Model               // the session's model is the chosen one
)

// String names the step in logs and tests.
func (s Step) String() string { return [...]string{"session", "mode", "gate", "model"}[s] }

// MaxPrompts is how often a message is handed over before a connection that
// breaks each time is given up.
const MaxPrompts = 3

// State is where one run stands. The zero value is not useful; New makes one.
type State struct {
	Phase Phase
	Step  Step // of Preparing

	start   chat.Frame // written when the message is handed over
	gated   bool       // a Manual run: the gate must answer
	prompts int        // how often the message was handed over

	turn      bool // a turn is open in the session
	ours      bool // a turn has our message
	cut       bool // our answer was cut off and is to go on
	checking  bool // a Check is under way
	recheck   bool // and must be repeated
	unqueued  bool // our waiting message was taken back
	unqueuing bool // or is being taken back
	helpers   []helper
	goal      bool // a goal is armed: its next round begins by itself
	eased     bool // the goal was halted while a round was running, which may be cancelled
	guarded   bool // the turn guard ended the turn
	untidy    bool // the person broke Tidying off

	stopped bool        // by the person
	changed *chat.Error // by something else
	failure *chat.Error // of the preparation, of the process, or of our first turn that failed
	answer  *chat.Frame // the last one of an answer without the Harness
	finish  string      // how the newest turn ended: ours, once one has our message
	stray   *chat.Error // of the newest turn, as long as none has our message
}

// helper is one that has not finished.
type helper struct {
	id   string
	kind kind
	gone bool // the Harness let go of it; only its report is missing
}

// kind tells whether a helper reports to the chat's session, which then takes a turn.
type kind int

const (
	unknown kind = iota
	silent
	reports
)

// New gives a run that waits. Start is the frame of its beginning, without the
// session; manual says that the gate must answer.
func New(start chat.Frame, manual bool) State {
	start.Type = chat.Started
	return State{start: start, gated: manual}
}

// Stopped tells whether the person has asked the run to stop.
func (s State) Stopped() bool { return s.stopped }

// Open tells whether a turn is running that takes further messages.
func (s State) Open() bool { return s.Phase == Running && s.turn && s.ours }

// stopping tells whether the run is to end before its turn has.
func (s State) stopping() bool { return s.stopped || s.changed != nil }

// crowded tells whether room is to be made before the next message: the turn ended
// because it filled the window, or for another reason of the guard's.
func (s State) crowded() bool {
	full := s.failure != nil && s.failure.Code == chat.CodeContextFull
	return !s.stopping() && (s.guarded || full)
}

// Guarded tells whether the turn guard ended the turn.
func (s State) Guarded() bool { return s.guarded }

// Goal tells whether a goal is armed.
func (s State) Goal() bool { return s.goal }

// outstanding tells whether a helper is to be waited for. Once a run is stopped
// only those count that may wake the session.
func (s State) outstanding() bool {
	return slices.ContainsFunc(s.helpers, func(h helper) bool { return h.kind != silent || s.Phase != Ending })
}

// with gives the helpers with change applied to the one of that id.
func (s State) with(id string, change func(*helper)) []helper {
	out := slices.Clone(s.helpers)
	for i := range out {
		if out[i].id == id {
			change(&out[i])
		}
	}
	return out
}

// without gives the helpers but that one.
func (s State) without(id string) []helper {
	return slices.DeleteFunc(slices.Clone(s.helpers), func(h helper) bool { return h.id == id })
}

func (s State) find(id string) (helper, bool) {
	i := slices.IndexFunc(s.helpers, func(h helper) bool { return h.id == id })
	if i < 0 {
		return helper{}, false
	}
	return s.helpers[i], true
}

// live are the ids of the helpers that can still be interrupted.
func (s State) live() []string {
	var ids []string
	for _, h := range s.helpers {
		if !h.gone {
			ids = append(ids, h.id)
		}
	}
	return ids
}
