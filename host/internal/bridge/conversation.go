package bridge

import (
	"slices"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

const (
	maxWaiting = 100 // runs that a chat has at once
	maxKnown   = 256 // request ids that a chat remembers in memory
)

// conversation is one chat: its runs, one at a time, and what its session's log
// has told so far.
type conversation struct {
	b  *Bridge
	id string

	mu       sync.Mutex
	runs     []*active // the first one is under way
	ended    *active   // the newest that ended
	requests map[string]*active
	added    int64               // runs so far
	known    []string            // keys of requests, oldest first
	steered  map[string]*steered // those that went into a running turn
	plan     *proposal           // that waits for an answer

	// log is used by the run under way alone.
	log sessionLog
	// unmapped says that the newest session made for the chat is not kept as its own yet.
	unmapped bool
	untested bool // the chat was told that the Harness is an untested version
}

// sessionLog is the projection of a session's log up to last. It belongs to one
// life of the Harness: after a kill the log may end before what was read.
type sessionLog struct {
	link    *link
	session string
	cwd     string
	fold    *project.Fold
	inbox   inbox
	last    int64 // seq of the newest event taken in; -1 for none
}

func newSessionLog(l *link, session, cwd string) sessionLog {
	return sessionLog{
		link: l, session: session, cwd: cwd, last: -1,
		fold: project.New(project.Config{Root: session, Session: session, CWD: cwd}),
	}
}

// apply takes the next event.
func (l *sessionLog) apply(e dsh.Event) []chat.Frame {
	l.last = e.Seq
	l.inbox.apply(e)
	return l.fold.Apply(e)
}

// alive tells whether the chat has a run under way or waiting. One that has told its
// end is in the records, or nowhere.
func (c *conversation) alive() bool {
	return slices.ContainsFunc(c.waiting(), func(r *active) bool { return !r.log.over() })
}

// waiting are the runs that have not ended, the one under way first.
func (c *conversation) waiting() []*active {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.runs)
}

// current is the run under way or nil.
func (c *conversation) current() *active {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.runs) == 0 {
		return nil
	}
	return c.runs[0]
}

// request gives the run that a request id started, or nil.
func (c *conversation) request(id string) *active {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests[id]
}

// find gives a run by its id: one that has not ended, or the newest that has.
func (c *conversation) find(run string) *active {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.runs {
		if r.id == run {
			return r
		}
	}
	if c.ended != nil && c.ended.id == run {
		return c.ended
	}
	return nil
}

// add puts a run into the queue, behind those that were sent before it, or gives the
// one that the same request has started meanwhile.
func (c *conversation) add(r *active) (*active, *chat.Error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.requests[r.req.RequestID]; old != nil {
		return old, nil
	}
	if len(c.runs) >= maxWaiting {
		return nil, say.Error(chat.CodeBadRequest, "queue full", say.TooManyWaiting)
	}
	if err := c.b.begin(r.drive); err != nil {
		return nil, err
	}
	c.plan = nil // whatever is said now is the answer to it
	if r.order == 0 {
		c.added++
		r.order = c.added
	}
	at := len(c.runs)
	for at > 1 && c.runs[at-1].order > r.order {
		at--
	}
	c.runs = slices.Insert(slices.Clone(c.runs), at, r)
	c.requests[r.req.RequestID] = r
	c.known = append(c.known, r.req.RequestID)
	for len(c.known) > maxKnown && c.requests[c.known[0]].over() {
		delete(c.requests, c.known[0])
		delete(c.steered, c.known[0])
		c.known = c.known[1:]
	}
	if len(c.runs) == 1 {
		close(r.turn)
	}
	return r, nil
}

// remove takes out a run that ended and lets the next one begin.
func (c *conversation) remove(r *active) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r.req.Attachments = nil // the run is kept for late readers
	for _, s := range c.steered {
		s.waits = s.waits && s.run != r
	}
	first := c.runs[0] == r
	c.runs = slices.DeleteFunc(slices.Clone(c.runs), func(x *active) bool { return x == r })
	if !first {
		return // it never began
	}
	c.ended = r
	if len(c.runs) > 0 {
		close(c.runs[0].turn)
	}
}

// titleOf is a chat's title made of its first message.
func titleOf(text string) string {
	const most = 60
	if cut := 40 * most; len(text) > cut { // enough for its first words
		text = strings.ToValidUTF8(text[:cut], "")
	}
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}
