// Package tasks runs what people want done at a time, or again and again: each run
// is a session of its own in which nobody is asked (bridge.RunTask), and leaves a
// result. It is the only scheduler there is.
package tasks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tasks/schedule"
	"strata.dev/bridge/proto/chat"
)

// Parallel is how many runs go on at once; others wait.
const Parallel = 2

// Agent runs a task's message.
type Agent interface {
	RunTask(ctx context.Context, r chat.StreamRequest) (bridge.Subscription, error)
	Attach(ctx context.Context, chatID, run string, after int64) (bridge.Subscription, error)
	Stop(ctx context.Context, r chat.StopRequest) (chat.StopAnswer, error)
	// OnlyLooked tells which calls of a run, by their ids, are known to change nothing.
	OnlyLooked(ctx context.Context, chatID string, tools []chat.Tool) map[string]bool
	// DropTask forgets the chat of a run that has ended.
	DropTask(ctx context.Context, chatID string)
}

var _ Agent = (*bridge.Bridge)(nil)

// Decisions is the gate's log; *permissions.Store has one.
type Decisions interface {
	Decisions(permissions.Query) (chat.DecisionList, error)
}

// Options is what a Scheduler is made of.
type Options struct {
	Agent     Agent
	Decisions Decisions
	Dir       string           // the tasks' data folder
	Publish   func(chat.Event) // tells pages; it must not wait
	Local     *time.Location   // of tasks that name no zone
	// Redact takes secrets out of technical text.
	Redact func(string) string
	Log    *zap.Logger
}

// Scheduler keeps the tasks and runs them. All methods may be called at once from
// many goroutines; their errors are *chat.Error, or the context's.
type Scheduler struct {
	o     Options
	files files
	wake  chan struct{} // has room for one
	slots chan struct{} // one for each run that goes on

	ctx    context.Context // of the loop; ends with Close
	stop   context.CancelFunc
	hard   context.Context // of all that waits for runs; ends with Close's own
	cutOff context.CancelFunc
	group  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	tasks   map[string]*task
	results book
}

// task is a task in memory.
type task struct {
	saved
	schedule schedule.Schedule
	run      *run // nil: none is under way
	removed  bool
}

// run is one that goes on, or waits for others.
type run struct {
	savedRun
	cancel context.CancelCauseFunc
	done   chan struct{} // closed once its result is kept
}

// Open reads the tasks. The error is ErrNewer, or the disk's.
func Open(o Options) (*Scheduler, error) {
	s := &Scheduler{
		o: o, files: files{o.Dir}, wake: make(chan struct{}, 1), slots: make(chan struct{}, Parallel),
		tasks: map[string]*task{}, results: book{},
	}
	list, err := s.files.readTasks()
	if err != nil {
		return nil, err
	}
	for _, kept := range list {
		t := &task{saved: kept}
		made, bad := plan(kept.Spec, o.Local)
		if bad != nil { // a zone that is no more; the person sees that nothing is due
			o.Log.Warn("a task has no time any more", zap.String("task", kept.ID), zap.Error(bad))
			t.Due = 0
		}
		t.schedule = made
		if s.results[t.ID], err = s.files.readResults(t.ID); err != nil {
			return nil, err
		}
		s.tasks[t.ID] = t
	}
	if err := s.interrupted(time.Now()); err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.hard, s.cutOff = context.WithCancel(context.Background())
	return s, nil
}

// Start begins to run what is due, once.
func (s *Scheduler) Start() { s.group.Go(s.loop) }

// interrupted tells of runs that an earlier host did not survive. They are not
// begun again: nobody knows how far they came.
func (s *Scheduler) interrupted(now time.Time) error {
	for _, t := range s.sorted() {
		if t.Run == nil {
			continue
		}
		r := chat.TaskResult{ID: t.Run.ID, TaskID: t.ID, Mode: t.Spec.Mode, DueAt: t.Run.Due, BegunAt: t.Run.Begun, EndedAt: now.UnixMilli(), Outcome: chat.TaskFailed}
		r.Code, r.Note = chat.CodeAgentStopped, say.Sentence(say.TaskInterrupted)
		if r.BegunAt == 0 { // it waited for others
			r.Outcome, r.Code, r.Times = chat.TaskMissed, "", 1
			r.Note = note(r)
		}
		t.Run = nil
		if err := s.keep(r); err != nil {
			return err
		}
	}
	return s.save()
}

// Close stops the runs under way, each with a result that says so, and waits for them.
func (s *Scheduler) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for _, t := range s.tasks {
		if t.run != nil {
			t.run.cancel(errClosing)
		}
	}
	s.mu.Unlock()
	s.stop()
	idle := make(chan struct{})
	go func() { s.group.Wait(); close(idle) }()
	defer s.cutOff()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		s.cutOff()
		<-idle
		return ctx.Err()
	}
}

// sorted are the tasks by age.
func (s *Scheduler) sorted() []*task {
	out := make([]*task, 0, len(s.tasks))
	for _, t := range s.tasks {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b *task) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	return out
}

// save writes the tasks down. The lock is held.
func (s *Scheduler) save() error {
	list := make([]saved, 0, len(s.tasks))
	for _, t := range s.tasks {
		list = append(list, t.saved)
	}
	return s.files.writeTasks(list)
}

// keep adds a result. The lock is held.
func (s *Scheduler) keep(r chat.TaskResult) error {
	for _, id := range s.results.add(r) {
		if err := s.files.writeResults(id, s.results[id]); err != nil {
			return err
		}
	}
	return nil
}

// show is a task as pages get it. The lock is held.
func (s *Scheduler) show(t *task) chat.Task {
	out := chat.Task{ID: t.ID, TaskSpec: t.Spec, CreatedAt: t.Created, UpdatedAt: t.Updated, NextAt: t.Due}
	if r := t.run; r != nil {
		out.Running = &chat.TaskRun{ID: r.ID, DueAt: r.Due, BegunAt: r.Begun, Waits: r.Begun == 0, ChatID: chatOf(t.ID)}
	}
	if list := s.results[t.ID]; len(list) > 0 {
		last := list[len(list)-1]
		out.Last = &last
	}
	return out
}

func chatOf(id string) string { return bridge.TaskPrefix + id }

// tell publishes what became of a task.
func (s *Scheduler) tell(what string, t *task, r *chat.TaskResult) {
	s.o.Publish(chat.Event{Type: chat.EventTask, Task: &chat.TaskEvent{What: what, TaskID: t.ID, Name: t.Spec.Name, Result: r}})
}

// find gives a task. The lock is held.
func (s *Scheduler) find(id string) (*task, *chat.Error) {
	if t := s.tasks[id]; t != nil && !t.removed {
		return t, nil
	}
	return nil, say.Error(chat.CodeUnknownTask, id, say.UnknownTask)
}

// failed is a disk that did not take something.
func failed(err error) *chat.Error {
	return say.Error(chat.CodeInternal, err.Error(), say.Internal)
}

const idLength = 16

func newID() string {
	var raw [idLength / 2]byte
	rand.Read(raw[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(raw[:])
}
