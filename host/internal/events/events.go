// Package events tells pages what happens outside of chats. It keeps the newest
// events, so that a page whose connection broke misses none, and no page can hold
// the others up: each reads from what is kept.
package events

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"

	"strata.dev/bridge/proto/chat"
)

// Limits of a Hub.
const (
	Kept         = 256 // events
	MaxListeners = 64
)

// ErrFull says that there are as many listeners as there may be.
var ErrFull = errors.New("too many listeners")

// Hub takes events in and gives them to its listeners.
type Hub struct {
	life string // of this Hub: an id of another one's event means nothing here

	mu        sync.Mutex
	last      int64 // number of the newest event, from 1
	kept      []chat.Event
	wake      chan struct{} // closed at the next event
	listeners int
	closed    bool
}

// New gives a Hub. Life is its own among all hubs of all times, without a dash.
func New(life string) *Hub { return &Hub{life: life, wake: make(chan struct{})} }

// Publish tells every listener. It never waits.
func (h *Hub) Publish(e chat.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.last++
	h.kept = append(h.kept, e)
	if len(h.kept) > Kept {
		h.kept[0] = chat.Event{}
		h.kept = h.kept[1:]
	}
	close(h.wake)
	h.wake = make(chan struct{})
}

// Close ends all listeners; it is for the end of the host.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		h.closed = true
		close(h.wake)
	}
}

// Listen gives what comes after the event with that id, "" for what comes from now
// on. Where that is not known or no longer kept, an EventReset comes first. The
// error is ErrFull. The listener must be closed.
func (h *Hub) Listen(after string) (*Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners >= MaxListeners {
		return nil, ErrFull
	}
	h.listeners++
	l := &Listener{hub: h, at: h.last}
	if after == "" {
		return l, nil
	}
	n, ok := h.number(after)
	l.reset = !ok || n < h.last-int64(len(h.kept)) || n > h.last
	if !l.reset {
		l.at = n
	}
	return l, nil
}

// number reads an event's id.
func (h *Hub) number(id string) (int64, bool) {
	life, count, ok := strings.Cut(id, "-")
	n, err := strconv.ParseInt(count, 10, 64)
	return n, ok && err == nil && life == h.life
}

func (h *Hub) id(n int64) string { return h.life + "-" + strconv.FormatInt(n, 10) }

// Listener is one reader of a Hub. One goroutine reads it.
type Listener struct {
	hub   *Hub
	at    int64 // number of the newest event it gave
	reset bool  // it has to say first that events are missing
	once  sync.Once
}

// Next waits for the next event and gives it with its id. One that fell behind what
// is kept is given an EventReset and goes on with what comes next. The error is
// io.EOF once the Hub is closed, or the context's.
func (l *Listener) Next(ctx context.Context) (id string, e chat.Event, err error) {
	for {
		id, e, wake, err := l.take()
		if wake == nil {
			return id, e, err
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return "", chat.Event{}, ctx.Err()
		}
	}
}

// take gives the next event, or the channel that is closed when there is one.
func (l *Listener) take() (id string, e chat.Event, wake <-chan struct{}, err error) {
	h := l.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	first := h.last - int64(len(h.kept)) // number before the oldest kept
	switch {
	case l.reset || l.at < first:
		l.reset, l.at = false, h.last
		return h.id(l.at), chat.Event{Type: chat.EventReset}, nil, nil
	case l.at < h.last:
		e := h.kept[l.at-first]
		l.at++
		return h.id(l.at), e, nil, nil
	case h.closed:
		return "", chat.Event{}, nil, io.EOF
	}
	return "", chat.Event{}, h.wake, nil
}

// Close lets the Hub forget the listener. It may be called more than once.
func (l *Listener) Close() {
	l.once.Do(func() {
		l.hub.mu.Lock()
		defer l.hub.mu.Unlock()
		l.hub.listeners--
	})
}

// Format writes an event as server-sent events do; a nil clean leaves the data as it is.
func Format(id string, e chat.Event, clean func([]byte) []byte) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	if clean != nil {
		data = clean(data)
	}
	return []byte("id: " + id + "\nevent: " + string(e.Type) + "\ndata: " + string(data) + "\n\n"), nil
}
