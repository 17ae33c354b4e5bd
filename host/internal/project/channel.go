package project

import "strings"

// channel is the text of one kind (answer or reasoning) that a step has shown.
//
// A model request that fails is tried again within its step, and the log keeps
// the chunks of every try. What was shown cannot be taken back, so the next
// try's text is held back as long as it repeats what stands there. Where it goes
// another way, all of it is shown again below, said to be a new beginning.
//
// Of a try of more than maxHeard the text is not kept: the next one is held back until
// it is as long, and then compared by hash.
type channel struct {
	try  heard  // what the running try has said so far
	old  heard  // what an earlier try has shown; empty once the running one went past it
	held []byte // what the running try has said, where the text of old is not kept
	// open says that text was shown last, with no card since: what a later step
	// says begins a new paragraph.
	open, gap bool
}

// enter begins a new step.
func (c *channel) enter() {
	c.try, c.old, c.held, c.gap = heard{}, heard{}, nil, c.open
}

// close says that something else is shown after the text.
func (c *channel) close() { c.open, c.gap = false, false }

// retry begins a new try of the same step.
func (c *channel) retry() {
	if c.old.n == 0 {
		c.old = c.try
	}
	c.try, c.held = heard{}, nil
}

// push takes the try's next piece and gives what is to be shown of it. Again says
// that the answer begins anew with it.
func (c *channel) push(piece string) (show string, again bool) {
	if piece == "" {
		return "", false
	}
	had := c.try.n
	c.try.add(piece)
	if c.old.n == 0 {
		return c.paragraph(piece, false), false
	}
	if !c.old.whole() {
		if c.held = append(c.held, piece...); c.try.n < c.old.n {
			return "", false
		}
		return c.release(c.old.rest(string(c.held)))
	}
	old := string(c.old.text) // of which the try has said the first had bytes
	if strings.HasPrefix(old[had:], piece) {
		return "", false
	}
	rest, ok := strings.CutPrefix(piece, old[had:])
	c.held = append(c.old.text[:had:had], piece...)
	return c.release(rest, ok)
}

// release shows what follows what an earlier try has shown, or where the running one
// does not go on from there, all that it has said.
func (c *channel) release(rest string, goesOn bool) (show string, again bool) {
	if show = rest; !goesOn {
		show = string(c.held)
	}
	c.old, c.held = heard{}, nil
	return c.paragraph(show, !goesOn), !goesOn
}

// finish takes the whole text of the try that succeeded and gives what was not
// shown of it.
func (c *channel) finish(whole string) (show string, again bool) {
	if rest, ok := c.try.rest(whole); ok {
		show, again = c.push(rest)
	}
	if c.try.n > 0 && c.try.n < c.old.n { // it ended before it got to where the failed one stood
		if c.old.whole() {
			c.held = c.old.text[:c.try.n]
		}
		return c.release("", false)
	}
	return show, again
}

// complete takes the whole text of a try that failed, some of which may have come.
func (c *channel) complete(whole string) (show string, again bool) {
	rest, ok := c.try.rest(whole)
	if !ok { // it was another one's
		c.retry()
		rest = whole
	}
	return c.push(rest)
}

func (c *channel) paragraph(show string, again bool) string {
	if show == "" {
		return ""
	}
	if c.gap || again {
		show = "\n\n" + show
	}
	c.open, c.gap = true, false
	return show
}
