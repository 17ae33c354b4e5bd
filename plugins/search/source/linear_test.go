//go:build !race

package source

import (
	"math"
	"testing"
	"time"
)

// growth is by how much a page is larger, and most by how much longer it may take: what
// is quadratic takes 64 times as long. What is quadratic below what is read of a page
// takes longer than slowest.
const (
	growth  = 8
	most    = 30
	slowest = 5 * time.Second
)

// Eight times the junk takes about eight times as long.
func TestLinear(t *testing.T) {
	small, large := junk(junkSize/growth), junk(junkSize)
	for name, body := range large {
		t.Run(name, func(t *testing.T) {
			quick, slow := quickest(name, small[name]), quickest(name, body)
			if slow > most*quick+20*time.Millisecond || slow > slowest {
				t.Errorf("%d bytes take %v, %d take %v", len(small[name]), quick, len(body), slow)
			}
		})
	}
}

// quickest of three times: what else the machine does only makes it slower.
func quickest(name, body string) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range 3 {
		begun := time.Now()
		parseJunk(name, body)
		best = min(best, time.Since(begun))
	}
	return best
}
