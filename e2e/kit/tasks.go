package kit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"strata.dev/bridge/proto/chat"
)

func taskPath(id string) string { return "/api/tasks/" + url.PathEscape(id) }

// AddTask makes a task.
func (c Client) AddTask(ctx context.Context, spec chat.TaskSpec) (chat.Task, error) {
	var t chat.Task
	return t, c.Do(ctx, http.MethodPost, "/api/tasks", spec, &t)
}

// Task gives a task.
func (c Client) Task(ctx context.Context, id string) (chat.Task, error) {
	var t chat.Task
	return t, c.Do(ctx, http.MethodGet, taskPath(id), nil, &t)
}

// PatchTask changes a task.
func (c Client) PatchTask(ctx context.Context, id string, p chat.TaskPatch) (chat.Task, error) {
	var t chat.Task
	return t, c.Do(ctx, http.MethodPatch, taskPath(id), p, &t)
}

// RemoveTask removes a task.
func (c Client) RemoveTask(ctx context.Context, id string) error {
	return c.Do(ctx, http.MethodDelete, taskPath(id), nil, nil)
}

// RunTask runs a task by hand.
func (c Client) RunTask(ctx context.Context, id string) (chat.Task, error) {
	var t chat.Task
	return t, c.Do(ctx, http.MethodPost, taskPath(id)+"/run", nil, &t)
}

// TaskResults are a task's results, the newest first.
func (c Client) TaskResults(ctx context.Context, id string) ([]chat.TaskResult, error) {
	var l chat.TaskResults
	err := c.Do(ctx, http.MethodGet, taskPath(id)+"/results", nil, &l)
	return l.Results, err
}

// Heard is one server-sent event with its id.
type Heard struct {
	ID string
	chat.Event
}

// Events is the stream of events as a page reads it.
type Events struct {
	mu      sync.Mutex
	heard   []Heard
	err     error
	changed chan struct{}
}

// Listen reads events from behind the one with that id ("": from now on) until the
// test ends.
func (c Client) Listen(ctx context.Context, t testing.TB, after string) *Events {
	t.Helper()
	ctx, leave := context.WithCancel(ctx)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Token)
	if after != "" {
		req.Header.Set("Last-Event-ID", after)
	}
	resp, err := direct.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		t.Fatalf("events: %s, %s", resp.Status, resp.Header.Get("Content-Type"))
	}
	e := &Events{changed: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer resp.Body.Close()
		err := e.read(resp.Body)
		e.update(func() { e.err = err })
	}()
	t.Cleanup(func() { leave(); <-done })
	return e
}

// read takes events in as the standard says: fields up to an empty line.
func (e *Events) read(body io.Reader) error {
	var next Heard
	var data strings.Builder
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return err
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			next.ID = value
		case "event":
			next.Type = chat.EventType(value)
		case "data":
			data.WriteString(value)
		case "":
			if data.Len() == 0 {
				continue // after a comment
			}
			named := next.Type
			if err := json.Unmarshal([]byte(data.String()), &next.Event); err != nil {
				return fmt.Errorf("decoding an event: %w in %s", err, data.String())
			}
			if named != next.Type {
				return fmt.Errorf("the event %s says that it is a %s", named, next.Type)
			}
			one := next
			e.update(func() { e.heard = append(e.heard, one) })
			next = Heard{}
			data.Reset()
		}
	}
}

func (e *Events) update(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
	close(e.changed)
	e.changed = make(chan struct{})
}

// Wait waits for the first event that pred holds of, now or later.
func (e *Events) Wait(ctx context.Context, pred func(Heard) bool) (Heard, error) {
	for seen := 0; ; {
		e.mu.Lock()
		heard, changed, err := e.heard, e.changed, e.err
		e.mu.Unlock()
		for ; seen < len(heard); seen++ {
			if pred(heard[seen]) {
				return heard[seen], nil
			}
		}
		if err != nil {
			return Heard{}, fmt.Errorf("the event did not come: %w; these came: %+v", err, heard)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Heard{}, fmt.Errorf("waiting for an event: %w; these came: %+v", ctx.Err(), heard)
		}
	}
}

// Ended waits for the result of a task's run that is none of those seen before.
func (e *Events) Ended(ctx context.Context, task string, before ...string) (chat.TaskResult, error) {
	h, err := e.Wait(ctx, func(h Heard) bool {
		if h.Task == nil || h.Task.TaskID != task || h.Task.What != chat.TaskEnded {
			return false
		}
		for _, id := range before {
			if h.Task.Result.ID == id {
				return false
			}
		}
		return true
	})
	if err != nil {
		return chat.TaskResult{}, err
	}
	return *h.Task.Result, nil
}
