package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/events"
	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/tasks"
	"strata.dev/bridge/proto/chat"
)

// doer runs tasks that hang until they are stopped.
type doer struct{ run *sub }

func (d *doer) RunTask(context.Context, chat.StreamRequest) (bridge.Subscription, error) {
	d.run = newSub(chat.Frame{Run: "r", Seq: 1, Type: chat.Started, Mode: "plan"})
	return d.run, nil
}

func (d *doer) Attach(context.Context, string, string, int64) (bridge.Subscription, error) {
	return nil, io.EOF
}

func (d *doer) Stop(context.Context, chat.StopRequest) (chat.StopAnswer, error) {
	cancelled := true
	d.run.frames <- chat.Frame{Run: "r", Seq: 2, Type: chat.Done, Cancelled: &cancelled}
	close(d.run.frames)
	return chat.StopAnswer{Stopped: true}, nil
}

func (d *doer) OnlyLooked(context.Context, string, []chat.Tool) map[string]bool {
	return nil
}

func (d *doer) DropTask(context.Context, string) {}

func (d *doer) Decisions(permissions.Query) (chat.DecisionList, error) {
	return chat.DecisionList{}, nil
}

// withTasks serves tasks and their events.
func withTasks(t *testing.T) (addr string, hub *events.Hub) {
	t.Helper()
	hub = events.New("a")
	d := &doer{}
	s, err := tasks.Open(tasks.Options{
		Agent: d, Decisions: d, Dir: t.TempDir(), Publish: hub.Publish, Local: time.UTC, Redact: func(s string) string { return s }, Log: zap.NewNop(),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(hub.Close)
	return serve(t, Options{Agent: &agent{}, Tasks: s, Events: hub, Redact: redact.New("the-real-key")}), hub
}

// body reads an answer into v and gives its status.
func body(t *testing.T, res *http.Response, v any) int {
	t.Helper()
	if err := json.NewDecoder(res.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode
}

func TestTaskRoutes(t *testing.T) {
	addr, _ := withTasks(t)
	var list chat.TaskList
	if body(t, ask(t, addr, "GET", "/api/tasks", ""), &list); list.Tasks == nil {
		t.Error("no tasks are no list")
	}
	var made chat.Task
	status := body(t, ask(t, addr, "POST", "/api/tasks", `{"name":"Report","text":"use the-real-key","cron":"0 9 * * *","zone":"Europe/Berlin","later":1}`), &made)
	want := chat.Task{
		ID: made.ID, CreatedAt: made.CreatedAt, UpdatedAt: made.CreatedAt, NextAt: made.NextAt,
		TaskSpec: chat.TaskSpec{Name: "Report", Text: "use [redacted]", Cron: "0 9 * * *", Zone: "Europe/Berlin", Mode: "plan", MaxMinutes: 60},
	}
	if d := cmp.Diff(want, made); d != "" || status != 200 || made.NextAt <= made.CreatedAt {
		t.Errorf("%d (-want +got):\n%s", status, d)
	}
	path := "/api/tasks/" + made.ID
	if body(t, ask(t, addr, "PATCH", path, `{"name":"Weekly","cron":"@weekly"}`), &made); made.Name != "Weekly" || made.Cron != "@weekly" || made.Zone != "Europe/Berlin" {
		t.Errorf("changed: %+v", made)
	}
	if status := body(t, ask(t, addr, "POST", path+"/run", ""), &made); status != 200 || made.Running == nil || made.Running.ChatID != "task:"+made.ID {
		t.Errorf("run: %d %+v", status, made.Running)
	}
	if e := refusal(t, ask(t, addr, "POST", path+"/run", "")); e.Code != chat.CodeTaskRunning {
		t.Errorf("run again: %+v", e)
	}
	for waits := true; waits; { // a moment
		var now chat.Task
		body(t, ask(t, addr, "GET", path, ""), &now)
		waits = now.Running.Waits
	}
	made = chat.Task{}
	if body(t, ask(t, addr, "POST", path+"/stop", ""), &made); made.Running != nil || made.Last == nil || made.Last.Outcome != chat.TaskStopped {
		t.Errorf("stopped: %+v", made)
	}
	var results chat.TaskResults
	if body(t, ask(t, addr, "GET", path+"/results?limit=5", ""), &results); len(results.Results) != 1 || results.Results[0].ID != made.Last.ID {
		t.Errorf("results: %+v", results)
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               chat.Code
	}{
		{"POST", "/api/tasks", `{"name":"a","text":"b"}`, 400, chat.CodeBadRequest},
		{"POST", "/api/tasks", `{"name":1}`, 400, chat.CodeBadRequest},
		{"PATCH", path, `{"mode":"root"}`, 400, chat.CodeBadRequest},
		{"GET", path + "/results?limit=x", "", 400, chat.CodeBadRequest},
		{"GET", "/api/tasks/nobody", "", 404, chat.CodeUnknownTask},
		{"PATCH", "/api/tasks/nobody", `{}`, 404, chat.CodeUnknownTask},
		{"DELETE", "/api/tasks/nobody", "", 404, chat.CodeUnknownTask},
		{"POST", "/api/tasks/nobody/run", "", 404, chat.CodeUnknownTask},
		{"POST", "/api/tasks/nobody/stop", "", 404, chat.CodeUnknownTask},
		{"GET", "/api/tasks/nobody/results", "", 404, chat.CodeUnknownTask},
		{"PUT", path, `{}`, 405, chat.CodeMethod},
	} {
		res := ask(t, addr, tt.method, tt.path, tt.body)
		if e := refusal(t, res); res.StatusCode != tt.status || e.Code != tt.code || !strings.HasSuffix(e.Text, ".") {
			t.Errorf("%s %s: %d %+v", tt.method, tt.path, res.StatusCode, e)
		}
	}
	var none struct{}
	if status := body(t, ask(t, addr, "DELETE", path, ""), &none); status != 200 {
		t.Errorf("removed: %d", status)
	}
	for _, path := range []string{"/api/tasks", "/api/events"} {
		if res := ask(t, addr, "GET", path, "", "Authorization", ""); res.StatusCode != 401 {
			t.Errorf("%s without a token: %d", path, res.StatusCode)
		}
	}
}

func TestNoTasks(t *testing.T) {
	addr := serve(t, Options{Agent: &agent{}})
	for _, path := range []string{"/api/tasks", "/api/tasks/a", "/api/events"} {
		if res := ask(t, addr, "GET", path, ""); res.StatusCode != 404 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// block reads lines up to an empty one.
func block(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	var out strings.Builder
	for {
		l := readLine(t, r)
		if l == "\n" {
			return out.String()
		}
		out.WriteString(l)
	}
}

func TestEvents(t *testing.T) {
	hub := events.New("a")
	addr := serve(t, Options{Agent: &agent{}, Events: hub, Redact: redact.New("the-real-key"), Heartbeat: 10 * time.Millisecond})
	t.Cleanup(hub.Close)
	res := ask(t, addr, "GET", "/api/events", "")
	if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != "text/event-stream; charset=utf-8" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", res.StatusCode, res.Header)
	}
	r := bufio.NewReader(res.Body)
	if got := block(t, r); got != ": \n" {
		t.Errorf("a heartbeat is %q", got)
	}
	tell := func(name string) {
		hub.Publish(chat.Event{Type: chat.EventTask, Task: &chat.TaskEvent{What: chat.TaskEnded, TaskID: "t", Name: name}})
	}
	told := func(r *bufio.Reader) string {
		for {
			if got := block(t, r); got != ": \n" {
				return got
			}
		}
	}
	tell("the-real-key")
	want := "id: a-1\nevent: task\ndata: {\"type\":\"task\",\"task\":{\"what\":\"ended\",\"taskId\":\"t\",\"name\":\"[redacted]\"}}\n"
	if d := cmp.Diff(want, told(r)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	tell("two")
	again := bufio.NewReader(ask(t, addr, "GET", "/api/events", "", "Last-Event-ID", "a-1").Body)
	if got := told(again); !strings.HasPrefix(got, "id: a-2\n") {
		t.Errorf("resumed with %q", got)
	}
	reset := bufio.NewReader(ask(t, addr, "GET", "/api/events", "", "Last-Event-ID", "b-7").Body)
	if d := cmp.Diff("id: a-2\nevent: reset\ndata: {\"type\":\"reset\"}\n", told(reset)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	hub.Close()
	for _, r := range []*bufio.Reader{r, again, reset} {
		if rest, err := io.ReadAll(r); err != nil {
			t.Errorf("after the end: %q, %v", rest, err)
		}
	}
}

// A listener that leaves makes room for another.
func TestEventsAreForSoMany(t *testing.T) {
	hub := events.New("a")
	for range events.MaxListeners - 1 {
		l, err := hub.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
	}
	addr := serve(t, Options{Agent: &agent{}, Events: hub, Heartbeat: time.Millisecond})
	first := ask(t, addr, "GET", "/api/events", "")
	if e := refusal(t, ask(t, addr, "GET", "/api/events", "")); e.Code != chat.CodeTooMany {
		t.Errorf("one too many: %+v", e)
	}
	first.Body.Close()
	for ask(t, addr, "GET", "/api/events", "").StatusCode != http.StatusOK { // until the server has noticed
		if t.Context().Err() != nil {
			t.Fatal("the place was not given back")
		}
	}
	hub.Close()
}
