// Package schedule says when a task runs. It knows no clock: the time comes in.
//
// A rhythm is judged by the clock on the wall of its zone, as cron does it where
// clocks are changed: what falls into an hour that is left out runs when that hour
// would have begun; what falls into an hour that comes twice runs the first time. A
// rhythm whose minute or hour begins with a star means real time instead: it runs in
// both, and what was left out is left out.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/netresearch/go-cron"
)

// Schedule is a rhythm or one time, in a zone.
type Schedule struct {
	rhythm cron.Schedule // over the wall's clock, read as UTC; nil: one time
	at     time.Time
	zone   *time.Location
	steady bool // it means real time
}

// Why a schedule cannot be made.
var (
	ErrRhythm = errors.New("no rhythm")
	ErrNever  = errors.New("a rhythm that never comes") // such as 30 February
	ErrTime   = errors.New("no time")
)

// parser reads the five classic fields and @daily and its like. Where both days are
// given either counts, as in cron. A leap day may be eight years away.
var parser = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom | cron.Descriptor).WithMaxSearchYears(9)

// Cron makes the schedule of a rhythm; the error wraps ErrRhythm or ErrNever.
func Cron(spec string, zone *time.Location) (Schedule, error) {
	spec = strings.TrimSpace(spec)
	if strings.Contains(spec, "TZ=") { // the zone is said by its own field
		return Schedule{}, fmt.Errorf("%w: %q names a zone", ErrRhythm, spec)
	}
	parsed, err := parser.Parse(spec)
	if err != nil {
		return Schedule{}, fmt.Errorf("%w: %w", ErrRhythm, err)
	}
	rhythm, ok := parsed.(*cron.SpecSchedule)
	if !ok { // @every counts from no time that a person could name
		return Schedule{}, fmt.Errorf("%w: %q", ErrRhythm, spec)
	}
	rhythm.Location = time.UTC
	s := Schedule{rhythm: rhythm, zone: zone, steady: steady(spec)}
	if rhythm.Next(time.Unix(0, 0).UTC()).IsZero() {
		return Schedule{}, fmt.Errorf("%w: %q", ErrNever, spec)
	}
	return s, nil
}

// steady tells whether a rhythm means real time.
func steady(spec string) bool {
	fields := strings.Fields(spec)
	if len(fields) < 2 {
		return spec == "@hourly"
	}
	return strings.HasPrefix(fields[0], "*") || strings.HasPrefix(fields[1], "*")
}

// wallForms are how a time without an offset is written.
var wallForms = []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02 15:04:05"}

// Once makes the schedule of one time: of the wall's clock, or with an offset
// (RFC 3339). The error is ErrTime.
func Once(text string, zone *time.Location) (Schedule, error) {
	text = strings.TrimSpace(text)
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return Schedule{at: t, zone: zone}, nil
	}
	for _, form := range wallForms {
		if w, err := time.Parse(form, text); err == nil {
			return Schedule{at: instant(w, zone), zone: zone}, nil
		}
	}
	return Schedule{}, fmt.Errorf("%w: %q", ErrTime, text)
}

// Next is the first time after t; the zero time when there is none.
func (s Schedule) Next(t time.Time) time.Time {
	if s.rhythm == nil {
		if s.at.After(t) {
			return s.at
		}
		return time.Time{}
	}
	t = t.In(s.zone)
	from := wall(t, offsetOf(t))
	if begin, _ := t.ZoneBounds(); !begin.IsZero() && !s.steady {
		from = later(from, wall(begin, offsetOf(begin.Add(-moment))).Add(-moment)) // what has come once
	}
	for { // one stretch of time after the other in which the clock is not changed
		_, end := t.ZoneBounds()
		offset := offsetOf(t)
		next := s.rhythm.Next(from)
		if next.IsZero() {
			return next
		}
		if at := next.Add(-offset); end.IsZero() || at.Before(end) {
			return at.In(s.zone)
		}
		t = end.In(s.zone)
		before, after := wall(t, offset), wall(t, offsetOf(t))
		switch {
		case s.steady:
			from = after.Add(-moment)
		case next.Before(after):
			return t // its time is left out
		default:
			from = later(before, after).Add(-moment)
		}
	}
}

const moment = time.Nanosecond

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Missed looks at what was due from due on, which is one of s's times: the newest
// time that is not after now, and how many there were. At most Most are counted.
func (s Schedule) Missed(due, now time.Time) (newest time.Time, times int) {
	for t := due; !t.IsZero() && !t.After(now); t = s.Next(t) {
		newest = t
		if times == Most { // so many come within a day
			newest = later(newest, s.Next(now.Add(-day)))
			for t := newest; !t.IsZero() && !t.After(now); t = s.Next(t) {
				newest = t
			}
			break
		}
		times++
	}
	return newest, times
}

// Most is how many missed times are counted.
const Most = 10_000

const day = 24 * time.Hour

// offsetOf is how far the wall's clock is before UTC.
func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// wall is the wall's clock at t, read as UTC.
func wall(t time.Time, offset time.Duration) time.Time { return t.UTC().Add(offset) }

// instant is when the wall's clock shows w: the first time where it does so twice,
// the end of what is left out where it never does.
func instant(w time.Time, zone *time.Location) time.Time {
	t := w.Add(-day).In(zone) // in no zone is the wall's clock a day off
	for {
		_, end := t.ZoneBounds()
		at := w.Add(-offsetOf(t)).In(zone)
		if end.IsZero() || at.Before(end) {
			if at.Before(t) {
				return t // left out: a stretch begins here, and its clock is past w
			}
			return at
		}
		t = end.In(zone)
	}
}
