package contextwindow

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// here are the public reports of context.md §4 that this plugin decides, by their numbers.
var here = map[int]func(*testing.T){
	4: pairsStay, 5: pairsStay, 6: unreadStays, 7: manualWhenTooLong, 8: replyCounts, 9: emptyChat, 10: oneFigure,
	11: smallSavings, 12: tailInRealTokens, 13: hugeResult, 14: manyPictures, 18: nestedSummaries, 19: forks, 22: goesOnInstead,
}

// elsewhere is where the others are held, or why they do not apply.
var elsewhere = map[int]string{
	1:  "shim/test/context.test.mjs: the ledger is the shim's to write",
	2:  "shim/test/context.test.mjs, with 1",
	3:  "shim/test/harness/context.test.mjs: the bracket is the Harness's",
	15: "shim/test/context.test.mjs: messages go out as they are, or as text without reasoning",
	16: "host/internal/project: TestReport16, as the meter is the host's",
	17: "nothing of a history is replaced by a placeholder; what a piece leaves out stands in the summary's request alone",
	20: "nothing is pruned for the cache's sake; that is part of cards and folds, which are not built",
	21: "nobody runs a tokenizer: sizes are lengths, and the server's own counts",
}

// TestReports are all 22 reports.
func TestReports(t *testing.T) {
	for n := 1; n <= 22; n++ {
		report, why := here[n], elsewhere[n]
		if (report == nil) == (why == "") {
			t.Errorf("report %d has no test and no reason, or both", n)
		}
		if report != nil {
			t.Run(fmt.Sprint("report ", n), report)
		}
	}
}

// pairsStay: whatever is named, no call is parted from its result, and an older summary
// inside the range does not change that.
func pairsStay(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for range 300 {
		c := newChat(t, 32_768, 4096, 1000)
		for range 2 + r.IntN(8) {
			switch r.IntN(4) {
			case 0:
				c.add(abi.ContextPiece{Tokens: 200 + r.IntN(400), Kind: abi.PieceSummary}, 0)
			case 1:
				c.user(r.IntN(3000))
			default:
				calls := 1 + r.IntN(3)
				c.add(abi.ContextPiece{Tokens: 50, Kind: abi.PieceAnswer, Calls: calls}, 0)
				for range calls {
					c.add(abi.ContextPiece{Tokens: r.IntN(3000), Results: 1}, 0)
				}
			}
		}
		for _, trigger := range []string{abi.TriggerPressure, abi.TriggerOverflow, abi.TriggerManual} {
			s := c.choose(trigger)
			if s.None {
				continue
			}
			open := 0
			for _, p := range c.pieces {
				if p.Seq > s.End {
					break
				}
				if open += p.Calls - p.Results; open < 0 {
					t.Fatalf("%s: %+v of %+v begins inside a pair", trigger, s, c.pieces)
				}
			}
			if open != 0 {
				t.Fatalf("%s: %+v of %+v ends inside a pair", trigger, s, c.pieces)
			}
		}
	}
}

// unreadStays: under pressure within a turn the results that the model has not read stay,
// and are not shortened.
func unreadStays(t *testing.T) {
	c := newChat(t, 65_536, 4096, 1000)
	for range 5 {
		c.user(100)
		c.answer(2000, 0)
	}
	c.user(100)
	c.add(abi.ContextPiece{Tokens: 100, Kind: abi.PieceAnswer, Calls: 2}, 40_000)
	calls := c.seq - 1
	c.add(abi.ContextPiece{Tokens: 9000, Results: 1}, 0)
	c.add(abi.ContextPiece{Tokens: 9000, Results: 1}, 0)
	var first abi.ContextSelection
	if err := c.d.Do("select", abi.ContextSurface{Session: c.id, Cursor: c.seq, Trigger: abi.TriggerPressure, Nodes: c.pieces}, &first); err != nil || first.Prune {
		t.Errorf("results that nobody has read are shortened: %+v, %v", first, err)
	}
	if got := c.choose(abi.TriggerPressure); got.None || got.End >= calls {
		t.Errorf("it names %+v, the calls are at %d", got, calls)
	}
}

