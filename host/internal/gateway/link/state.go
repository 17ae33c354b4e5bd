package link

import (
	"context"
	"fmt"
	"sync"

	"strata.dev/bridge/host/internal/gateway"
)

// State is how the connection stands. The zero value is down.
type State struct {
	mu      sync.Mutex
	up      bool
	last    error         // why it is down
	final   error         // why it will never be up again
	changed chan struct{} // closed at the next change
}

// Set says how it stands: last is why it is down, final why it will never be up
// again; the first final stays.
func (s *State) Set(up bool, last, final error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up, s.last = up, last
	if s.final == nil {
		s.final = final
	}
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// Await returns once the connection stands. It fails when the context ends or the
// connection never comes back.
func (s *State) Await(ctx context.Context) error {
	for {
		s.mu.Lock()
		up, last, final := s.up, s.last, s.final
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		switch {
		case final != nil:
			return final
		case up:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			if last == nil {
				last = gateway.ErrLost
			}
			return fmt.Errorf("waiting for the Harness: %w: %w", context.Cause(ctx), last)
		}
	}
}
