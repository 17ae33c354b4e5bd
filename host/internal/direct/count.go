package direct

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// countWait is how long a server may take to count a message; longer, and it goes out
// uncounted.
const countWait = 15 * time.Second

// maxCount is how much of such an answer is read, in bytes.
const maxCount = 64 << 10

// uncounting are the models whose server has no such route, each with where it was asked:
// one server may pass others on. It is forgotten where the connections change, as another
// server may be behind the same address.
type uncounting struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (u *uncounting) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.ids = nil
}

func (u *uncounting) has(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.ids[id]
}

func (u *uncounting) add(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.ids == nil {
		u.ids = map[string]bool{}
	}
	u.ids[id] = true
}

// Count asks the model's server how many tokens a message has, by its own tokenizer
// (POST /v1/messages/count_tokens). ok is false where it cannot tell; where there is no
// such route it is not asked again.
func (c *Client) Count(ctx context.Context, model, text string) (tokens int, ok bool) {
	conn, m, refused := c.route(model)
	if refused != nil {
		return 0, false
	}
	at := conn.Base() + "/messages/count_tokens"
	if c.uncounting.has(model + " " + at) {
		return 0, false
	}
	ctx, cancel := context.WithTimeout(ctx, countWait)
	defer cancel()
	status, tokens, err := c.count(ctx, at, conn.Authorize, m.ID, text)
	switch {
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status == http.StatusNotImplemented:
		c.uncounting.add(model + " " + at)
	}
	return tokens, err == nil && tokens > 0
}

func (c *Client) count(ctx context.Context, url string, authorize func(http.Header), model, text string) (status, tokens int, err error) {
	body, err := json.Marshal(map[string]any{
		"model": model, "messages": []map[string]string{{"role": "user", "content": text}},
	})
	if err != nil {
		return 0, 0, fmt.Errorf("counting a message: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return 0, 0, fmt.Errorf("counting a message: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01") // whose route it is
	authorize(req.Header)
	res, err := c.http.Do(req)
	if err != nil {
		return 0, 0, fmt.Errorf("counting a message: %w", err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return res.StatusCode, 0, fmt.Errorf("counting a message: %s", res.Status)
	}
	var answer struct {
		Tokens int `json:"input_tokens"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxCount)).Decode(&answer); err != nil {
		return res.StatusCode, 0, fmt.Errorf("counting a message: %w", err)
	}
	return res.StatusCode, answer.Tokens, nil
}
