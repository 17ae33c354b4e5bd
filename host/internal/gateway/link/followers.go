package link

import "sync"

// Followers holds who follows which session; F is a wire's stream. The zero value is
// ready.
type Followers[F comparable] struct {
	mu    sync.RWMutex
	by    map[string]map[F]struct{}
	ended error
}

// Add has f follow a session; the error is that of End, once it was called.
func (s *Followers[F]) Add(sessionID string, f F) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return s.ended
	}
	if s.by == nil {
		s.by = map[string]map[F]struct{}{}
	}
	if s.by[sessionID] == nil {
		s.by[sessionID] = map[F]struct{}{}
	}
	s.by[sessionID][f] = struct{}{}
	return nil
}

// Remove lets a follower go; one that is not there is passed over.
func (s *Followers[F]) Remove(sessionID string, f F) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by[sessionID], f)
	if len(s.by[sessionID]) == 0 {
		delete(s.by, sessionID)
	}
}

// Of does something with each follower of a session. It must not add or remove one.
func (s *Followers[F]) Of(sessionID string, do func(F)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for f := range s.by[sessionID] {
		do(f)
	}
}

// All does something with every follower. It must not add or remove one.
func (s *Followers[F]) All(do func(F)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, of := range s.by {
		for f := range of {
			do(f)
		}
	}
}

// End refuses the followers to come with err and does something with those there are.
func (s *Followers[F]) End(err error, do func(F)) {
	s.mu.Lock()
	s.ended = err
	s.mu.Unlock()
	s.All(do)
}
