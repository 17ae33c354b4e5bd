package tasks

import (
	"time"

	"strata.dev/bridge/host/internal/tasks/schedule"
)

const (
	// Late is how long after its time a run is still made up for: once, however often
	// it was due meanwhile.
	Late = 12 * time.Hour
	// setBack is by how much the computer's clock must have been set back for what is
	// due to be reckoned anew. By less, nothing runs a second time.
	setBack = 3 * time.Hour
)

// moment is what a task's clock says: when it is due next, and when it was due last.
// The zero time is never.
type moment struct{ due, last time.Time }

// verdict is what is to be done at a time.
type verdict struct {
	run   bool
	due   time.Time // of the run
	times int       // how many were missed: without the one that runs now
	next  moment
}

// judge says what now means for a task. It is pure.
func judge(s schedule.Schedule, at moment, now time.Time) verdict {
	switch {
	case at.last.After(now.Add(setBack)): // what is due was reckoned from a time that is yet to come
		return verdict{next: moment{due: s.Next(now)}}
	case at.due.IsZero() || at.due.After(now):
		return verdict{next: at}
	}
	newest, times := s.Missed(at.due, now)
	v := verdict{due: newest, times: times, next: moment{due: s.Next(newest), last: newest}}
	if !v.next.due.IsZero() && !v.next.due.After(now) { // more were missed than are counted
		v.next.due = s.Next(now)
	}
	if now.Sub(newest) <= Late {
		v.run, v.times = true, times-1
	}
	return v
}
