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
