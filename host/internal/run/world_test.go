package run

import (
	"fmt"
	"slices"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// world is a Harness with one session, and what stands between it and a run, as far as
// a run can tell. It is a value: a move gives the next one. What it did not deliver yet
// waits in results (answers to actions, each by its own way), stream (the session's
// events, in order) and checks.
type world struct {
	// What may still happen.
	stop, change bool // the person stops; something changes the permissions
	faults       int  // steps and handovers that fail
	losses       int  // connections that break while a message is handed over
	births       int  // helpers
	cuts         int  // answers that are cut off
	steers       int  // messages into the running turn
	command      bool // the message is a command
	goals        int  // goals that a turn sets
	guards       int  // turns that the guard ends

	results  []Event
	stream   []Event
	inbox    []string // messages that wait: "ours", "further", "parked", or a helper's id for its report
	turn     string   // what the open turn answers
	shown    bool     // its message is in the log
	aborting bool
	alive    []string // helpers: id and kind
	silent   []string // helpers whose report gets lost
	flying   int      // further messages on their way
	unqueue  bool     // messages are to be taken back once none is on its way
	asked    int      // checks that were not read yet
	checks   []read
	prompted bool
	goal     bool // its next round begins by itself
	rounds   int  // that it has had
}

// read is the answer to a check, due once so much of the stream was taken in.
type read struct {
	checked Checked
	after   int
}

// move is something that may happen next; a nil event is none that the run sees.
type move struct {
	event Event
	next  world
}

// with gives a list with one more, and leaves the list as it is.
func with[T any](list []T, more ...T) []T { return slices.Concat(list, more) }

// but gives a list without element i.
func but[T any](list []T, i int) []T { return slices.Concat(list[:i], list[i+1:]) }

// begin gives the worlds in which an action was carried out, one for each way.
func (w world) begin(a Action) []world {
	answer := func(w world, e Event) world { w.results = with(w.results, e); return w }
	fail := func(w world, e Event) []world {
		if w.faults == 0 {
			return nil
		}
		w.faults--
		return []world{answer(w, e)}
	}
	switch a := a.(type) {
	case Do:
		out := []world{answer(w, StepDone{Step: a.Step, SessionID: "s"})}
		out = append(out, fail(w, StepDone{Step: a.Step, SessionID: "s", Err: refused})...)
		if a.Step == Session {
			out = append(out, answer(w, Alone{}))
		}
		return out
	case Answer:
		return []world{answer(w, Answered{Last: chat.Frame{Type: chat.Done}})}
	case Prompt:
		out := fail(w, Prompted{Err: refused})
		if w.command {
			return append(out, answer(w, Commanded{}))
		}
		if w.prompted { // a resend finds it
			return append(out, answer(w, Prompted{}))
		}
		if w.losses > 0 {
			lost := w
			lost.losses--
			out = append(out, answer(lost, Prompted{Lost: true}))
			lost.prompted = true
			out = append(out, answer(lost.queue("ours"), Prompted{Lost: true}))
		}
		w.prompted = true
		return append(out, answer(w.queue("ours"), Prompted{}))
	case GoOn:
		out := fail(w, Handed{Err: refused})
		for i := range out {
			out[i].flying++
		}
		w.flying++
		return append(out, answer(w.queue("further"), Handed{}))
	case Tidy:
		return []world{answer(w, Tidied{})}
	case Cancel:
		w.aborting = w.turn != ""
		w = w.pause()
		return []world{answer(w, Cancelled{})}
	case Check:
		w.asked++
	case Unqueue:
		w.unqueue = true
		return []world{w.takeBack()}
	case Await:
		if slices.Contains(w.silent, a.ID) {
			return []world{answer(w, HelperOverdue(a))}
		}
	case Abort, Interrupt, Emit, End: // what they end ends by itself sooner or later
	default:
		panic(fmt.Sprintf("the world knows no %T", a))
	}
	return []world{w}
}

// takeBack takes the run's waiting messages out, once none is on its way.
func (w world) takeBack() world {
	if !w.unqueue || w.flying > 0 {
		return w
	}
	w.unqueue = false
	w.inbox = slices.DeleteFunc(slices.Clone(w.inbox), func(m string) bool { return m == "ours" || m == "further" })
	w.results = with(w.results, Event(Unqueued{}))
	return w
}

// queue wakes the session as rc.8 does: a turn begins in the same breath.
func (w world) queue(m string) world {
	w.inbox = with(w.inbox, m)
	return w.wake()
}

// pause takes back that the goal's next round begins by itself.
func (w world) pause() world {
	if w.goal {
		w.goal, w.stream = false, with(w.stream, Event(GoalStopped{}))
	}
	return w
}

func (w world) wake() world {
	if w.turn == "" && len(w.inbox) == 0 && w.goal {
		if w.rounds == 2 { // the limit
			return w.pause()
		}
		w.rounds++
		w.inbox = []string{"round"}
	}
	if w.turn != "" || len(w.inbox) == 0 {
		return w
	}
	w.turn, w.inbox, w.shown = w.inbox[0], but(w.inbox, 0), false
	w.stream = with(w.stream, Event(TurnStarted{}))
	return w
}

func (w world) endTurn(e TurnEnded) world {
	w.turn = ""
	w.stream = with(w.stream, Event(e))
	if e.Reason.Kind != completedKind { // which the Harness tells nobody
		w.goal = false
	}
	if w.aborting { // what waits stays parked
		w.aborting = false
		return w
	}
	return w.wake()
}

// ours tells whether the open turn answers a message of the run's.
func (w world) ours() bool { return w.turn == "ours" || w.turn == "further" }

// moves are what can happen next.
func (w world) moves(s State) []move {
	var out []move
	add := func(e Event, next world) { out = append(out, move{e, next}) }
	for i, e := range w.results {
		next := w
		next.results = but(w.results, i)
		switch e.(type) {
		case Commanded:
			next.results = with(next.results, Event(Prompted{}))
		case Handed:
			next.flying--
			next = next.takeBack()
		}
		add(e, next)
	}
	if len(w.stream) > 0 {
		next := w
		next.stream, next.checks = but(w.stream, 0), slices.Clone(w.checks)
		for i := range next.checks {
			next.checks[i].after--
		}
		add(w.stream[0], next)
	}
	if w.asked > 0 {
		next := w
		next.asked--
		waiting := slices.Contains(w.inbox, "ours") || slices.Contains(w.inbox, "further")
		next.checks = with(w.checks, read{Checked{Running: w.turn != "", Waiting: waiting}, len(w.stream)})
		add(nil, next)
	}
	if len(w.checks) > 0 && w.checks[0].after <= 0 { // all of the log it saw was taken in
		next := w
		next.checks = but(w.checks, 0)
		c := w.checks[0].checked
		c.Waiting = c.Waiting || w.flying > 0
		add(c, next)
	}
	switch {
	case w.turn == "":
	case w.ours() && !w.shown && !w.aborting:
		next := w
		next.shown, next.stream = true, with(w.stream, Event(Seen{}))
		add(nil, next)
	case w.aborting:
		add(nil, w.endTurn(cut))
	default:
		add(nil, w.endTurn(completed))
		if w.faults > 0 {
			next := w
			next.faults--
			add(nil, next.endTurn(broken))
		}
		if w.ours() && w.cuts > 0 {
			next := w
			next.cuts--
			add(nil, next.endTurn(cutOff))
		}
		if w.ours() && w.goals > 0 {
			next := w
			next.goals--
			next.goal, next.stream = true, with(w.stream, Event(GoalArmed{}))
			add(nil, next)
		}
		if w.ours() && w.births > 0 {
			for _, reports := range []bool{true, false} {
				next := w
				next.births--
				id := fmt.Sprintf("h%d", w.births)
				kind := " silent"
				if reports {
					kind = " reports"
				}
				next.alive = with(w.alive, id+kind)
				next.stream = with(w.stream, Event(HelperBorn{id}), Event(HelperKind{id, reports}))
				add(nil, next)
			}
		}
	}
	if w.guards > 0 && s.Open() {
		next := w
		next.guards--
		add(Guarded{}, next)
	}
	if w.steers > 0 && s.Open() {
		next := w
		next.steers--
		next.flying++
		next.results = with(w.results, Event(Handed{}))
		if w.ours() { // its turn takes it
			next.stream = with(w.stream, Event(Seen{}))
			add(nil, next)
		} else {
			add(nil, next.queue("further"))
		}
	}
	for i, helper := range w.alive {
		id, kind, _ := strings.Cut(helper, " ")
		next := w
		next.alive = but(w.alive, i)
		next.stream = with(w.stream, Event(HelperGone{id}))
		if kind == "silent" {
			add(nil, next)
			continue
		}
		told := next
		told.stream = with(next.stream, Event(HelperReported{id}))
		add(nil, told.queue(id))
		next.silent = with(w.silent, id) // it never comes
		add(nil, next)
	}
	if w.stop {
		next := w
		next.stop = false
		add(Stop{}, next)
	}
	if w.change {
		next := w
		next.change = false
		add(Changed{foreign}, next)
	}
	return out
}

// left says what goes on in the session though the run has ended, "" for nothing.
// Stopped tells whether the run was stopped, which interrupts its helpers.
func (w world) left(stopped bool) string {
	if w.turn != "" || slices.Contains(w.inbox, "ours") || slices.Contains(w.inbox, "further") {
		return fmt.Sprintf("turn %q, inbox %q", w.turn, w.inbox)
	}
	for _, helper := range w.alive {
		if strings.HasSuffix(helper, "reports") || !stopped {
			return "helper " + helper
		}
	}
	return ""
}
