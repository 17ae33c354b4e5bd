package kit

import (
	"context"
	"fmt"
	"time"
)

// pollEvery is the time between two looks at something that cannot be waited for.
const pollEvery = 20 * time.Millisecond

// Until looks again and again until look gives no error. It is for what offers
// no event to wait for: a file, a process, a server that starts. The error of an
// ended ctx holds look's last one.
func Until(ctx context.Context, look func(context.Context) error) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := look(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w; at last: %w", ctx.Err(), err)
		}
	}
}
