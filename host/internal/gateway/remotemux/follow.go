package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// What a stream may hold of what came and was not read; see the package's comment.
const (
	maxQueued      = 4096
	maxQueuedBytes = 4 << 20
	overhead       = 128 // bytes that an item costs besides its content
)

// stream follows one session. The socket's reader pushes, one goroutine calls Next.
type stream struct {
	gw      *Gateway
	session string

	mu    sync.Mutex
	feed  *feed // what is open on the wire; nil: to be opened (again)
	queue link.Queue[json.RawMessage]
	live  bool                          // the reader is at the queue
	held  map[string]gateway.Projection // newest by key, not given yet
	err   error                         // ends the stream once the queue is empty
	wake  chan struct{}

	// The reader's own.
	backlog []gateway.Item
	last    dsh.Event // the last that was given; only its Seq is known at first
	asOf    int64     // projections up to here were given
	answer  answer    // that is being made
	tries   int       // openings since an item came
}

var _ gateway.Stream = (*stream)(nil)

// feed is one opening of session/follow.
type feed struct {
	of   *stream
	sock *socket
	id   string
}

// Follow opens the session's stream and reads what the log has after that seq.
func (g *Gateway) Follow(ctx context.Context, sessionID string, after int64) (gateway.Stream, error) {
	s := &stream{gw: g, session: sessionID, last: dsh.Event{Seq: after}, asOf: -1, wake: make(chan struct{}, 1)}
	if err := g.streams.Add(s.session, s); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// item queues what came, unless it is of an older opening.
func (f *feed) item(value json.RawMessage) {
	s := f.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed != f || s.err != nil {
		return
	}
	if !s.queue.Put(value, overhead+len(value), maxQueued, maxQueuedBytes) {
		if s.live && s.queue.Len() >= maxQueued {
			s.endLocked(gateway.ErrSlow)
		}
		s.dropLocked()
	}
	s.signal()
}

// over has the stream opened again once what came before is read: also where the
// Harness ended it in good order or with an error (§3.7).
func (f *feed) over(err error) {
	s := f.of
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed != f || s.err != nil {
		return
	}
	s.gw.log.Debug("a stream ended", zap.String("session", s.session), zap.String("code", link.CodeOf(err)))
	s.feed = nil
	s.signal()
}

// dropLocked gives up what is open and what came.
func (s *stream) dropLocked() {
	if f := s.feed; f != nil {
		s.feed = nil
		if f.id != "" {
			f.sock.cancel(f.id)
		}
	}
	s.queue.Drop()
}

// project takes a projection's value of session/control: between it and the events
// there is no order on the wire, so that it is held until the log is as far.
func (s *stream) project(p gateway.Projection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.held[p.Key]; s.err != nil || ok && old.Seq > p.Seq {
		return
	}
	if s.held == nil {
		s.held = map[string]gateway.Projection{}
	}
	s.held[p.Key] = p
	s.signal()
}

func (s *stream) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endLocked(err)
	s.signal()
}

func (s *stream) endLocked(err error) {
	if s.err != nil {
		return
	}
	s.err = err
	if !errors.Is(err, gateway.ErrLost) { // what came before a loss is still good
		s.dropLocked()
	}
}

func (s *stream) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Close ends the stream.
func (s *stream) Close() {
	s.gw.streams.Remove(s.session, s)
	s.end(gateway.ErrClosed)
}

// Next gives the next item.
func (s *stream) Next(ctx context.Context) (gateway.Item, error) {
	for {
		if ctx.Err() != nil {
			return gateway.Item{}, context.Cause(ctx)
		}
		if len(s.backlog) > 0 && !s.closed() {
			item := s.backlog[0]
			s.backlog[0] = gateway.Item{}
			s.backlog = s.backlog[1:]
			if item.Event != nil {
				s.last = *item.Event
			}
			return item, nil
		}
		raw, ok, open, err := s.take()
		switch {
		case err != nil:
			s.gw.streams.Remove(s.session, s)
			return gateway.Item{}, err
		case ok:
			s.receive(raw)
		case s.projected():
		case !open:
			if err := s.open(ctx); err != nil {
				return gateway.Item{}, err
			}
		default:
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		}
	}
}

func (s *stream) closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil && !errors.Is(s.err, gateway.ErrLost)
}

// take gives the oldest that came, or says that the stream is to be opened, or why
// there is nothing more to come.
func (s *stream) take() (raw json.RawMessage, ok, open bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = true
	if raw, ok := s.queue.Take(); ok {
		return raw, true, true, nil
	}
	return nil, false, s.feed != nil, s.err
}

// projected moves the held projections to the backlog that the log is as far as.
func (s *stream) projected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	values := map[string]json.RawMessage{}
	for key, p := range s.held {
		switch {
		case p.Seq <= s.asOf: // given with the snapshot
			delete(s.held, key)
		case p.Seq <= s.last.Seq:
			values[key] = p.Value
		}
	}
	if len(values) == 0 {
		return false
	}
	for _, key := range sorted(values) {
		p := s.held[key]
		delete(s.held, key)
		s.backlog = append(s.backlog, gateway.Item{Projection: &p})
	}
	return true
}

// receive makes items of what came.
func (s *stream) receive(raw json.RawMessage) {
	var v struct {
		Type  string    `json:"type"`
		Event dsh.Event `json:"event"`
		Frame dsh.Live  `json:"frame"`
	}
	if !s.gw.decode("session/follow", raw, &v) {
		return
	}
	switch v.Type {
	case "event":
		switch e := v.Event; {
		case e.Seq <= s.last.Seq:
		case e.Seq == s.last.Seq+1:
			s.tries = 0
			s.answer.logged(e)
			s.backlog = append(s.backlog, gateway.Item{Event: &e})
		default:
			s.again("an event is missing")
		}
	case "assistant-stream":
		live, ok := s.answer.next(v.Frame)
		if !ok {
			s.again("a delta is missing")
		} else if live != nil {
			s.tries = 0
			s.backlog = append(s.backlog, gateway.Item{Live: live})
		}
	default:
		s.gw.counts.Add(dsh.SkipType, "session/follow "+v.Type)
	}
}

// again gives up what is open, to begin with a new snapshot.
func (s *stream) again(why string) {
	s.gw.log.Info("opening a stream again", zap.String("session", s.session), zap.String("why", why))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropLocked()
}
