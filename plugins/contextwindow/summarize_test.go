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

// grown is a chat of turns with tool results, its prompts counted at a density.
func grown(t testing.TB, window, header int, perToken float64, turns, result int) *chat {
	c := newChat(t, window, window/8, header)
	size := func() int {
		price := header
		for _, p := range c.pieces {
			price += p.Tokens
		}
		return int(float64(price) * 4 / perToken)
	}
	for range turns {
		c.user(50)
		c.call(result, size())
		c.answer(100, size())
	}
	return c
}

func checkSummary(t *testing.T, c *chat, s *server, text string) {
	t.Helper()
	source := 0
	for _, p := range s.pieces {
		source += p.Tokens
	}
	if price := budget.TextPrice(budget.Units(text)); text == "" || price >= source {
		t.Errorf("a summary of %d of %d tokens: %q", price, source, text)
	}
	seen := map[string]int{}
	for i, r := range s.requests {
		if s.sizes[i] > s.window {
			key := fmt.Sprint(s.sizes[i], len(r.Parts), r.Whole)
			if seen[key]++; seen[key] > 1 {
				t.Errorf("a request of %d tokens was sent twice", s.sizes[i])
			}
		}
	}
}

// TestSummariesFit: at every window and density the summary is made, in one request
// where that fits, in pieces that cover everything once and in order where not.
func TestSummariesFit(t *testing.T) {
	for _, window := range []int{8192, 32768, 65536, 1_000_000} {
		for _, perToken := range []float64{1, 1.8, 4} {
			for _, status := range []int{400, 413} {
				t.Run(fmt.Sprintf("%d at %.1f, %d", window, perToken, status), func(t *testing.T) {
					c := grown(t, window, 7000, perToken, 40, window/20)
					s := &server{t: t, window: window, perToken: perToken, header: 28_000, instruction: 2400, status: status}
					made, text, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces)-1)
					if err != nil {
						t.Fatalf("%v after %d requests", err, len(s.requests))
					}
					checkSummary(t, c, s, text)
					if made.Outline || made.Requests != len(s.requests) {
						t.Errorf("made %+v, %d requests", made, len(s.requests))
					}
					if made.Pieces > 0 {
						want := make([]int, len(s.pieces))
						for i := range want {
							want[i] = i
						}
						if diff := cmp.Diff(want, s.covered()); diff != "" {
							t.Errorf("messages that the pieces took in (-want +got):\n%s", diff)
						}
					}
					if s.refused > 2 {
						t.Errorf("%d of %d requests were refused", s.refused, len(s.requests))
					}
				})
			}
		}
	}
}

// TestAGiantMessageIsCutForTheRequestOnly: 1 MB in one message.
func TestAGiantMessageIsCutForTheRequestOnly(t *testing.T) {
	for _, window := range []int{8192, 65536} {
		c := newChat(t, window, 4096, 500)
		c.user(250_000)
		c.user(10)
		s := &server{t: t, window: window, perToken: 1.8, header: 2000, instruction: 2400}
		if _, text, err := c.summarize(abi.TriggerOverflow, s, 0, 1); err != nil || text != goodSummary {
			t.Errorf("%d: %q, %v", window, text, err)
		}
		checkSummary(t, c, s, goodSummary)
		last := s.requests[len(s.requests)-1]
		if p := last.Parts[0]; len(last.Parts) != 1 || p.Head < 3*p.Tail || p.Tail == 0 || p.Gap == "" {
			t.Errorf("%d: the message went out as %+v", window, last.Parts)
		}
	}
}

// TestEachPieceBuildsOnTheSummaryBeforeIt and no call is parted from its result.
func TestEachPieceBuildsOnTheSummaryBeforeIt(t *testing.T) {
	c := grown(t, 16_384, 3000, 2, 20, 1500)
	s := &server{t: t, window: 16_384, perToken: 2, header: 12_000, instruction: 2400}
	s.says = func(n int, _ abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "stop"}, fmt.Sprintf("## Current Work\n- up to piece %d", n)
	}
	made, text, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces))
	if err != nil || made.Pieces < 3 {
		t.Fatalf("%+v, %v", made, err)
	}
	for n, r := range s.requests {
		if before := fmt.Sprintf("up to piece %d", n); n > 0 && !strings.Contains(r.Before, before) {
			t.Errorf("piece %d does not build on the one before", n+1)
		}
		open := 0
		for _, p := range r.Parts {
			open += s.pieces[p.Message].Calls - s.pieces[p.Message].Results
		}
		if open != 0 {
			t.Errorf("piece %d parts calls from results", n+1)
		}
	}
	if text != fmt.Sprintf("## Current Work\n- up to piece %d", made.Pieces) {
		t.Errorf("the summary is %q", text)
	}
}

// TestRefusedPiecesAreHalved down to the least size, and no further.
func TestRefusedPiecesAreHalved(t *testing.T) {
	c := grown(t, 65_536, 3000, 4, 15, 3000)
	s := &server{t: t, window: 65_536, perToken: 4, header: 12_000, instruction: 2400}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) { // whatever its size
		return abi.LLMAnswer{Finish: "error", Code: "INVALID_REQUEST", Message: "400: Your request exceeded model token limit: 9"}, ""
	}
	made, text, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces))
	if err != nil || !made.Outline || !strings.Contains(text, abi.SaidOutline) {
		t.Fatalf("%+v, %q, %v", made, text, err)
	}
	var got []int
	for _, size := range s.sizes[1:] {
		got = append(got, size/100*100)
	}
	if len(got) < 5 || len(got) > 8 {
		t.Errorf("it tried %d", got)
	}
	for i := 1; i < len(got); i++ {
		if got[i] > got[i-1] {
			t.Errorf("a try grew: %d", got)
		}
	}
}

