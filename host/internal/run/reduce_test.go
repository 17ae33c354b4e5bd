package run

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

var (
	start   = chat.Frame{Agent: true, Mode: "manual", Model: "p/m"}
	started = chat.Frame{Type: chat.Started, Agent: true, Mode: "manual", Model: "p/m", SessionID: "s"}

	refused = &chat.Error{Code: chat.CodeModeUnavailable, Sentence: say.Sentence(say.GateUnavailable)}
	crash   = &chat.Error{Code: chat.CodeAgentStopped, Sentence: say.Sentence(say.AgentStopped)}
	foreign = &chat.Error{Code: chat.CodeModeUnavailable, Sentence: say.Sentence(say.PolicyChanged)}

	completed = TurnEnded{Reason: dsh.EndReason{Kind: "completed"}}
	cut       = TurnEnded{Reason: dsh.EndReason{Kind: "aborted", Cause: &dsh.KindOnly{Kind: "user"}}}
	cutOff    = TurnEnded{Reason: dsh.EndReason{Kind: "max-tokens"}, GoOn: true}
	broken    = TurnEnded{Reason: dsh.EndReason{Kind: "error", Error: &dsh.LLMFailed{Code: "AUTH", Message: "no"}}}

	done      = Emit{project.DoneFrame("completed", false, chat.Usage{})}
	cancelled = Emit{project.DoneFrame("aborted", true, chat.Usage{})}
)

// prepare are the events of a Manual run up to where the Harness has its message.
var prepare = []Event{Begin{}, StepDone{Step: Session, SessionID: "s"}, StepDone{Step: Mode}, StepDone{Step: Gate}, StepDone{Step: Model}}

func then(events ...Event) []Event { return append(append([]Event{}, prepare...), events...) }

func fails(e *chat.Error) Emit { return Emit{project.ErrorFrame(e)} }

