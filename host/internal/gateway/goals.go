package gateway

import (
	"context"
	"fmt"

	"strata.dev/bridge/proto/dsh"
)

// GoalRemotes makes the requests about goals, which are the same on both wires but for
// their envelope. Remote makes one.
//
// A failure of these is CodeInternal with a message: the Harness keeps its own codes to
// itself (harness-wire.md §6.7). Not all of its versions answer with the goal, so that
// what they answer is not read.
type GoalRemotes struct {
	Remote func(ctx context.Context, method string, args, out any) error
}

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

// CreateGoal implements Goals.
func (g GoalRemotes) CreateGoal(ctx context.Context, sessionID, objective string, maxRounds int) (dsh.GoalRef, error) {
	var v struct {
		Ref dsh.GoalRef `json:"ref"`
	}
	err := g.Remote(ctx, "goals/create", struct {
		Agent   string   `json:"agentId"`
		Request goalText `json:"request"`
	}{sessionID, goalText{objective, maxRounds}}, &v)
	if err == nil && v.Ref.ID == "" {
		return v.Ref, &Error{Method: "goals/create", Code: CodeProtocol, Message: "the answer names no goal"}
	}
	return v.Ref, err
}

// EditGoal implements Goals.
func (g GoalRemotes) EditGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, objective string, maxRounds int) error {
	return g.Remote(ctx, "goals/edit", struct {
		goalArg
		Request goalText `json:"request"`
	}{goalArg{sessionID, ref}, goalText{objective, maxRounds}}, nil)
}

// ChangeGoal implements Goals.
func (g GoalRemotes) ChangeGoal(ctx context.Context, sessionID string, ref dsh.GoalRef, verb string) error {
	switch verb {
	case "pause", "resume", "complete", "clear":
		return g.Remote(ctx, "goals/"+verb, goalArg{sessionID, ref}, nil)
	}
	return fmt.Errorf("changing a goal: no verb %q", verb)
}
