package link

import (
	"context"
	"slices"
	"sync"

	"strata.dev/bridge/host/internal/gateway"
)

// maxNotices is how far a Watcher may fall behind.
const maxNotices = 4096

// Hub knows what is pending and which sessions run, and tells the watchers. The
// zero value is ready. Notices are made under its lock, so that all watchers see
// one order.
type Hub struct {
	mu       sync.Mutex
	watchers map[*watcher]struct{}
	pending  []gateway.Approval // oldest first
	running  map[string]bool    // by session
	told     map[string]bool    // sessions whose running the socket spoke of since it opened
	listedAt int                // connections whose list was read
	ended    error
}

// Watch begins with the approvals that are pending.
func (h *Hub) Watch() gateway.Watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	w := &watcher{hub: h, wake: make(chan struct{}, 1), err: h.ended}
	for i := range h.pending {
		w.push(gateway.Notice{Approval: &h.pending[i]})
	}
	if h.watchers == nil {
		h.watchers = map[*watcher]struct{}{}
	}
	h.watchers[w] = struct{}{}
	return w
}

// Notice tells all watchers.
func (h *Hub) Notice(n gateway.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publish(n)
}

// publish tells all watchers; the lock is held.
func (h *Hub) publish(n gateway.Notice) {
	for w := range h.watchers {
		w.push(n)
	}
}

// Connected gives the approvals that are pending as far as is known.
func (h *Hub) Connected() []gateway.Approval {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = nil
	h.publish(gateway.Notice{Connection: &gateway.Connection{Up: true}})
	return slices.Clone(h.pending)
}

// Disconnected says that the connection was lost, and why.
func (h *Hub) Disconnected(err error) {
	h.Notice(gateway.Notice{Connection: &gateway.Connection{Err: err}})
}

// Requested is called again for each pending approval after a reconnect.
func (h *Hub) Requested(a gateway.Approval) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !slices.ContainsFunc(h.pending, func(p gateway.Approval) bool { return p.ID == a.ID }) {
		h.pending = append(slices.Clone(h.pending), a) // notices point into the old one
	}
	h.publish(gateway.Notice{Approval: &a})
}

// Resolved says that an approval is over; one that is not pending is passed over.
func (h *Hub) Resolved(r gateway.Resolved) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.pending, func(p gateway.Approval) bool {
		return p.SessionID == r.SessionID && p.ApprovalID == r.ApprovalID
	})
	if i < 0 {
		return // told already
	}
	h.pending = slices.Delete(slices.Clone(h.pending), i, i+1)
	h.publish(gateway.Notice{Resolved: &r})
}

// Added says that the Harness has a session now.
func (h *Hub) Added(s gateway.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.known(s.ID) // whether it runs, a list may say better
	h.publish(gateway.Notice{SessionAdded: &s})
}

// Gone says that the Harness let a session go.
func (h *Hub) Gone(sessionID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.know(sessionID, false)
	h.publish(gateway.Notice{SessionGone: sessionID})
}

// Status says whether a session runs a turn.
func (h *Hub) Status(sessionID string, running bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.know(sessionID, running)
	h.publish(gateway.Notice{SessionStatus: &gateway.SessionStatus{SessionID: sessionID, Running: running}})
}

// know keeps what the socket said; the lock is held.
func (h *Hub) know(sessionID string, running bool) {
	h.known(sessionID)
	if h.told == nil {
		h.told = map[string]bool{}
	}
	h.running[sessionID] = running
	h.told[sessionID] = true
}

// known keeps that there is a session; the lock is held.
func (h *Hub) known(sessionID string) {
	if h.running == nil {
		h.running = map[string]bool{}
	}
	if _, ok := h.running[sessionID]; !ok {
		h.running[sessionID] = false
	}
}

// Listed compares the Harness's list, read after the socket opened, with what is
// known, and tells what was missed. What the socket said since is newer.
func (h *Hub) Listed(list []gateway.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.listedAt++
	for i := range list {
		s := &list[i]
		if h.told[s.ID] {
			continue
		}
		was, known := h.running[s.ID]
		h.know(s.ID, s.Running)
		if h.listedAt == 1 {
			continue // where we begin
		}
		if !known {
			h.publish(gateway.Notice{SessionAdded: s})
		}
		if was != s.Running {
			h.publish(gateway.Notice{SessionStatus: &gateway.SessionStatus{SessionID: s.ID, Running: s.Running}})
		}
	}
}

// End ends all watchers, also those to come.
func (h *Hub) End(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = err
	for w := range h.watchers {
		w.end(err)
	}
}

// watcher is one reader of notices.
type watcher struct {
	hub *Hub

	mu    sync.Mutex
	queue Queue[gateway.Notice]
	err   error // ends it once the queue is empty
	wake  chan struct{}
}

var _ gateway.Watcher = (*watcher)(nil)

func (w *watcher) push(n gateway.Notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && !w.queue.Put(n, 0, maxNotices, 1) {
		w.queue.Drop()
		w.err = gateway.ErrSlow
	}
	w.signal()
}

func (w *watcher) end(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.signal()
}

func (w *watcher) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Close ends the watcher.
func (w *watcher) Close() {
	w.hub.mu.Lock()
	delete(w.hub.watchers, w)
	w.hub.mu.Unlock()
	w.end(gateway.ErrClosed)
}

// Next gives the next notice.
func (w *watcher) Next(ctx context.Context) (gateway.Notice, error) {
	for {
		w.mu.Lock()
		n, ok := w.queue.Take()
		err := w.err
		w.mu.Unlock()
		switch {
		case ok:
			return n, nil
		case err != nil:
			return gateway.Notice{}, err
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return gateway.Notice{}, context.Cause(ctx)
		}
	}
}
