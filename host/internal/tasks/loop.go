package tasks

import (
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/proto/chat"
)

// look is how long the loop sleeps at most. A computer that slept, or whose clock was
// set, is noticed by then: timers count only the time that it was awake.
const look = time.Minute

// loop runs what is due until Close.
func (s *Scheduler) loop() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-s.wake:
		case <-s.ctx.Done():
			return
		}
		now := time.Now().Round(0) // the clock on the wall
		wait := look
		if next := s.tick(now); !next.IsZero() {
			wait = min(wait, max(0, next.Sub(now)))
		}
		timer.Reset(wait)
	}
}

// tick does what is due now and says when something is due next; the zero time is
// never. What is due is told to the disk first, so that it is begun once.
func (s *Scheduler) tick(now time.Time) (next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return next
	}
	var begin []*task
	var results []chat.TaskResult
	before := map[*task]saved{}
	for _, t := range s.sorted() {
		if t.Spec.Disabled || t.removed {
			continue
		}
		at := moment{due: timeOf(t.Due), last: timeOf(t.Last)}
		v := judge(t.schedule, at, now)
		if v.next != at {
			before[t] = t.saved
			t.Due, t.Last = milli(v.next.due), milli(v.next.last)
		}
		none := chat.TaskResult{TaskID: t.ID, Mode: t.Spec.Mode, EndedAt: now.UnixMilli()}
		if v.times > 0 {
			r := none
			r.ID, r.Outcome, r.DueAt, r.Times = newID(), chat.TaskMissed, milli(at.due), v.times
			results = append(results, r)
		}
		switch {
		case v.run && t.run != nil:
			r := none
			r.ID, r.Outcome, r.DueAt, r.Times = newID(), chat.TaskSkipped, milli(v.due), 1
			results = append(results, r)
		case v.run:
			t.Run = &savedRun{ID: newID(), Due: milli(v.due)}
			begin = append(begin, t)
		}
		if due := v.next.due; !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
	}
	if len(before) > 0 {
		if err := s.save(); err != nil {
			s.o.Log.Error("what is due cannot be written down, so it waits", zap.Error(err))
			for t, was := range before {
				t.saved = was
			}
			return now.Add(look)
		}
	}
	for _, r := range results {
		r.Note = note(r)
		if err := s.keep(r); err != nil {
			s.o.Log.Error("a result was not kept", zap.Error(err))
		}
		last := s.results[r.TaskID][len(s.results[r.TaskID])-1]
		s.tell(chat.TaskEnded, s.tasks[r.TaskID], &last)
	}
	for _, t := range begin {
		s.begin(t)
	}
	return next
}

func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

func milli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
