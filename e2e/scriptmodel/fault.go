package scriptmodel

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// faults counts how often a fault with xN has happened.
type faults struct {
	mu   sync.Mutex
	seen map[string]int
}

// due tells whether the fault happens now, and counts it.
func (f *faults) due(key string, times int) bool {
	if times == 0 {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[string]int{}
	}
	if f.seen[key] >= times {
		return false
	}
	f.seen[key]++
	return true
}

// refusals are OpenAI's own words by status.
var refusals = map[int]struct{ kind, code, text string }{
	http.StatusBadRequest:          {"invalid_request_error", "", "Invalid request."},
	http.StatusUnauthorized:        {"invalid_request_error", "invalid_api_key", "Incorrect API key provided."},
	http.StatusNotFound:            {"invalid_request_error", "model_not_found", "The model does not exist or you do not have access to it."},
	http.StatusTooManyRequests:     {"requests", "rate_limit_exceeded", "Rate limit reached for requests. Please try again later."},
	http.StatusInternalServerError: {"server_error", "", "The server had an error while processing your request."},
	http.StatusServiceUnavailable:  {"server_error", "", "The engine is currently overloaded, please try again later."},
}

// refusal words a refusal; text replaces the usual words.
func refusal(status int, text string) apiError {
	words, ok := refusals[status]
	if !ok {
		words.kind, words.text = "server_error", http.StatusText(status)
	}
	var e apiError
	e.Error.Type, e.Error.Code, e.Error.Message = words.kind, words.code, words.text
	if text != "" {
		e.Error.Message = text
	}
	return e
}

// wordings are ways to refuse a prompt that does not fit, or not with the reply that it
// asks for where that counts too. Servers of the first kind name both.
var wordings = []struct {
	server string
	prompt func(window, tokens int) string
	whole  func(window, tokens, reply int) string // nil: the first one's
}{
	{"OpenAI", func(window, tokens int) string {
		return fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", window, tokens)
	}, func(window, tokens, reply int) string {
		return fmt.Sprintf("This model's maximum context length is %d tokens. However, you requested %d tokens (%d in the messages, %d in the completion). Please reduce the length of the messages or completion.", window, tokens+reply, tokens, reply)
	}},
	{"llama.cpp", func(window, tokens int) string {
		return fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens), try increasing it", tokens, window)
	}, nil},
	{"OpenAI's responses", func(int, int) string {
		return "Your input exceeds the context window of this model. Please adjust your input and try again."
	}, nil},
	{"TGI", func(window, tokens int) string {
		return fmt.Sprintf("Input validation error: `inputs` must have less than %d tokens. Given: %d", window, tokens)
	}, func(window, tokens, reply int) string {
		return fmt.Sprintf("Input validation error: `inputs` tokens + `max_new_tokens` must be <= %d. Given: %d `inputs` tokens and %d `max_new_tokens`", window, tokens, reply)
	}},
	{"Kimi", func(window, tokens int) string {
		return fmt.Sprintf("Invalid request: Your request exceeded model token limit: %d (requested: %d)", window, tokens)
	}, func(window, tokens, reply int) string {
		return fmt.Sprintf("Invalid request: Your request exceeded model token limit: %d (requested: %d)", window, tokens+reply)
	}},
}

// overflow words the refusal of a prompt that does not fit, or with reply, one that does not
// fit with it.
func overflow(s Size, tokens, reply int) apiError {
	words := wordings[s.Wording%len(wordings)]
	text := words.prompt(s.Window, tokens)
	switch {
	case reply > 0 && words.whole != nil:
		text = words.whole(s.Window, tokens, reply)
	case reply > 0:
		text = wordings[0].whole(s.Window, tokens, reply)
	}
	e := refusal(http.StatusBadRequest, text)
	param := "messages"
	e.Error.Param, e.Error.Code = &param, "context_length_exceeded"
	return e
}

// refusalOf words the refusal of an ERR directive.
func refusalOf(a Action, s Size, tokens int) apiError {
	if a.N == http.StatusBadRequest && strings.HasPrefix(a.Text, "overflow") {
		return overflow(s, max(tokens, s.Window+1), 0)
	}
	return refusal(a.N, a.Text)
}
