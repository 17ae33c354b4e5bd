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

// overflow words the refusal of a prompt that does not fit, or not with the reply that
// it asks for where that counts too.
func overflow(window, tokens, reply int) apiError {
	told := fmt.Sprintf("your messages resulted in %d tokens. Please reduce the length of the messages.", tokens)
	if reply > 0 {
		told = fmt.Sprintf("you requested %d tokens (%d in the messages, %d in the completion). "+
			"Please reduce the length of the messages or completion.", tokens+reply, tokens, reply)
	}
	e := refusal(http.StatusBadRequest, fmt.Sprintf("This model's maximum context length is %d tokens. However, %s", window, told))
	param := "messages"
	e.Error.Param, e.Error.Code = &param, "context_length_exceeded"
	return e
}

// refusalOf words the refusal of an ERR directive.
func refusalOf(a Action, window, tokens int) apiError {
	if a.N == http.StatusBadRequest && strings.HasPrefix(a.Text, "overflow") {
		return overflow(window, max(tokens, window+1), 0)
	}
	return refusal(a.N, a.Text)
}
