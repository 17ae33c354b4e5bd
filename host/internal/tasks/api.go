package tasks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// List gives the tasks by name.
func (s *Scheduler) List() chat.TaskList {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := chat.TaskList{Tasks: []chat.Task{}}
	for _, t := range s.sorted() {
		if !t.removed {
			out.Tasks = append(out.Tasks, s.show(t))
		}
	}
	slices.SortStableFunc(out.Tasks, func(a, b chat.Task) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out
}

// Get gives a task. Errors: unknown-task.
func (s *Scheduler) Get(id string) (chat.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(id)
	if err != nil {
		return chat.Task{}, err
	}
	return s.show(t), nil
}

// Results gives a task's results, the newest first; limit 0 is all. Errors: unknown-task.
func (s *Scheduler) Results(id string, limit int) (chat.TaskResults, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.find(id); err != nil {
		return chat.TaskResults{}, err
	}
	out := chat.TaskResults{Results: []chat.TaskResult{}}
	for _, r := range slices.Backward(s.results[id]) {
		if limit > 0 && len(out.Results) >= limit {
			break
		}
		out.Results = append(out.Results, r)
	}
	return out, nil
}

// Add makes a task. Errors: bad-request, too-many.
func (s *Scheduler) Add(spec chat.TaskSpec) (chat.Task, error) {
	spec = tidy(spec)
	made, bad := check(spec, s.o.Local)
	if bad != nil {
		return chat.Task{}, bad
	}
	now := time.Now()
	due := made.Next(now)
	if due.IsZero() {
		return chat.Task{}, say.Error(chat.CodeBadRequest, "at", say.TaskPast, "time", spec.At)
	}
	t := &task{saved: saved{ID: newID(), Spec: spec, Created: now.UnixMilli(), Updated: now.UnixMilli()}, schedule: made}
	if !spec.Disabled {
		t.Due = due.UnixMilli()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return chat.Task{}, say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	case len(s.tasks) >= MaxTasks:
		return chat.Task{}, say.Error(chat.CodeTooMany, "", say.TasksFull, "max", fmt.Sprint(MaxTasks))
	}
	s.tasks[t.ID] = t
	if err := s.save(); err != nil {
		delete(s.tasks, t.ID)
		return chat.Task{}, failed(err)
	}
	s.tell(chat.TaskAdded, t, nil)
	s.rouse()
	return s.show(t), nil
}

// Patch changes a task. One that is switched off stops what of it runs, and Patch
// waits for that. Errors: unknown-task, bad-request.
func (s *Scheduler) Patch(ctx context.Context, id string, p chat.TaskPatch) (chat.Task, error) {
	running, err := s.patch(id, p)
	if err != nil {
		return chat.Task{}, err
	}
	if running != nil {
		if err := await(ctx, running); err != nil {
			return chat.Task{}, err
		}
	}
	return s.Get(id)
}

// patch gives the run that it stopped, nil for none.
func (s *Scheduler) patch(id string, p chat.TaskPatch) (*run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, unknown := s.find(id)
	if unknown != nil {
		return nil, unknown
	}
	before := t.saved
	spec := patched(t.Spec, p)
	made, bad := check(spec, s.o.Local)
	if bad != nil {
		return nil, bad
	}
	now := time.Now()
	timed := spec.Cron != t.Spec.Cron || spec.At != t.Spec.At || spec.Zone != t.Spec.Zone || spec.Disabled != t.Spec.Disabled
	if timed && !spec.Disabled {
		due := made.Next(now)
		if due.IsZero() {
			return nil, say.Error(chat.CodeBadRequest, "at", say.TaskPast, "time", spec.At)
		}
		t.Due, t.Last = due.UnixMilli(), 0
	}
	if spec.Disabled {
		t.Due = 0
	}
	t.Spec, t.Updated = spec, now.UnixMilli()
	if err := s.save(); err != nil {
		t.saved = before
		return nil, failed(err)
	}
	t.schedule = made
	s.tell(chat.TaskChanged, t, nil)
	s.rouse()
	if spec.Disabled && t.run != nil {
		t.run.cancel(errOff)
		return t.run, nil
	}
	return nil, nil
}

// Remove takes a task and its results away, after it has stopped what of it runs.
// Errors: unknown-task.
func (s *Scheduler) Remove(ctx context.Context, id string) error {
	s.mu.Lock()
	t, unknown := s.find(id)
	if unknown != nil {
		s.mu.Unlock()
		return unknown
	}
	t.removed = true
	running := t.run
	if running == nil {
		defer s.mu.Unlock()
		return s.forget(t)
	}
	running.cancel(errRemoved)
	s.mu.Unlock()
	return await(ctx, running) // its end forgets the task
}

// forget takes a removed task off the disk. The lock is held.
func (s *Scheduler) forget(t *task) error {
	delete(s.tasks, t.ID)
	if err := s.save(); err != nil {
		s.tasks[t.ID], t.removed = t, false
		return failed(err)
	}
	delete(s.results, t.ID)
	if err := s.files.dropResults(t.ID); err != nil {
		s.o.Log.Warn("a removed task's results are still there", zap.Error(err))
	}
	s.tell(chat.TaskRemoved, t, nil)
	return nil
}

// await waits for a run's end.
func await(ctx context.Context, r *run) error {
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stop stops what of a task runs, or waits for its turn, and returns once it has
// ended. Nothing running is no error. Errors: unknown-task.
func (s *Scheduler) Stop(ctx context.Context, id string) (chat.Task, error) {
	s.mu.Lock()
	t, unknown := s.find(id)
	if unknown != nil {
		s.mu.Unlock()
		return chat.Task{}, unknown
	}
	running := t.run
	s.mu.Unlock()
	if running != nil {
		running.cancel(errStopped)
		if err := await(ctx, running); err != nil {
			return chat.Task{}, err
		}
	}
	return s.Get(id)
}

// Run begins a run by hand, also of a task that is switched off. Errors:
// unknown-task, task-running.
func (s *Scheduler) Run(id string) (chat.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, unknown := s.find(id)
	switch {
	case unknown != nil:
		return chat.Task{}, unknown
	case s.closed:
		return chat.Task{}, say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	case t.run != nil:
		return chat.Task{}, say.Error(chat.CodeTaskRunning, "", say.TaskRuns)
	}
	t.Run = &savedRun{ID: newID()}
	if err := s.save(); err != nil {
		t.Run = nil
		return chat.Task{}, failed(err)
	}
	s.begin(t)
	return s.show(t), nil
}

// rouse has the loop look again.
func (s *Scheduler) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
