package budget_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/budget"
)

// What must hold for any sizes at all, on a thousand random ones.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for range 1000 {
		window := 1 + r.IntN(2_000_000)
		prompt, caller := r.IntN(2*window), 1+r.IntN(100_000)
		output := budget.OutputCap(window, prompt, caller)
		if output < 1 || output > caller || output > 1 && prompt+output > window {
			t.Errorf("window %d, prompt %d, caller %d: output %d", window, prompt, caller, output)
		}
		measured, then, now := r.IntN(window), r.IntN(window), r.IntN(window)
		if p := budget.Pressure(measured, then, now); p < now {
			t.Errorf("measured %d at %d, now %d: pressure %d is below the Harness's", measured, then, now, p)
		}
		if local := budget.LocalOutput(window); local < budget.LocalOutputMin || local > budget.LocalOutputMax {
			t.Errorf("window %d: local output %d", window, local)
		}
		output = budget.LocalOutput(window)
		if c, ok := budget.CompactionByRoom(window, output, budget.Headroom(window, output), 0); window > 8192 && (!ok || c.Retain >= c.Threshold) {
			t.Errorf("window %d: compaction %+v, %v", window, c, ok)
		}
		packed(t, r)
	}
}

// Pieces hold every unit once and in order, and are too large only as one unit.
func packed(t *testing.T, r *rand.Rand) {
	t.Helper()
	units := make([]int, r.IntN(30))
	want := []int(nil)
	for i := range units {
		units[i] = r.IntN(5000)
		want = append(want, i)
	}
	first := 1 + r.IntN(10_000)
	limit, rest := first, 1+r.IntN(10_000)
	var got []int
	large := 0
	for _, piece := range budget.Pack(units, first, rest).Pieces {
		size := 0
		for _, i := range piece {
			size += units[i]
		}
		if size > limit {
			large++
			if len(piece) > 1 {
				t.Errorf("units %v, first %d, rest %d: the piece %v is too large", units, first, rest, piece)
			}
		}
		got, limit = append(got, piece...), rest
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("units %v (-want +got):\n%s", units, diff)
	}
	if cut := len(budget.Pack(units, first, rest).Cut); cut != large {
		t.Errorf("units %v, first %d, rest %d: %d are cut, %d too large", units, first, rest, cut, large)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]int{"": 0, "ab": 2, "缓存": 2, "😀": 2, "\xff": 1} {
		if got := budget.Units(text); got != want {
			t.Errorf("%q has %d units, want %d", text, got, want)
		}
	}
}
