package run

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"strata.dev/bridge/proto/chat"
)

// anyEvent draws an event whether it fits or not.
func anyEvent(t *rapid.T) Event {
	id := rapid.SampledFrom([]string{"h1", "h2"}).Draw(t, "helper")
	bad := rapid.SampledFrom([]*chat.Error{nil, nil, nil, refused}).Draw(t, "err")
	yes := rapid.Bool()
	return rapid.SampledFrom([]Event{
		Begin{}, Stop{}, Changed{foreign}, TurnStarted{}, Seen{}, completed, cut, broken, Cancelled{}, Unqueued{},
		StepDone{Step: Step(rapid.IntRange(0, 3).Draw(t, "step")), SessionID: "s", Err: bad},
		Alone{}, Answered{Last: chat.Frame{Type: chat.Done}},
		Prompted{Err: bad, Lost: yes.Draw(t, "lost")},
		Checked{Running: yes.Draw(t, "running"), Waiting: yes.Draw(t, "waiting")},
		HelperBorn{id}, HelperKind{id, yes.Draw(t, "reports")}, HelperGone{id}, HelperReported{id}, HelperOverdue{id},
		GoalArmed{}, GoalStopped{}, Guarded{}, Tidied{}, Died{crash},
	}).Draw(t, "event")
}

// audit checks what must hold for the actions of any sequence of events.
type audit struct {
	asked                        bool // to stop, or changed
	ended                        bool
	last, starts, prompts, turns int
	cancels, checks              int
	aborts, tidies               int
}

func (a *audit) event(e Event) {
	switch e.(type) {
	case Stop, Changed:
		a.asked = true
	case TurnStarted, GoalArmed: // either may come while the run is being stopped
		a.turns++
	case Checked:
		a.checks = max(0, a.checks-1)
	}
}

func (a *audit) actions(t *rapid.T, s State, actions []Action) {
	for _, act := range actions {
		if a.ended {
			t.Fatalf("%T after the end", act)
		}
		switch act := act.(type) {
		case Prompt:
			a.prompts++
			if a.asked {
				t.Fatal("a prompt after stop")
			}
			if act.Resend != (a.prompts > 1) || a.prompts > MaxPrompts {
				t.Fatalf("prompt %d, resend %v", a.prompts, act.Resend)
			}
		case Emit:
			if a.last > 0 {
				t.Fatalf("%s after the last frame", act.Frame.Type)
			}
			if act.Frame.Type == chat.Started {
				a.starts++
			}
			if act.Frame.Type.Ends() {
				a.last++
			}
		case Cancel:
			if a.cancels++; a.cancels > a.turns+1 {
				t.Fatalf("%d cancels for %d turns", a.cancels, a.turns)
			}
			if s.Phase != Ending {
				t.Fatalf("a cancel in %v", s.Phase)
			}
		case Check:
			if a.checks++; a.checks > 1 {
				t.Fatal("two checks at once")
			}
		case Tidy:
			if a.tidies++; a.tidies > 1 || a.asked || s.Phase != Tidying {
				t.Fatalf("tidy %d in %v, asked to stop: %v", a.tidies, s.Phase, a.asked)
			}
		case Abort:
			if a.aborts++; a.aborts > 1 {
				t.Fatal("two aborts")
			}
		case End:
			a.ended = true
		}
	}
	if a.starts > 1 || (a.prompts > 0 && a.starts != 1) {
		t.Fatalf("%d starts for %d prompts", a.starts, a.prompts)
	}
	if a.ended != (s.Phase == Ended) || a.ended != (a.last == 1) {
		t.Fatalf("phase %v, ended %v, last frames %d", s.Phase, a.ended, a.last)
	}
}

var states = cmp.AllowUnexported(State{}, helper{})

