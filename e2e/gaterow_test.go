package e2e

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// Without its row in the Harness there is no Manual: what runs stops and goes to
// Plan, and no Manual turn starts until the row is back.
func TestGateRowRemoved(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
	ownLayer(t, w.home, "[]\n")
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model})

	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("gateless.txt"), "x"), scriptmodel.Write(w.path("gateless-2.txt"), "x"), scriptmodel.Say("done")))
	proposed := card(ctx, t, run, "write", chat.ToolProposed)
	ownLayer(t, w.home, "- id: strata-gate\n  disabled: true\n")
	frames, err := run.End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModeUnavailable {
		t.Errorf("the run ended with %+v", last)
	}
	refusedWith(t, c.Approve(ctx, proposed), 409, chat.CodeNotPending)

	frames, err = send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("gateless.txt"), "x"), scriptmodel.Say("done"))).End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModeUnavailable {
		t.Errorf("a Manual turn without a gate ended with %+v", last)
	}
	if cards := kit.States(frames); len(cards) > 0 {
		t.Errorf("a Manual turn without a gate shows %q", cards)
	}
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("touch gateless.txt; ls"), scriptmodel.Say("planned")), kit.Mode("plan"))
	for _, file := range []string{"gateless.txt", "gateless-2.txt"} {
		if w.exists(t, file) {
			t.Errorf("%s was written without a gate", file)
		}
	}

	ownLayer(t, w.home, "[]\n")
	back := scriptmodel.Steps(scriptmodel.Write(w.path("back.txt"), "x"), scriptmodel.Say("done"))
	must(t, kit.Until(ctx, func(ctx context.Context) error {
		run = send(ctx, t, c, back)
		_, err := run.Card(ctx, "write", chat.ToolProposed)
		return err
	}))
	must(t, c.Approve(ctx, card(ctx, t, run, "write", chat.ToolProposed)))
	if diff := cmp.Diff([]string{"write: running proposed running done"}, kit.States(ended(ctx, t, run))); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
}
