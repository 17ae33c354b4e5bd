package contextwindow

import (
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// codeFull is the Harness's own code of a request that is too long.
const codeFull = "CONTEXT_WINDOW_EXCEEDED"

func (m *meter) refused(_ *sdk.Task, in abi.ContextRefusal) (abi.ContextRefused, error) {
	if tooLongReply(in) {
		m.short[in.Route] = true
		return abi.ContextRefused{Cap: true}, nil
	}
	if !overflow(in.Code, in.Status, in.Message) {
		return abi.ContextRefused{}, nil
	}
	s := m.find(in.Session, in.Cursor)
	if s == nil || s.harness() <= 0 || s.window <= 0 {
		return abi.ContextRefused{Overflow: true, Cap: in.Raised}, nil
	}
	return abi.ContextRefused{Overflow: true, Cap: s.refuse(in)}, nil
}

// refuse takes in that the session's prompt was refused for its length, and tells whether
// what was too long may be the reply.
func (s *session) refuse(in abi.ContextRefusal) bool {
	prompt := inMessages(in.Message)
	if prompt > 0 && prompt <= s.window { // it fits: what was too much is the reply beside it
		s.anchor = anchor{measured: prompt, then: s.harness(), route: s.route}
		return in.Raised
	}
	if in.Raised && prompt == 0 && !ofThePrompt(in) { // it may be the reply, which is ours, so nothing is known of the prompt yet
		return true
	}
	size := prompt
	if size == 0 {
		size = told(in.Message, s.window)
	}
	if size == 0 { // what was reckoned before, if that says so too
		size = max(s.pressure(), s.window+1)
	}
	s.anchor = anchor{measured: size, then: s.harness(), route: s.route, refused: true}
	if s.refusals == nil {
		s.refusals = map[string]int{}
	}
	s.refusals[s.route] = s.anchor.then
	return false
}

// refusing are the Harness's codes of a request that its server did not take; any other
// failure has nothing to do with its length.
var refusing = []string{codeFull, "INVALID_REQUEST", "PI_AI_ERROR", "UNKNOWN", ""}

// wordings by which servers say that a prompt is too long, in lower case. Those of
// many do not have the word "context".
var wordings = []string{
	"prompt is too long", "prompt too long", "input is too long", "input too long", "request_too_large",
	"request too large", "payload too large", "request entity too large", "request body too large",
	"maximum context", "context length", "context window", "context size", "context_length", "context limit",
	"model token limit", "token limit exceeded", "exceeded token limit", "too many tokens", "too many input tokens",
	"maximum prompt length", "maximum allowed input length", "maximum input length", "range of input length",
	"reduce the length", "reduce your prompt", "input token count", "prompt token count", "exceeds the limit of",
	"exceeds maximum number of tokens", "longer than the maximum", "max_prompt", "length limit exceeded",
	"输入过长", "超出最大长度", "上下文长度", "超过最大",
}

// prompts are those of the wordings that speak of the prompt alone, whatever reply is
// asked for.
var prompts = []string{
	"prompt is too long", "prompt too long", "input is too long", "input too long", "too many input tokens",
	"maximum prompt length", "maximum allowed input length", "maximum input length", "range of input length",
	"input token count", "prompt token count", "request_too_large", "entity too large", "payload too large", "body too large", "输入过长",
}

// ofThePrompt tells whether a refusal for its length is none of the reply's.
func ofThePrompt(in abi.ContextRefusal) bool {
	text := strings.ToLower(in.Message)
	return in.Status == 413 || strings.HasPrefix(text, "413") ||
		contains(prompts, func(words string) bool { return strings.Contains(text, words) })
}

// others are words of failures that may speak of tokens and are about something else.
var others = []string{"rate limit", "rate_limit", "too many requests", "per minute", "quota", "throttl", "credit"}

// overflow tells whether a request was refused because it is too long.
func overflow(code string, status int, message string) bool {
	if code == codeFull {
		return true
	}
	if !contains(refusing, func(c string) bool { return c == code }) {
		return false
	}
	text := strings.ToLower(message)
	has := func(word string) bool { return strings.Contains(text, word) }
	if contains(others, has) {
		return false
	}
	switch {
	case status == 413, strings.HasPrefix(text, "413"):
		return true
	case status != 0 && status != 400 && status != 422:
		return false
	}
	return contains(wordings, has)
}

// tooLongReply tells whether a request was refused for its max_tokens.
func tooLongReply(in abi.ContextRefusal) bool {
	text := strings.ToLower(in.Message)
	named := strings.Contains(text, "max_tokens") || strings.Contains(text, "max_completion_tokens") || strings.Contains(text, "maximum output")
	about := strings.Contains(text, "messages") || strings.Contains(text, "prompt") || strings.Contains(text, "context")
	return named && !about && (in.Code == "INVALID_REQUEST" || in.Code == codeFull)
}

// told is the size of a prompt as its refusal tells it: the smallest number above the
// window, since larger ones count the reply too. 0 where there is none.
func told(message string, window int) int {
	best := 0
	if strings.Contains(strings.ToLower(message), "token") {
		for _, n := range numbers(message) {
			if n.value > window && n.value < 1000*window && (best == 0 || n.value < best) {
				best = n.value
			}
		}
	}
	return best
}

// parts are the words behind the number of tokens of one part of a prompt.
var parts = []string{" in the messages", " in the functions", " in your prompt", " in the prompt", " of text input", " of tool input"}

// inMessages is the size of the prompt alone where a refusal tells it apart from the
// reply, as "44000 in the messages, 32768 in the completion" or "44000 + 32768 > 65536"
// do; 0 where it does not.
func inMessages(message string) int {
	text, sum := strings.ToLower(message), 0
	list := numbers(text)
	for i, n := range list {
		rest := text[n.end:]
		if i+2 < len(list) && text[n.end:list[i+1].start] == " + " && text[list[i+1].end:list[i+2].start] == " > " {
			return n.value
		}
		if contains(parts, func(words string) bool { return strings.HasPrefix(rest, words) }) ||
			strings.HasPrefix(rest, " tokens") && strings.HasSuffix(text[:n.start], "messages resulted in ") ||
			strings.HasPrefix(rest, " input tokens") && strings.HasSuffix(text[:n.start], "request has ") {
			sum += n.value
		}
	}
	return sum
}

// number is one of a text, and where it stands there.
type number struct{ value, start, end int }

// numbers are those of a text, with or without commas inside.
func numbers(text string) []number {
	var out []number
	n, in := number{}, false
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && text[i] >= '0' && text[i] <= '9' && n.value < 1<<40:
			if !in {
				n.start = i
			}
			n.value, n.end, in = n.value*10+int(text[i]-'0'), i+1, true
		case i < len(text) && text[i] == ',' && in:
		case in:
			out, n, in = append(out, n), number{}, false
		}
	}
	return out
}

func contains(list []string, f func(string) bool) bool {
	for _, s := range list {
		if f(s) {
			return true
		}
	}
	return false
}
