package eventsmux

import (
	"context"
	"errors"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/proto/dsh"
)

// A stream's queue holds what came over the socket and was not read yet. A reader
// that is at the queue and falls maxQueued items behind is let go with ErrSlow. In
// every other case a full queue is dropped and the log is read again when the
// reader comes: while it is still at what was read from the log (the log was long,
// not the reader slow), and where it is the bytes that are too many (a few large
// events make nobody slow).
const (
	maxQueued      = 4096
	maxQueuedBytes = 4 << 20
)

// stream follows one session. The socket's reader pushes, one goroutine calls Next.
type stream struct {
	gw      *Gateway
	session string

	mu     sync.Mutex
	queue  link.Queue[gateway.Item]
	stale  bool  // the log is to be read before the queue; nothing is queued
	live   bool  // the reader is at the queue
	life   int   // counts reconnects
	want   int64 // the log goes at least this far
	seen   int64 // the newest event that came or was read
	shown  int64 // the newest projection that came
	missed int64 // the newest projection that was not queued or was dropped
	err    error // ends the stream once the queue is empty
	wake   chan struct{}

	// The reader's own.
	backlog []gateway.Item
	last    dsh.Event // the last that was given; only its Seq is known at first
	asOf    int64     // projections up to here were given
}

var _ gateway.Stream = (*stream)(nil)

// Follow subscribes and reads what the log has after that seq.
func (g *Gateway) Follow(ctx context.Context, sessionID string, after int64) (gateway.Stream, error) {
	s := newStream(g, sessionID, after)
	if err := g.streams.Add(s.session, s); err != nil {
		return nil, err
	}
	if err := s.catchUp(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func newStream(g *Gateway, sessionID string, after int64) *stream {
	return &stream{
		gw: g, session: sessionID, stale: true, want: -1, seen: after, shown: -1, missed: -1, asOf: -1,
		last: dsh.Event{Seq: after}, wake: make(chan struct{}, 1),
	}
}

// push queues an item from the socket.
func (s *stream) push(item gateway.Item, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if item.Event != nil {
		s.seen = max(s.seen, item.Event.Seq)
	} else {
		s.shown = max(s.shown, item.Projection.Seq)
	}
	switch {
	case s.err != nil:
		return
	case !s.stale && s.queue.Put(item, size, maxQueued, maxQueuedBytes):
	case !s.stale && s.live && s.queue.Len() >= maxQueued:
		s.endLocked(gateway.ErrSlow)
	default:
		s.staleLocked(s.seen)
	}
	s.signal()
}

// reaches says that the log goes up to seq.
func (s *stream) reaches(seq int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if seq > s.seen && s.err == nil {
		s.staleLocked(seq)
		s.signal()
	}
}

// reconnected says that anything may have been missed, also that the log may be
// another process's and shorter.
func (s *stream) reconnected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.life++
		s.want, s.seen = -1, -1
		s.staleLocked(-1)
		s.signal()
	}
}

// staleLocked has the log read up to seq at least; what is queued will be in it.
func (s *stream) staleLocked(seq int64) {
	s.stale = true
	s.want = max(s.want, seq)
	s.missed = s.shown
	s.queue.Drop()
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
		s.queue.Drop()
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
		if err := ctx.Err(); err != nil {
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
		item, stale, err := s.take()
		switch {
		case err != nil:
			s.gw.streams.Remove(s.session, s)
			return gateway.Item{}, err
		case stale:
			if err := s.catchUp(ctx); err != nil {
				return gateway.Item{}, err
			}
		case item == (gateway.Item{}):
			select {
			case <-s.wake:
			case <-ctx.Done():
			}
		case s.fits(item):
			return item, nil
		}
	}
}

func (s *stream) closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil && !errors.Is(s.err, gateway.ErrLost)
}

// take gives the oldest queued item, or says that the log is to be read, or why
// there is nothing more to come. All zero: nothing yet.
func (s *stream) take() (item gateway.Item, stale bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = true
	if item, ok := s.queue.Take(); ok {
		return item, false, nil
	}
	if s.err != nil {
		return gateway.Item{}, false, s.err
	}
	return gateway.Item{}, s.stale, nil
}

// fits tells whether a queued item is next: what was given already is passed over;
// a missing seq has the log read.
func (s *stream) fits(item gateway.Item) bool {
	if p := item.Projection; p != nil {
		return p.Seq > s.asOf
	}
	switch e := item.Event; {
	case e.Seq <= s.last.Seq:
		return false
	case e.Seq == s.last.Seq+1:
		s.last = *e
		return true
	default:
		s.gw.log.Info("an event is missing; reading the log", zap.String("session", s.session))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.staleLocked(max(s.seen, e.Seq))
		return false
	}
}

// catchUp reads what the log has after the last event into the backlog. It waits
// while there is no connection.
func (s *stream) catchUp(ctx context.Context) error {
	for try := 0; ; try++ {
		if try > 0 {
			if err := link.Sleep(ctx, link.Delay(try, s.gw.opts.Rand())); err != nil {
				return err
			}
		}
		if err := s.gw.state.Await(ctx); err != nil {
			return err
		}
		s.mu.Lock()
		life := s.life
		s.stale, s.live, s.missed = false, false, -1
		s.mu.Unlock()
		t, err := s.gw.readTail(ctx, s.session, max(s.last.Seq, 0), false)

		s.mu.Lock()
		if err == nil && t.Last >= s.want {
			// Of what was not queued meanwhile, the events are in what was read.
			s.stale = s.life != life || s.missed > t.AsOf
			s.want, s.seen = -1, max(s.seen, t.Last)
			s.mu.Unlock()
			return s.accept(t)
		}
		s.staleLocked(-1) // to be done again, now or by the next call
		s.mu.Unlock()

		var refused *gateway.Error
		switch {
		case errors.As(err, &refused):
			s.end(err)
			return err
		case err != nil && !errors.Is(err, gateway.ErrLost):
			return err // the context's, or ErrClosed
		case err == nil:
			s.gw.log.Info("the log is behind the events; reading it again", zap.String("session", s.session))
		}
	}
}

// accept makes the backlog of what was read. A log that does not go on from the
// last event is another one.
func (s *stream) accept(t link.Tail) error {
	backlog, err := t.Missed(s.last)
	if err != nil {
		s.end(err)
		return err
	}
	s.backlog, s.asOf = backlog, t.AsOf
	return nil
}