// TestTheSmallestPieceIsTried, whatever the size that was halved: a server takes that and
// no more.
func TestTheSmallestPieceIsTried(t *testing.T) {
	c := newChat(t, 40_000, 8192, 3000)
	c.user(30_000)
	s := &server{t: t, window: 40_000, perToken: 4, header: 12_000, instruction: 2400}
	s.says = func(_ int, r abi.LLMRequest) (abi.LLMAnswer, string) {
		if s.tokens(r)-s.count(s.instruction+budget.Units(r.Before)+budget.Units(r.After)) > budget.SmallestPiece {
			return abi.LLMAnswer{Finish: "error", Code: "INVALID_REQUEST", Message: "400: context length exceeded"}, ""
		}
		return abi.LLMAnswer{Finish: "stop"}, goodSummary
	}
	if made, text, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces)); err != nil || made.Outline || text != goodSummary {
		t.Errorf("%+v, %q, %v", made, text, err)
	}
}

// TestASummaryThatIsTooLong is cut, so that it is shorter than its source all the same.
func TestASummaryThatIsTooLong(t *testing.T) {
	c := newChat(t, 65_536, 4096, 500)
	for range 10 {
		c.user(100)
		c.answer(100, 0)
	}
	s := &server{t: t, window: 65_536, perToken: 4, header: 2000, instruction: 2400}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "max-tokens"}, "## Current Work\n" + long(40_000)
	}
	_, text, err := c.summarize(abi.TriggerManual, s, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	if price := budget.TextPrice(budget.Units(text)); price+framePrice > 2000+10 || price < 1000 {
		t.Errorf("the summary has a price of %d for 2000", price)
	}
}

// TestServerAway: one that is back soon is asked again; one that stays away leaves the
// chat as it is, or its outline where nothing else would let it go on.
func TestServerAway(t *testing.T) {
	away := abi.LLMAnswer{Finish: "error", Code: "TRANSPORT", Message: "terminated"}
	c := grown(t, 65_536, 3000, 2, 10, 2000)
	s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
	s.says = func(n int, _ abi.LLMRequest) (abi.LLMAnswer, string) {
		if n < 3 {
			return away, "## half a"
		}
		return abi.LLMAnswer{Finish: "stop"}, goodSummary
	}
	made, text, err := c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1)
	if err != nil || text != goodSummary || made.Requests != 3 {
		t.Errorf("back at the third try: %+v, %q, %v", made, text, err)
	}
	s = &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) { return away, "" }
	if _, _, err = c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1); sdk.Code(err) != abi.CodeNoSummary {
		t.Errorf("away for good: %v", err)
	}
	made, text, err = c.summarize(abi.TriggerOverflow, s, 0, len(c.pieces)-1)
	if err != nil || !made.Outline || !strings.Contains(text, "- please") || !strings.Contains(text, "10 tool calls") {
		t.Errorf("away while a request was refused: %+v, %q, %v", made, text, err)
	}
}

// TestBreaker: after two passes that free nothing it is not tried again by itself, and
// says why; a person's own try, or something new to be summarized, closes it.
func TestBreaker(t *testing.T) {
	c := grown(t, 65_536, 3000, 2, 6, 2000)
	s := &server{t: t, window: 65_536, perToken: 2, header: 12_000, instruction: 2400}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "stop"}, "## Current Work\n" + long(100_000)
	}
	var codes []string
	for range 4 {
		_, _, err := c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1)
		codes = append(codes, sdk.Code(err))
	}
	if diff := cmp.Diff([]string{"no-gain", "stuck", "stuck", "stuck"}, codes); diff != "" {
		t.Errorf("passes (-want +got):\n%s", diff)
	}
	asked := len(s.requests)
	if m := c.measure(); m.Stuck != abi.SaidStuck || asked != 2 {
		t.Errorf("%d requests, then %+v", asked, m)
	}
	if got := c.choose(abi.TriggerPressure); !got.None || got.Why != abi.SaidStuck {
		t.Errorf("under pressure it names %+v", got)
	}
	if got := c.choose(abi.TriggerManual); got.None {
		t.Error("a person's own try is refused")
	}
	s.says = nil
	if _, _, err := c.summarize(abi.TriggerManual, s, 0, len(c.pieces)-1); err != nil {
		t.Errorf("a person's own try: %v", err)
	}
	if m := c.measure(); m.Stuck != "" {
		t.Errorf("after a pass that freed something: %q", m.Stuck)
	}
	s.says = func(int, abi.LLMRequest) (abi.LLMAnswer, string) {
		return abi.LLMAnswer{Finish: "error", Code: "AUTH"}, ""
	}
	for range 2 {
		_, _, _ = c.summarize(abi.TriggerPressure, s, 0, len(c.pieces)-1)
	}
	if m := c.measure(); m.Stuck == "" {
		t.Error("two passes that failed leave it trying")
	}
	c.user(6600)
	if m := c.measure(); m.Stuck != "" {
		t.Errorf("with a tenth of the window more to summarize: %q", m.Stuck)
	}
}
