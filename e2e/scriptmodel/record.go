package scriptmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Request is a chat-completions request that the model got, as far as it has
// been answered.
type Request struct {
	N      int             `json:"n"` // 1 for the first
	Header http.Header     `json:"header"`
	Body   json.RawMessage `json:"body"`
	Chat   ChatRequest     `json:"-"`
	Kind   Kind            `json:"kind"`
	Person string          `json:"person"` // the last message of a person
	Step   int             `json:"step"`   // of the script, from 0; -1 without one
	Tokens int             `json:"tokens"` // of the prompt, as this model counts
	Window int             `json:"window"` // of the model that was asked
	Held   string          `json:"held,omitempty"`
	Status int             `json:"status"` // HTTP; 0 until the answer begins
	Ended  bool            `json:"ended"`  // no more will be sent
	Left   bool            `json:"left"`   // the client left before the end
}

// log keeps the requests and wakes whoever waits for a change.
type log struct {
	mu       sync.Mutex
	requests []*Request
	changed  chan struct{} // closed at the next change
}

func (l *log) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *log) add(r *Request) {
	l.update(func() {
		r.N = len(l.requests) + 1
		l.requests = append(l.requests, r)
	})
}

func (l *log) snapshot() ([]Request, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Request, len(l.requests))
	for i, r := range l.requests {
		out[i] = *r
	}
	return out, l.changed
}

// Requests gives every request so far, oldest first.
func (m *Model) Requests() []Request {
	all, _ := m.log.snapshot()
	return all
}

// WaitRequest waits for a request that pred holds of, now or after a change of
// its state. The error of an ended ctx lists what was there instead.
func (m *Model) WaitRequest(ctx context.Context, pred func(Request) bool) (Request, error) {
	for {
		all, changed := m.log.snapshot()
		if i := slices.IndexFunc(all, pred); i >= 0 {
			return all[i], nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Request{}, fmt.Errorf("waiting for a request to the model: %w; it got:%s", ctx.Err(), list(all))
		}
	}
}

func list(all []Request) string {
	if len(all) == 0 {
		return " none"
	}
	var out strings.Builder
	for _, r := range all {
		fmt.Fprintf(&out, "\n  %d %s step %d status %d held %q ended %t left %t: %q", r.N, r.Kind, r.Step, r.Status, r.Held, r.Ended, r.Left, shorten(r.Person, 80))
	}
	return out.String()
}

// Asks holds of chat requests whose person's message contains text.
func Asks(text string) func(Request) bool {
	return func(r Request) bool { return r.Kind == Chat && strings.Contains(r.Person, text) }
}

// And holds where all of preds do.
func And(preds ...func(Request) bool) func(Request) bool {
	return func(r Request) bool {
		return !slices.ContainsFunc(preds, func(p func(Request) bool) bool { return !p(r) })
	}
}

// HeldAt holds of a request that stands at HOLD name.
func HeldAt(name string) func(Request) bool { return func(r Request) bool { return r.Held == name } }

// WasLeft holds of a request whose client left before the end.
func WasLeft(r Request) bool { return r.Left }

// HasEnded holds of a request that is over.
func HasEnded(r Request) bool { return r.Ended }