// manualWhenTooLong: a person's own try works exactly when the conversation is too long.
func manualWhenTooLong(t *testing.T) {
	c := grown(t, 65_536, 7000, 1.8, 30, 4000)
	if m := c.measure(); m.Tokens < 2*m.Window {
		t.Fatalf("the chat is not too long: %+v", m)
	}
	s := &server{t: t, window: 65_536, perToken: 1.8, header: 28_000, instruction: 2400}
	if _, text, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces)-1); err != nil || text != goodSummary || s.refused > 0 {
		t.Errorf("%q, %v, %d refused", text, err, s.refused)
	}
}

// replyCounts: a summary's own cap of 131,072 tokens never makes a request too long.
func replyCounts(t *testing.T) {
	c := grown(t, 131_072, 7000, 4, 20, 3000)
	s := &server{t: t, window: 131_072, perToken: 4, header: 28_000, instruction: 2400}
	s.pieces = c.pieces
	call := c.d.Start("summarize", abi.ContextSource{Session: c.id, Trigger: abi.TriggerManual, Window: 131_072, Asked: 131_072, System: 28_000, Messages: c.pieces, Instruction: 2400}, nil)
	for call.Status == sdk.Waiting {
		r := llmRequest(t, call)
		a, text := s.serve(r)
		call.Answer(call.Effects()[0], a, []byte(text))
	}
	if call.Err != nil || s.refused > 0 {
		t.Errorf("%v, %d of %d refused", call.Err, s.refused, len(s.requests))
	}
}

// emptyChat: instructions and tools alone pass the threshold; nothing is summarized, and
// why is said.
func emptyChat(t *testing.T) {
	c := newChat(t, 8192, 2048, 7500)
	c.user(20)
	c.answer(20, 7600)
	c.user(20)
	if m := c.measure(); !m.Compact {
		t.Fatalf("the threshold is not passed: %+v", m)
	}
	if got := c.choose(abi.TriggerPressure); !got.None || got.Why != abi.SaidFixed {
		t.Errorf("it says %+v", got)
	}
}

// oneFigure: what triggers a summary is what is looked at after it, so that there is no loop.
func oneFigure(t *testing.T) {
	c := grown(t, 65_536, 3000, 1.8, 12, 2000)
	if !c.measure().Compact {
		t.Fatal("the threshold is not passed")
	}
	s := c.choose(abi.TriggerPressure)
	c.replace(s.Start, s.End, 300)
	if m := c.measure(); m.Compact || m.Source != abi.Measured {
		t.Errorf("after the summary: %+v", m)
	}
}

// smallSavings: passes that save next to nothing end after two.
func smallSavings(t *testing.T) {
	c := grown(t, 65_536, 3000, 2, 6, 2000)
	s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
	source := 0
	for _, p := range c.pieces[:len(c.pieces)-1] {
		source += p.Tokens
	}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) { // saves 0.4 % of the window
		return abi.LLMAnswer{Finish: "stop"}, "## Current Work\n" + strings.Repeat("x", 4*(source-framePrice-131))
	}
	for range 5 {
		_, _, _ = c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1)
	}
	if len(s.requests) != 2 {
		t.Errorf("it was tried %d times", len(s.requests))
	}
}

// tailInRealTokens: in a session of Chinese the tail that stays is as long as was meant.
func tailInRealTokens(t *testing.T) {
	c := newChat(t, 131_072, 32_768, 3000)
	for range 40 {
		c.user(500)
		c.answer(500, 0)
	}
	c.answer(0, 4*(40_000+3000))
	m, s, kept := c.measure(), c.choose(abi.TriggerPressure), 0
	for _, p := range c.pieces {
		if p.Seq > s.End {
			kept += budget.NodePrice(p.Tokens, m.Density)
		}
	}
	if want := (131_072 - 32_768) * 16 / 100; s.None || kept < want || kept > want+2*2000 {
		t.Errorf("%d tokens stay, %d were meant", kept, want)
	}
}

