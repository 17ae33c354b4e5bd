package eventsmux_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// model is an OpenAI-compatible endpoint that does what the last prompt says
// behind "#! ":
//
//	say TEXT         answers TEXT, a word a delta
//	stream N         answers the numbers 1 to N, one a delta
//	bash COMMAND     calls bash, then says what came back
//	helper TEXT      starts a helper with the prompt TEXT, then says what came back
//	hang             answers one word and never ends
type model struct {
	*httptest.Server
	// pace is called before each number of a stream.
	pace atomic.Pointer[func(n int)]
}

func newModel(t *testing.T) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

type chatMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// text gives the message's text, whether it is a string or a list of parts.
func (c chatMessage) text() string {
	var s string
	if json.Unmarshal(c.Content, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	_ = json.Unmarshal(c.Content, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) {
	var q struct{ Messages []chatMessage }
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	verb, rest, result := directive(q.Messages)
	w.Header().Set("Content-Type", "text/event-stream")
	out := stream{w}
	out.delta(map[string]any{"role": "assistant", "content": ""}, "")
	switch {
	case verb == "bash" && result == "":
		out.call(len(q.Messages), "bash", map[string]string{"command": rest, "description": "test"})
		return
	case verb == "helper" && result == "":
		out.call(len(q.Messages), "subagent", map[string]string{"prompt": rest, "description": "test"})
		return
	case verb == "ask" && result == "":
		out.call(len(q.Messages), "ask_user_question", map[string]any{"questions": []any{map[string]string{"id": "q", "question": rest}}})
		return
	case verb == "bash" || verb == "helper" || verb == "ask":
		out.words("it said: " + result)
	case verb == "stream":
		n, _ := strconv.Atoi(rest)
		for i := range n {
			if pace := m.pace.Load(); pace != nil {
				(*pace)(i)
			}
			out.delta(map[string]any{"content": fmt.Sprint(i+1, " ")}, "")
		}
	case verb == "hang":
		out.words("working")
		<-r.Context().Done()
		return
	default:
		out.words(rest)
	}
	out.end("stop")
}

// directive finds the last prompt's order and, where the turn has come that far,
// the first line of the tool's result.
func directive(messages []chatMessage) (verb, rest, result string) {
	for i := len(messages) - 1; i >= 0; i-- {
		text := messages[i].text()
		if messages[i].Role == "tool" && result == "" {
			result, _, _ = strings.Cut(text, "\n")
		}
		if _, order, ok := strings.Cut(text, "#! "); ok && messages[i].Role == "user" {
			verb, rest, _ = strings.Cut(order, " ")
			return verb, rest, result
		}
	}
	return "say", "nothing to do", ""
}

// stream writes chat completion chunks.
type stream struct{ w http.ResponseWriter }

func (s stream) put(choices []any, usage any) {
	chunk := map[string]any{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": choices}
	if usage != nil {
		chunk["usage"] = usage
	}
	raw, _ := json.Marshal(chunk)
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", raw)
	_ = http.NewResponseController(s.w).Flush()
}

func (s stream) delta(delta any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	s.put([]any{choice}, nil)
}

func (s stream) call(n int, name string, arguments any) {
	raw, _ := json.Marshal(arguments)
	s.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
		"function": map[string]string{"name": name, "arguments": string(raw)},
	}}}, "")
	s.end("tool_calls")
}

func (s stream) words(text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		s.delta(map[string]any{"content": word}, "")
	}
}

func (s stream) end(finish string) {
	s.delta(map[string]any{}, finish)
	s.put([]any{}, map[string]any{"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 105})
	_, _ = fmt.Fprint(s.w, "data: [DONE]\n\n")
}
