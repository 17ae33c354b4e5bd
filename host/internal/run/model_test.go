package run

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
)

// node is a run and its world at one moment.
type node struct {
	s State
	w world
	a audit
}

// after gives what a move may lead to, and what is wrong with it.
func (n node) after(m move) ([]node, string) {
	n.w = m.next
	if m.event == nil {
		return []node{n}, ""
	}
	n.a.event(m.event)
	var actions []Action
	n.s, actions = Reduce(n.s, m.event)
	if wrong := n.a.actions(n.s, actions); wrong != "" {
		return nil, wrong
	}
	out := []node{n}
	for _, a := range actions {
		var next []node
		for _, n := range out {
			for _, w := range n.w.begin(a) {
				n.w = w
				next = append(next, n)
			}
		}
		out = next
	}
	return out, ""
}

// search looks at every node that can be reached, once.
type search struct {
	seed   maphash.Seed
	seen   map[uint64]bool // true as long as it is on the path
	path   []string
	phases map[Phase]int
	given  map[string]bool // events, by type
}

// key names all of a node that makes a difference for what follows.
func (s *search) key(n node) uint64 {
	var h maphash.Hash
	h.SetSeed(s.seed)
	events := func(list []Event) {
		for _, e := range list {
			if _, ok := e.(Answered); ok { // there is one only, and it cannot be compared
				h.WriteString("answered")
				continue
			}
			maphash.WriteComparable(&h, e)
		}
		h.WriteByte('|')
	}
	texts := func(lists ...[]string) {
		for _, list := range lists {
			for _, text := range list {
				h.WriteString(text + ",")
			}
			h.WriteByte('|')
		}
	}
	st, w := n.s, n.w
	maphash.WriteComparable(&h, [...]int{int(st.Phase), int(st.Step), st.prompts, w.faults, w.losses, w.births, w.cuts, w.steers, w.flying, w.asked, w.goals, w.guards, w.rounds})
	maphash.WriteComparable(&h, [...]bool{
		st.gated && st.Phase <= Preparing, st.turn, st.ours, st.cut, st.checking, st.recheck, st.unqueued, st.unqueuing, st.stopped, st.goal, st.eased, st.guarded, st.untidy, w.goal,
		st.changed != nil, st.failure != nil, st.answer != nil, st.stray != nil,
		w.stop, w.change, w.command, w.shown, w.aborting, w.unqueue, w.prompted,
	})
	for _, helper := range st.helpers {
		maphash.WriteComparable(&h, helper)
	}
	texts([]string{st.finish, st.start.SessionID, w.turn}, w.inbox, w.alive, w.silent)
	events(w.results)
	events(w.stream)
	for _, c := range w.checks {
		maphash.WriteComparable(&h, c)
	}
	maphash.WriteComparable(&h, n.a)
	return h.Sum64()
}

func (s *search) from(n node) error {
	key := s.key(n)
	if onPath, known := s.seen[key]; known {
		if onPath {
			return fmt.Errorf("it comes back to where it was after %s", strings.Join(s.path, " "))
		}
		return nil
	}
	s.phases[n.s.Phase]++
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%s\nafter %s\nin %+v\nworld %+v", fmt.Sprintf(format, args...), strings.Join(s.path, " "), n.s, n.w)
	}
	if n.s.Phase == Ended {
		s.seen[key] = false
		if left := n.w.left(n.a.cancels > 0); left != "" {
			return fail("the run ended and the session goes on: %s", left)
		}
		return nil
	}
	dead, wrong := n.after(move{Died{crash}, n.w})
	if wrong != "" || dead[0].s.Phase != Ended {
		return fail("the run outlives its process: %s", wrong)
	}
	moves := n.w.moves(n.s)
	if len(moves) == 0 {
		return fail("stuck in %v", n.s.Phase)
	}
	s.seen[key] = true
	for _, m := range moves {
		name := "-"
		if m.event != nil {
			name = fmt.Sprintf("%T", m.event)
			s.given[name] = true
		}
		s.path = append(s.path, name)
		next, wrong := n.after(m)
		if wrong != "" {
			return fail("%s", wrong)
		}
		for _, n := range next {
			if err := s.from(n); err != nil {
				return err
			}
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.seen[key] = false
	return nil
}

// TestEveryState walks through every state that a run and its world can get into, with
// a few of each thing that may happen. Whatever comes next, from each of them the run
// goes on to its end, without a way back to where it was: so it ends however fair or
// unfair the order is. No step is illegal, nothing is done twice, the process may die
// anywhere, and where the run has ended nothing of it goes on in the session.
func TestEveryState(t *testing.T) {
	all := map[string]bool{}
	for name, w := range map[string]world{
		"a message":                       {stop: true, change: true, faults: 1, losses: 3},
		"behind a parked one":             {stop: true, losses: 1, inbox: []string{"parked"}},
		"a command":                       {stop: true, change: true, faults: 1, command: true},
		"a cut answer":                    {stop: true, faults: 1, cuts: 2},
		"a helper":                        {stop: true, births: 1},
		"a helper of a cut answer":        {births: 1, cuts: 1},
		"two helpers":                     {births: 2},
		"a message into the turn":         {stop: true, steers: 2},
		"one into the turn that is cut":   {stop: true, steers: 1, cuts: 1},
		"one into the turn with a helper": {steers: 1, births: 1},
		"a goal":                          {stop: true, faults: 1, goals: 1},
		"a goal, and it is halted":        {change: true, goals: 1, cuts: 1},
		"a turn that goes nowhere":        {stop: true, change: true, faults: 1, guards: 1},
		"a guarded turn with a helper":    {stop: true, births: 1, guards: 1},
		"a goal and a guard":              {goals: 1, guards: 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := &search{seed: maphash.MakeSeed(), seen: map[uint64]bool{}, phases: map[Phase]int{}, given: map[string]bool{}}
			w.results = []Event{Begin{}}
			for _, gated := range []bool{true, false} {
				if err := s.from(node{s: New(start, gated), w: w}); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d states: %v", len(s.seen), s.phases)
			for e := range s.given {
				all[e] = true
			}
		})
	}
	for _, e := range declared(t, "event") {
		if !all[e] && e != "run.Died" { // which is tried in each state
			t.Errorf("no world gives %s", e)
		}
	}
}
