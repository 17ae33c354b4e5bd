package link

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDelay(t *testing.T) {
	const r = 0.5
	var got []time.Duration
	for n := range 9 {
		got = append(got, Delay(n, r))
	}
	ms := time.Millisecond
	want := []time.Duration{50 * ms, 250 * ms, 500 * ms, 1000 * ms, 2000 * ms, 4000 * ms, 5000 * ms, 5000 * ms, 5000 * ms}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("delays at half jitter (-want +got):\n%s", diff)
	}
	rapid.Check(t, func(t *rapid.T) {
		n, r := rapid.IntRange(0, 1_000_000).Draw(t, "try"), rapid.Float64Range(0, 0.9999).Draw(t, "random")
		limit := maxDelay
		if n == 0 {
			limit = firstDelay
		}
		if d := Delay(n, r); d < 0 || d >= limit {
			t.Fatalf("try %d waits %v, want below %v", n, d, limit)
		}
	})
}

func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const maxItems, maxBytes = 5, 20
		var f Queue[int]
		var model []sized[int]
		bytes := func() (sum int) {
			for _, s := range model {
				sum += s.size
			}
			return sum
		}
		for i, size := range rapid.SliceOf(rapid.IntRange(-1, 25)).Draw(t, "sizes, -1 takes") {
			if size < 0 {
				got, ok := f.Take()
				if ok != (len(model) > 0) || ok && got != model[0].item {
					t.Fatalf("took %d, %v from %v", got, ok, model)
				}
				model = model[min(1, len(model)):]
				continue
			}
			want := len(model) == 0 || len(model) < maxItems && bytes()+size <= maxBytes
			if got := f.Put(i, size, maxItems, maxBytes); got != want {
				t.Fatalf("putting size %d behind %v gave %v", size, model, got)
			}
			if want {
				model = append(model, sized[int]{i, size})
			}
			if f.Len() != len(model) || f.Size() != bytes() {
				t.Fatalf("holds %d items of %d bytes, want %v", f.Len(), f.bytes, model)
			}
		}
	})
}
