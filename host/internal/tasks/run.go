package tasks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/permissions"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Why a run is stopped.
var (
	errClosing = errors.New("the host ends")
	errOff     = errors.New("the task was switched off")
	errStopped = errors.New("a person stopped it")
	errRemoved = errors.New("the task was removed")
	errTooLong = errors.New("the run took too long")
)

// begin starts the run that t.Run names. The lock is held.
func (s *Scheduler) begin(t *task) {
	ctx, cancel := context.WithCancelCause(context.Background())
	r := &run{savedRun: *t.Run, cancel: cancel, done: make(chan struct{})}
	t.run = r
	spec := t.Spec
	s.group.Go(func() {
		defer close(r.done)
		defer cancel(nil)
		s.finish(t, r, s.execute(ctx, t, r, spec))
	})
}

// execute waits for its turn and runs the task's message to its end.
func (s *Scheduler) execute(ctx context.Context, t *task, r *run, spec chat.TaskSpec) chat.TaskResult {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return told(ctx, spec, chat.TaskResult{Outcome: chat.TaskStopped, Mode: spec.Mode})
	}
	if ctx.Err() != nil { // both at once
		return told(ctx, spec, chat.TaskResult{Outcome: chat.TaskStopped, Mode: spec.Mode})
	}
	s.begun(t, r)
	ctx, cancel := context.WithTimeoutCause(ctx, time.Duration(spec.MaxMinutes)*time.Minute, errTooLong)
	defer cancel()
	chatID := chatOf(t.ID)
	defer s.o.Agent.DropTask(s.hard, chatID)
	sub, err := s.o.Agent.RunTask(ctx, chat.StreamRequest{
		ChatID: chatID, RequestID: r.ID, Text: spec.Text, AsText: true,
		Mode: spec.Mode, Model: spec.Model, Thinking: spec.Thinking, CWD: spec.CWD,
	})
	if err != nil {
		return told(ctx, spec, s.refused(spec, err))
	}
	stopped := make(chan struct{})
	unstopped := context.AfterFunc(ctx, func() {
		defer close(stopped)
		if _, err := s.o.Agent.Stop(s.hard, chat.StopRequest{ChatID: chatID}); err != nil {
			s.o.Log.Info("a task's run was not stopped", zap.String("task", t.ID), zap.Error(err))
		}
	})
	var seen account
	err = s.follow(sub, chatID, &seen)
	if !unstopped() {
		<-stopped
	}
	if err != nil {
		return told(ctx, spec, s.refused(spec, err))
	}
	out := seen.result(s.changed(chatID, &seen))
	out.Details = cut(s.o.Redact(out.Details), maxDetails)
	return told(ctx, spec, out)
}

// follow takes in all frames of a run. A reader that fell behind goes on with what is there.
func (s *Scheduler) follow(sub bridge.Subscription, chatID string, seen *account) error {
	defer func() { sub.Close() }()
	var at chat.Frame
	for {
		f, err := sub.Next(s.hard)
		switch {
		case err == nil:
			seen.take(f)
			at = f
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bridge.ErrSlow):
			sub.Close()
			again, err := s.o.Agent.Attach(s.hard, chatID, at.Run, at.Seq)
			if err != nil {
				return err
			}
			sub = again
		default:
			return err
		}
	}
}

// refused is the result of a run that could not be begun, or not be followed.
func (s *Scheduler) refused(spec chat.TaskSpec, err error) chat.TaskResult {
	r := chat.TaskResult{Outcome: chat.TaskFailed, Mode: spec.Mode}
	var e *chat.Error
	if !errors.As(err, &e) {
		e = say.Error(chat.CodeInternal, err.Error(), say.Internal)
	}
	r.Code, r.Note, r.Details = e.Code, e.Sentence, cut(s.o.Redact(e.Details), maxDetails)
	return r
}

// told gives a result the reason for which its run was stopped.
func told(ctx context.Context, spec chat.TaskSpec, r chat.TaskResult) chat.TaskResult {
	if ctx.Err() == nil || r.Outcome == chat.TaskDone {
		return r
	}
	r.Outcome, r.Code = chat.TaskStopped, ""
	switch context.Cause(ctx) {
	case errTooLong:
		r.Note = say.Sentence(say.TaskTooLong, "minutes", fmt.Sprint(spec.MaxMinutes))
	case errOff:
		r.Note = say.Sentence(say.TaskSwitchedOff)
	case errClosing:
		r.Note = say.Sentence(say.TaskClosed)
	default:
		r.Note = say.Sentence(say.TaskStopped)
	}
	return r
}

// lookWait is how long it may take to find out what a run only looked at.
const lookWait = 10 * time.Second

// changed tells which calls of a run, by their cards' ids, changed something or may
// have. In Plan none can. In Manual what ran unasked only looked, but where a permission
// in advance let it run. In Bypass anything may have, but what is known to look.
func (s *Scheduler) changed(chatID string, seen *account) func(toolID string) bool {
	switch seen.start.Mode {
	case string(abi.Plan):
		return func(string) bool { return false }
	case string(abi.Bypass):
		ctx, cancel := context.WithTimeout(s.hard, lookWait)
		defer cancel()
		looked := s.o.Agent.OnlyLooked(ctx, chatID, seen.acted())
		return func(id string) bool { return !looked[id] }
	}
	list, err := s.o.Decisions.Decisions(permissions.Query{SessionID: seen.start.SessionID, Limit: permissions.MaxLimit})
	if err != nil { // none is left out
		s.o.Log.Warn("what a task was permitted cannot be read", zap.Error(err))
		return func(string) bool { return true }
	}
	ids := map[string]bool{}
	for _, d := range list.Decisions {
		if d.Permission != "" && d.Decision == abi.Allow {
			ids[d.ToolID] = true
		}
	}
	return func(id string) bool { return ids[id] }
}

// begun notes that a run does not wait any more.
func (s *Scheduler) begun(t *task, r *run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Begun = time.Now().UnixMilli()
	kept := r.savedRun
	t.Run = &kept
	if err := s.save(); err != nil {
		s.o.Log.Error("the begin of a task's run was not written down", zap.Error(err))
	}
	s.tell(chat.TaskBegun, t, nil)
}

// finish keeps a run's result.
func (s *Scheduler) finish(t *task, r *run, result chat.TaskResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now().UnixMilli()
	result.ID, result.TaskID, result.DueAt, result.BegunAt, result.EndedAt = r.ID, t.ID, r.Due, r.Begun, now
	if r.Begun > 0 {
		result.DurationMs = max(0, now-r.Begun)
	}
	t.run, t.Run = nil, nil
	if t.removed {
		if err := s.forget(t); err != nil {
			s.o.Log.Error("a task was not removed", zap.Error(err))
		}
		return
	}
	if err := s.keep(result); err != nil {
		s.o.Log.Error("a result was not kept", zap.Error(err))
	}
	if err := s.save(); err != nil {
		s.o.Log.Error("the end of a task's run was not written down", zap.Error(err))
	}
	s.tell(chat.TaskEnded, t, &result)
}