// TestRuns tells whole runs: the events, and all that was done.
func TestRuns(t *testing.T) {
	toPrompt := []Action{Do{Session}, Do{Mode}, Do{Gate}, Do{Model}, Emit{started}, Prompt{}}
	acts := func(more ...Action) []Action { return append(append([]Action{}, toPrompt...), more...) }
	for _, tt := range []struct {
		name   string
		events []Event
		want   []Action
	}{
		{"a turn", then(Prompted{}, TurnStarted{}, Seen{}, completed, Checked{Running: true}, Checked{}),
			acts(Check{}, Check{}, done, End{})},
		{"the turn is over before the answer to prompt", then(TurnStarted{}, Seen{}, completed, Prompted{}, Checked{}),
			acts(Check{}, done, End{})},
		{"a failed turn", then(TurnStarted{}, Prompted{}, Seen{}, broken, Checked{}),
			acts(Check{}, fails(project.Failure(broken.Reason)), End{})},
		{"the mode cannot be set", []Event{Begin{}, StepDone{Step: Session, SessionID: "s"}, StepDone{Step: Mode, Err: refused}},
			[]Action{Do{Session}, Do{Mode}, fails(refused), End{}}},
		{"stop in the queue", []Event{Stop{}, Begin{}}, []Action{cancelled, End{}}},
		{"stop while the session is made", []Event{Begin{}, Stop{}, Stop{}, StepDone{Step: Session, SessionID: "s"}},
			[]Action{Do{Session}, Abort{}, cancelled, End{}}},
		{"stop while the message is on its way", then(Stop{}, TurnStarted{}, Prompted{}, Cancelled{}, cut, Checked{}),
			acts(Cancel{}, Check{}, cancelled, End{})},
		{"stop, and the message was refused", then(Stop{}, Prompted{Err: refused}), acts(cancelled, End{})},
		{"stop, and the connection broke: it may have been taken", then(Stop{}, Prompted{Lost: true}, Cancelled{}, Checked{Waiting: true}, Unqueued{}, Checked{}),
			acts(Cancel{}, Check{}, Unqueue{}, Check{}, cancelled, End{})},
		{"stop mid turn", then(TurnStarted{}, Prompted{}, Seen{}, Stop{}, Cancelled{}, cut, Checked{}),
			acts(Cancel{}, Check{}, cancelled, End{})},
		{"the connection breaks twice", then(Prompted{Lost: true}, Prompted{Lost: true}, TurnStarted{}, Prompted{}, Seen{}, completed, Checked{}),
			acts(Prompt{Resend: true}, Prompt{Resend: true}, Check{}, done, End{})},
		{"the process ends mid turn", then(TurnStarted{}, Prompted{}, Died{crash}, completed), acts(fails(crash), End{})},
		{"someone else changes the mode", then(TurnStarted{}, Prompted{}, Seen{}, Changed{foreign}, Stop{}, Cancelled{}, cut, Checked{}),
			acts(Cancel{}, Check{}, fails(foreign), End{})},
		{"a background helper reports", then(TurnStarted{}, Prompted{}, Seen{}, HelperBorn{"h"}, HelperKind{"h", true}, completed, Checked{},
			HelperGone{"h"}, HelperReported{"h"}, Checked{Running: true}, TurnStarted{}, completed, Checked{}),
			acts(Check{}, Await{"h"}, Check{}, Check{}, done, End{})},
		{"a report that never comes", then(TurnStarted{}, Prompted{}, Seen{}, HelperBorn{"h"}, HelperKind{"h", true}, completed, Checked{},
			HelperGone{"h"}, HelperOverdue{"h"}, Checked{}),
			acts(Check{}, Await{"h"}, Check{}, done, End{})},
		{"stop while a helper works: its report is cancelled too", then(TurnStarted{}, Prompted{}, Seen{}, HelperBorn{"h"}, HelperKind{"h", true}, completed, Checked{},
			Stop{}, Cancelled{}, Checked{}, HelperGone{"h"}, HelperReported{"h"}, TurnStarted{}, Cancelled{}, Checked{Running: true}, cut, Checked{}),
			acts(Check{}, Cancel{[]string{"h"}}, Check{}, Await{"h"}, Check{}, Cancel{}, Check{}, cancelled, End{})},
		{"an earlier message was parked and goes first", then(TurnStarted{}, Prompted{}, completed, TurnStarted{}, Seen{}, Checked{Running: true, Waiting: true}, completed, Checked{}),
			acts(Check{}, Check{}, done, End{})},
		{"someone else stops the parked one, ours stays behind", then(TurnStarted{}, Prompted{}, cut, Checked{Waiting: true}, Unqueued{}, Checked{}),
			acts(Check{}, Unqueue{}, Check{}, cancelled, End{})},
		{"it waits for a summary to end", then(Prompted{}, Checked{Waiting: true}, TurnStarted{}, Seen{}, completed, Checked{}),
			acts(Check{}, Check{}, done, End{})},
		{"without the Harness", []Event{Begin{}, Alone{}, TurnStarted{}, Answered{done.Frame}, Answered{done.Frame}},
			[]Action{Do{Session}, Answer{}, done, End{}}},
		{"without the Harness, stopped", []Event{Begin{}, Alone{}, Stop{}, Stop{}, Answered{cancelled.Frame}},
			[]Action{Do{Session}, Answer{}, Abort{}, cancelled, End{}}},
		{"without the Harness, answered before Stop was", []Event{Begin{}, Alone{}, Stop{}, Answered{done.Frame}},
			[]Action{Do{Session}, Answer{}, Abort{}, done, End{}}},
		{"stop while the Harness is looked for", []Event{Begin{}, Stop{}, Alone{}}, []Action{Do{Session}, Abort{}, cancelled, End{}}},
		{"without the Harness, and the host ends", []Event{Begin{}, Alone{}, Died{crash}, Answered{done.Frame}},
			[]Action{Do{Session}, Answer{}, fails(crash), End{}}},
		{"an answer that is cut off and goes on", then(Prompted{}, TurnStarted{}, Seen{}, cutOff, Handed{}, Checked{Waiting: true}, TurnStarted{}, Seen{}, completed, Checked{}, Checked{}),
			acts(Check{}, GoOn{}, Check{}, Check{}, done, End{})},
		{"one that is cut off before the answer to its prompt", then(TurnStarted{}, Seen{}, cutOff, Prompted{}, Handed{}, TurnStarted{}, Seen{}, completed, Checked{}, Checked{}),
			acts(GoOn{}, Check{}, Check{}, done, End{})},
		{"going on that is refused", then(Prompted{}, TurnStarted{}, Seen{}, cutOff, Handed{refused}, Checked{}, Checked{}),
			acts(Check{}, GoOn{}, Check{}, fails(refused), End{})},
		{"a cut answer that is stopped", then(Prompted{}, TurnStarted{}, Seen{}, Stop{}, cutOff, Checked{}, Cancelled{}, Checked{}, Checked{}),
			acts(Check{}, Cancel{}, Check{}, Check{}, cancelled, End{})},
		{"a command", then(Commanded{}, Prompted{}, Checked{}), acts(Check{}, done, End{})},
		{"a turn that was blocked", then(TurnStarted{}, Prompted{}, TurnEnded{Reason: dsh.EndReason{Kind: "blocked"}}, Checked{}),
			acts(Check{}, fails(project.Failure(dsh.EndReason{Kind: "blocked"})), End{})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(start, true)
			var got []Action
			for _, e := range tt.events {
				var a []Action
				s, a = Reduce(s, e)
				got = append(got, a...)
			}
			if s.Phase != Ended {
				t.Errorf("the run is %v", s.Phase)
			}
			if d := cmp.Diff(told(tt.want), told(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// told names actions one a line; frames by type and words.
func told(actions []Action) []string {
	var out []string
	for _, a := range actions {
		switch a := a.(type) {
		case Emit:
			out = append(out, fmt.Sprintf("%s %s%s%s", a.Frame.Type, a.Frame.Finish, a.Frame.Code, a.Frame.SessionID))
		default:
			out = append(out, fmt.Sprintf("%T%v", a, a))
		}
	}
	return out
}
