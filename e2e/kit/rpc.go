package kit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"strata.dev/bridge/proto/dsh"
)

// RPC calls a Harness as 0.1.0 speaks it.
type RPC struct {
	URL    string // without a slash at its end
	Secret string // sent as Bearer token where set
}

// RPCError is a Harness's refusal.
type RPCError struct {
	Method  string
	Status  int    // HTTP; 200 for a refusal by the method itself
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Error gives all of it.
func (e *RPCError) Error() string {
	return fmt.Sprintf("%s: %d %s: %s", e.Method, e.Status, e.Code, e.Message)
}

// Call sends one request; into may be nil. The Harness's refusal is a *RPCError.
func (r RPC) Call(ctx context.Context, method string, payload, into any) error {
	body, err := json.Marshal(map[string]any{"type": "client-request", "rpcId": "r1", "method": method, "payload": payload})
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+"/api/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if r.Secret != "" {
		req.Header.Set("Authorization", "Bearer "+r.Secret)
	}
	resp, err := direct.Do(req)
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	var answer struct {
		Result struct {
			OK    bool            `json:"ok"`
			Value json.RawMessage `json:"value"`
			Error RPCError        `json:"error"`
		} `json:"result"`
	}
	if resp.StatusCode != http.StatusOK {
		return &RPCError{Method: method, Status: resp.StatusCode, Message: string(data)}
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return fmt.Errorf("calling %s: %w", method, err)
	}
	if e := answer.Result.Error; !answer.Result.OK {
		e.Method, e.Status = method, resp.StatusCode
		return &e
	}
	if into == nil || len(answer.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, into)
}

// direct keeps no connection open, so that a test leaves no goroutine behind.
var direct = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// CreateSession makes a session in a folder.
func (r RPC) CreateSession(ctx context.Context, cwd string) (string, error) {
	var made struct {
		SessionID string `json:"sessionId"`
	}
	err := r.Call(ctx, "session.create", map[string]string{"cwd": cwd}, &made)
	return made.SessionID, err
}

// Prompt sends a message to a session.
func (r RPC) Prompt(ctx context.Context, session, text string) error {
	return r.Call(ctx, "session.prompt", map[string]any{"sessionId": session, "mode": "queue",
		"content": []map[string]string{{"type": "text", "text": text}}}, nil)
}

// CommandResult is what a slash command answered; Kind is "" for one that does
// not exist.
type CommandResult struct {
	Kind string `json:"kind"` // success or error
	Text string `json:"text"`
}

// Command runs a slash command of the Harness on a session.
func (r RPC) Command(ctx context.Context, session, line string) (CommandResult, error) {
	var done struct {
		Result CommandResult `json:"result"`
	}
	err := r.Call(ctx, "commands/execute", map[string]any{"args": map[string]any{"agentId": session, "line": line, "images": []any{}}}, &done)
	return done.Result, err
}

// History gives the newest page of a session's log.
func (r RPC) History(ctx context.Context, session string) ([]dsh.Event, error) {
	var page struct {
		Events []struct {
			Event dsh.Event `json:"event"`
		} `json:"events"`
	}
	if err := r.Call(ctx, "session.history", map[string]string{"sessionId": session}, &page); err != nil {
		return nil, err
	}
	log := make([]dsh.Event, len(page.Events))
	for i, row := range page.Events {
		log[i] = row.Event
	}
	return log, nil
}

// WaitHistory waits until a session's log holds an event that pred holds of, and
// gives the log.
func (r RPC) WaitHistory(ctx context.Context, session string, pred func(dsh.Event) bool) ([]dsh.Event, error) {
	var log []dsh.Event
	err := Until(ctx, func(ctx context.Context) error {
		var err error
		if log, err = r.History(ctx, session); err != nil {
			return err
		}
		for _, e := range log {
			if pred(e) {
				return nil
			}
		}
		return fmt.Errorf("the log of %s has %d events and not the one waited for", session, len(log))
	})
	return log, err
}
