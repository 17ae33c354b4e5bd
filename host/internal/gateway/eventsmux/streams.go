package eventsmux

import (
	"sync"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
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

func (s *streams) of(sessionID string, do func(*stream)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for st := range s.by[sessionID] {
		do(st)
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

// overhead is what an item costs besides its content, in bytes.
const overhead = 128

func (s *streams) event(sessionID string, e *dsh.Event) {
	s.of(sessionID, func(st *stream) {
		st.push(gateway.Item{Event: e}, overhead+len(e.Data))
	})
}

func (s *streams) projection(sessionID string, p *gateway.Projection) {
	s.of(sessionID, func(st *stream) {
		st.push(gateway.Item{Projection: p}, overhead+len(p.Value))
	})
}

// subscribed says how far a session's log goes that has been attached, or was when
// the socket opened.
func (s *streams) subscribed(sessionID string, lastSeq int64) {
	s.of(sessionID, func(st *stream) { st.reaches(lastSeq) })
}

// reconnected says that frames may have been missed.
func (s *streams) reconnected() { s.all((*stream).reconnected) }

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
