// Package probe asks a local model server whether it is ready, and what it tells of its
// models: llama.cpp, vLLM, SGLang, LM Studio, Ollama, and any other that has OpenAI's
// list of models. What none of them tells is not known here.
package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"strata.dev/bridge/host/internal/connections"
)

// Model is one that a server has, as far as it tells.
type Model struct {
	ID            string
	ContextWindow int64 // in tokens, of one request; 0 is not told
	Images        *bool // nil is not told
}

// Found is what a ready server tells.
type Found struct {
	Models []Model
	Slots  int // requests that it works on at once; 0 is not told
}

// ErrLoading says that the server is there and loads its model.
var ErrLoading = errors.New("the server is loading its model")

// ErrNoList says that something answers, but not with a list.
var ErrNoList = errors.New("it answers with something else than JSON")

// maxAnswer is the largest answer that is read, in bytes: llama.cpp's /props has the
// chat template in it.
const maxAnswer = 4 << 20

// Ask asks a server. An error says that it is not ready.
func Ask(ctx context.Context, client *http.Client, c connections.Connection) (Found, error) {
	s := server{client: client, connection: c}
	var list modelList
	if err := s.get(ctx, s.base()+"/models", &list); err != nil {
		return Found{}, fmt.Errorf("asking for its models: %w", err)
	}
	found := list.found()
	// Only who is known for it is asked for more: others write what they do not know into
	// their logs as errors.
	switch list.maker() {
	case llamaCPP:
		var p props
		if s.get(ctx, s.root()+"/props", &p) == nil {
			p.add(&found)
		}
	case lmStudio:
		var l lmModels
		if s.get(ctx, s.root()+"/api/v0/models", &l) == nil {
			l.add(&found)
		}
	case ollama:
		var r ollamaRunning
		if s.get(ctx, s.root()+"/api/ps", &r) == nil {
			r.add(&found)
		}
	}
	return found, nil
}

// server is who is asked.
type server struct {
	client     *http.Client
	connection connections.Connection
}

// base is where OpenAI's routes are: in /v1, where the address says nothing else.
func (s server) base() string { return s.connection.Base() }

// root is where the server's own routes are.
func (s server) root() string { return strings.TrimSuffix(s.base(), "/v1") }

func (s server) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	s.connection.Authorize(req.Header)
	res, err := s.client.Do(req)
	if err != nil {
		return errors.New(s.connection.Key.Redact(err.Error()))
	}
	s.connection.Key.Filter(res)
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case res.StatusCode == http.StatusServiceUnavailable:
		return ErrLoading
	case res.StatusCode != http.StatusOK:
		return &connections.StatusError{Status: res.StatusCode}
	case err != nil:
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%w: %w", ErrNoList, err)
	}
	return nil
}
