package run

import (
	"cmp"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Reduce gives the state after e and what is to be done. An event that does not
// fit the phase changes nothing. After Ended nothing does.
func Reduce(s State, e Event) (State, []Action) {
	if s.Phase == Ended {
		return s, nil
	}
	switch e := e.(type) {
	case Died:
		return died(s, e)
	case Stop:
		return stop(s)
	case Changed:
		return changed(s, e)
	}
	switch s.Phase {
	case Queued:
		if _, ok := e.(Begin); ok {
			s.Phase = Preparing
			return s, []Action{Do{Session}}
		}
		return s, nil
	case Preparing:
		if e, ok := e.(StepDone); ok && e.Step == s.Step {
			return prepared(s, e)
		}
		if _, ok := e.(Alone); ok && s.Step == Session {
			return alone(s)
		}
	case Answering:
		if e, ok := e.(Answered); ok {
			s.answer = &e.Last
			return finish(s)
		}
		return s, nil
	case Tidying:
		if e, ok := e.(Tidied); ok {
			if e.Err != nil && s.failure != nil {
				why := *e.Err
				why.Details = cmp.Or(why.Details, s.failure.Details) // the engine's own words
				s.failure = &why
			}
			return finish(s)
		}
		return s, nil
	case Prompting:
		if e, ok := e.(Prompted); ok {
			return prompted(s, e)
		}
	}
	return observe(s, e)
}

// prepared goes on to the next step, or hands the message over.
func prepared(s State, e StepDone) (State, []Action) {
	if s.stopping() {
		return finish(s)
	}
	if e.Err != nil {
		s.failure = e.Err
		return finish(s)
	}
	switch e.Step {
	case Session:
		s.start.SessionID = e.SessionID
		s.Step = Mode
	case Mode:
		s.Step = Model
		if s.gated {
			s.Step = Gate
		}
	case Gate:
		s.Step = Model
	case Model:
		s.Phase, s.prompts = Prompting, 1
		return s, []Action{Emit{s.start}, Prompt{}}
	}
	return s, []Action{Do{s.Step}}
}

// alone has the model answer without the Harness.
func alone(s State) (State, []Action) {
	if s.stopping() {
		return finish(s)
	}
	s.Phase = Answering
	return s, []Action{Answer{}}
}

func prompted(s State, e Prompted) (State, []Action) {
	switch {
	case e.Lost && s.stopping(): // it may have been taken
		return end(s)
	case e.Lost && s.prompts < MaxPrompts:
		s.prompts++
		return s, []Action{Prompt{Resend: true}}
	case e.Lost:
		s.failure = &chat.Error{Code: chat.CodeAgentUnavailable, Sentence: say.Sentence(say.AgentLost), Details: e.Details, Actions: []string{project.ActionRetry}}
		return end(s)
	case e.Err != nil && s.prompts > 1: // an earlier try may have been taken
		s.failure = e.Err
		return end(s)
	case e.Err != nil:
		s.failure = e.Err
		return finish(s)
	case s.stopping():
		return end(s)
	}
	s.Phase = Running
	return check(s, nil)
}

// observe takes in what the session and its helpers do.
func observe(s State, e Event) (State, []Action) {
	switch e := e.(type) {
	case TurnStarted:
		s.turn = true
		if s.Phase == Ending {
			return s, []Action{Cancel{}}
		}
	case Commanded:
		s.ours, s.finish = true, completedKind
	case Seen:
		s.ours, s.finish, s.stray = true, "", nil
	case TurnEnded:
		s.turn, s.finish = false, e.Reason.Kind
		if s.eased && s.finish == aborted && !s.stopping() {
			s.finish = completedKind
		}
		s.eased = false
		switch f := project.Failure(e.Reason); {
		case !s.ours:
			s.stray = f
		case s.failure == nil:
			s.failure = f
		}
		s.cut = e.GoOn && s.ours && !s.goal
		if e.Reason.Kind != completedKind { // the Harness disarms a goal whose round ends badly
			s.goal = false
		}
		return check(s, nil)
	case GoalArmed:
		s.goal = s.Phase != Ending
		if !s.goal {
			return s, []Action{Cancel{}}
		}
	case GoalStopped:
		s.eased, s.goal = s.goal && s.turn, false
		return check(s, nil)
	case Guarded:
		if s.Open() && !s.goal && !s.stopping() {
			s.guarded = true
			return end(s)
		}
	case Handed:
		if s.failure == nil {
			s.failure = e.Err
		}
		return check(s, nil)
	case Checked:
		s.checking = false
		if s.recheck {
			return check(s, nil)
		}
		if !e.Running && !s.turn {
			return rest(s, e.Waiting)
		}
	case Unqueued:
		s.unqueuing = false
		return check(s, nil)
	case Cancelled:
		return check(s, nil)
	case HelperBorn:
		if _, known := s.find(e.ID); known {
			return s, nil
		}
		s.helpers = append(s.helpers[:len(s.helpers):len(s.helpers)], helper{id: e.ID})
		if s.Phase == Ending {
			return s, []Action{Interrupt(e)}
		}
	case HelperKind:
		k := silent
		if e.Reports {
			k = reports
		}
		s.helpers = s.with(e.ID, func(h *helper) { h.kind = k })
		return check(s, nil)
	case HelperGone:
		h, known := s.find(e.ID)
		switch {
		case !known || h.gone:
			return s, nil
		case h.kind == reports:
			s.helpers = s.with(e.ID, func(h *helper) { h.gone = true })
			return s, []Action{Await(e)}
		}
		s.helpers = s.without(e.ID)
		return check(s, nil)
	case HelperReported:
		return released(s, e.ID)
	case HelperOverdue:
		return released(s, e.ID)
	}
	return s, nil
}

// The kinds of turn ends that matter here (dsh.EndReason).
const (
	aborted       = "aborted"
	completedKind = "completed"
	guardKind     = "guard" // ours: as completed, by the guard
)

func released(s State, id string) (State, []Action) {
	if _, known := s.find(id); !known {
		return s, nil
	}
	s.helpers = s.without(id)
	return check(s, nil)
}

// check asks how the session stands, once the Harness has the message and no turn
// is known to be open.
func check(s State, actions []Action) (State, []Action) {
	if s.turn || (s.Phase != Running && s.Phase != Ending) {
		return s, actions
	}
	if s.cut {
		s.cut = false
		if s.Phase == Running && s.failure == nil {
			return s, append(actions, GoOn{})
		}
	}
	if s.checking {
		s.recheck = true
		return s, actions
	}
	s.checking, s.recheck = true, false
	return s, append(actions, Check{})
}

// rest decides at a session that has no turn whether the run is over.
func rest(s State, waiting bool) (State, []Action) {
	if s.outstanding() || s.goal || s.unqueuing {
		return s, nil
	}
	parked := s.Phase == Ending || (!s.ours && s.finish == aborted)
	if waiting && !parked {
		return s, nil // it gets its turn once the session has done something else
	}
	if waiting && !s.unqueued {
		s.unqueued, s.unqueuing = true, true
		return s, []Action{Unqueue{}}
	}
	if !s.ours && s.failure == nil { // taken by a turn that ended before it showed, or taken back by someone
		s.failure = s.stray
		if s.finish == "" {
			s.finish = aborted
		}
	}
	if s.crowded() {
		s.Phase = Tidying
		return s, []Action{Tidy{}}
	}
	return finish(s)
}

func stop(s State) (State, []Action) {
	if s.Phase == Tidying { // the turn ended by itself; only that is broken off
		if s.untidy {
			return s, nil
		}
		s.untidy = true
		return s, []Action{Abort{}}
	}
	under := s.stopping()
	s.stopped = true
	if under {
		return s, nil
	}
	return interrupt(s)
}

func changed(s State, e Changed) (State, []Action) {
	if s.stopping() || s.Phase == Tidying {
		return s, nil
	}
	s.changed = e.Err
	return interrupt(s)
}

// interrupt ends the run from wherever it stands.
func interrupt(s State) (State, []Action) {
	switch s.Phase {
	case Queued:
		return finish(s)
	case Preparing, Answering:
		return s, []Action{Abort{}}
	case Running:
		return end(s)
	}
	return s, nil // Prompting: its result decides; Ending: under way
}

// end stops helpers first, then the turn.
func end(s State) (State, []Action) {
	s.Phase, s.goal = Ending, false
	return s, []Action{Cancel{s.live()}}
}

func died(s State, e Died) (State, []Action) {
	if s.Phase != Tidying { // or it has ended as it should before
		s.failure = e.Err
	}
	return finish(s)
}

// finish writes the run's last frame.
func finish(s State) (State, []Action) {
	s.Phase = Ended
	s.helpers = nil
	return s, []Action{Emit{s.last()}, End{}}
}

func (s State) last() chat.Frame {
	switch {
	case s.changed != nil:
		return project.ErrorFrame(s.changed)
	case s.answer != nil:
		return *s.answer
	case s.stopped:
		return project.DoneFrame(aborted, true, chat.Usage{})
	case s.guarded:
		return project.DoneFrame(guardKind, false, chat.Usage{})
	case s.failure != nil:
		return project.ErrorFrame(s.failure)
	}
	return project.DoneFrame(s.finish, s.finish == aborted, chat.Usage{})
}
