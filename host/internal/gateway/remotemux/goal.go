package remotemux

import (
	"context"
	"fmt"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// A failure of these is CodeInternal with a message: the Harness keeps its own codes
// to itself (harness-wire.md §6.7). Not all of its versions answer with the goal, so
// that what they answer is not read.

// goalArg names a goal in a request.
type goalArg struct {
	Agent string      `json:"agentId"`
	Ref   dsh.GoalRef `json:"ref"`
}

// goalText is what can be said of a goal.
type goalText struct {
	Objective string `json:"objective,omitempty"`
	MaxRounds int    `json:"maxGoalRounds,omitempty"`
}

// Goal gives the session's goal, nil where there is none.
func (g *Gateway) Goal(ctx context.Context, sessionID string) (*dsh.GoalView, error) {
	var v *dsh.GoalView
	err := g.call(ctx, "goals/get", struct {
		Agent string `json:"agentId"`
	}{sessionID}, &v)
	return v, err
}

// CreateGoal sets one.
func (g *Gateway) CreateGoal(ctx context.Context, sessionID, objective string, maxRounds int) (dsh.GoalRef, error) {
	var v struct {
		Ref dsh.GoalRef `json:"ref"`
	}
	err := g.call(ctx, "goals/create", struct {
		Agent   string   `json:"agentId"`
		Request goalText `json:"request"`
	}{sessionID, goalText{objective, maxRounds}}, &v)
	if err == nil && v.Ref.ID == "" {
		return v.Ref, &gateway.Error{Method: "goals/create", Code: gateway.CodeProtocol, Message: "the answer names no goal"}
	}
	return v.Ref, err
}

// EditGoal changes what is not "" or 0.
func (g *Gateway) EditGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, objective string, maxRounds int) error {
	return g.call(ctx, "goals/edit", struct {
		goalArg
		Request goalText `json:"request"`
	}{goalArg{sessionID, ref}, goalText{objective, maxRounds}}, nil)
}

// ChangeGoal does what verb says.
func (g *Gateway) ChangeGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, verb string) error {
	switch verb {
	case "pause", "resume", "complete", "clear":
		return g.call(ctx, "goals/"+verb, goalArg{sessionID, ref}, nil)
	}
	return fmt.Errorf("changing a goal: no verb %q", verb)
}
