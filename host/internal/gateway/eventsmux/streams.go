package eventsmux

import (
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// streams holds who follows which session. The zero value is ready.
type streams struct{ link.Followers[*stream] }

// overhead is what an item costs besides its content, in bytes.
const overhead = 128

func (s *streams) event(sessionID string, e *dsh.Event) {
	s.Of(sessionID, func(st *stream) {
		st.push(gateway.Item{Event: e}, overhead+len(e.Data))
	})
}

func (s *streams) projection(sessionID string, p *gateway.Projection) {
	s.Of(sessionID, func(st *stream) {
		st.push(gateway.Item{Projection: p}, overhead+len(p.Value))
	})
}

// subscribed says how far a session's log goes that has been attached, or was when
// the socket opened.
func (s *streams) subscribed(sessionID string, lastSeq int64) {
	s.Of(sessionID, func(st *stream) { st.reaches(lastSeq) })
}

// reconnected says that frames may have been missed.
func (s *streams) reconnected() { s.All((*stream).reconnected) }

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
