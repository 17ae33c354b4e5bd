package eventsmux

import (
	"context"

	"strata.dev/bridge/host/internal/gateway"
)

// sessionArg is the payload of the methods that take a session alone.
type sessionArg struct {
	SessionID string `json:"sessionId"`
}

// Describe answers once the Harness serves requests.
func (g *Gateway) Describe(ctx context.Context) (gateway.Info, error) {
	var v struct {
		Version string `json:"version"` // of rc.8: 0.0.1
		CWD     string `json:"cwd"`
	}
	err := g.call(ctx, "host.describe", struct{}{}, &v)
	return gateway.Info{Version: v.Version, CWD: v.CWD}, err
}

// CreateSession makes a new session; the Harness makes cwd when it is not there.
func (g *Gateway) CreateSession(ctx context.Context, cwd, preset string) (string, error) {
	var v struct {
		sessionArg
		Preset string `json:"agentPreset"`
	}
	err := g.call(ctx, "session.create", struct {
		CWD    string `json:"cwd"`
		Preset string `json:"agentPreset,omitempty"`
	}{cwd, preset}, &v)
	if err == nil && v.SessionID == "" {
		return "", &gateway.Error{Method: "session.create", Code: gateway.CodeProtocol, Message: "the answer names no session"}
	}
	if err == nil {
		err = gateway.Joined("session.create", v.SessionID, preset, v.Preset)
	}
	return v.SessionID, err
}

// SelectModel chooses the session's model. A cold session is attached by it. The
// choice is lost in a restart unless a prompt followed (harness-rc8.md §11).
func (g *Gateway) SelectModel(ctx context.Context, sessionID string, m gateway.Model) error {
	return g.call(ctx, "session.selectModel", struct {
		SessionID string `json:"sessionId"`
		Provider  string `json:"provider"`
		Model     string `json:"model"`
		Effort    string `json:"reasoningEffort,omitempty"`
	}{sessionID, m.Provider, m.ID, m.Effort}, nil)
}

// Cancel asks the running turn to end; what is queued stays, and stays parked
// until the next prompt. A session that is not attached is session-not-found.
func (g *Gateway) Cancel(ctx context.Context, sessionID string) error {
	return g.call(ctx, "session.cancel", sessionArg{sessionID}, nil)
}

// Execute runs a slash command; a cold session is attached by it.
func (g *Gateway) Execute(ctx context.Context, sessionID, line string) (gateway.CommandResult, error) {
	var v *struct {
		Result struct {
			Kind string `json:"kind"`
			Text string `json:"text"`
		} `json:"result"`
	}
	err := g.call(ctx, "commands/execute", remote{struct {
		Agent  string     `json:"agentId"`
		Line   string     `json:"line"`
		Images []struct{} `json:"images"`
	}{sessionID, line, []struct{}{}}}, &v)
	if err != nil || v == nil { // an unknown command answers without a value
		return gateway.CommandResult{}, err
	}
	return gateway.CommandResult{Found: true, OK: v.Result.Kind == "success", Text: v.Result.Text}, nil
}

// Rename sets a session's title; a cold session is attached by it.
func (g *Gateway) Rename(ctx context.Context, sessionID, title string) error {
	return g.call(ctx, "session.rename", struct {
		SessionID string `json:"sessionId"`
		Title     string `json:"title"`
	}{sessionID, title}, nil)
}

// InterruptHelper stops a helper's turn.
func (g *Gateway) InterruptHelper(ctx context.Context, parentID, helperID string) error {
	return g.call(ctx, "subagent.interrupt", struct {
		Parent string `json:"parentSessionId"`
		Child  string `json:"childSessionId"`
		Mode   string `json:"mode"`
	}{parentID, helperID, "continuable"}, nil)
}

// Sessions lists what the Harness knows, newest first, helpers included.
func (g *Gateway) Sessions(ctx context.Context) ([]gateway.Session, error) {
	var v struct {
		Items []struct {
			SessionID   string `json:"sessionId"`
			Parent      string `json:"parentSessionId"`
			Origin      string `json:"origin"`
			CWD         string `json:"cwd"`
			Running     bool   `json:"running"`
			UpdatedAt   int64  `json:"updatedAt"`
			Projections struct {
				Values struct {
					Title string `json:"title"`
				} `json:"values"`
			} `json:"projections"`
		} `json:"items"`
	}
	if err := g.call(ctx, "session.list", struct{}{}, &v); err != nil {
		return nil, err
	}
	list := make([]gateway.Session, len(v.Items))
	for i, it := range v.Items {
		list[i] = gateway.Session{
			ID: it.SessionID, ParentID: it.Parent, Origin: it.Origin, CWD: it.CWD,
			Running: it.Running, UpdatedAt: it.UpdatedAt, Title: it.Projections.Values.Title,
		}
	}
	return list, nil
}
