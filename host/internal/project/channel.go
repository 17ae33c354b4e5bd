package project

import "strings"

// channel is the text of one kind (answer or reasoning) that a step has shown.
//
// A model request that fails is tried again within its step, and the log keeps
// the chunks of every try. What was shown cannot be taken back, so the next
// try's text is held back as long as it repeats what stands there. Where it goes
// another way, all of it is shown again below, said to be a new beginning.
type channel struct {
	try []byte // what the running try has said so far
	old string // what an earlier try has shown; "" once the running one went past it
	// open says that text was shown last, with no card since: what a later step
	// says begins a new paragraph.
	open, gap bool
}

// enter begins a new step.
func (c *channel) enter() {
	c.try, c.old, c.gap = nil, "", c.open
}

// close says that something else is shown after the text.
func (c *channel) close() { c.open, c.gap = false, false }

// retry begins a new try of the same step.
func (c *channel) retry() {
	if c.old == "" {
		c.old = string(c.try)
	}
	c.try = nil
}

// push takes the try's next piece and gives what is to be shown of it. Again says
// that the answer begins anew with it.
func (c *channel) push(piece string) (show string, again bool) {
	if piece == "" {
		return "", false
	}
	c.try = append(c.try, piece...)
	if c.old == "" {
		return c.paragraph(piece, false), false
	}
	switch try := string(c.try); {
	case strings.HasPrefix(c.old, try):
		return "", false
	case strings.HasPrefix(try, c.old):
		show, c.old = try[len(c.old):], ""
	default:
		show, c.old, again = try, "", true
	}
	return c.paragraph(show, again), again
}

// finish takes the whole text of the try that succeeded and gives what was not
// shown of it.
func (c *channel) finish(whole string) (show string, again bool) {
	if rest, ok := strings.CutPrefix(whole, string(c.try)); ok {
		show, again = c.push(rest)
	}
	if try := string(c.try); c.old != "" && try != "" && try != c.old { // it ended before it got to where the failed one stood
		c.old = ""
		return c.paragraph(try, true), true
	}
	return show, again
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
