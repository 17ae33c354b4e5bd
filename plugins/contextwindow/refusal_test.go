package contextwindow

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// TestOverflow: the words of servers, most of which the Harness takes for something else.
func TestOverflow(t *testing.T) {
	for _, tt := range []struct {
		code    string
		status  int
		message string
		want    bool
	}{
		{"CONTEXT_WINDOW_EXCEEDED", 0, "anything", true},
		{"INVALID_REQUEST", 413, "", true},
		{"INVALID_REQUEST", 0, "413: {\"error\":{\"message\":\"Request Entity Too Large\"}}", true},
		{"INVALID_REQUEST", 0, "413 status code (no body)", true},
		{"INVALID_REQUEST", 0, "400: Invalid request: Your request exceeded model token limit: 131072", true},
		{"PI_AI_ERROR", 0, "Range of input length should be [1, 30720]", true},
		{"INVALID_REQUEST", 400, "400: prompt is too long: 213462 tokens > 200000 maximum", true},
		{"INVALID_REQUEST", 400, "the request exceeds the available context size, try increasing it", true},
		{"INVALID_REQUEST", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens", true},
		{"INVALID_REQUEST", 400, "输入过长，请缩短", true},
		{"INVALID_REQUEST", 400, "400: tool_choice is not supported", false},
		{"RATE_LIMIT", 429, "Too many tokens, please wait", false},
		{"INVALID_REQUEST", 400, "Rate limit reached: too many tokens per minute", false},
		{"AUTH", 401, "context length", false},
		{"SERVER", 500, "context length exceeded", false},
		{"QUOTA", 0, "token limit exceeded", false},
	} {
		if got := overflow(tt.code, tt.status, tt.message); got != tt.want {
			t.Errorf("%s %d %q: %v", tt.code, tt.status, tt.message, got)
		}
	}
}

// TestARefusalTellsTheSize: of the prompt that was refused, and is not sent again.
func TestARefusalTellsTheSize(t *testing.T) {
	for message, want := range map[string]int{
		"This model's maximum context length is 65536 tokens. However, your messages resulted in 66,500 tokens.": 66_500,
		"you requested 90000 tokens (70000 in the messages, 20000 in the completion), the limit is 65536":        70_000,
		"413:":                            0,
		"prompt is too long":              0,
		"request id 123456789012: tokens": 0,
	} {
		if got := told(message, 65_536); got != want {
			t.Errorf("%q: %d, want %d", message, got, want)
		}
	}
	c := newChat(t, 65_536, 19_660, 4000)
	c.user(29_500)
	if got := c.refused("INVALID_REQUEST", 0, "413: your messages have 70000 tokens"); !got.Overflow {
		t.Fatalf("%+v", got)
	}
	got := c.measure()
	if !got.Hopeless || got.Tokens != 70_000 || got.Source != abi.Estimated || !got.Compact {
		t.Errorf("after the refusal: %+v", got)
	}
	c.user(10)
	if got := c.measure(); !got.Hopeless {
		t.Errorf("with one more message: %+v", got)
	}
	c.replace(2, 2, 100)
	if got := c.measure(); got.Hopeless || got.Tokens > 10_000 {
		t.Errorf("after a compaction: %+v", got)
	}
	c.answer(10, 8000)
	if got := c.measure(); got.Source != abi.Measured {
		t.Errorf("after an answer: %+v", got)
	}
}

// TestARefusalHoldsForItsRouteAlone: another model may take what one refused, and who comes
// back to that one does not send it again.
func TestARefusalHoldsForItsRouteAlone(t *testing.T) {
	c := newChat(t, 65_536, 19_660, 4000)
	c.user(29_500)
	c.refused("CONTEXT_WINDOW_EXCEEDED", 0, "")
	c.feed(abi.ContextEvent{Kind: abi.ContextHeader, Route: "p/large", System: 15_984}, abi.ContextEvent{Kind: abi.ContextWindow, Window: 200_000})
	if got := c.measure(); got.Hopeless {
		t.Errorf("on another route: %+v", got)
	}
	c.answer(10, 60_000)
	c.feed(abi.ContextEvent{Kind: abi.ContextHeader, Route: "p/m", System: 15_984}, abi.ContextEvent{Kind: abi.ContextWindow, Window: 65_536})
	if got := c.measure(); !got.Hopeless {
		t.Errorf("back on the first one: %+v", got)
	}
}

// TestAPromptThatFitsIsNotBlocked: a refusal for the longer reply that was asked for is
// none of the prompt.
func TestAPromptThatFitsIsNotBlocked(t *testing.T) {
	const window = 65_536
	for name, tt := range map[string]struct {
		message string
		raised  bool
		want    abi.ContextRefused
		tokens  int // that the prompt then has; 0: what was reckoned
		blocked bool
	}{
		"told apart":             {"maximum context length is 65536 tokens. However, you requested 76768 tokens (44000 in the messages, 32768 in the completion).", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"with tools":             {"maximum context length: requested 77,268 tokens (44,000 in the messages, 500 in the functions, 32,768 in the completion)", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_500, false},
		"as a sum":               {"input length and `max_tokens` exceed context limit: 44000 + 32768 > 65536, decrease input length or `max_tokens`", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"as input":               {"'max_tokens' is too large: 32768. This model's maximum context length is 65536 tokens and your request has 44000 input tokens (32768 > 65536 - 44000).", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"not told apart":         {"maximum context length is 65536 tokens, requested 76768", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"in unknown words":       {"context length: 76768 tokens are too much", true, abi.ContextRefused{Overflow: true, Cap: true}, 0, false},
		"too long without reply": {"context length: 99000 tokens are too much", true, abi.ContextRefused{Overflow: true}, 99_000, true},
		"with its input tokens":  {"max_tokens (32768) + input tokens (44000) exceeds 65536", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"by llama.cpp":           {"request (70000 tokens) exceeds the available context size (65536 tokens), try increasing it", true, abi.ContextRefused{Overflow: true}, 70_000, true},
		"by its input":           {"Your input exceeds the context window of this model. Please adjust your input and try again.", true, abi.ContextRefused{Overflow: true}, window + 1, true},
		"requested in all":       {"your messages exceeded model token limit: 65536 (requested: 300000)", true, abi.ContextRefused{Overflow: true}, 267_232, true},
		"nothing told":           {"context length exceeded", true, abi.ContextRefused{Overflow: true, Cap: true}, 0, false},
		"the Harness's reply":    {"maximum context length: requested 66,384 tokens (50000 in the messages, 16384 in the completion)", false, abi.ContextRefused{Overflow: true}, 50_000, false},
		"the prompt is too long": {"maximum context length: requested 102768 tokens (70000 in the messages, 32768 in the completion)", true, abi.ContextRefused{Overflow: true}, 70_000, true},
		"by its messages":        {"maximum context length is 65536 tokens. However, your messages resulted in 44000 tokens.", true, abi.ContextRefused{Overflow: true, Cap: true}, 44_000, false},
		"the prompt is named":    {"prompt is too long: 70000 tokens > 65536 maximum", true, abi.ContextRefused{Overflow: true}, 70_000, true},
		"by its bytes":           {"413: ", true, abi.ContextRefused{Overflow: true}, window + 1, true},
		"nothing told of it":     {"prompt is too long", false, abi.ContextRefused{Overflow: true}, window + 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t, window, 16_384, 4000)
			c.user(18_000)
			before := c.measure().Tokens
			reply := 0
			if tt.raised {
				reply = window / 2
			}
			if got := c.refusedWith(reply, "INVALID_REQUEST", 0, tt.message); got != tt.want {
				t.Fatalf("%+v", got)
			}
			if tt.tokens == 0 {
				tt.tokens = before
			}
			if m := c.measure(); m.Tokens != tt.tokens || m.Hopeless != tt.blocked {
				t.Errorf("%d tokens, blocked %v", m.Tokens, m.Hopeless)
			}
		})
	}
}

// TestWordings: what each known server says is read by its own line of the table, with the
// sizes that it tells, and a prompt is sent again exactly where it may fit.
func TestWordings(t *testing.T) {
	const window = 65_536
	for i, w := range wordings {
		t.Run(w.server+": "+w.example, func(t *testing.T) {
			text := plain(w.example)
			if first := slices.IndexFunc(patterns(), func(p *regexp.Regexp) bool { return p.MatchString(text) }); first != i || w.server == "" {
				t.Fatalf("it is read as %q", wordings[first].pattern)
			}
			r := read(w.example)
			for group, told := range map[string]bool{"p": slices.Contains([]int{70_000, 70_500, 44_000}, r.prompt), "t": r.whole > 100_000, "l": r.limit == window} {
				if has := strings.Contains(w.pattern, "(?P<"+group+">"); has != told {
					t.Errorf("size %q: %+v", group, r)
				}
			}
			c := newChat(t, window, 16_384, 4000)
			c.user(18_000)
			want := abi.ContextRefused{Overflow: true}
			switch {
			case w.about == ofReply:
				want = abi.ContextRefused{Cap: true}
			case w.about == unclear, w.about == ofWhole && (0 < r.prompt && r.prompt <= window || r.prompt == 0 && r.whole <= window*3/2):
				want.Cap = true
			}
			got := c.refusedWith(window/2, "INVALID_REQUEST", 0, w.example)
			if got != want || c.measure().Hopeless == want.Cap {
				t.Errorf("%+v, then %+v", got, c.measure())
			}
		})
	}
}

// TestHowMuchTooLong is none of a server's window.
func TestHowMuchTooLong(t *testing.T) {
	for message, want := range map[string]reading{
		"prompt length 70000 exceeds the maximum allowed by 4464 tokens":                   {about: ofPrompt, prompt: 70_000},
		"Input length (70000 tokens) exceeds the maximum allowed length (65536)":           {about: ofPrompt, prompt: 70_000, limit: 65_536},
		"prompt length 70000 exceeds max model len":                                        {about: ofPrompt, prompt: 70_000},
		"prompt length 70,000 exceeds max_model_len 65,536":                                {about: ofPrompt, prompt: 70_000},
		"prompt too long; exceeded max context length by 4464 tokens":                      {about: ofPrompt},
		"400: {\"message\":\"the request exceeds the available context size\",\"n\":8192}": {about: ofPrompt},
	} {
		if got := read(message); got != want {
			t.Errorf("%q: %+v", message, got)
		}
	}
}

// TestARefusalWithoutSizes: a prompt that is as dense as a log would not fit by itself, so
// that it is not sent again with a shorter reply.
func TestARefusalWithoutSizes(t *testing.T) {
	for tokens, again := range map[int]bool{20_000: true, 29_500: false} {
		c := newChat(t, 65_536, 16_384, 4000)
		c.user(tokens)
		want := abi.ContextRefused{Overflow: true, Cap: again}
		if got := c.refusedWith(32_768, "INVALID_REQUEST", 400, "context length exceeded"); got != want || c.measure().Hopeless == again {
			t.Errorf("%d: %+v, then %+v", tokens, got, c.measure())
		}
	}
}

// TestAServerTellsItsWindow, which is smaller than the Harness was told, and holds until the
// server takes more or is said to be another.
func TestAServerTellsItsWindow(t *testing.T) {
	const stated = 262_144
	for name, tt := range map[string]struct {
		message string
		window  int
	}{
		"by its words":  {"400: This model's maximum context length is 65536 tokens. However, your messages resulted in 70000 tokens.", 65_536},
		"with a reply":  {"400: you passed 70000 input tokens and requested 32768 output tokens. However, the model's context length is only 65536 tokens", 65_536},
		"by the prompt": {"400: prompt length 70000 exceeds max model len", 69_999},
	} {
		t.Run(name, func(t *testing.T) {
			for _, logged := range []bool{false, true} {
				c := newChat(t, stated, 32_768, 4000)
				c.user(20_000)
				c.user(1000)
				if logged {
					c.feed(abi.ContextEvent{Kind: abi.ContextFailed, Code: "INVALID_REQUEST", Message: tt.message})
				} else if got := c.refusedWith(65_536, "INVALID_REQUEST", 0, tt.message); got.Cap || !got.Overflow {
					t.Errorf("%+v", got)
				}
				if m := c.measure(); m.Tokens != 70_000 || m.Window != tt.window || !m.Hopeless || !m.Compact {
					t.Errorf("refused, from the log %v: %+v", logged, m)
				}
				c.replace(2, 2, 300)
				if m := c.measure(); m.Window != tt.window || m.Hopeless || m.Compact {
					t.Errorf("after a compaction: %+v", m)
				}
				c.answer(10, 90_000)
				if m := c.measure(); m.Window != stated {
					t.Errorf("of one that takes more: %+v", m)
				}
			}
		})
	}
}

// TestARefusalEndsWithItsWindow: a route that is said to have another window is another
// server, for all that is known.
func TestARefusalEndsWithItsWindow(t *testing.T) {
	c := newChat(t, 65_536, 16_384, 4000)
	c.user(29_500)
	c.refused("INVALID_REQUEST", 400, "This model's maximum context length is 32768 tokens. However, your messages resulted in 70000 tokens.")
	if m := c.measure(); !m.Hopeless || m.Window != 32_768 {
		t.Fatalf("refused: %+v", m)
	}
	c.feed(abi.ContextEvent{Kind: abi.ContextWindow, Window: 65_536}) // as it was
	if m := c.measure(); !m.Hopeless || m.Window != 32_768 {
		t.Errorf("with the same window: %+v", m)
	}
	c.feed(abi.ContextEvent{Kind: abi.ContextWindow, Window: 131_072})
	if m := c.measure(); m.Hopeless || m.Compact || m.Window != 131_072 || m.Tokens != 33_500 {
		t.Errorf("with a larger window: %+v", m)
	}
}

// TestTooManyBytes: a short chat that is refused for its pictures' bytes is no longer for it,
// and none of what is said later is priced by it.
func TestTooManyBytes(t *testing.T) {
	c := newChat(t, 65_536, 16_384, 4000)
	c.user(75) // with a screenshot of 1.5 MB
	before := c.measure()
	if got := c.refusedWith(32_768, "INVALID_REQUEST", 413, "413 Request Entity Too Large"); got != (abi.ContextRefused{Overflow: true}) {
		t.Errorf("%+v", got)
	}
	want := before
	want.Hopeless = true
	if diff := cmp.Diff(want, c.measure()); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	c.user(200)
	if m := c.measure(); !m.Hopeless {
		t.Errorf("with one more message: %+v", m)
	}
	c.user(10)
	if got := c.choose(abi.TriggerOverflow); got.None || got.Start != 2 || got.End != 3 {
		t.Errorf("to be summarized: %+v", got)
	}
	c.replace(2, 3, 170)
	if m := c.measure(); m.Hopeless { // though it is longer than what was refused
		t.Errorf("without the screenshot: %+v", m)
	}
}
