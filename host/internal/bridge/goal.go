package bridge

import (
	"context"
	"encoding/json"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/goal"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/budget"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// pursue carries out /goal in the place of a message. What the goal's changes say for
// themselves comes from the log, and its rounds keep the run open.
func (r *active) pursue(ctx context.Context) {
	said, failed := r.command(ctx, r.line, goalAt{most: r.req.MaxRounds, rounds: r.rounds})
	if failed != nil {
		if ctx.Err() == nil && !r.link.gone() {
			r.post(func() { r.apply(run.Prompted{Err: failed}) })
		}
		return
	}
	r.keepCommand(now(), said...)
	r.post(func() {
		r.emit(now(), said...)
		r.apply(run.Commanded{})
		r.apply(run.Prompted{})
	})
}

// aside carries out /goal while the rounds of the chat's goal go on, and gives the frames
// of the run they belong to; nil where none go on.
func (b *Bridge) aside(ctx context.Context, c *conversation, req chat.StreamRequest) (Subscription, error) {
	r := c.current()
	line := command.Parse(req.Text)
	if r == nil || req.AsText || line.Kind != command.Goal || b.o.GoalsOff {
		return nil, nil
	}
	result := make(chan error, 1)
	r.post(func() {
		if !r.state.Goal() {
			result <- errNotTaken
			return
		}
		at := goalAt{most: req.MaxRounds, rounds: r.c.log.fold.GoalRounds(), armed: true}
		sent := now()
		message := spoken(req, sent)
		r.emit(sent, chat.Frame{Type: chat.Heard, Message: &message}) // before what comes of it
		r.c.adopt(req, r)                                             // so that a resend waits for the same
		r.spawn(r.ctx, func(ctx context.Context) {
			said, failed := r.commandThatFits(ctx, line, at)
			r.post(func() {
				if failed != nil {
					r.c.disown(req.RequestID)
					r.keepAside(req, sent, now(), project.ErrorFrame(failed))
					result <- failed
					return
				}
				r.c.read(req.RequestID)
				r.keepAside(req, sent, now(), said...)
				r.emit(now(), said...)
				result <- nil
			})
		})
	})
	return b.joined(ctx, c, r, result)
}

// commandThatFits is command, unless the goal's text fits into no chat on this model.
func (r *active) commandThatFits(ctx context.Context, line command.Line, at goalAt) ([]chat.Frame, *chat.Error) {
	if text := goal.Parse(line.Rest).Text; text != "" {
		if what, known := r.beside(ctx, text); what == budget.NeverFits {
			return nil, tooLarge(say.MessageTooLarge, known)
		}
	}
	return r.command(ctx, line, at)
}

// goalAt is how a command about the goal is meant: the cap of its message, how many
// rounds have begun, whether they go on.
type goalAt struct {
	most, rounds int
	armed        bool
}

// command makes the requests of a line about the goal. It gives what is said besides.
func (r *active) command(ctx context.Context, line command.Line, at goalAt) ([]chat.Frame, *chat.Error) {
	goals, ok := r.link.gw.(gateway.Goals)
	if !ok {
		return nil, offering(say.Error(chat.CodeCommandFailed, r.link.gw.Wire(), say.GoalsMissing), project.ActionAsText)
	}
	state, err := r.goalNow(ctx)
	if err != nil {
		return nil, r.failure(ctx, r.link, err)
	}
	if state != nil {
		state.RoundsStarted = max(state.RoundsStarted, at.rounds)
	}
	steps, said := goal.Decide(goal.Parse(line.Rest), state, at.armed, at.most)
	for i, s := range steps {
		if i > 0 { // each change makes another revision
			if state, err = r.goalNow(ctx); err != nil {
				return nil, r.failure(ctx, r.link, err)
			}
		}
		if err := r.changeGoal(ctx, goals, s, state); err != nil {
			return nil, r.goalFailure(ctx, line, err)
		}
		if at.armed && (s.Verb == goal.Pause || s.Verb == goal.Clear) { // the round under way would go on
			if err := r.link.gw.Cancel(ctx, r.root); err != nil && ctx.Err() == nil {
				r.c.b.o.Log.Info("a goal's round was not cancelled", zap.Error(err))
			}
		}
	}
	if said == nil {
		return nil, nil
	}
	return []chat.Frame{ownLine(*said)}, nil
}

// goalNow reads how the chat's goal stands; nil where it has none.
func (r *active) goalNow(ctx context.Context) (*dsh.GoalState, error) {
	snap, err := r.link.gw.Snapshot(ctx, r.root, int64(1)<<53)
	if err != nil {
		return nil, err
	}
	raw := snap.Projections[dsh.KeyGoal]
	if len(raw) == 0 {
		return nil, nil
	}
	var state *dsh.GoalState
	err = json.Unmarshal(raw, &state)
	return state, err
}

func (r *active) changeGoal(ctx context.Context, goals gateway.Goals, s goal.Step, state *dsh.GoalState) error {
	if s.Verb == goal.Create {
		_, err := goals.CreateGoal(ctx, r.root, s.Objective, s.Rounds)
		return err
	}
	if state == nil { // it was taken away meanwhile
		return &gateway.Error{Method: "goals/" + string(s.Verb), Code: gateway.CodeInternal, Message: "no current goal"}
	}
	ref := dsh.GoalRef{ID: state.Goal.ID, Revision: state.Goal.Revision}
	if s.Verb == goal.Edit {
		return goals.EditGoal(ctx, r.root, ref, s.Objective, s.Rounds)
	}
	return goals.ChangeGoal(ctx, r.root, ref, string(s.Verb))
}

func (r *active) goalFailure(ctx context.Context, line command.Line, err error) *chat.Error {
	switch {
	case gateway.IsCode(err, gateway.CodeUnknownMethod):
		return offering(say.Error(chat.CodeCommandFailed, err.Error(), say.GoalsMissing), project.ActionAsText)
	case gateway.IsCode(err, gateway.CodeInternal):
		return offering(say.Error(chat.CodeCommandFailed, err.Error(), say.CommandFailed, "command", "/"+line.Name), project.ActionRetry)
	}
	return r.failure(ctx, r.link, err)
}

// goalEvent tells the reducer whether a goal's rounds go on. In the loop.
func (r *active) goalEvent(e dsh.Event) {
	d, ok := project.Data[dsh.GoalChange](e)
	if !ok {
		return
	}
	switch d.Operation {
	case "create", "resume":
		r.apply(run.GoalArmed{})
		r.capGoal(*d)
	case "edit":
	default:
		r.apply(run.GoalStopped{})
	}
}

// capGoal holds a goal that the assistant set by itself to what the message allows.
func (r *active) capGoal(d dsh.GoalChange) {
	most := r.req.MaxRounds
	goals, ok := r.link.gw.(gateway.Goals)
	if r.line.Kind == command.Goal || most <= 0 || d.Goal == nil || d.Goal.MaxGoalRounds <= d.RoundsStarted+most || !ok {
		return
	}
	step := goal.Step{Verb: goal.Edit, Rounds: d.RoundsStarted + most}
	state := &dsh.GoalState{Goal: *d.Goal}
	r.spawn(r.ctx, func(ctx context.Context) {
		if err := r.changeGoal(ctx, goals, step, state); err != nil && ctx.Err() == nil {
			r.c.b.o.Log.Warn("a goal's rounds were not capped", zap.Error(err))
		}
	})
}

// pauseGoal pauses the chat's goal where it is active, so that its next round does not
// begin after the turn was cancelled. Best effort: the cancel pauses it, too.
func (r *active) pauseGoal(ctx context.Context) {
	goals, ok := r.link.gw.(gateway.Goals)
	if !ok {
		return
	}
	state, err := r.goalNow(ctx)
	if err == nil && state != nil && state.Goal.Phase == goal.Active {
		err = r.changeGoal(ctx, goals, goal.Step{Verb: goal.Pause}, state)
	}
	if err != nil && ctx.Err() == nil {
		r.c.b.o.Log.Info("a goal was not paused", zap.Error(err))
	}
}
