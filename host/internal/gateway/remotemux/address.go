package remotemux

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// address names a session in a request (harness-wire.md §5.1): exactly the keys of
// its kind.
type address struct {
	Kind    string `json:"kind"` // session or subagent
	Session string `json:"sessionId,omitempty"`
	Parent  string `json:"parentSessionId,omitempty"`
	Child   string `json:"childSessionId,omitempty"`
	Mode    string `json:"mode,omitempty"`
}

const modeContinuable = "continuable"

// addresses knows which sessions are helpers, and whose. The zero value is ready.
type addresses struct {
	mu     sync.Mutex
	parent map[string]string // by helper
	mode   map[string]string // by helper
}

// learn takes in a row of the Harness's list.
func (a *addresses) learn(s summary) {
	a.mu.Lock()
	if a.parent == nil {
		a.parent, a.mode = map[string]string{}, map[string]string{}
	}
	if s.Origin == "subagent" && s.Parent != "" {
		a.parent[s.SessionID] = s.Parent
		var state dsh.SubagentState
		if json.Unmarshal(s.Projections.Values[dsh.KeySubagent], &state) == nil && state.Mode != "" {
			a.mode[s.SessionID] = state.Mode
		}
	}
	a.mu.Unlock()
	a.catalog(s.SessionID, s.Projections.Values[dsh.KeySubagentCatalog])
}

// catalog takes in the projection that lists a session's helpers.
func (a *addresses) catalog(parentID string, value json.RawMessage) {
	var list []dsh.SubagentCatalog
	if json.Unmarshal(value, &list) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.parent == nil {
		a.parent, a.mode = map[string]string{}, map[string]string{}
	}
	for _, c := range list {
		a.parent[c.ID], a.mode[c.ID] = parentID, c.Mode
	}
}

// of gives the address of a session as far as is known.
func (a *addresses) of(sessionID string) address {
	a.mu.Lock()
	defer a.mu.Unlock()
	parent, helper := a.parent[sessionID]
	if !helper {
		return address{Kind: "session", Session: sessionID}
	}
	mode := a.mode[sessionID]
	if mode == "" {
		mode = modeContinuable // of 0.1.5 and 0.2 alike; "unknown" is refused by the former
	}
	return address{Kind: "subagent", Parent: parent, Child: sessionID, Mode: mode}
}

// addressed runs do with the session's address. Where the Harness says that it is a
// helper's session, or none that it knows, the list is read and do runs once more.
func (g *Gateway) addressed(ctx context.Context, sessionID string, do func(address) error) error {
	at := g.addresses.of(sessionID)
	err := do(at)
	var refused *gateway.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case gateway.CodeAgentBusy, gateway.CodeSessionNotFound, gateway.CodeHelperUnauthorized, gateway.CodeHelperNotFound:
	default:
		return err
	}
	if _, listed := g.Sessions(ctx); listed != nil {
		return err
	}
	if now := g.addresses.of(sessionID); now != at {
		return do(now)
	}
	return err
}