// TestAnySequence: whatever comes in whatever order, the rules of audit hold, the
// state is a value that the past does not change, and one answer follows.
func TestAnySequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(start, rapid.Bool().Draw(t, "manual"))
		var a audit
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			e := anyEvent(t)
			before, again := s, s
			a.event(e)
			next, actions := Reduce(s, e)
			a.actions(t, next, actions)
			if d := cmp.Diff(before, again, states); d != "" {
				t.Fatalf("the old state changed:\n%s", d)
			}
			twin, same := Reduce(again, e)
			if d := cmp.Diff(next, twin, states); d != "" || !reflect.DeepEqual(actions, same) {
				t.Fatalf("not deterministic:\n%s", d)
			}
			s = next
		}
		a.event(Died{crash})
		s, actions := Reduce(s, Died{crash})
		a.actions(t, s, actions)
		if !a.ended {
			t.Fatal("the run outlived its process")
		}
	})
}

// world is a Harness as far as a run can tell, with one session. What it did not
// deliver yet waits in results (answers to actions) and stream (events, in order).
type world struct {
	stop     bool // the person may
	results  []Event
	stream   []Event
	inbox    []string // messages that wait: "ours", "parked", or a helper's id for its report
	turn     string   // what the open turn answers
	aborting bool
	helpers  map[string]string // alive: id to kind
	born     int
	given    int // events of the stream that were delivered
	asked    int // checks that were not read yet
	checks   []read
	prompted bool
	goal     bool // its next round begins by itself
	rounds   int
	guards   bool // the turn guard may end a turn
}

// read is the answer to a check: the session as it stood when its log was upto long.
type read struct {
	checked Checked
	upto    int
}

func (w *world) act(t *rapid.T, actions []Action) {
	for _, a := range actions {
		switch a := a.(type) {
		case Do:
			if a.Step == Session && rapid.Bool().Draw(t, "alone") {
				w.results = append(w.results, Alone{})
				break
			}
			w.results = append(w.results, StepDone{Step: a.Step, SessionID: "s"})
		case Answer:
			w.results = append(w.results, Answered{Last: chat.Frame{Type: chat.Done}})
		case Prompt:
			switch {
			case w.prompted: // a resend finds it
				w.results = append(w.results, Prompted{})
			case rapid.Bool().Draw(t, "lost"):
				if w.prompted = rapid.Bool().Draw(t, "taken"); w.prompted {
					w.queue("ours")
				}
				w.results = append(w.results, Prompted{Lost: true})
			default:
				w.prompted = true
				w.queue("ours")
				w.results = append(w.results, Prompted{})
			}
		case Tidy:
			w.results = append(w.results, Tidied{})
		case Cancel:
			w.aborting = w.turn != ""
			w.pause()
			w.results = append(w.results, Cancelled{})
		case Check:
			w.asked++
		case Unqueue:
			w.inbox = slices.DeleteFunc(w.inbox, func(m string) bool { return m == "ours" })
			w.results = append(w.results, Unqueued{})
		case Await: // reports of this world always come
		}
	}
}

// queue wakes the session as rc.8 does: a turn begins in the same breath.
func (w *world) queue(m string) {
	w.inbox = append(w.inbox, m)
	w.wake()
}

// pause takes back that the goal's next round begins by itself.
func (w *world) pause() {
	if w.goal {
		w.goal = false
		w.stream = append(w.stream, GoalStopped{})
	}
}

func (w *world) wake() {
	if w.turn == "" && len(w.inbox) == 0 && w.goal {
		if w.rounds++; w.rounds > 3 { // the round limit
			w.pause()
			return
		}
		w.inbox = append(w.inbox, "round")
	}
	if w.turn != "" || len(w.inbox) == 0 {
		return
	}
	w.turn, w.inbox = w.inbox[0], w.inbox[1:]
	w.stream = append(w.stream, TurnStarted{})
}

func (w *world) endTurn(e TurnEnded) {
	w.turn = ""
	w.stream = append(w.stream, e)
	if e.Reason.Kind != completedKind { // which the Harness tells nobody
		w.goal = false
	}
	if w.aborting { // what waits stays parked
		w.aborting = false
		return
	}
	w.wake()
}

