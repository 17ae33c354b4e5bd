// Package parent tells when the process that started the host is gone, so that the
// host does not outlive the desktop it belongs to.
package parent

import (
	"context"
	"fmt"
	"time"
)

// pollEvery is how often one look is taken where the system tells nothing by itself,
// and how soon a wait notices that nobody is interested any more.
const pollEvery = 500 * time.Millisecond

// Watch calls gone once, when the process pid has ended, unless ctx ends first. A pid
// that no process has now is an error. The goroutine that waits ends with either.
func Watch(ctx context.Context, pid int, gone func()) error {
	wait, err := open(pid)
	if err != nil {
		return fmt.Errorf("watching the process %d: %w", pid, err)
	}
	go func() {
		if wait(ctx) {
			gone()
		}
	}()
	return nil
}
