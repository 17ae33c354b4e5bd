package run

import (
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Event is something that happened to a run.
type Event interface{ event() }

// The events. What Harness events they stand for is said beside them.
type (
	// Begin says that the runs before this one in its chat have ended.
	Begin struct{}
	// StepDone is the result of a step of the preparation. SessionID belongs to
	// step Session.
	StepDone struct {
		Step      Step
		SessionID string
		Err       *chat.Error
	}
	// Alone says, in place of StepDone of step Session, that the Harness cannot be had
	// and that the model is to answer by itself.
	Alone struct{}
	// Answered is the result of Answer: the run's last frame.
	Answered struct{ Last chat.Frame }
	// Prompted is the result of Prompt. Lost says that the connection broke and the
	// message may have been taken.
	Prompted struct {
		Err     *chat.Error
		Lost    bool
		Details string // of a loss: technical text
	}
	// Commanded says that the Harness carried out the command that stands in the place
	// of a message. Prompted follows.
	Commanded struct{}
	// TurnStarted is turn/start in the chat's session.
	TurnStarted struct{}
	// Seen says that a turn has our message (user/message with our request id).
	Seen struct{}
	// TurnEnded is turn/end in the chat's session.
	// GoOn says that its answer was cut off and the agent is to be asked to go on.
	TurnEnded struct {
		Reason dsh.EndReason
		GoOn   bool
	}
	// Handed says that a further message of ours was handed over, or could not be:
	// Err. It is the result of GoOn.
	Handed struct{ Err *chat.Error }
	// Checked is the result of Check: how the session stood when its log was read,
	// given once all of that log was taken in.
	Checked struct {
		Running bool // a turn has begun and not ended
		Waiting bool // our message waits for a turn
	}
	// Cancelled is the result of Cancel, whatever it was.
	Cancelled struct{}
	// Unqueued is the result of Unqueue, whatever it was.
	Unqueued struct{}
	// HelperBorn is a helper anywhere below the chat's session.
	HelperBorn struct{ ID string }
	// HelperKind tells whether the helper will report to the chat's session when it
	// settles, which starts a turn by itself, or answers inside a call.
	HelperKind struct {
		ID      string
		Reports bool
	}
	// HelperGone says that the Harness let go of the helper.
	HelperGone struct{ ID string }
	// HelperReported says that its report has reached the chat's session.
	HelperReported struct{ ID string }
	// HelperOverdue says that the report of a helper that is gone did not come.
	HelperOverdue struct{ ID string }
	// GoalArmed says that the session has a goal now whose rounds begin by themselves.
	GoalArmed struct{}
	// GoalStopped says that it has none any more.
	GoalStopped struct{}
	// Guarded says that the turn goes nowhere and is to be ended (turnguard).
	Guarded struct{}
	// Tidied is the result of Tidy, whatever it was. Err tells better than the model's
	// server why the turn failed, or is nil.
	Tidied struct{ Err *chat.Error }
	// Stop is the person's.
	Stop struct{}
	// Changed says that something other than us changed what the run may do: its
	// mode, its policy, or an answer. Err is what the person reads.
	Changed struct{ Err *chat.Error }
	// Died says that nothing more will come: the process ended, the connection was
	// given up, or the host ends. Err is what the person reads.
	Died struct{ Err *chat.Error }
)

func (Begin) event()          {}
func (StepDone) event()       {}
func (Alone) event()          {}
func (Answered) event()       {}
func (Prompted) event()       {}
func (Commanded) event()      {}
func (TurnStarted) event()    {}
func (Seen) event()           {}
func (TurnEnded) event()      {}
func (Handed) event()         {}
func (Checked) event()        {}
func (Cancelled) event()      {}
func (Unqueued) event()       {}
func (HelperBorn) event()     {}
func (HelperKind) event()     {}
func (HelperGone) event()     {}
func (HelperReported) event() {}
func (HelperOverdue) event()  {}
func (GoalArmed) event()      {}
func (GoalStopped) event()    {}
func (Guarded) event()        {}
func (Tidied) event()         {}
func (Stop) event()           {}
func (Changed) event()        {}
func (Died) event()           {}

// Action is something the loop must do. Those with a result send it back as the
// event named beside them, exactly once.
type Action interface{ action() }

// The actions.
type (
	// Do carries out a step of the preparation → StepDone.
	Do struct{ Step Step }
	// Abort breaks off the step, the answer, or the tidying under way; its result comes
	// all the same.
	Abort struct{}
	// Answer has the model answer without the Harness → Answered.
	Answer struct{}
	// Prompt hands the message over → Prompted. Resend: an earlier try may have
	// been taken.
	Prompt struct{ Resend bool }
	// GoOn asks the agent to go on where its answer was cut off → Handed.
	GoOn struct{}
	// Cancel pauses an armed goal, interrupts these helpers, then asks the turn to end →
	// Cancelled.
	Cancel struct{ Helpers []string }
	// Tidy makes room in the session for the next message → Tidied.
	Tidy struct{}
	// Check reads how the session stands → Checked.
	Check struct{}
	// Unqueue takes our waiting message back → Unqueued.
	Unqueue struct{}
	// Interrupt stops a helper that was born late. It has no result.
	Interrupt struct{ ID string }
	// Await gives a helper's report some time → HelperOverdue, unless it came.
	Await struct{ ID string }
	// Emit writes a frame to the run's stream. The loop closes open cards before a
	// last one, and fills in the usage of Done.
	Emit struct{ Frame chat.Frame }
	// End lets the run go; nothing follows.
	End struct{}
)

func (Do) action()        {}
func (Abort) action()     {}
func (Answer) action()    {}
func (Prompt) action()    {}
func (GoOn) action()      {}
func (Cancel) action()    {}
func (Check) action()     {}
func (Tidy) action()      {}
func (Unqueue) action()   {}
func (Interrupt) action() {}
func (Await) action()     {}
func (Emit) action()      {}
func (End) action()       {}
