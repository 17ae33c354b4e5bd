package contextwindow

import (
	"encoding/json"
	"testing"

	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// TestWorkIsLinear: what a session of 20,000 events costs in all grows with its log and
// no faster. Allocations are counted, as times of a busy machine say nothing.
func TestWorkIsLinear(t *testing.T) {
	work := func(events int) float64 {
		return testing.AllocsPerRun(1, func() {
			d := sdktest.New(t, Plugin, nil)
			for seq := range events {
				kind := abi.ContextEvent{Seq: int64(seq), Kind: abi.ContextNode, Tokens: 10, Prompt: 100 * (seq % 2)}
				in := abi.ContextObserve{Session: "s", Cursor: int64(seq), Events: []abi.ContextEvent{kind}}
				if err := d.Do("observe", in, nil); err != nil {
					t.Fatal(err)
				}
				if err := d.Do("measure", abi.ContextMeasure{Session: "s", Cursor: int64(seq) + 1}, nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	small, large := work(2000), work(20_000)
	if large > 11*small {
		t.Errorf("ten times the events take %.1f times the work", large/small)
	}
}

// TestReplacementsAreLinear: a long session whose results are shortened one by one, and then
// summarized again and again, looks at each message a few times in all, live and read again.
func TestReplacementsAreLinear(t *testing.T) {
	visits := func(n int) int {
		m := &meter{sessions: map[string]*session{}}
		s := m.open("s")
		seq := int64(0)
		take := func(e abi.ContextEvent) {
			e.Seq, e.Kind = seq, abi.ContextNode
			if !s.apply(e) {
				t.Fatalf("%+v does not fit", e)
			}
			seq++
		}
		for range n {
			take(abi.ContextEvent{Tokens: 10})
		}
		for i := range n { // each shortened, the last ones first
			at := int64(n - 1 - i)
			take(abi.ContextEvent{Tokens: 5, Replaces: true, Start: at, End: at})
		}
		first := seq - 1
		for range n { // each message is summarized with what there is before it
			take(abi.ContextEvent{Tokens: 10})
			if seq%10 == 0 {
				take(abi.ContextEvent{Tokens: 20, Replaces: true, Start: first, End: seq - 1})
				first = seq - 1
			}
		}
		if s.surface <= 0 || s.surface > 30*10 {
			t.Errorf("the messages are %d tokens", s.surface)
		}
		return s.nodes.walked
	}
	small, large := visits(1000), visits(10_000)
	if small == 0 || large > 11*small {
		t.Errorf("ten times the messages: %d visits in place of %d", large, small)
	}
}

// TestAReplacementThatDoesNotFit changes nothing: what it names is not there, or not in
// that order.
func TestAReplacementThatDoesNotFit(t *testing.T) {
	s := &session{}
	for seq := range int64(4) {
		s.apply(abi.ContextEvent{Seq: seq, Kind: abi.ContextNode, Tokens: 10})
	}
	if !s.apply(abi.ContextEvent{Seq: 4, Kind: abi.ContextNode, Tokens: 3, Replaces: true, Start: 1, End: 2}) { // 0 4 3
		t.Fatal("the first is refused")
	}
	for _, at := range [][2]int64{{2, 3}, {0, 1}, {3, 4}, {4, 0}} {
		if _, ok := s.nodes.replace(at[0], at[1], 9, 1); ok {
			t.Errorf("%d to %d is replaced", at[0], at[1])
		}
	}
	if gone, ok := s.nodes.replace(0, 3, 5, 1); !ok || gone != 23 || s.surface != 23 {
		t.Errorf("all of it: %d of %d, %v", gone, s.surface, ok)
	}
	s.nodes.add(6, 2)
	if gone, ok := s.nodes.replace(5, 6, 7, 1); !ok || gone != 3 {
		t.Errorf("what came then: %d, %v", gone, ok)
	}
}

// BenchmarkMeasure is one measurement in a session of 20,000 messages.
func BenchmarkMeasure(b *testing.B) {
	d := sdktest.New(b, Plugin, nil)
	var events []abi.ContextEvent
	for seq := range 20_000 {
		events = append(events, abi.ContextEvent{Seq: int64(seq), Kind: abi.ContextNode, Tokens: 10})
	}
	if err := d.Do("observe", abi.ContextObserve{Session: "s", Events: events}, nil); err != nil {
		b.Fatal(err)
	}
	head, err := json.Marshal(abi.ContextMeasure{Session: "s", Cursor: 20_000})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if c := d.Start("measure", head, nil); c.Err != nil {
			b.Fatal(c.Err)
		}
	}
}
