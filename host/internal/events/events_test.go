package events

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func event(name string) chat.Event {
	return chat.Event{Type: chat.EventTask, Task: &chat.TaskEvent{What: chat.TaskBegun, Name: name}}
}

func listen(t *testing.T, h *Hub, after string) *Listener {
	t.Helper()
	l, err := h.Listen(after)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// heard reads n events as "id type name".
func heard(t *testing.T, l *Listener, n int) []string {
	t.Helper()
	var out []string
	for range n {
		id, e, err := l.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		line := id + " " + string(e.Type)
		if e.Task != nil {
			line += " " + e.Task.Name
		}
		out = append(out, line)
	}
	return out
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestListen(t *testing.T) {
	h := New("a")
	h.Publish(event("before"))
	l := listen(t, h, "")
	h.Publish(event("one"))
	h.Publish(event("two"))
	expect(t, heard(t, l, 2), "a-2 task one", "a-3 task two")

	// A connection that broke goes on behind the last event that it saw.
	expect(t, heard(t, listen(t, h, "a-1"), 2), "a-2 task one", "a-3 task two")
	for _, unknown := range []string{"b-1", "a-9", "a-x", "nothing", "a-"} {
		late := listen(t, h, unknown)
		expect(t, heard(t, late, 1), "a-3 reset")
	}
}

func TestBehindWhatIsKept(t *testing.T) {
	h := New("a")
	l := listen(t, h, "")
	for range Kept + 1 {
		h.Publish(event("x"))
	}
	expect(t, heard(t, l, 1), "a-257 reset")
	expect(t, heard(t, listen(t, h, "a-0"), 1), "a-257 reset")
	h.Publish(event("next"))
	expect(t, heard(t, l, 1), "a-258 task next")
	if got := heard(t, listen(t, h, "a-2"), Kept); len(got) != Kept || got[0] != "a-3 task x" {
		t.Errorf("%d events, the first %s", len(got), got[0])
	}
}

func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New("a")
		l := listen(t, h, "")
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, _, err := l.Next(ctx)
			ended <- err
		}()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a listener that went away: %v", err)
		}
		go func() {
			_, _, err := l.Next(t.Context())
			ended <- err
		}()
		synctest.Wait()
		h.Close()
		h.Close()
		if err := <-ended; !errors.Is(err, io.EOF) {
			t.Errorf("the end of the host: %v", err)
		}
		h.Publish(event("late"))
	})
	h := New("a")
	l := listen(t, h, "")
	h.Publish(event("last"))
	h.Close()
	expect(t, heard(t, l, 1), "a-1 task last")
	if _, _, err := l.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last event: %v", err)
	}
}

func TestFull(t *testing.T) {
	h := New("a")
	first := listen(t, h, "")
	for range MaxListeners - 1 {
		listen(t, h, "")
	}
	if _, err := h.Listen(""); !errors.Is(err, ErrFull) {
		t.Errorf("one more: %v", err)
	}
	first.Close()
	first.Close()
	listen(t, h, "")
	if _, err := h.Listen(""); !errors.Is(err, ErrFull) {
		t.Errorf("one more after one has left: %v", err)
	}
}

func TestFormat(t *testing.T) {
	got, err := Format("a-1", chat.Event{Type: chat.EventTask, Task: &chat.TaskEvent{What: chat.TaskRemoved, TaskID: "t", Name: "line\nbreak"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "id: a-1\nevent: task\ndata: {\"type\":\"task\",\"task\":{\"what\":\"removed\",\"taskId\":\"t\",\"name\":\"line\\nbreak\"}}\n\n"
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
