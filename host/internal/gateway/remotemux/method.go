package remotemux

import (
	"context"
	"errors"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// sessionArg is the request of the methods that take a session alone.
type sessionArg struct {
	SessionID string `json:"sessionId"`
}

// summary is a row of session/list, and of api-session/added.
type summary struct {
	SessionID   string      `json:"sessionId"`
	Parent      string      `json:"parentSessionId"`
	Origin      string      `json:"origin"`
	CWD         string      `json:"cwd"`
	Running     bool        `json:"running"`
	UpdatedAt   int64       `json:"updatedAt"`
	Projections projections `json:"projections"`
}

func (s summary) session() gateway.Session {
	row := gateway.Session{
		ID: s.SessionID, ParentID: s.Parent, Origin: s.Origin, CWD: s.CWD, Running: s.Running, UpdatedAt: s.UpdatedAt,
	}
	if v, err := dsh.DecodeProjection(dsh.KeyTitle, s.Projections.Values[dsh.KeyTitle]); err == nil && v != nil {
		row.Title = *v.(*string)
	}
	return row
}

// Describe answers once the Harness serves requests. This wire says neither version
// nor folder.
func (g *Gateway) Describe(ctx context.Context) (gateway.Info, error) {
	return gateway.Info{}, g.call(ctx, "llm/listProviders", nil, nil)
}

// CreateSession makes a new session.
func (g *Gateway) CreateSession(ctx context.Context, cwd, preset string) (string, error) {
	var v struct {
		sessionArg
		Preset string `json:"agentPreset"`
	}
	err := g.call(ctx, "session/create", wrapped{struct {
		CWD    string `json:"cwd,omitempty"`
		Preset string `json:"agentPreset,omitempty"`
	}{cwd, preset}}, &v)
	if err == nil && v.SessionID == "" {
		return "", &gateway.Error{Method: "session/create", Code: gateway.CodeProtocol, Message: "the answer names no session"}
	}
	if err == nil {
		err = gateway.Joined("session/create", v.SessionID, preset, v.Preset)
	}
	return v.SessionID, err
}

// SelectModel chooses the session's model.
func (g *Gateway) SelectModel(ctx context.Context, sessionID string, m gateway.Model) error {
	return g.call(ctx, "session/selectModel", wrapped{struct {
		SessionID string `json:"sessionId"`
		Provider  string `json:"provider"`
		Model     string `json:"model"`
		Effort    string `json:"reasoningEffort,omitempty"`
	}{sessionID, m.Provider, m.ID, m.Effort}}, nil)
}

// Cancel asks the running turn to end; what is queued stays, and the next of it runs.
// A session that is not attached is session-not-found.
func (g *Gateway) Cancel(ctx context.Context, sessionID string) error {
	return g.call(ctx, "session/cancel", wrapped{sessionArg{sessionID}}, nil)
}

// Rename sets a session's title.
func (g *Gateway) Rename(ctx context.Context, sessionID, title string) error {
	return g.call(ctx, "session/rename", wrapped{struct {
		SessionID string `json:"sessionId"`
		Title     string `json:"title"`
	}{sessionID, title}}, nil)
}

// InterruptHelper stops a helper's turn.
func (g *Gateway) InterruptHelper(ctx context.Context, parentID, helperID string) error {
	return g.call(ctx, "subagents/interruptByParent", struct { // flat: no request around it
		Child  string `json:"childSessionId"`
		Parent string `json:"parentSessionId"`
		Mode   string `json:"mode"`
	}{helperID, parentID, modeContinuable}, nil)
}

// Sessions lists what the Harness knows, newest first, helpers included.
func (g *Gateway) Sessions(ctx context.Context) ([]gateway.Session, error) {
	var v struct {
		Items []summary `json:"items"`
	}
	err := g.call(ctx, "session/list", struct {
		Request struct{} `json:"_request"` // so it is called on the wire (harness-wire.md §6.1)
	}{}, &v)
	if err != nil {
		return nil, err
	}
	list := make([]gateway.Session, len(v.Items))
	for i, s := range v.Items {
		g.addresses.learn(s)
		list[i] = s.session()
	}
	return list, nil
}

// Unqueue takes back a message that waits in a session. One that does not wait any
// more is queue-item-not-found.
func (g *Gateway) Unqueue(ctx context.Context, sessionID, messageID string) error {
	type action struct {
		Kind string `json:"kind"`
	}
	return g.call(ctx, "session/updateQueue", wrapped{struct {
		SessionID string `json:"sessionId"`
		Item      string `json:"itemId"`
		Action    action `json:"action"`
	}{sessionID, messageID, action{"remove"}}}, nil)
}

// Execute runs a slash command. Its third argument has two names: submittedAttachments,
// and images up to about 0.1.4. A wrong one is refused before anything runs, and the
// one that is taken is remembered.
func (g *Gateway) Execute(ctx context.Context, sessionID, line string) (gateway.CommandResult, error) {
	const method = "commands/execute"
	type command struct {
		Agent string `json:"agentId"`
		Line  string `json:"line"`
	}
	c := command{sessionID, line}
	none := []struct{}{}
	var v *struct {
		Result struct {
			Kind string `json:"kind"`
			Text string `json:"text"`
		} `json:"result"`
	}
	try := func(images bool) error {
		if images {
			return g.call(ctx, method, struct {
				command
				Images []struct{} `json:"images"`
			}{c, none}, &v)
		}
		return g.call(ctx, method, struct {
			command
			Attachments []struct{} `json:"submittedAttachments"`
		}{c, none}, &v)
	}
	images := g.images.Load()
	err := try(images)
	if misnamed(err) {
		if err = try(!images); err == nil {
			g.images.Store(!images)
		}
	}
	if err != nil || v == nil { // an unknown command answers without a value
		return gateway.CommandResult{}, err
	}
	return gateway.CommandResult{Found: true, OK: v.Result.Kind == "success", Text: v.Result.Text}, nil
}

// misnamed tells whether a call was refused for its arguments' names.
func misnamed(err error) bool {
	var e *gateway.Error
	return errors.As(err, &e) && e.Code == gateway.CodeArguments
}
