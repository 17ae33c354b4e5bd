package contextwindow

import (
	"slices"
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// framePrice is the Harness's price of what it puts around a summary, with some room:
// its preamble of 320 characters, two tags, three blocks and a message.
const framePrice = 160

// askedByHarness is the cap of a summary that the Harness asks for where nobody set
// another, in tokens.
const askedByHarness = 8192

// smallestSummary is what a summary may have however little room there is, in the
// Harness's tokens: a line or two.
const smallestSummary = 128

// summaryCap is how long a summary may be, in tokens: an eighth of a window, so that
// small ones have room for what is summarized as well.
func summaryCap(window, asked int) int {
	if asked <= 0 {
		asked = askedByHarness
	}
	if window <= 0 {
		return asked
	}
	return min(asked, max(256, window/8))
}

func (m *meter) summarize(t *sdk.Task, in abi.ContextSource, _ []byte) (abi.ContextSummary, []byte, error) {
	s := m.sessions[in.Session]
	if s == nil {
		s = &session{} // not fed yet: the Harness's own figures
	}
	if in.Window <= 0 {
		in.Window = s.window
	}
	auto := in.Trigger != abi.TriggerManual
	// Without room the chat cannot go on, or a person wants it and has reason to.
	needed := in.Trigger == abi.TriggerOverflow || s.full() || !auto && s.halfFull()
	w := newWriter(t, in, s.density())
	w.room = s.room()
	text, err := "", sdk.Errorf(abi.CodeStuck, "%s", abi.SaidStuck)
	least := 0
	if auto {
		least = s.gain()
	}
	if !auto || !s.stuck {
		if text, err = w.write(); err == nil {
			text, err = w.fit(text, least)
		}
	}
	if err != nil && needed && last(err) && w.source > framePrice {
		t.Logf(sdk.Warn, "context: no summary could be had, an outline is kept: %v", err)
		text, err = w.outlined(least)
	}
	if err != nil {
		if code := sdk.Code(err); code == abi.CodeCancelled {
			return abi.ContextSummary{}, nil, err
		}
		if auto && s.last() {
			t.Logf(sdk.Warn, "context: %v", err)
			err = sdk.Errorf(abi.CodeStuck, "%s", abi.SaidStuck)
		}
		return abi.ContextSummary{}, nil, err
	}
	return w.made, []byte(text), nil
}

// last tells whether a failure leaves nothing else to try: not one of a person's stop.
func last(err error) bool {
	switch sdk.Code(err) {
	case abi.CodeNoSummary, abi.CodeNoRoom, abi.CodeNoGain, abi.CodeStuck:
		return true
	}
	return false
}

// anyFile is as long as the path of a file of messages that are kept.
const anyFile = ".strata/restore/01234567-0123456789abcdef.md"

// outlined is an outline that frees so many of the model's tokens. What it leaves out is
// written to a file, but not before it is known to be of use.
func (w *writer) outlined(least int) (string, error) {
	if _, err := w.fit(w.outline(anyFile), least); err != nil {
		return "", err
	}
	file, err := sdk.RestorePut(w.t)
	if err != nil {
		w.t.Logf(sdk.Warn, "context: what was left out was not kept in a file: %v", err)
	}
	text, err := w.fit(w.outline(file), least)
	w.made.Outline = err == nil
	return text, err
}

// outline is what is kept where no model makes a summary: what the person asked, the newest
// of it, and the file where all of it can be read, where there is one.
func (w *writer) outline(file string) string {
	calls, answers := 0, 0
	for _, p := range w.in.Messages {
		calls += p.Calls
		if p.Kind == abi.PieceAnswer {
			answers++
		}
	}
	head := "## Primary Request and Intent\n" + abi.SaidOutline
	if file != "" {
		head += " " + abi.SaidKept + file + ": read it in parts, or search it, where it is needed."
	}
	head += "\n"
	tail := "\n\n## Current Work\n- left out: " + count(answers, "answer") + " and " + count(calls, "tool call") + ". "
	if file == "" {
		tail += "Read files again where they are needed."
	}
	left := w.most()*4 - budget.Units(head+tail)
	var said []string
	for _, p := range slices.Backward(w.in.Messages) {
		if p.Said == "" {
			continue
		}
		line := "- " + strings.Join(strings.Fields(p.Said), " ")
		if left -= budget.Units(line) + 1; left < 0 {
			break
		}
		said = append(said, line)
	}
	slices.Reverse(said)
	return head + strings.Join(said, "\n") + tail
}

// most is how long a summary may be, by the Harness's price of its text: shorter than what
// it stands for, and with room beside it.
func (w *writer) most() int {
	most := w.source - framePrice
	if w.again() {
		most = min(most, max(smallestSummary, w.source/4-framePrice))
	}
	if w.room > 0 {
		most = min(most, max(smallestSummary, int(float64(w.room)/w.density)-framePrice))
	}
	return most
}

// fit cuts a summary so that it is not too long, and fails where it frees less than so many
// of the model's tokens.
func (w *writer) fit(text string, least int) (string, error) {
	text = shorten(strings.TrimSpace(text), w.most()*4)
	if budget.NodePrice(w.source-budget.TextPrice(budget.Units(text)), w.density) < least {
		return "", sdk.Errorf(abi.CodeNoGain, "%s", abi.SaidNoGain)
	}
	return text, nil
}

// again tells whether it is a summary that is summarized, which was too long.
func (w *writer) again() bool {
	return !slices.ContainsFunc(w.in.Messages, func(p abi.ContextPiece) bool { return p.Kind != abi.PieceSummary })
}

// shorten cuts a text to that many UTF-16 units, at the end of a line where one is near.
func shorten(text string, units int) string {
	if budget.Units(text) <= units {
		return text
	}
	const mark = "\n…"
	n, cut := budget.Units(mark), 0
	for i, r := range text {
		if n += budget.Units(string(r)); n > units {
			cut = i
			break
		}
	}
	text = text[:cut]
	if line := strings.LastIndexByte(text, '\n'); line > cut*3/4 {
		text = text[:line]
	}
	return text + mark
}
