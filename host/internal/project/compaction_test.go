package project

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// compactions are the events of one within a turn, and with whose usage.
func compactions(turn, summary, failure string) []string {
	lifecycle := fmt.Sprintf(`{"compactionId":"k","turn":%s`, turn)
	if failure != "" {
		return []string{"compaction/start " + lifecycle + "}", fmt.Sprintf(`compaction/end %s,"error":%q}`, lifecycle, failure)}
	}
	return []string{
		"compaction/start " + lifecycle + "}",
		fmt.Sprintf(`compaction/summary {"compactionId":"k","summary":[{"type":"text","text":%q}],"shadowedRange":{"start":1,"end":2},"shadowedTokenCount":9000,"usage":{"inputTokens":59000,"outputTokens":700}}`, summary),
		`user/message {"id":"m","role":"user","content":[{"type":"text","text":"a checkpoint"}],"source":{"kind":"plugin","plugin":"compact","compactionId":"k"}}`,
		"compaction/end " + lifecycle + "}",
	}
}

// TestCompactionIsTold: in the answer during which it was made, or in the status line.
func TestCompactionIsTold(t *testing.T) {
	outline := "## Primary Request and Intent\n" + abi.SaidOutline + "\n- please"
	kept := "## Primary Request and Intent\n" + abi.SaidOutline + " " + abi.SaidKept + ".strata/restore/a.md: read it in parts.\n- please"
	for name, tt := range map[string]struct {
		events []string
		want   []chat.Frame
	}{
		"in a turn":               {compactions("1", "## Current Work", ""), []chat.Frame{status(say.Compacting), own(say.Compacted)}},
		"between turns":           {compactions("null", "## Current Work", ""), []chat.Frame{status(say.Compacting), status(say.Compacted)}},
		"an outline":              {compactions("1", outline, ""), []chat.Frame{status(say.Compacting), own(say.Outlined)}},
		"an outline with a file":  {compactions("1", kept, ""), []chat.Frame{status(say.Compacting), {Type: chat.Delta, Own: true, Sentence: OutlinedIn(".strata/restore/a.md")}}},
		"an outline, then a good": {append(compactions("1", outline, ""), compactions("1", "## Current Work", "")...), []chat.Frame{status(say.Compacting), own(say.Outlined), status(say.Compacting), own(say.Compacted)}},
		"it failed":               {compactions("1", "", "Error: "+abi.SaidNoSummary), []chat.Frame{status(say.Compacting), own(say.NotCompacted)}},
		"it is not tried again":   {compactions("1", "", "Error: "+abi.SaidStuck), []chat.Frame{status(say.Compacting), own(say.SummaryStuck)}},
	} {
		t.Run(name, func(t *testing.T) {
			f := New(Config{Root: "s", Session: "s"})
			var got []chat.Frame
			for _, e := range log(t, append([]string{startOne}, tt.events...)...) {
				got = append(got, f.Apply(e)...)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestReport16 of context.md §4: the meter never shows what the summarizer itself read.
func TestReport16(t *testing.T) {
	answer := func(step, tokens int) string {
		return fmt.Sprintf(`assistant/message {"turn":1,"step":%d,"message":{"id":"a%[1]d","role":"assistant","content":[{"type":"text","text":"seen"}],"source":{"provider":"p","model":"m"}},"usage":{"inputTokens":%d,"outputTokens":5}}`, step, tokens)
	}
	events := append([]string{`request/context {"provider":"p","model":"m","contextWindow":65536}`, startOne, answer(1, 58_000)}, compactions("1", "## Current Work", "")...)
	f := New(Config{Root: "s", Session: "s"})
	var got []int64
	for _, e := range log(t, append(events, answer(2, 20_000))...) {
		for _, fr := range f.Apply(e) {
			if fr.Type == chat.ContextUse {
				got = append(got, fr.Context.Tokens)
			}
		}
	}
	if d := cmp.Diff([]int64{58_005, 20_005}, got); d != "" || f.full != 30 {
		t.Errorf("the meter (-want +got):\n%s\nfull %d%%", d, f.full)
	}
}
