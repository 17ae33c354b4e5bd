package kit

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Times are measured durations. The zero value is ready.
type Times struct {
	mu  sync.Mutex
	all []time.Duration
}

// Add keeps one.
func (t *Times) Add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, d)
}

// At is the duration that the part q of all, 0 to 1, does not exceed; 0 of none.
func (t *Times) At(q float64) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(t.all))
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

// String gives how many there are, the median, the 95th percentile and the longest.
func (t *Times) String() string {
	t.mu.Lock()
	n := len(t.all)
	t.mu.Unlock()
	round := func(q float64) time.Duration { return t.At(q).Round(time.Millisecond) }
	return fmt.Sprintf("%d times, p50 %v, p95 %v, longest %v", n, round(0.5), round(0.95), round(1))
}
