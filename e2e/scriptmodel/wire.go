package scriptmodel

import (
	"encoding/json"
	"fmt"
	"strings"
)

// ChatRequest is the body of POST /v1/chat/completions, as far as it is read.
type ChatRequest struct {
	Model         string    `json:"model"`
	Stream        bool      `json:"stream"`
	StreamOptions *struct { // nil: no usage at the end of a stream
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options,omitempty"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// The reply that is asked for; servers know it by one of two names.
	MaxTokens           int `json:"max_tokens,omitempty"`
	MaxCompletionTokens int `json:"max_completion_tokens,omitempty"`
}

// Message is one entry of the conversation.
type Message struct {
	Role       string     `json:"role"`
	Content    Content    `json:"content"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// Content is a message's text; of a list of parts, the text parts, a line each.
type Content string

// UnmarshalJSON takes a string, a list of parts or null.
func (c *Content) UnmarshalJSON(data []byte) error {
	var text *string
	if json.Unmarshal(data, &text) == nil {
		if text != nil {
			*c = Content(*text)
		}
		return nil
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("content is neither text nor a list of parts: %w", err)
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	*c = Content(strings.Join(texts, "\n"))
	return nil
}

// ToolCall is a call that the assistant made.
type ToolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function FunctionCall `json:"function"`
}

// FunctionCall names the tool; Arguments is JSON text.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Tool is a tool that the request offers.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name       string `json:"name"`
		Parameters Schema `json:"parameters"`
	} `json:"function"`
}

// Schema is the part of a tool's JSON Schema that the demo looks at.
type Schema struct {
	Properties map[string]json.RawMessage `json:"properties,omitempty"`
	Required   []string                   `json:"required,omitempty"`
}

// Usage is what a request is said to have used, in tokens.
type Usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// apiError is the body of a refusal.
type apiError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code,omitempty"`
	} `json:"error"`
}
