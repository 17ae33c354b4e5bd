// Package link is what a gateway needs on any wire: when to try again, how the
// connection stands, bounded queues, notices for watchers, calls over HTTP, and
// the reading of a log's end.
package link

import (
	"context"
	"time"
)

// The first try after a loss comes at once, spread over firstDelay so that many
// hosts do not come together; then full jitter from baseDelay doubling to maxDelay
// (design §5).
const (
	firstDelay = 100 * time.Millisecond
	baseDelay  = 500 * time.Millisecond
	maxDelay   = 10 * time.Second
)

// Delay gives how long to wait before try n (from 0) after a loss; r is a random
// number in [0,1).
func Delay(n int, r float64) time.Duration {
	if n == 0 {
		return time.Duration(r * float64(firstDelay))
	}
	limit := maxDelay
	if n < 6 { // 500 ms · 2⁵ is beyond 10 s
		limit = min(limit, baseDelay<<(n-1))
	}
	return time.Duration(r * float64(limit))
}

// Sleep waits d, or until the context ends.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
