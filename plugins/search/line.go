package search

import (
	"slices"
	"time"

	"strata.dev/bridge/plugins/sdk"
)

// Manners towards a source without a key (the agent bridge's, from a day on which
// the third search in a row was refused and every one for many minutes after it).
const (
	gapMin      = 2500 * time.Millisecond // between two requests to a source, at least
	gapSpread   = 1500 * time.Millisecond // at random on top
	perMinute   = 8
	coolFirst   = time.Minute // after the first refusal; doubles with each
	coolMax     = 10 * time.Minute
	maxWait     = 40 * time.Second // in a line; longer ones try the next source
	budget      = 55 * time.Second // of a call: its deadline is 58 s, and its state is to be saved
	minRequest  = 5 * time.Second  // a request with less time than that is not begun
	lookAgain   = 500 * time.Millisecond
	recentSpan  = time.Minute
	freshAnswer = 30 * time.Minute
)

// line is the one line before a source. What is exported outlives the instance.
type line struct {
	Recent   []int64 `json:"recent,omitempty"`   // when requests of the last minute began, Unix milliseconds
	Next     int64   `json:"next,omitempty"`     // no request before this
	Refusals int     `json:"refusals,omitempty"` // in a row
	Until    int64   `json:"until,omitempty"`    // no request before this, because it refused

	queue []*turn
	busy  bool
	hangs int  // requests that were waited for in vain
	hung  bool // the last one was
}

// turn is one call's place in a line.
type turn struct{ _ byte }

// closed tells whether the source is left alone after a refusal.
func (l *line) closed(now time.Time) bool { return now.UnixMilli() < l.Until }

// wait is how long a place in the line has to wait yet, as far as can be told; 0: go.
func (l *line) wait(me *turn, now time.Time) time.Duration {
	free := l.free(now)
	if at := slices.Index(l.queue, me); at > 0 || l.busy {
		return max(lookAgain, free)
	}
	return free
}

// expected is how long a call that lines up now will wait at least.
func (l *line) expected(now time.Time) time.Duration {
	ahead := len(l.queue)
	if l.busy {
		ahead++
	}
	return l.free(now) + time.Duration(ahead)*gapMin
}

// gap is how far the next request to a source is from one that is over.
func gap(t *sdk.Task) time.Duration {
	return gapMin + time.Duration(t.Random()%uint64(gapSpread/time.Millisecond+1))*time.Millisecond
}

// why a source is not asked.
type why int

const (
	shut    why = iota + 1 // it refused, or too many wait for it
	hanging                // it did not answer somebody who was waited for
)

// free is how long until the next request may begin.
func (l *line) free(now time.Time) time.Duration {
	at := l.Next
	l.Recent = slices.DeleteFunc(l.Recent, func(ms int64) bool { return ms <= now.Add(-recentSpan).UnixMilli() })
	if n := len(l.Recent); n >= perMinute {
		at = max(at, l.Recent[n-perMinute]+recentSpan.Milliseconds())
	}
	return max(0, time.Duration(at-now.UnixMilli())*time.Millisecond)
}

// enter waits for a turn at the source, which must begin before last, and takes it;
// leave gives it back and is nil when there is none to be had. Whoever is in the line
// when the source refuses or hangs does not wait for it any more, and whoever comes
// while somebody tries it again does not begin to.
func (l *line) enter(t *sdk.Task, last time.Time) (leave func(), no why, err error) {
	if l.hung && l.busy {
		return nil, hanging, nil
	}
	if wait := l.expected(t.Now()); wait > maxWait || t.Now().Add(wait).After(last) {
		return nil, shut, nil
	}
	hangs, me := l.hangs, new(turn)
	l.queue = append(l.queue, me)
	defer func() { l.queue = slices.DeleteFunc(l.queue, func(one *turn) bool { return one == me }) }()
	for {
		wait := l.wait(me, t.Now())
		switch {
		case l.closed(t.Now()), t.Now().Add(wait).After(last):
			return nil, shut, nil
		case l.hangs != hangs:
			return nil, hanging, nil
		}
		if wait <= 0 {
			break
		}
		if err := sdk.Sleep(t, min(wait, lookAgain)); err != nil {
			return nil, 0, err
		}
	}
	l.busy = true
	l.Recent = append(l.Recent, t.Now().UnixMilli())
	return func() {
		l.busy = false
		l.Next = t.Now().Add(gap(t)).UnixMilli()
	}, 0, nil
}

// refused notes a refusal: the source is left alone for a minute, twice that after
// the next, and for as long as it asked.
func (l *line) refused(now time.Time, retryAfter time.Duration) {
	cool := min(coolMax, coolFirst<<min(l.Refusals, 10))
	l.Refusals++
	l.Until = max(l.Until, now.Add(max(cool, retryAfter)).UnixMilli())
}

// answered notes that the source is willing again.
func (l *line) answered() { l.Refusals = 0 }
