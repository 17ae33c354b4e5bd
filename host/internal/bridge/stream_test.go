package bridge

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"strata.dev/bridge/host/internal/gateway"
)

// follower reads a session's log of a double.
type follower struct {
	p      *process
	s      *session
	next   int
	closed chan struct{}
}

func (p *process) Follow(ctx context.Context, id string, after int64) (gateway.Stream, error) {
	if err := p.enter(ctx, "Follow"); err != nil {
		return nil, err
	}
	if err := p.d.fault(ctx, "Follow "+id); err != nil {
		return nil, err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return nil, err
	}
	return &follower{p: p, s: s, next: int(after) + 1, closed: make(chan struct{}, 1)}, nil
}

func (f *follower) Next(ctx context.Context) (gateway.Item, error) {
	for {
		f.p.d.mu.Lock()
		if f.next < len(f.s.log) && f.p.ctx.Err() == nil {
			e := f.s.log[f.next]
			f.next++
			f.p.d.mu.Unlock()
			return gateway.Item{Event: &e}, f.p.d.fault(ctx, "Next")
		}
		grown := f.s.grown
		f.p.d.mu.Unlock()
		select {
		case <-grown:
		case <-f.p.ctx.Done():
			return gateway.Item{}, fmt.Errorf("follow: %w", gateway.ErrLost)
		case <-f.closed:
			return gateway.Item{}, gateway.ErrClosed
		case <-ctx.Done():
			return gateway.Item{}, ctx.Err()
		}
	}
}

func (f *follower) Close() {
	select {
	case f.closed <- struct{}{}:
	default:
	}
}

// watcher gives a double's notices.
type watcher struct {
	p     *process
	list  []gateway.Notice
	grown chan struct{}
}

func (p *process) Watch() gateway.Watcher {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	w := &watcher{p: p, grown: make(chan struct{})}
	for _, id := range slices.Sorted(maps.Keys(p.asks)) {
		w.list = append(w.list, gateway.Notice{Approval: &p.asks[id].Approval})
	}
	p.watches = append(p.watches, w)
	return w
}

// notify tells all watchers. The lock is held.
func (p *process) notify(n gateway.Notice) {
	for _, w := range p.watches {
		w.list = append(w.list, n)
		w.wake()
	}
}

func (w *watcher) wake() {
	close(w.grown)
	w.grown = make(chan struct{})
}

func (w *watcher) Next(ctx context.Context) (gateway.Notice, error) {
	for {
		w.p.d.mu.Lock()
		if len(w.list) > 0 {
			n := w.list[0]
			w.list = w.list[1:]
			w.p.d.mu.Unlock()
			return n, w.p.d.fault(ctx, "Notice")
		}
		grown := w.grown
		w.p.d.mu.Unlock()
		select {
		case <-grown:
		case <-w.p.ctx.Done():
			return gateway.Notice{}, gateway.ErrLost
		case <-ctx.Done():
			return gateway.Notice{}, ctx.Err()
		}
	}
}

func (w *watcher) Close() {}
