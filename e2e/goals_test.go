package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

func rounds(n int) func(*chat.StreamRequest) {
	return func(r *chat.StreamRequest) { r.MaxRounds = n }
}

// says checks the host's own sentences of a run, but for the goal's text in them.
func says(t *testing.T, what string, frames []chat.Frame, want ...string) {
	t.Helper()
	var got []string
	for _, f := range frames {
		if f.Own || f.Type == chat.Notice {
			got = append(got, f.Key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

const (
	goalLimit   = "The goal used all its rounds ({rounds}). Type /goal resume to give it more."
	goalReached = "The goal is reached. Set another one with /goal and its text."
	goalPaused  = "The goal is paused. Type /goal resume to go on with it."
	goalWaits   = "The goal is: {goal}. It is not being worked on, {rounds} of {most} rounds so far; type /goal resume to go on."
	goalActive  = "The goal is: {goal}. It is being worked on, {rounds} of {most} rounds so far; type /goal pause to halt it."
	goalEdited  = "The goal is now: {goal}. Type /goal to see how it stands."
)

// goalRounds: three rounds up to the limit, edited and resumed, reached, replaced, cleared.
func goalRounds(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	says(t, "no goal", play(ctx, t, c, "/goal"), "This chat has no goal. Set one with /goal and its text.")
	frames := play(ctx, t, c, "/goal "+scriptmodel.Steps(scriptmodel.Say("working")), rounds(3))
	says(t, "up to the limit", frames, goalLimit)
	if n := strings.Count(kit.Text(frames), "working"); n != 3 {
		t.Errorf("it had %d rounds: %q", n, kit.Text(frames))
	}
	says(t, "how it stands", play(ctx, t, c, "/goal"), goalWaits)
	says(t, "a second one", play(ctx, t, c, "/goal something else"), "This chat has a goal that is not reached yet: {goal}. Type /goal clear first, or /goal edit and the new text.")
	finish := scriptmodel.Steps(scriptmodel.Call("get_goal", struct{}{}), scriptmodel.Goal("complete"), scriptmodel.Say("there"))
	says(t, "edited", play(ctx, t, c, "/goal edit "+finish), goalEdited)
	frames = play(ctx, t, c, "/goal resume", rounds(2))
	says(t, "reached", frames, goalReached)
	if got := kit.Text(frames); got != "there" {
		t.Errorf("it says %q", got)
	}
	says(t, "a new one", play(ctx, t, c, "/goal "+scriptmodel.Steps(scriptmodel.Say("more")), rounds(1)), goalLimit)
	says(t, "reached, says the person", play(ctx, t, c, "/goal complete"), goalReached)
	says(t, "cleared", play(ctx, t, c, "/goal clear"), "The goal was cleared. Set another one with /goal and its text.")
	says(t, "none again", play(ctx, t, c, "/goal resume"), "This chat has no goal. Set one with /goal and its text.")
}

// goalAside: what is typed while the rounds go on is carried out at once; Stop pauses.
func goalAside(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	held := "/goal " + scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("goal-"+c.ID)))
	run := send(ctx, t, c, held)
	if _, err := run.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	shown := send(ctx, t, c, "/goal")
	if _, err := shown.Wait(ctx, func(f chat.Frame) bool { return f.Key == goalActive }); err != nil {
		t.Fatal(err)
	}
	send(ctx, t, c, "/goal pause")
	frames := ended(ctx, t, run)
	says(t, "paused in a round", frames, goalActive, goalPaused)
	if last := frames[len(frames)-1]; *last.Cancelled {
		t.Errorf("a paused goal ends with %+v", last)
	}
	run = send(ctx, t, c, "/goal resume")
	if _, err := run.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	_, err := c.Stop(ctx)
	must(t, err)
	says(t, "stopped", ended(ctx, t, run), goalPaused)
	says(t, "how it stands", play(ctx, t, c, "/goal"), goalWaits)
	if got := kit.Text(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("and else")))); got != "and else" {
		t.Errorf("a message besides says %q", got)
	}
}

// goalByTool: the assistant sets one by itself, and the message's cap holds for it.
func goalByTool(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Call("create_goal", map[string]string{"objective": scriptmodel.Steps(scriptmodel.Say("round"))}), scriptmodel.Say("set")), rounds(2))
	says(t, "set by the assistant", frames, goalLimit)
	if n := strings.Count(kit.Text(frames), "round"); n != 2 {
		t.Errorf("it had %d rounds: %q", n, kit.Text(frames))
	}
}

// TestGoalAfterARestart: it waits until the person resumes it.
func TestGoalAfterARestart(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		w := newWorld(ctx, t, o)
		o.Model = w.model
		goalAfterARestart(ctx, t, w, o)
	})
}

func goalAfterARestart(ctx context.Context, t *testing.T, w *world, o kit.HostOptions) {
	c := w.NewChat()
	run := send(ctx, t, c, "/goal "+scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("restart"))), rounds(2))
	if _, err := run.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	w.Kill()
	w.model.Release("restart")
	w.Host = kit.StartHost(ctx, t, w.home, o)
	c.Client = w.Client
	says(t, "after the restart", play(ctx, t, c, "/goal"), goalWaits)
	frames := play(ctx, t, c, "/goal resume", rounds(1))
	says(t, "resumed", frames, goalLimit)
	if n := strings.Count(kit.Text(frames), "one"); n != 1 {
		t.Errorf("it had %d rounds: %q", n, kit.Text(frames))
	}
}
