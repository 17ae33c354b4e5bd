package e2e

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// stopped stops a chat and checks that the run's stream has its last frame, which
// says cancelled, by the time that Stop answers.
func stopped(ctx context.Context, t *testing.T, c kit.Chat, run *kit.Run) {
	t.Helper()
	answer, err := c.Stop(ctx)
	must(t, err)
	if !answer.Stopped {
		t.Error("Stop says that nothing was running")
	}
	frames, err := run.End(ctx)
	must(t, err)
	last := frames[len(frames)-1]
	if last.Type != chat.Done || last.Cancelled == nil || !*last.Cancelled {
		t.Errorf("the stopped run ended with %+v", last)
	}
	// Answered only after turn/end: nothing of the chat is active any more.
	status, err := c.Status(ctx)
	must(t, err)
	for _, turn := range status.Turns {
		if turn.ChatID == c.ID {
			t.Errorf("after Stop the chat still runs: %+v", turn)
		}
	}
}

// goesOn checks that the chat takes the next message.
func goesOn(ctx context.Context, t *testing.T, c kit.Chat) {
	t.Helper()
	frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("on we go")))
	if got := kit.Text(frames); got != "on we go" {
		t.Errorf("the message after Stop says %q", got)
	}
}

func stopMidTool(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("echo begun > tool.log; tail -f /dev/null; echo over >> tool.log"), scriptmodel.Say("never")))
	must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
	must(t, kit.Until(ctx, func(context.Context) error {
		if !w.exists(t, "tool.log") {
			return errNotYet
		}
		return nil
	}))
	stopped(ctx, t, c, run)
	if text, _ := w.home.Read(t, "tool.log"); text != "begun\n" {
		t.Errorf("the stopped tool wrote %q", text)
	}
	goesOn(ctx, t, c)
}

func stopMidStream(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("the beginning "), scriptmodel.Hold("stop-mid-stream"), scriptmodel.Say("the end"))))
	if _, err := run.Wait(ctx, kit.Says("the beginning")); err != nil {
		t.Fatal(err)
	}
	stopped(ctx, t, c, run)
	if _, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("stop-mid-stream"), scriptmodel.WasLeft)); err != nil {
		t.Errorf("Stop did not reach the model server: %v", err)
	}
	goesOn(ctx, t, c)
}

func stopAtQuestion(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("unanswered.txt"), "x"), scriptmodel.Say("never")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)
	stopped(ctx, t, c, run)
	refusedWith(t, c.Approve(ctx, proposed), 409, chat.CodeNotPending)
	pending, err := w.Pending(ctx, c.ID)
	must(t, err)
	if diff := cmp.Diff([]chat.Pending{}, pending); diff != "" {
		t.Errorf("pending after Stop (-want +got):\n%s", diff)
	}
	if w.exists(t, "unanswered.txt") {
		t.Error("the unanswered write was carried out")
	}
	goesOn(ctx, t, c)
}

// Stop before the prompt reached the Harness cancels the start: the first message
// of a fresh host, stopped while the Harness is still starting, is never prompted.
func TestStopBeforeThePromptIsOut(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("never said")))
	if _, err := run.Wait(ctx, kit.OfType(chat.Queued)); err != nil {
		t.Fatal(err)
	}
	stopped(ctx, t, c, run)
	if got := kit.Text(run.Frames()); got != "" {
		t.Errorf("the stopped run says %q", got)
	}
	goesOn(ctx, t, c)
	for _, r := range w.model.Requests() {
		if r.Kind == scriptmodel.Chat && scriptmodel.Asks("never said")(r) {
			t.Errorf("the stopped message reached the model: request %d", r.N)
		}
	}
}

func closedTab(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(
		scriptmodel.Step(scriptmodel.Say("first "), scriptmodel.Hold("closed-tab"), scriptmodel.Write(w.path("tab.txt"), "x")), scriptmodel.Say("last")))
	if _, err := run.Wait(ctx, kit.Says("first")); err != nil {
		t.Fatal(err)
	}
	run.Leave()
	seen := run.Frames()
	w.model.Release("closed-tab")

	// Nobody watches; the turn goes on and its question stands.
	var pending []chat.Pending
	must(t, kit.Until(ctx, func(ctx context.Context) (err error) {
		if pending, err = w.Pending(ctx, c.ID); err != nil || len(pending) == 1 {
			return err
		}
		return errNotYet
	}))
	at := seen[len(seen)-1]
	again, err := c.Attach(ctx, at.Run, at.Seq)
	must(t, err)
	must(t, c.Approve(ctx, pending[0].Tool))
	missed := ended(ctx, t, again)

	whole, err := c.Attach(ctx, at.Run, 0)
	must(t, err)
	if diff := cmp.Diff(ended(ctx, t, whole), append(seen, missed...)); diff != "" {
		t.Errorf("what was seen and what was missed is not the run (-run +both):\n%s", diff)
	}
	if !w.exists(t, "tab.txt") {
		t.Error("the approved write was not carried out")
	}

	// A run that is not known gives a snapshot.
	strange, err := c.Attach(ctx, "no-such-run", 7)
	must(t, err)
	frames, err := strange.End(ctx)
	must(t, err)
	if len(frames) != 1 || frames[0].Type != chat.Reset || frames[0].Snapshot == nil || len(frames[0].Snapshot.Messages) < 2 {
		t.Errorf("an unknown run gives %+v", frames)
	}
}
