package direct

import (
	"encoding/json"
	"strings"
)

// anthropic decodes the events of POST /v1/messages.
type anthropic struct {
	stop  string
	done  bool // message_stop
	usage Usage
}

var _ decoder = (*anthropic)(nil)

// messageEvent is one event; its type says which fields it has. Types and deltas that
// are not known are left out, as the API's own versioning asks for.
type messageEvent struct {
	Type    string `json:"type"`
	Message struct {
		Usage *messageUsage `json:"usage"`
	} `json:"message"`
	Block struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
	} `json:"content_block"`
	Delta struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		Stop     string `json:"stop_reason"`
	} `json:"delta"`
	Usage *messageUsage `json:"usage"`
	Error *apiError     `json:"error"`
}

// messageUsage is cumulative; a figure that an event does not name stays.
type messageUsage struct {
	Input      *int64 `json:"input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

func (d *anthropic) event(e Event) ([]Piece, error) {
	data := strings.TrimSpace(e.Data)
	if d.done || data == "" || data == doneMark { // OpenRouter ends this shape with it, too
		return nil, nil
	}
	var m messageEvent
	if err := json.Unmarshal([]byte(data), &m); err != nil {
		return nil, unreadable(data, err)
	}
	switch m.Type {
	case "message_start":
		d.add(m.Message.Usage)
	case "content_block_start":
		return pieces(m.Block.Thinking, m.Block.Text), nil
	case "content_block_delta":
		return pieces(m.Delta.Thinking, m.Delta.Text), nil
	case "message_delta":
		if m.Delta.Stop != "" {
			d.stop = m.Delta.Stop
		}
		d.add(m.Usage)
	case "message_stop":
		d.done = true
	case "error":
		if m.Error == nil {
			m.Error = &apiError{Message: data}
		}
		return nil, m.Error.failure(0)
	}
	return nil, nil
}

// add takes in figures. The prompt is what was read anew, from the cache, and into it.
func (d *anthropic) add(u *messageUsage) {
	if u == nil {
		return
	}
	if u.Input != nil {
		d.usage.Prompt = *u.Input
		for _, n := range []*int64{u.CacheWrite, u.CacheRead} {
			if n != nil {
				d.usage.Prompt += *n
			}
		}
	}
	if u.CacheRead != nil {
		d.usage.Cached = *u.CacheRead
	}
	if u.Output != nil {
		d.usage.Completion = *u.Output
	}
}

func (d *anthropic) end() (Finish, error) {
	switch d.stop {
	case "":
		return "", &Failure{Kind: BrokeOff, Details: "the stream ended without a stop reason"}
	case "max_tokens":
		return MaxTokens, nil
	case "model_context_window_exceeded":
		return MaxTokens, nil
	case "refusal":
		return Withheld, nil
	}
	return Completed, nil
}

func (d *anthropic) used() Usage { return d.usage }

func (d *anthropic) over() bool { return d.done }
