package scriptmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// created stands in every answer; a fixed time keeps equal requests' answers equal.
const created = 1700000000

// sink writes an answer in one of the two forms.
type sink interface {
	text(field, piece string) // content or reasoning_content
	call(index int, id, tool, args string)
	end(finish string, usage json.RawMessage)
	fail(status int, e apiError) // the answer's only or last part
	flush()
}

// callID names a call: unique in its conversation, since each request is.
func callID(request string, index int) string { return fmt.Sprintf("call_%s_%d", request, index) }

// argPiece is how much of a call's arguments goes into one chunk, in bytes:
// small, so that drafts of a file being written are seen in tests.
const argPiece = 48

// sseSink streams chunks.
type sseSink struct {
	w     http.ResponseWriter
	chat  ChatRequest
	id    string
	began bool
}

var _ sink = (*sseSink)(nil)

type object = map[string]any

func (s *sseSink) begin() {
	if s.began {
		return
	}
	s.began = true
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("Cache-Control", "no-cache")
	s.w.WriteHeader(http.StatusOK)
	s.delta(object{"role": "assistant", "content": ""}, nil)
}

func (s *sseSink) event(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scriptmodel: a chunk that is no JSON: %v", err))
	}
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	s.flush()
}

func (s *sseSink) chunk(choices []object) object {
	return object{"id": "chatcmpl-" + s.id, "object": "chat.completion.chunk", "created": created, "model": s.chat.Model, "choices": choices}
}

func (s *sseSink) delta(delta object, finish any) {
	s.event(s.chunk([]object{{"index": 0, "delta": delta, "finish_reason": finish}}))
}

func (s *sseSink) text(field, piece string) {
	s.begin()
	s.delta(object{field: piece}, nil)
}

func (s *sseSink) call(index int, id, tool, args string) {
	s.begin()
	s.delta(object{"tool_calls": []object{{"index": index, "id": id, "type": "function", "function": object{"name": tool, "arguments": ""}}}}, nil)
	for _, piece := range pieces(args, argPiece) {
		s.delta(object{"tool_calls": []object{{"index": index, "function": object{"arguments": piece}}}}, nil)
	}
}

func (s *sseSink) end(finish string, usage json.RawMessage) {
	s.begin()
	s.delta(object{}, finish)
	if s.chat.StreamOptions != nil && s.chat.StreamOptions.IncludeUsage {
		last := s.chunk([]object{})
		last["usage"] = usage
		s.event(last)
	}
	fmt.Fprint(s.w, "data: [DONE]\n\n")
	s.flush()
}

func (s *sseSink) fail(status int, e apiError) {
	if !s.began {
		refuse(s.w, status, e)
		return
	}
	s.event(e)
}

func (s *sseSink) flush() { _ = http.NewResponseController(s.w).Flush() }

// jsonSink gathers one answer.
type jsonSink struct {
	w         http.ResponseWriter
	chat      ChatRequest
	id        string
	content   string
	reasoning string
	calls     []ToolCall
}

var _ sink = (*jsonSink)(nil)

func (s *jsonSink) text(field, piece string) {
	if field == "content" {
		s.content += piece
		return
	}
	s.reasoning += piece
}

func (s *jsonSink) call(_ int, id, tool, args string) {
	s.calls = append(s.calls, ToolCall{ID: id, Type: "function", Function: FunctionCall{Name: tool, Arguments: args}})
}

func (s *jsonSink) end(finish string, usage json.RawMessage) {
	message := object{"role": "assistant", "content": s.content}
	if s.reasoning != "" {
		message["reasoning_content"] = s.reasoning
	}
	if s.calls != nil {
		message["tool_calls"] = s.calls
	}
	writeJSON(s.w, http.StatusOK, object{"id": "chatcmpl-" + s.id, "object": "chat.completion", "created": created, "model": s.chat.Model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish}}, "usage": usage})
}

func (s *jsonSink) fail(status int, e apiError) { refuse(s.w, status, e) }

func (s *jsonSink) flush() {}
