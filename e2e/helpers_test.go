package e2e

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

var errNotYet = errors.New("not yet")

// askingHelper sends a chat whose helper wants to write a file, and gives the run
// and the helper's card on the chat's own page.
func askingHelper(ctx context.Context, t *testing.T, w *world, c kit.Chat, file string, background bool) (*kit.Run, chat.Tool) {
	t.Helper()
	child := scriptmodel.Steps(scriptmodel.Write(w.path(file), "by a helper"), scriptmodel.Say("the helper is done"))
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Helper("write a file", child, background), scriptmodel.Say("my helper is on it")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)
	if !strings.Contains(proposed.ID, ":") {
		t.Errorf("a helper's card has the id %q", proposed.ID)
	}
	if w.exists(t, file) {
		t.Errorf("%s exists before the answer", file)
	}
	return run, proposed
}

func helperForeground(ctx context.Context, t *testing.T, w *world) {
	helperAsks(ctx, t, w, "fg", false)
}
func helperBackground(ctx context.Context, t *testing.T, w *world) { helperAsks(ctx, t, w, "bg", true) }

func helperAsks(ctx context.Context, t *testing.T, w *world, name string, background bool) {
	c, other := w.NewChat(), w.NewChat()
	play(ctx, t, other, scriptmodel.Steps(scriptmodel.Say("I am another chat")))

	run, proposed := askingHelper(ctx, t, w, c, name+"-denied.txt", background)
	refusedWith(t, other.Approve(ctx, proposed), 409, chat.CodeNotYours)
	must(t, c.Deny(ctx, proposed, "not now"))
	frames := ended(ctx, t, run)
	if w.exists(t, name+"-denied.txt") {
		t.Error("a denied helper wrote its file")
	}
	if diff := cmp.Diff([]string{"write: proposed denied"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks(name+"-denied.txt"), func(r scriptmodel.Request) bool {
		return r.Step == 1 && strings.Contains(string(r.Body), "not now")
	}))
	if err != nil {
		t.Errorf("the helper was not told the note: %v; %+v", err, told)
	}

	run, proposed = askingHelper(ctx, t, w, c, name+"-approved.txt", background)
	must(t, c.Approve(ctx, proposed))
	ended(ctx, t, run)
	if !w.exists(t, name+"-approved.txt") {
		t.Error("an approved helper did not write its file")
	}
}

func helpersInPlan(ctx context.Context, t *testing.T, w *world) {
	for _, name := range []string{"fg", "bg"} {
		background := name == "bg"
		file := "plan-" + name + ".txt"
		child := scriptmodel.Steps(scriptmodel.Write(w.path(file), "x"), scriptmodel.Bash("touch "+file), scriptmodel.Say("the helper gives up"))
		c := w.NewChat()
		frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Helper("write a file", child, background), scriptmodel.Say("my helper is on it")), kit.Mode("plan"))
		for _, f := range frames {
			if f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed {
				t.Errorf("%s: a helper of a plan turn asks: %+v", name, f.Tool)
			}
		}
		told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks(file), func(r scriptmodel.Request) bool { return r.Step == 2 }))
		must(t, err)
		if strings.Count(string(told.Body), "Not allowed in this mode") < 2 {
			t.Errorf("%s: the helper was not told that it may not: %s", name, told.Body)
		}
		if w.exists(t, file) {
			t.Errorf("%s: a helper of a plan turn wrote a file", name)
		}
	}
}
