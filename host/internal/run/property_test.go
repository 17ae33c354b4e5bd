package run

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"strata.dev/bridge/proto/chat"
)

// draws are the events that anyEvent draws from. TestEveryEventIsDrawn compares them
// with the package's.
func draws(id string, step Step, bad *chat.Error, yes, no bool) []Event {
	return []Event{
		Begin{}, StepDone{Step: step, SessionID: "s", Err: bad}, Alone{}, Answered{Last: chat.Frame{Type: chat.Done}},
		Prompted{Err: bad, Lost: yes}, Commanded{}, TurnStarted{}, Seen{}, completed, cut, broken, cutOff, Handed{Err: bad},
		Checked{Running: yes, Waiting: no}, Cancelled{}, Unqueued{},
		HelperBorn{id}, HelperKind{id, yes}, HelperGone{id}, HelperReported{id}, HelperOverdue{id},
		GoalArmed{}, GoalStopped{}, Guarded{}, Tidied{}, Stop{}, Changed{foreign}, Died{crash},
	}
}

// anyEvent draws an event whether it fits or not.
func anyEvent(t *rapid.T) Event {
	return rapid.SampledFrom(draws(
		rapid.SampledFrom([]string{"h1", "h2"}).Draw(t, "helper"),
		Step(rapid.IntRange(0, 3).Draw(t, "step")),
		rapid.SampledFrom([]*chat.Error{nil, nil, nil, refused}).Draw(t, "err"),
		rapid.Bool().Draw(t, "yes"), rapid.Bool().Draw(t, "no"),
	)).Draw(t, "event")
}