// hugeResult: one result that nearly fills the window is shortened first, and takes part
// in the summary cut where it is still too long.
func hugeResult(t *testing.T) {
	c := newChat(t, 32_768, 4096, 1000)
	c.user(100)
	c.call(60_000, 3000)
	c.answer(50, 0)
	c.user(50)
	var first abi.ContextSelection
	if err := c.d.Do("select", abi.ContextSurface{Session: c.id, Cursor: c.seq, Trigger: abi.TriggerOverflow, Nodes: c.pieces}, &first); err != nil || !first.Prune {
		t.Errorf("%+v, %v", first, err)
	}
	s := &server{t: t, window: 32_768, perToken: 2, header: 4000, instruction: 2400}
	if _, text, err := c.summarize(abi.TriggerOverflow, s, 0, 4); err != nil || text != goodSummary {
		t.Errorf("%q, %v", text, err)
	}
}

// manyPictures: megabytes that no token count sees are refused with 413 and no word;
// that counts as too long.
func manyPictures(t *testing.T) {
	c := newChat(t, 200_000, 8192, 3000)
	for range 8 {
		c.user(60)
		c.answer(20, 5000)
	}
	if got := c.refused("INVALID_REQUEST", 413, "413 status code (no body)"); !got.Overflow {
		t.Errorf("%+v", got)
	}
	if !c.measure().Hopeless {
		t.Error("the same request is sent again")
	}
	if got := c.choose(abi.TriggerOverflow); got.None {
		t.Error("nothing is summarized")
	}
}

// nestedSummaries: each request has one summary, the newest, and a summary alone is not
// summarized again.
func nestedSummaries(t *testing.T) {
	c := grown(t, 16_384, 3000, 2, 20, 1500)
	s := &server{t: t, window: 16_384, perToken: 2, header: 12_000, instruction: 2400}
	if _, _, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces)); err != nil {
		t.Fatal(err)
	}
	for i, r := range s.requests[1:] {
		if n := strings.Count(r.Before, "<compacted-summary>"); n != 1 {
			t.Errorf("request %d has %d summaries", i+2, n)
		}
	}
	only := newChat(t, 16_384, 2048, 3000)
	only.add(abi.ContextPiece{Tokens: 4000, Kind: abi.PieceSummary}, 0)
	only.user(10)
	if got := only.choose(abi.TriggerManual); !got.None {
		t.Errorf("a summary alone is named: %+v", got)
	}
}

// forks: a fork's log begins with its parent's, and says all that there is to know.
func forks(t *testing.T) {
	events := []abi.ContextEvent{
		{Seq: 0, Kind: abi.ContextHeader, Route: "p/m", System: 12_000}, {Seq: 1, Kind: abi.ContextWindow, Window: 65_536},
		{Seq: 4, Kind: abi.ContextNode, Tokens: 9000}, {Seq: 6, Kind: abi.ContextNode, Tokens: 500, Prompt: 24_000},
		{Seq: 9, Kind: abi.ContextNode, Tokens: 300, Replaces: true, Start: 4, End: 6},
	}
	d := sdktest.New(t, Plugin, nil)
	var parent, fork abi.ContextMeasured
	for id, into := range map[string]*abi.ContextMeasured{"parent": &parent, "fork": &fork} {
		if err := d.Do("observe", abi.ContextObserve{Session: id, Events: events}, nil); err != nil {
			t.Fatal(err)
		}
		if err := d.Do("measure", abi.ContextMeasure{Session: id, Cursor: 10}, into); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(parent, fork); diff != "" || parent.Stale || parent.Tokens > 10_000 {
		t.Errorf("%+v (-parent +fork):\n%s", parent, diff)
	}
}

// goesOnInstead: a model that goes on with the conversation is asked again, with the
// conversation as a transcript.
func goesOnInstead(t *testing.T) {
	for _, instead := range []abi.LLMAnswer{{Finish: "stop"}, {Finish: "tool-calls"}} {
		c := grown(t, 65_536, 3000, 2, 5, 2000)
		s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
		s.says = func(_ int, r abi.LLMRequest) (abi.LLMAnswer, string) {
			if r.Whole {
				return instead, "Sure, I will look at that next."
			}
			return abi.LLMAnswer{Finish: "stop"}, goodSummary
		}
		made, text, err := c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1)
		if err != nil || text != goodSummary || made.Pieces != 1 || made.Requests != 2 {
			t.Errorf("%s: %+v, %q, %v", instead.Finish, made, text, err)
		}
	}
}
