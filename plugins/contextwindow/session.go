package contextwindow

import (
	"strings"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// session is what the meter knows of one session's log up to its cursor. Prices are the
// Harness's own.
type session struct {
	cursor int64
	used   int64 // when it was asked about, in ticks of the meter

	route   string
	window  int            // of the route, in tokens; 0 is not known
	stated  map[string]int // by route, what the Harness takes for it
	output  int            // reply that the route reserves
	header  int            // price of instructions and tools
	least   int            // the shortest prompt with these that the server told, in its tokens; 0: none yet
	surface int            // price of the messages
	nodes   order

	anchor anchor
	// refusals are the newest prompts that each route refused, since it answered one last.
	refusals map[string]refusal
	// limits are the windows of routes whose server told that it takes less than was stated.
	limits map[string]int
	breaker
	outline  outline // instead of the newest summary
	outlined outline // instead of the one that is under way
}

// outline is what a session's log says of one that stands in for a summary.
type outline struct {
	made bool
	file string // that has what it leaves out
}

// refusal is a prompt that was refused.
type refusal struct {
	price int   // the Harness's
	bytes bool  // not for its tokens, so that its price says nothing of a prompt without those messages
	at    int64 // seq of the first event that it had not
}

// anchor is the newest prompt whose size the model's server told.
type anchor struct {
	measured int // tokens of the server; 0: none yet
	then     int // the Harness's price of that prompt
	route    string
	refused  bool // it was too long, so that measured may be only its least size
}

// apply takes in an event; false says that it does not fit what is known.
func (s *session) apply(e abi.ContextEvent) bool {
	switch e.Kind {
	case abi.ContextHeader:
		if header := headerPrice(e.System, e.Tools); header != s.header || e.Route != s.route {
			s.header, s.least = header, 0
		}
		if e.Route != s.route {
			s.route, s.breaker = e.Route, breaker{}
		}
		s.output = e.Output
		s.settle()
	case abi.ContextWindow:
		s.state(e.Window)
	case abi.ContextNode:
		if e.Prompt > 0 {
			s.anchor = anchor{measured: e.Prompt, then: s.harness(), route: s.route}
			delete(s.refusals, s.route)
			if e.Prompt > s.window { // what its server takes after all
				delete(s.limits, s.route)
				s.settle()
			}
			if s.least == 0 || e.Prompt < s.least {
				s.least = e.Prompt
			}
		}
		if !s.place(e) {
			return false
		}
		s.breaker.grown(s)
	case abi.ContextFailed:
		if s.window > 0 && overflow(e.Code, e.Status, e.Message) && !s.hopeless() { // which it is already where it was not sent
			s.refuse(abi.ContextRefusal{Code: e.Code, Status: e.Status, Message: e.Message})
		}
	case abi.ContextBegun:
		s.outlined = outline{strings.Contains(e.Message, abi.SaidOutline), abi.OutlineFile(e.Message)}
	case abi.ContextEnded:
		s.compacted(e.Message)
	}
	s.cursor = e.Seq + 1
	return true
}

// state takes in what the Harness takes for the route's window. Of another size it is
// another server, or a person has mended it: what the one before refused says nothing.
func (s *session) state(window int) {
	if s.stated == nil {
		s.stated = map[string]int{}
	}
	before, known := s.stated[s.route]
	if !known || before != window {
		s.breaker = breaker{}
	}
	if known && before != window {
		delete(s.refusals, s.route)
		delete(s.limits, s.route)
		if s.anchor.refused && s.anchor.route == s.route {
			s.anchor = anchor{}
		}
	}
	s.stated[s.route] = window
	s.settle()
}

// settle sets the route's window: what is stated, or the less that its server told.
func (s *session) settle() {
	if window, known := s.stated[s.route]; known {
		s.window = window
	}
	if limit := s.limits[s.route]; limit > 0 {
		s.window = min(s.window, limit)
	}
}

// place puts a node on the surface.
func (s *session) place(e abi.ContextEvent) bool {
	if !e.Replaces {
		s.nodes.add(e.Seq, e.Tokens)
		s.surface += e.Tokens
		return true
	}
	gone, ok := s.nodes.replace(e.Start, e.End, e.Seq, e.Tokens)
	if !ok {
		return false
	}
	s.surface += e.Tokens - gone
	if r := s.refusals[s.route]; r.bytes && min(e.Start, e.End) < r.at { // it may be what had the bytes
		delete(s.refusals, s.route)
	}
	return true
}

// headerPrice is the Harness's price of a request's instructions and tools, from their
// UTF-16 units.
func headerPrice(system, tools int) int {
	price := 0
	for _, units := range []int{system, tools} {
		if units > 0 {
			price += budget.TextPrice(units)
		}
	}
	return price
}

// harness is the Harness's own price of the next prompt.
func (s *session) harness() int { return s.header + s.surface }

// pressure is how many tokens the next prompt has.
func (s *session) pressure() int {
	return budget.Pressure(s.anchor.measured, s.anchor.then, s.harness())
}

// density is how many tokens of the server one of the Harness's stands for. One that
// another route has shown is the best that is known.
func (s *session) density() float64 {
	return budget.Density(s.anchor.measured, s.anchor.then)
}

// compaction is when the session is summarized, and how much of it stays.
func (s *session) compaction() budget.Compaction {
	output := s.output
	if output <= 0 || output >= s.window {
		output = min(32768, s.window/4) // what the Harness reserves where a route says nothing
	}
	if c, ok := budget.CompactionByRoom(s.window, output, budget.Headroom(s.window, output), 0); ok {
		return c
	}
	return budget.CompactionByRatio(s.window)
}

// measured is how full the session is, whose messages the route prices so.
func (s *session) measured(routed int) abi.ContextMeasured {
	m := abi.ContextMeasured{
		Cursor: s.cursor, Tokens: max(s.pressure(), s.header+routed), Window: s.window, Source: abi.Estimated,
		Density: s.density(), Fixed: s.fixed(),
	}
	if s.anchor.measured > 0 && !s.anchor.refused && s.anchor.route == s.route {
		m.Source = abi.Measured
	}
	if s.window > 0 {
		m.Compact = m.Tokens >= s.compaction().Threshold
		m.Hopeless = s.hopeless()
	}
	switch {
	case s.cramped():
		m.Stuck = abi.SaidFixed
	case s.stuck:
		m.Stuck = abi.SaidStuck
	}
	m.Outline, m.Kept = s.outline.made, s.outline.file
	return m
}

// fixed is what instructions and tools have of every prompt, in tokens: their share of the
// newest one, and no more than the shortest one had in all. Messages may be far denser than
// they are, so that a refusal of long ones says nothing of them.
func (s *session) fixed() int {
	share := budget.NodePrice(s.header, s.density())
	switch {
	case s.least > 0:
		return min(share, s.least)
	case s.anchor.refused && 4*s.anchor.then > 5*s.header:
		return s.header
	}
	return share
}

// cramped tells whether instructions and tools alone pass the threshold, so that no
// summary helps.
func (s *session) cramped() bool { return s.window > 0 && s.fixed() >= s.compaction().Threshold }

// room is half of what instructions and tools leave of the window, in tokens: so much may
// stand of what was said before, for what is said next. 0 is not known.
func (s *session) room() int {
	if s.window <= 0 {
		return 0
	}
	return max(1, (budget.Limit(s.window)-s.fixed())/2)
}

// full tells whether the next prompt is longer than what is sent: nothing but room lets
// the chat go on.
func (s *session) full() bool { return s.window > 0 && s.pressure() > budget.Limit(s.window) }

// halfFull is from when on a person who asks for room has a reason to.
func (s *session) halfFull() bool { return 2*s.pressure() >= s.window }

// hopeless tells whether the next prompt is no shorter than one that this route refused.
func (s *session) hopeless() bool {
	r, refused := s.refusals[s.route]
	return refused && s.harness() >= r.price
}
