package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
)

// youngTries is how often a helper's session without a descriptor is opened: the
// Harness tells of a helper when its session is made, a moment before it says in the
// log what it is (harness-wire.md §5.1), and then all but the last come within 8 s.
const youngTries = 6

// open opens the session's stream and makes the backlog of what its reader has not
// got yet. It waits while there is no connection.
func (s *stream) open(ctx context.Context) error {
	for {
		if s.tries > 0 {
			if err := link.Sleep(ctx, link.Delay(s.tries-1, s.gw.opts.Rand())); err != nil {
				return err
			}
		}
		s.tries++
		if err := s.gw.state.Await(ctx); err != nil {
			return err
		}
		err := s.gw.addressed(ctx, s.session, func(at address) error { return s.openAt(ctx, at) })
		if err == nil {
			return nil
		}
		s.mu.Lock()
		s.dropLocked()
		ended := s.err
		s.mu.Unlock()
		var refused *gateway.Error
		switch {
		case ended != nil && !errors.Is(ended, gateway.ErrLost):
			return ended
		case gateway.IsCode(err, gateway.CodeHelperCatalog) && s.tries <= youngTries:
		case errors.As(err, &refused), errors.Is(err, gateway.ErrRewound):
			s.end(err)
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, gateway.ErrLost) && !errors.Is(err, errAgain):
			return err // ErrClosed
		}
		s.gw.log.Debug("opening a stream failed", zap.String("session", s.session), zap.Error(err))
	}
}

// errAgain says that what was opened is to be opened again.
var errAgain = errors.New("the stream ended before its snapshot")

func (s *stream) openAt(ctx context.Context, at address) error {
	raw, err := s.await(ctx, at)
	if err != nil {
		return err
	}
	snap, err := s.gw.snapshot(raw)
	if err != nil {
		return err
	}
	// Also the last that was given, to see that this is the same log.
	t, err := link.ReadTail(max(s.last.Seq, 0), false, func(visit func(link.Page) bool) error {
		return s.gw.pages(ctx, at, snap, visit)
	})
	if err != nil {
		return err
	}
	if t.Last != snap.Cursor {
		return &gateway.Error{Method: "session/follow", Code: gateway.CodeProtocol, Message: "the snapshot does not end where it says"}
	}
	items, err := t.Missed(s.last)
	if err != nil {
		return err
	}
	newest := s.last.Seq
	for _, item := range items {
		if item.Event == nil {
			break
		}
		if item.Event.Seq != newest+1 {
			return &gateway.Error{Method: "session/page", Code: gateway.CodeProtocol, Message: "the log has a hole"}
		}
		newest++
	}
	s.asOf = t.AsOf
	s.backlog = s.answer.resume(items, snap)
	return nil
}

// await opens session/follow and waits for its first item.
func (s *stream) await(ctx context.Context, at address) (json.RawMessage, error) {
	sock, err := s.gw.socket()
	if err != nil {
		return nil, err
	}
	f := &feed{of: s, sock: sock}
	s.mu.Lock()
	s.dropLocked()
	s.feed, s.live = f, false
	s.mu.Unlock()
	first := &opening{feed: f, got: make(chan result, 1)}
	id, err := sock.stream("session/follow", wrapped{followArgs{Address: at, MaxMessages: firstPage, Live: true}}, first)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	f.id = id
	closed := s.err != nil || s.feed != f
	s.mu.Unlock()
	if closed { // meanwhile
		sock.cancel(id)
	}
	for {
		select {
		case r := <-first.got:
			return r.value, r.err
		case <-s.wake:
			if s.closed() {
				return nil, gateway.ErrClosed
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// opening hands the first item over by itself: the snapshot may be as large as it
// likes, the queue may not.
type opening struct {
	feed *feed
	got  chan result
	past bool // the first came; of the socket's reader alone
}

func (o *opening) item(value json.RawMessage) {
	if o.past {
		o.feed.item(value)
		return
	}
	o.past = true
	o.got <- result{value: value}
}

func (o *opening) over(err error) {
	if o.past {
		o.feed.over(err)
		return
	}
	o.past = true
	if err == nil {
		err = errAgain
	}
	o.got <- result{err: err}
}

func sorted(m map[string]json.RawMessage) []string { return slices.Sorted(maps.Keys(m)) }
