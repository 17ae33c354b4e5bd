// Package catalog reads which models a provider has, and what it tells of them.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/proto/chat"
)

// maxList is the largest list that is read, in bytes: OpenRouter's is half a megabyte.
const maxList = 16 << 20

// maxRefusal is how much of a refusal is kept, in bytes.
const maxRefusal = 2 << 10

// Fetch asks a connection's server for its list. Its errors hold no key.
func Fetch(ctx context.Context, client *http.Client, c connections.Connection) ([]chat.ModelOffer, error) {
	if c.Kind == chat.KindOpenRouter && !c.Key.IsZero() { // its list is public, and says nothing of the key
		if _, err := get(ctx, client, c, "/key", maxRefusal); err != nil {
			return nil, err
		}
	}
	path := "/models"
	if c.Speaks() == connections.Anthropic {
		path = "/models?limit=1000" // the most that there is on one page
	}
	data, err := get(ctx, client, c, path, maxList)
	if err != nil {
		return nil, err
	}
	return parse(c.Kind, data)
}

// get reads one of the server's answers. One that is longer than most is cut.
func get(ctx context.Context, client *http.Client, c connections.Connection, path string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base()+path, nil)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if c.Speaks() == connections.Anthropic {
		req.Header.Set("Anthropic-Version", connections.AnthropicVersion)
	}
	c.Authorize(req.Header)
	res, err := client.Do(req)
	if err != nil {
		return nil, errors.New(c.Key.Redact(err.Error()))
	}
	c.Key.Filter(res) // before anything is cut, which may be in the middle of it
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal)) // what has come says enough
		return nil, &connections.StatusError{Status: res.StatusCode, Body: strings.TrimSpace(strings.ToValidUTF8(string(body), "\uFFFD"))}
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, most))
	if err != nil {
		return nil, errors.New(c.Key.Redact(err.Error()))
	}
	return data, nil
}
