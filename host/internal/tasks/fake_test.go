package tasks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agent plays runs: what a run does is said by its text (see play).
type agent struct {
	mu      sync.Mutex
	runs    map[string]*played // by chat id; the newest
	began   []chat.StreamRequest
	dropped []string
	refuse  error
	hang    bool // stops do not work
}

// played is one run.
type played struct {
	frames chan chat.Frame
	stop   chan struct{}
	once   sync.Once
}

func (a *agent) RunTask(_ context.Context, r chat.StreamRequest) (bridge.Subscription, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse != nil {
		return nil, a.refuse
	}
	p := &played{frames: make(chan chat.Frame, 100), stop: make(chan struct{})}
	a.runs[r.ChatID], a.began = p, append(a.began, r)
	go p.play(r)
	return &reading{p: p}, nil
}

// play takes as long as a text that is a duration says, and says it.
func (p *played) play(r chat.StreamRequest) {
	defer close(p.frames)
	p.frames <- chat.Frame{Type: chat.Started, Run: r.RequestID, Mode: r.Mode, Model: "p/m", SessionID: "s-" + r.RequestID}
	took, err := time.ParseDuration(r.Text)
	if err != nil {
		p.frames <- project.ErrorFrame(&chat.Error{Code: chat.CodeModelFailed, Sentence: chat.Sentence{Text: "No."}, Details: "a secret"})
		return
	}
	select {
	case <-time.After(took):
		p.frames <- chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: "took " + r.Text}}
		p.frames <- project.DoneFrame("completed", false, chat.Usage{Prompt: 3, Completion: 1})
	case <-p.stop:
		p.frames <- project.DoneFrame("aborted", true, chat.Usage{Prompt: 3})
	}
}

func (a *agent) Attach(context.Context, string, string, int64) (bridge.Subscription, error) {
	return nil, errors.New("nothing is held")
}

func (a *agent) Stop(ctx context.Context, r chat.StopRequest) (chat.StopAnswer, error) {
	a.mu.Lock()
	p, hang := a.runs[r.ChatID], a.hang
	a.mu.Unlock()
	if hang {
		<-ctx.Done()
		return chat.StopAnswer{}, ctx.Err()
	}
	p.once.Do(func() { close(p.stop) })
	return chat.StopAnswer{Stopped: true}, nil
}

func (a *agent) OnlyLooked(context.Context, string, []chat.Tool) map[string]bool {
	return nil
}

func (a *agent) DropTask(_ context.Context, chatID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropped = append(a.dropped, chatID)
}

// sent are the messages so far, gone the chats that were dropped.
func (a *agent) sent() []chat.StreamRequest {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.began)
}

func (a *agent) gone() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.dropped)
}

// kill lets the process of the host go away under its runs.
func (a *agent) kill() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.runs {
		p.once.Do(func() { close(p.stop) })
	}
}

type reading struct{ p *played }

func (r *reading) Next(ctx context.Context) (chat.Frame, error) {
	select {
	case f, ok := <-r.p.frames:
		if !ok {
			return f, io.EOF
		}
		return f, nil
	case <-ctx.Done():
		return chat.Frame{}, ctx.Err()
	}
}

func (r *reading) Close() {}

func (a *agent) Decisions(permissions.Query) (chat.DecisionList, error) {
	return chat.DecisionList{}, nil
}

// stage is a scheduler in a bubble, whose clock begins at 2000-01-01 00:00 UTC.
type stage struct {
	t     *testing.T
	dir   string
	agent *agent
	s     *Scheduler

	mu   sync.Mutex
	told []string
}

func play(t *testing.T, f func(*stage)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		st := &stage{t: t, dir: dir, agent: &agent{runs: map[string]*played{}}}
		st.open()
		f(st)
		st.close()
	})
}

func (st *stage) open() {
	st.t.Helper()
	s, err := Open(Options{
		Agent: st.agent, Decisions: st.agent, Dir: filepath.Join(st.dir, "tasks"), Local: time.UTC, Log: zap.NewNop(),
		Redact: func(s string) string {
			if s == "" {
				return ""
			}
			return "[redacted]"
		},
		Publish: func(e chat.Event) {
			st.mu.Lock()
			defer st.mu.Unlock()
			line := e.Task.What + " " + e.Task.Name
			if r := e.Task.Result; r != nil {
				line += " " + string(r.Outcome)
			}
			st.told = append(st.told, line)
		},
	})
	if err != nil {
		st.t.Fatal(err)
	}
	st.s = s
	s.Start()
}

func (st *stage) close() {
	st.t.Helper()
	if err := st.s.Close(st.t.Context()); err != nil {
		st.t.Fatal(err)
	}
}

func (st *stage) add(spec chat.TaskSpec) chat.Task {
	st.t.Helper()
	made, err := st.s.Add(spec)
	if err != nil {
		st.t.Fatal(err)
	}
	return made
}

// heard is what pages were told so far.
func (st *stage) heard() []string {
	st.mu.Lock()
	defer st.mu.Unlock()
	return slices.Clone(st.told)
}

// pass lets time go by.
func (st *stage) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// results are a task's, the oldest first, as "due outcome note", with how often.
func (st *stage) results(id string) []string {
	st.t.Helper()
	list, err := st.s.Results(id, 0)
	if err != nil {
		st.t.Fatal(err)
	}
	var out []string
	for i := len(list.Results) - 1; i >= 0; i-- {
		r := list.Results[i]
		line := "by hand"
		if r.DueAt > 0 {
			line = time.UnixMilli(r.DueAt).UTC().Format("02 15:04")
		}
		line += " " + string(r.Outcome)
		if r.Times > 1 {
			line += fmt.Sprintf(" x%d", r.Times)
		}
		if r.BegunAt > 0 {
			line += fmt.Sprintf(" %s", time.Duration(r.DurationMs)*time.Millisecond)
		}
		out = append(out, line)
	}
	return out
}
