package contextwindow

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// TestOutline: where no model makes a summary, an outline takes its place as soon as
// nothing else lets the chat go on, or a person whose chat is half full asks for room.
// Else the chat stays as it is.
func TestOutline(t *testing.T) {
	type want struct {
		Outline bool
		Code    string
		Asked   bool // the model was
	}
	for name, tt := range map[string]struct {
		turns   int // of 6 % of the window each, beside 9 % of instructions
		trigger string
		before  int // passes that freed nothing
		want    want
	}{
		"a person, little said":            {4, abi.TriggerManual, 0, want{Code: abi.CodeNoSummary, Asked: true}},
		"a person, half full":              {8, abi.TriggerManual, 0, want{Outline: true, Asked: true}},
		"a person, after two passes":       {8, abi.TriggerManual, 2, want{Outline: true, Asked: true}},
		"pressure, it fits still":          {12, abi.TriggerPressure, 0, want{Code: abi.CodeNoSummary, Asked: true}},
		"pressure, after one pass":         {12, abi.TriggerPressure, 1, want{Code: abi.CodeStuck, Asked: true}},
		"pressure, after two passes":       {12, abi.TriggerPressure, 2, want{Code: abi.CodeStuck}},
		"pressure, full":                   {16, abi.TriggerPressure, 0, want{Outline: true, Asked: true}},
		"pressure, full, after two passes": {16, abi.TriggerPressure, 2, want{Outline: true}},
		"a refusal":                        {12, abi.TriggerOverflow, 0, want{Outline: true, Asked: true}},
		"a refusal, after two passes":      {12, abi.TriggerOverflow, 2, want{Outline: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c := grown(t, 65_536, 3000, 2, tt.turns, 1800)
			for range tt.before {
				c.feed(abi.ContextEvent{Kind: abi.ContextEnded, Message: "Error: " + abi.SaidNoSummary})
			}
			s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
			s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
				return abi.LLMAnswer{Finish: "error", Code: "INVALID_REQUEST", Message: "400: this is not served"}, ""
			}
			if got := c.choose(tt.trigger); got.None != (tt.want.Code == abi.CodeStuck && !tt.want.Asked) {
				t.Errorf("it names %+v", got)
			}
			made, text, err := c.summarize(tt.trigger, s, 0, len(c.pieces)-1)
			if diff := cmp.Diff(tt.want, want{made.Outline, sdk.Code(err), len(s.requests) > 0}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.want.Outline {
				checkSummary(t, c, s, text)
				if got := c.measure(); got.Kept != keptPath || s.kept != 1 {
					t.Errorf("it is kept %d times, in %q", s.kept, got.Kept)
				}
				if !strings.Contains(text, keptPath) || strings.Count(text, "- please") != tt.turns {
					t.Errorf("it is %q", text)
				}
			}
			if tt.want.Outline != strings.Contains(text, abi.SaidOutline) || c.measure().Outline != tt.want.Outline {
				t.Errorf("what is told of it: %q, %+v", text, c.measure())
			}
		})
	}
}

// TestALogReadAgain says what it said: a prompt that was refused is not sent again, and
// what freed nothing twice is not tried again by itself.
func TestALogReadAgain(t *testing.T) {
	refusal := abi.ContextEvent{Kind: abi.ContextFailed, Code: "CONTEXT_WINDOW_EXCEEDED", Message: "400: your messages resulted in 70000 tokens"}
	nothing := abi.ContextEvent{Kind: abi.ContextEnded, Message: "Error: " + abi.SaidNoGain}
	for name, tt := range map[string]struct {
		log      []abi.ContextEvent
		hopeless bool
		stuck    string
		outline  bool
	}{
		"a refusal":               {[]abi.ContextEvent{refusal}, true, "", false},
		"told again, not sent":    {[]abi.ContextEvent{refusal, {Kind: abi.ContextNode, Tokens: 500}, refusal, {Kind: abi.ContextNode, Tokens: 90, Replaces: true, Start: 5, End: 5}}, true, "", false},
		"and a summary":           {[]abi.ContextEvent{refusal, {Kind: abi.ContextNode, Tokens: 900, Replaces: true, Start: 2, End: 3}}, false, "", false},
		"and another model":       {[]abi.ContextEvent{refusal, {Kind: abi.ContextHeader, Route: "p/large", System: 15_984}}, false, "", false},
		"and a larger window":     {[]abi.ContextEvent{refusal, {Kind: abi.ContextWindow, Window: 131_072}}, false, "", false},
		"another failure":         {[]abi.ContextEvent{{Kind: abi.ContextFailed, Code: "SERVER", Status: 500, Message: "context length"}}, false, "", false},
		"one pass":                {[]abi.ContextEvent{nothing}, false, "", false},
		"two passes":              {[]abi.ContextEvent{nothing, nothing}, false, abi.SaidStuck, false},
		"two, the second stopped": {[]abi.ContextEvent{nothing, {Kind: abi.ContextEnded, Message: "AbortError: stopped"}}, false, "", false},
		"two and a good one":      {[]abi.ContextEvent{nothing, nothing, {Kind: abi.ContextBegun, Message: goodSummary}, {Kind: abi.ContextEnded}}, false, "", false},
		"an outline":              {[]abi.ContextEvent{{Kind: abi.ContextBegun, Message: "## Primary Request and Intent\n" + abi.SaidOutline}, {Kind: abi.ContextEnded}}, false, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			said := func() *chat {
				c := newChat(t, 65_536, 16_384, 4000)
				c.user(14_000)
				c.answer(14_000, 0)
				return c
			}
			live, again := said(), said()
			for _, e := range tt.log {
				if e.Kind == abi.ContextFailed && !live.measure().Hopeless { // else it is not sent
					live.refused(e.Code, e.Status, e.Message)
				}
				live.feed(e)
				again.feed(e)
			}
			got := again.measure()
			if diff := cmp.Diff(live.measure(), got); diff != "" {
				t.Errorf("(-live +again):\n%s", diff)
			}
			if got.Hopeless != tt.hopeless || got.Stuck != tt.stuck || got.Outline != tt.outline {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestAnOutlineOfNoUse leaves no file: it would free too little.
func TestAnOutlineOfNoUse(t *testing.T) {
	c := grown(t, 65_536, 3000, 2, 1, 100)
	s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400, says: summaries["refused"]}
	made, text, err := c.summarize(abi.TriggerOverflow, s, 0, len(c.pieces)-1)
	if err == nil || text != "" || made.Outline || s.kept != 0 || len(s.requests) == 0 {
		t.Errorf("%q, %v, kept %d times after %d requests", text, err, s.kept, len(s.requests))
	}
}

// TestOutlineOfALongChat has the newest of what the person said, and where the rest is.
func TestOutlineOfALongChat(t *testing.T) {
	c := newChat(t, 16_384, 2048, 7000)
	for n := range 300 {
		c.add(abi.ContextPiece{Tokens: 100, Said: fmt.Sprintf("message %d %s", n, strings.Repeat("x", 200))}, 0)
	}
	s := &server{t: t, window: 16_384, perToken: 4, header: 28_000, instruction: 2400, says: summaries["refused"]}
	_, text, err := c.summarize(abi.TriggerOverflow, s, 0, 299)
	if err != nil || !strings.Contains(text, "- message 298 ") || strings.Contains(text, "- message 2 ") || !strings.Contains(text, keptPath) {
		t.Errorf("%q, %v", text, err)
	}
	if tokens := budget.TextPrice(budget.Units(text)); tokens < 2000 || tokens > (budget.Limit(16_384)-7000)/2 {
		t.Errorf("it has %d tokens", tokens)
	}
}