// declared are the types of event.go that have a method of that name.
func declared(t *testing.T, method string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == method && f.Recv != nil {
			out = append(out, "run."+f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	slices.Sort(out)
	return out
}

// TestEveryEventIsDrawn fails where event.go has an event that the tests of this file
// never draw.
func TestEveryEventIsDrawn(t *testing.T) {
	var got []string
	for _, e := range draws("h1", Session, nil, true, false) {
		got = append(got, fmt.Sprintf("%T", e))
	}
	slices.Sort(got)
	if d := cmp.Diff(declared(t, "event"), slices.Compact(got)); d != "" {
		t.Errorf("the events (-event.go +drawn):\n%s", d)
	}
}

// audit checks what must hold for the actions of any sequence of events. It is a value.
type audit struct {
	phase               Phase
	asked               bool // to stop, or changed
	ended               bool
	last, starts        int
	prompts, lost       int
	turns, cancels      int
	checks, unqueues    int
	cut, goOns          int
	aborts, answers     int
	tidies              int
	steps               [4]int
	births, stops, gone [2]int // by helper
}

// legal are the phases that may follow each.
var legal = map[Phase][]Phase{
	Queued:    {Preparing, Ended},
	Preparing: {Prompting, Answering, Ended},
	Prompting: {Running, Ending, Ended},
	Running:   {Ending, Tidying, Ended},
	Ending:    {Tidying, Ended},
	Tidying:   {Ended},
	Answering: {Ended},
	Ended:     {},
}

func number(id string) int { return int(id[1] - '1') }

func (a *audit) event(e Event) {
	switch e := e.(type) {
	case Stop, Changed:
		a.asked = true
	case TurnStarted, GoalArmed: // either may come while the run is being stopped
		a.turns++
	case TurnEnded:
		if e.GoOn {
			a.cut++
		}
	case Checked:
		a.checks = max(0, a.checks-1)
	case Prompted:
		if e.Lost {
			a.lost++
		}
	case HelperBorn:
		a.births[number(e.ID)]++
	case HelperGone:
		a.gone[number(e.ID)]++
	}
}

// actions gives what is wrong with what followed, "" for nothing.
func (a *audit) actions(s State, actions []Action) string {
	if s.Phase != a.phase && !slices.Contains(legal[a.phase], s.Phase) {
		return fmt.Sprintf("%v after %v", s.Phase, a.phase)
	}
	a.phase = s.Phase
	for _, act := range actions {
		if wrong := a.action(s, act); wrong != "" {
			return wrong
		}
	}
	switch {
	case a.starts > 1, a.prompts > 0 && a.starts != 1:
		return fmt.Sprintf("%d starts for %d prompts", a.starts, a.prompts)
	case a.ended != (s.Phase == Ended), a.ended != (a.last == 1):
		return fmt.Sprintf("phase %v, ended %v, last frames %d", s.Phase, a.ended, a.last)
	}
	return ""
}

func (a *audit) action(s State, act Action) string {
	if a.ended {
		return fmt.Sprintf("%T after the end", act)
	}
	once := func(n *int, most int) string {
		if *n++; *n > most {
			return fmt.Sprintf("%T for the %d. time, %d are right", act, *n, most)
		}
		return ""
	}
	switch act := act.(type) {
	case Do:
		return once(&a.steps[act.Step], 1)
	case Answer:
		return once(&a.answers, 1)
	case Tidy:
		if a.asked {
			return "room is made after stop"
		}
		return once(&a.tidies, 1)
	case Abort:
		return once(&a.aborts, 1)
	case Unqueue:
		return once(&a.unqueues, 1)
	case GoOn:
		if a.asked {
			return "asked to go on after stop"
		}
		return once(&a.goOns, a.cut)
	case Prompt:
		if a.asked {
			return "a prompt after stop"
		}
		if act.Resend != (a.prompts > 0) {
			return fmt.Sprintf("prompt %d, resend %v", a.prompts+1, act.Resend)
		}
		return once(&a.prompts, min(1+a.lost, MaxPrompts))
	case Cancel:
		if s.Phase != Ending {
			return fmt.Sprintf("a cancel in %v", s.Phase)
		}
		for _, id := range act.Helpers {
			if wrong := once(&a.stops[number(id)], a.births[number(id)]); wrong != "" {
				return wrong
			}
		}
		return once(&a.cancels, a.turns+1)
	case Check:
		return once(&a.checks, 1)
	case Interrupt:
		return once(&a.stops[number(act.ID)], a.births[number(act.ID)])
	case Await:
		if a.gone[number(act.ID)] == 0 {
			return "a report is awaited of a helper that is there"
		}
	case Emit:
		if a.last > 0 {
			return string(act.Frame.Type) + " after the last frame"
		}
		if act.Frame.Type == chat.Started {
			a.starts++
		}
		if act.Frame.Type.Ends() {
			a.last++
		}
	case End:
		a.ended = true
	default:
		return fmt.Sprintf("nobody looks at %T", act)
	}
	return ""
}

var states = cmp.AllowUnexported(State{}, helper{})

// TestAnySequence: whatever comes in whatever order, the rules of audit hold, the
// state is a value that the past does not change, and one answer follows.
func TestAnySequence(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New(start, rapid.Bool().Draw(t, "manual"))
		var a audit
		for range rapid.IntRange(0, 60).Draw(t, "n") {
			e := anyEvent(t)
			before, again := s, s
			a.event(e)
			next, actions := Reduce(s, e)
			if wrong := a.actions(next, actions); wrong != "" {
				t.Fatal(wrong)
			}
			if !reflect.DeepEqual(before, again) { // cmp.Diff for the words alone: it takes most of the time
				t.Fatalf("the old state changed:\n%s", cmp.Diff(before, again, states))
			}
			twin, same := Reduce(again, e)
			if !reflect.DeepEqual(next, twin) || !reflect.DeepEqual(actions, same) {
				t.Fatalf("not deterministic:\n%s", cmp.Diff(next, twin, states))
			}
			s = next
		}
		a.event(Died{crash})
		s, actions := Reduce(s, Died{crash})
		if wrong := a.actions(s, actions); wrong != "" {
			t.Fatal(wrong)
		}
		if !a.ended {
			t.Fatal("the run outlived its process")
		}
	})
}

// TestNoStuckRun plays runs with two helpers against the world in any interleaving. Each
// must end by itself; done means that nothing goes on in the session afterwards.
func TestNoStuckRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
		w := world{
			stop: pick(2, "stop") == 1, change: pick(8, "change") == 1, faults: pick(3, "faults") / 2, losses: pick(4, "losses"),
			births: pick(3, "births"), cuts: pick(3, "cuts"), steers: pick(3, "steers"), command: pick(8, "command") == 1,
			goals: pick(4, "goals") / 3, guards: pick(4, "guards") / 3,
		}
		if pick(2, "parked") == 1 {
			w.inbox = []string{"parked"}
		}
		n := node{s: New(start, true), w: w}
		n.w.results = []Event{Begin{}}
		for steps := 0; n.s.Phase != Ended; steps++ {
			moves := n.w.moves(n.s)
			if len(moves) == 0 || steps > 1000 {
				t.Fatalf("stuck after %d moves in %v: %+v, world %+v", steps, n.s.Phase, n.s, n.w)
			}
			next, wrong := n.after(moves[pick(len(moves), "move")])
			if wrong != "" {
				t.Fatal(wrong)
			}
			n = next[pick(len(next), "way")]
		}
		if left := n.w.left(n.a.cancels > 0); left != "" {
			t.Fatalf("the run ended and the session goes on: %s", left)
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
