package remotemux

import (
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
)

// streams holds who follows which session. The zero value is ready.
type streams struct{ link.Followers[*stream] }

func (s *streams) projection(sessionID string, p gateway.Projection) {
	s.Of(sessionID, func(st *stream) { st.project(p) })
}

// held is the most that one of the streams holds, in bytes.
func (s *streams) held() int {
	most := 0
	s.All(func(st *stream) {
		st.mu.Lock()
		defer st.mu.Unlock()
		most = max(most, st.queue.Size())
	})
	return most
}

// end ends all streams, also those to come.
func (s *streams) end(err error) {
	s.End(err, func(st *stream) { st.end(err) })
}
