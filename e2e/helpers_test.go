package e2e

import (
	"context"
	"errors"
	"fmt"
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

// helpersAtOnce: two in the background, of which one asks and one fails, and both outlive
// the turn that started them; then as many as may be at work, one more, and Stop.
func helpersAtOnce(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	asks := scriptmodel.Helper("asks", scriptmodel.Steps(scriptmodel.Write(w.path("two.txt"), "x"), scriptmodel.Say("written")), true)
	fails := scriptmodel.Helper("fails", scriptmodel.Steps(`ERR 401 "no such key"`), true)
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(asks, fails), scriptmodel.Say("both are on it")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)
	if _, err := run.Wait(ctx, kit.Says("both are on it")); err != nil { // its turn is over, the run is not
		t.Fatal(err)
	}
	must(t, c.Approve(ctx, proposed))
	rows := map[string]string{}
	for _, f := range ended(ctx, t, run) {
		if h, ok := f.Agent.(map[string]any); ok {
			rows[h["name"].(string)] = h["status"].(string)
		}
	}
	if diff := cmp.Diff(map[string]string{"asks": "done", "fails": "failed"}, rows); diff != "" {
		t.Errorf("the rows (-want +got):\n%s", diff)
	}

	full := w.NewChat()
	var five []string
	for i := range 5 {
		five = append(five, scriptmodel.Helper(fmt.Sprint("number ", i), scriptmodel.Steps(scriptmodel.Hold("full-"+full.ID)), true))
	}
	run = send(ctx, t, full, scriptmodel.Steps(scriptmodel.Step(five...), scriptmodel.Say("as many as may be")), kit.Mode("bypass"))
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("full-"+full.ID), func(r scriptmodel.Request) bool {
		return r.Step == 1
	}))
	must(t, err)
	if n := strings.Count(string(told.Body), "There are already 4 helper agents at work"); n != 1 {
		t.Errorf("%d of 5 helpers were refused: %s", n, told.Body)
	}
	if _, err := run.Wait(ctx, kit.Says("as many as may be")); err != nil {
		t.Fatal(err)
	}
	_, err = full.Stop(ctx)
	must(t, err)
	stopped := 0
	frames := ended(ctx, t, run)
	for _, f := range frames {
		if h, ok := f.Agent.(map[string]any); ok && h["status"] == "stopped" {
			stopped++
		}
	}
	if last := frames[len(frames)-1]; !*last.Cancelled || stopped != 4 {
		t.Errorf("%d helpers were stopped, and it ends with %+v", stopped, last)
	}
}
