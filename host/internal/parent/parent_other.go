//go:build !linux && !windows

package parent

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// open looks again and again. A process of another user counts as being there.
func open(pid int) (wait func(context.Context) bool, err error) {
	there := func() error {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.EPERM) {
			return err
		}
		return nil
	}
	if err := there(); err != nil {
		return nil, err
	}
	return func(ctx context.Context) bool {
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return false
			case <-tick.C:
				if there() != nil {
					return true
				}
			}
		}
	}, nil
}
