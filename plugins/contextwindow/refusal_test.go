package contextwindow

import (
	"testing"

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
		"not told apart":         {"maximum context length is 65536 tokens, requested 76768", true, abi.ContextRefused{Overflow: true, Cap: true}, 0, false},
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
			var got abi.ContextRefused
			if err := c.d.Do("refused", abi.ContextRefusal{Session: c.id, Cursor: c.seq, Route: "p/m", Code: "INVALID_REQUEST", Message: tt.message, Raised: tt.raised}, &got); err != nil || got != tt.want {
				t.Fatalf("%+v, %v", got, err)
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
