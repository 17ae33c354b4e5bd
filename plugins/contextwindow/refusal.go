package contextwindow

import (
	"regexp"
	"strconv"
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
)

// codeFull is the Harness's own code of a request that is too long.
const codeFull = "CONTEXT_WINDOW_EXCEEDED"

func (m *meter) refused(_ *sdk.Task, in abi.ContextRefusal) (abi.ContextRefused, error) {
	if read(in.Message).about == ofReply && (in.Code == "INVALID_REQUEST" || in.Code == codeFull) {
		m.short[in.Route] = true
		return abi.ContextRefused{Cap: true}, nil
	}
	if !overflow(in.Code, in.Status, in.Message) {
		return abi.ContextRefused{}, nil
	}
	s := m.find(in.Session, in.Cursor)
	if s == nil || s.harness() <= 0 || s.window <= 0 {
		return abi.ContextRefused{Overflow: true, Cap: in.Reply > 0}, nil
	}
	return abi.ContextRefused{Overflow: true, Cap: s.refuse(in)}, nil
}

// refuse takes in that the session's prompt was refused for its length, and tells whether
// what was too long may be the reply.
func (s *session) refuse(in abi.ContextRefusal) bool {
	r, reply := read(in.Message), in.Reply
	if reply <= 0 {
		reply = s.output
	}
	alone := r.about == ofPrompt || r.about == ofBytes || byStatus(in.Status, in.Message)
	prompt := r.prompt
	if prompt == 0 && r.whole > 0 {
		prompt = max(1, r.whole-reply)
	}
	s.learn(r, prompt)
	if n := told(in.Message, s.window); prompt == 0 && n > 0 && (alone || n-reply > s.window || in.Reply == 0) {
		prompt = n // or more than the window without the reply, or nobody asked for a longer one
	}
	switch {
	case prompt > 0 && prompt <= s.window: // it fits: what was too much is the reply beside it
		s.anchor = anchor{measured: prompt, then: s.harness(), route: s.route}
		return in.Reply > 0
	case prompt == 0 && in.Reply > 0 && !alone && s.guess() <= budget.Limit(s.window): // it may be the reply, which is ours, so nothing is known of the prompt yet
		return true
	case prompt == 0 && s.harness()*greatestDensity > s.window: // what was reckoned before, if that says so too
		prompt = max(s.pressure(), s.window+1)
	}
	if prompt > 0 { // else these are not the tokens of its text, but the bytes of pictures: it tells nothing of sizes
		s.anchor = anchor{measured: prompt, then: s.harness(), route: s.route, refused: true}
	}
	if s.refusals == nil {
		s.refusals = map[string]refusal{}
	}
	s.refusals[s.route] = refusal{price: s.harness(), bytes: prompt == 0, at: s.cursor}
	return false
}

// greatestDensity is that of a text of which each character is a token: the Harness takes 4
// for one.
const greatestDensity = 4

// usualDensity is what logs and code have, of the Harness's tokens (context.md: 118 KB are
// 66,500 tokens, priced at 29,500).
const usualDensity = 2

// guess is how long the next prompt is, where messages that nobody counted are as dense as
// logs and code.
func (s *session) guess() int {
	return max(s.pressure(), s.anchor.measured+usualDensity*(s.harness()-s.anchor.then))
}

// smallestWindow is the least that is taken for a server's window, in tokens; less is a
// number of something else.
const smallestWindow = 1024

// learn takes in how much the route's server really takes, where a refusal tells it: the
// Harness may have been told more.
func (s *session) learn(r reading, prompt int) {
	limit := r.limit
	if limit == 0 && r.about == ofPrompt { // of a prompt that is too long by itself that much is known
		limit = prompt - 1
	}
	if limit < smallestWindow || limit >= s.window || r.whole > 0 && r.whole <= limit {
		return
	}
	if s.limits == nil {
		s.limits = map[string]int{}
	}
	s.limits[s.route] = limit
	s.settle()
}

// refusing are the Harness's codes of a request that its server did not take; any other
// failure has nothing to do with its length.
var refusing = []string{codeFull, "INVALID_REQUEST", "PI_AI_ERROR", "UNKNOWN", ""}

// byStatus tells whether a refusal says by its status that the request itself is too long.
func byStatus(status int, message string) bool {
	return status == 413 || strings.HasPrefix(message, "413")
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
	case byStatus(status, text):
		return true
	case status != 0 && status != 400 && status != 422:
		return false
	}
	about := read(message).about
	return about != ofNothing && about != ofReply
}

var number = regexp.MustCompile(`\d+`)

// told is the size of a request in a refusal of words that nobody knows: the smallest number
// above the window, since larger ones count the reply too. 0 where there is none.
func told(message string, window int) int {
	text, best := plain(message), 0
	if !strings.Contains(text, "token") {
		return 0
	}
	for _, digits := range number.FindAllString(text, -1) {
		if n, err := strconv.Atoi(digits); err == nil && n > window && n < 1000*window && (best == 0 || n < best) {
			best = n
		}
	}
	return best
}

func contains(list []string, f func(string) bool) bool {
	for _, s := range list {
		if f(s) {
			return true
		}
	}
	return false
}
