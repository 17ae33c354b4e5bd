package direct

import (
	"encoding/json"
	"strings"
)

// openAI decodes the chunks of POST /chat/completions: OpenAI's own, and those of
// servers that add to them. DeepSeek sends its thinking as reasoning_content, OpenRouter
// as reasoning; both keep the connection awake with comments, which the parser drops.
type openAI struct {
	finish string
	seen   bool // anything of an answer
	done   bool // [DONE], or a whole answer at once
	usage  Usage
}

var _ decoder = (*openAI)(nil)

const doneMark = "[DONE]"

// chunk is one event, or the whole answer of a server that does not stream.
type chunk struct {
	Choices []struct {
		Delta   *chunkText `json:"delta"`
		Message *chunkText `json:"message"`
		Finish  string     `json:"finish_reason"`
		Error   *apiError  `json:"error"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		CacheHit int64 `json:"prompt_cache_hit_tokens"` // DeepSeek's
	} `json:"usage"`
	Error *apiError `json:"error"`
}

type chunkText struct {
	Content   looseText `json:"content"`
	Refusal   string    `json:"refusal"`
	Thinking  string    `json:"reasoning_content"`
	Reasoning string    `json:"reasoning"`
}

// looseText is a string, null, or a list of parts of which the text counts.
type looseText string

// UnmarshalJSON takes any of them.
func (t *looseText) UnmarshalJSON(data []byte) error {
	*t = ""
	var text string
	if json.Unmarshal(data, &text) == nil {
		*t = looseText(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += looseText(p.Text)
	}
	return nil
}

func (d *openAI) event(e Event) ([]Piece, error) {
	data := strings.TrimSpace(e.Data)
	switch {
	case d.done || data == "":
		return nil, nil
	case data == doneMark:
		d.done = true
		return nil, nil
	}
	var c chunk
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		return nil, unreadable(data, err)
	}
	if c.Usage != nil {
		d.usage = Usage{Prompt: c.Usage.Prompt, Completion: c.Usage.Completion, Cached: max(c.Usage.Details.Cached, c.Usage.CacheHit)}
	}
	var out []Piece
	for _, choice := range c.Choices[:min(1, len(c.Choices))] { // one was asked for
		d.seen = true
		for _, t := range []*chunkText{choice.Delta, choice.Message} {
			if t == nil {
				continue
			}
			thinking := t.Thinking
			if thinking == "" { // some servers send it under both names
				thinking = t.Reasoning
			}
			out = append(out, pieces(thinking, string(t.Content)+t.Refusal)...)
			d.done = d.done || t == choice.Message
		}
		if choice.Finish != "" {
			d.finish = choice.Finish
		}
		if c.Error == nil {
			c.Error = choice.Error
		}
	}
	if c.Error != nil {
		return out, c.Error.failure(0)
	}
	return out, nil
}

func (d *openAI) end() (Finish, error) {
	switch d.finish {
	case "":
		if !d.done || !d.seen {
			return "", &Failure{Kind: BrokeOff, Details: "the stream ended without a finish reason"}
		}
	case "length":
		return MaxTokens, nil
	case "content_filter":
		return Withheld, nil
	case "insufficient_system_resource": // DeepSeek's
		return "", &Failure{Kind: Overloaded, Details: d.finish}
	case "error": // OpenRouter's, where the error itself did not come
		return "", &Failure{Kind: BrokeOff, Details: "finish reason error"}
	}
	return Completed, nil
}

func (d *openAI) used() Usage { return d.usage }

func (d *openAI) over() bool { return d.done }
