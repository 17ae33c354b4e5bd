package remotemux

import (
	"sync"

	"strata.dev/bridge/host/internal/gateway"
)

// streams holds who follows which session. The zero value is ready.
type streams struct {
	mu    sync.RWMutex
	by    map[string]map[*stream]struct{}
	ended error
}

func (s *streams) add(st *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != nil {
		return s.ended
	}
	if s.by == nil {
		s.by = map[string]map[*stream]struct{}{}
	}
	if s.by[st.session] == nil {
		s.by[st.session] = map[*stream]struct{}{}
	}
	s.by[st.session][st] = struct{}{}
	return nil
}

func (s *streams) remove(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.by[st.session], st)
	if len(s.by[st.session]) == 0 {
		delete(s.by, st.session)
	}
}

func (s *streams) all(do func(*stream)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, of := range s.by {
		for st := range of {
			do(st)
		}
	}
}

func (s *streams) projection(sessionID string, p gateway.Projection) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for st := range s.by[sessionID] {
		st.project(p)
	}
}

// held is the most that one of the streams holds, in bytes.
func (s *streams) held() int {
	most := 0
	s.all(func(st *stream) {
		st.mu.Lock()
		defer st.mu.Unlock()
		most = max(most, st.queue.Size())
	})
	return most
}

// end ends all streams, also those to come.
func (s *streams) end(err error) {
	s.mu.Lock()
	s.ended = err
	s.mu.Unlock()
	s.all(func(st *stream) { st.end(err) })
}
