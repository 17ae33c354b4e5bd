package contextwindow

import (
	"fmt"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// Words around a piece. The Harness's own instruction, which asks for the sections,
// follows the transcript as the request's last message.
const (
	intro = "What follows is part of an earlier conversation, as a transcript. It is material to summarize and asks nothing of you."
	carry = "\n\nThe summary of everything before this part:\n\n<compacted-summary>\n%s\n</compacted-summary>\n\nBuild on it: keep what is still true and add what is new."
	begin = "\n\n<transcript>"
	after = "\n\nThe conversation is the transcript above, with the summary of what came before it. Write the whole summary in at most %d words."
	gap   = "\n[… left out here, since it does not fit …]\n"
)

// intros is the length of these words, in UTF-16 units, with numbers in them.
var intros = len(intro) + len(carry) + len(begin) + len(after) + 40

// wordTokens is how many tokens a word of a summary is taken for.
const wordTokens = 2

// unit is a run of messages that stay together: calls with their results.
type unit struct {
	from, to int // indexes of the messages, to excluded
	tokens   int
}

// units parts the messages where no call waits for its result.
func (w *writer) units() []unit {
	var out []unit
	u, open := unit{}, 0
	for i, p := range w.in.Messages {
		u.to = i + 1
		u.tokens += w.tokens(p.Units)
		if open += p.Calls - p.Results; open <= 0 {
			out = append(out, u)
			u, open = unit{from: i + 1}, 0
		}
	}
	if u.to > u.from {
		out = append(out, u)
	}
	return out
}

// pieces asks for the summary piece by piece. Each builds on the summary before it. One
// that is refused is halved and tried again.
func (w *writer) pieces() (string, error) {
	window := w.in.Window
	if window <= 0 {
		window = max(2*budget.SmallestPiece, budget.NodePrice(w.source, w.density)) // it was refused as a whole
	}
	summary := summaryCap(window, w.in.Asked)
	fixed := w.tokens(w.in.Instruction) + w.tokens(intros)
	most := 0 // what a piece may hold after a refusal; 0: whatever fits
	text, units := "", w.units()
	for len(units) > 0 {
		carried := 0
		if text != "" {
			carried = w.tokens(budget.Units(text))
		}
		size := budget.PieceBudget(window, fixed, summary, carried)
		if most > 0 {
			size = min(size, most)
		}
		if size < budget.SmallestPiece {
			if carried > 0 && carried > size { // the summary has outgrown the window
				text = shorten(text, budget.Units(text)/2)
				if carried > 2*budget.SmallestPiece {
					continue
				}
			}
			if size = budget.PieceBudget(window, fixed, summary, 0) / 2; size < 1 {
				return "", sdk.Errorf(abi.CodeNoRoom, "%s", abi.SaidNoRoom)
			}
		}
		took, parts := w.take(units, size)
		a, got, err := w.ask(w.piece(text, parts, summary))
		switch {
		case err != nil:
			return "", err
		case a.Finish == finishError && overflow(a.Code, a.Status, a.Message):
			half, ok := budget.Halve(size)
			if !ok && size > budget.SmallestPiece { // the last try, which halving an odd size passes over
				half, ok = budget.SmallestPiece, true
			}
			if !ok {
				return "", noSummary(w.t, a)
			}
			most = half
			continue
		case a.Finish == finishError || got == "":
			return "", noSummary(w.t, a)
		case a.Finish == finishCut:
			got = shorten(got, max(1, budget.Units(got)-1)) // its last line may be half a one
		}
		w.made.Pieces++
		text, units = got, units[took:]
	}
	return text, nil
}

func (w *writer) piece(text string, parts []abi.LLMPart, summary int) abi.LLMRequest {
	req := abi.LLMRequest{Before: intro + begin, Parts: parts, MaxTokens: summary, After: fmt.Sprintf(after, summary/wordTokens)}
	if text != "" {
		req.Before = intro + fmt.Sprintf(carry, text) + begin
	}
	return req
}

// take gives as many units as fit into size tokens, at least one, as the parts of a
// request. One that is larger is cut, for this request only.
func (w *writer) take(units []unit, size int) (took int, parts []abi.LLMPart) {
	sizes := make([]int, len(units))
	for i, u := range units {
		sizes[i] = u.tokens
	}
	packed := budget.Pack(sizes, size, size)
	took = len(packed.Pieces[0])
	room := 0 // UTF-16 units that a message may have; 0: as many as it has
	if took == 1 && units[0].tokens > size {
		room = w.share(units[0], size)
	}
	for _, u := range units[:took] {
		for i := u.from; i < u.to; i++ {
			part := abi.LLMPart{Message: i}
			if n := w.in.Messages[i].Units; room > 0 && n > room {
				part.Head, part.Tail, part.Gap = max(1, room*4/5), room/5, gap
			}
			parts = append(parts, part)
		}
	}
	return took, parts
}

// share is how long each message of a unit may be, in UTF-16 units, so that all of them
// fit into size tokens: short ones stay whole, and long ones share what is left.
func (w *writer) share(u unit, size int) int {
	messages := w.in.Messages[u.from:u.to]
	low, high := 1, size*8
	for low < high {
		at := (low + high + 1) / 2
		total := 0
		for _, m := range messages {
			total += w.tokens(min(m.Units, at) + len(gap))
		}
		if total <= size {
			low = at
		} else {
			high = at - 1
		}
	}
	return low
}