// moves are what can happen next.
func (w *world) moves(t *rapid.T) []func() Event {
	var out []func() Event
	if len(w.results) > 0 {
		out = append(out, func() Event { e := w.results[0]; w.results = w.results[1:]; return e })
	}
	if len(w.stream) > 0 {
		out = append(out, func() Event { e := w.stream[0]; w.stream = w.stream[1:]; w.given++; return e })
	}
	if w.asked > 0 {
		out = append(out, func() Event {
			w.asked--
			w.checks = append(w.checks, read{
				Checked{Running: w.turn != "", Waiting: slices.Contains(w.inbox, "ours")}, w.given + len(w.stream),
			})
			return nil
		})
	}
	if len(w.checks) > 0 && w.given >= w.checks[0].upto { // all of the log it saw was taken in
		out = append(out, func() Event { c := w.checks[0].checked; w.checks = w.checks[1:]; return c })
	}
	if w.turn != "" {
		if w.aborting {
			out = append(out, func() Event { w.endTurn(cut); return nil })
		} else {
			out = append(out, func() Event {
				if w.turn == "ours" {
					w.stream = append(w.stream, Seen{})
					if rapid.IntRange(0, 3).Draw(t, "goal") == 0 {
						w.goal = true
						w.stream = append(w.stream, GoalArmed{})
					}
				}
				w.endTurn(rapid.SampledFrom([]TurnEnded{completed, broken}).Draw(t, "end"))
				return nil
			})
			if w.born < 2 && w.turn == "ours" {
				out = append(out, func() Event {
					w.born++
					id := []string{"h1", "h2"}[w.born-1]
					reports := rapid.Bool().Draw(t, "reports")
					w.helpers[id] = map[bool]string{true: "reports", false: "silent"}[reports]
					w.stream = append(w.stream, HelperBorn{id}, HelperKind{id, reports})
					return nil
				})
			}
		}
	}
	for _, id := range []string{"h1", "h2"} {
		if w.helpers[id] == "" {
			continue
		}
		out = append(out, func() Event {
			kind := w.helpers[id]
			delete(w.helpers, id)
			w.stream = append(w.stream, HelperGone{id})
			if kind == "reports" {
				w.stream = append(w.stream, HelperReported{id})
				w.queue(id)
			}
			return nil
		})
	}
	if w.guards && w.turn == "ours" {
		out = append(out, func() Event { w.guards = false; return Guarded{} })
	}
	if w.stop {
		out = append(out, func() Event { w.stop = false; return Stop{} })
	}
	return out
}

// TestNoStuckRun plays runs against that world in any interleaving. Each must end by
// itself; done means that nothing goes on in the session afterwards.
func TestNoStuckRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{stop: rapid.Bool().Draw(t, "person stops"), guards: rapid.Bool().Draw(t, "guard"), helpers: map[string]string{}}
		if rapid.Bool().Draw(t, "parked") {
			w.inbox = append(w.inbox, "parked")
		}
		s := New(start, true)
		var a audit
		w.results = []Event{Begin{}}
		for n := 0; s.Phase != Ended; n++ {
			moves := w.moves(t)
			if len(moves) == 0 || n > 500 {
				t.Fatalf("stuck after %d moves in %v: %+v, world %+v", n, s.Phase, s, w)
			}
			e := moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")]()
			if e == nil {
				continue
			}
			a.event(e)
			var actions []Action
			s, actions = Reduce(s, e)
			a.actions(t, s, actions)
			w.act(t, actions)
		}
		if w.turn != "" || slices.Contains(w.inbox, "ours") {
			t.Fatalf("the run ended and the session goes on: %+v", w)
		}
		for id, kind := range w.helpers {
			if kind == "reports" || a.cancels == 0 {
				t.Fatalf("the run ended before helper %s", id)
			}
		}
	})
}

// TestMain raises the number of drawn runs: a hundred, the default, miss faults that
// need helpers, a lost connection and Stop together.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("3000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
