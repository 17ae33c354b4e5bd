package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// guardEnds: a turn that goes nowhere is ended, says why, and the chat goes on.
func guardEnds(ctx context.Context, t *testing.T, w *world) {
	times := func(n int, step func(i int) string) string {
		var steps []string
		for i := range n {
			steps = append(steps, step(i))
		}
		return scriptmodel.Steps(append(steps, scriptmodel.Hold("never"))...)
	}
	for _, c := range []struct{ mode, script, says string }{
		{"manual", times(4, func(int) string {
			return scriptmodel.Call("read", map[string]string{"file_path": w.path("missing.txt")})
		}),
			"I stopped because the same step failed {times} times. Read its Details above, then tell me what to try instead."},
		{"manual", times(8, func(i int) string {
			return scriptmodel.Call("read", map[string]string{"file_path": w.path(fmt.Sprintf("missing-%d.txt", i))})
		}), "I stopped because all {times} steps of this answer failed. Read their Details above, then tell me how to go on."},
		{"bypass", times(3, func(i int) string {
			return scriptmodel.Call("web_search", map[string]any{"query": fmt.Sprint("query ", i)})
		}), "I stopped because {times} web searches in a row failed. Try again in a minute, or add a search key in Settings → Tools → Web search."},
	} {
		chat := w.NewChat()
		frames := play(ctx, t, chat, c.script, kit.Mode(c.mode))
		says(t, c.mode, frames, c.says)
		if last := frames[len(frames)-1]; last.Finish != "guard" || *last.Cancelled {
			t.Errorf("it ends with %+v", last)
		}
		if got := kit.Text(play(ctx, t, chat, scriptmodel.Steps(scriptmodel.Say("goes on")))); got != "goes on" {
			t.Errorf("then it says %q", got)
		}
	}
}

// guardPlan: a plan that is begun anew again and again is proposed as it stood, with why.
func guardPlan(ctx context.Context, t *testing.T, w *world) {
	const list = "1. Look at README.md\n2. Change it\n"
	look := scriptmodel.Bash("ls README.md")
	frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say(list), look), scriptmodel.Step(scriptmodel.Say(strings.Repeat(list, 4)), scriptmodel.Hold("never"))), kit.Mode("plan"))
	says(t, "a plan begun anew", frames)
	var got *chat.Plan
	for _, f := range frames {
		if f.Type == chat.PlanReady {
			got = f.Plan
		}
	}
	why := "I stopped because I kept beginning the plan anew. Tell me which part of it matters most, and I go on from there."
	if diff := cmp.Diff(&chat.Plan{Text: strings.TrimSpace(list), Caution: why, CautionKey: why}, got); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
}

// guardFull: where the window is nearly full and the turn goes on, it is ended, and
// room is made before the next message.
func guardFull(ctx context.Context, t *testing.T, w *world) {
	const nearly = 262144 * 94 / 100 // of the scripted model's window
	c := w.NewChat()
	look := scriptmodel.Bash("ls README.md")
	frames := play(ctx, t, c, scriptmodel.Steps(look, scriptmodel.Step(look, fmt.Sprintf(`USAGE {"prompt_tokens":%d,"total_tokens":%d}`, nearly, nearly)), look, scriptmodel.Say("never")))
	says(t, "nearly full", frames, "I stopped because this chat is nearly full. Earlier messages are being summarized; send your next message to go on.")
	var told []string
	for _, f := range frames {
		if f.Type == chat.Status {
			told = append(told, f.Text)
		}
	}
	if !strings.Contains(strings.Join(told, "\n"), "Summarizing") {
		t.Errorf("no room was made: %q", told)
	}
}

// planAnswered: a plan waits for an answer, and is carried out in the mode picked.
func planAnswered(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	const plan = "1. Look at README.md\n2. Change it"
	frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("ls README.md"), scriptmodel.Say(plan)), kit.Mode("plan"))
	var got *chat.Plan
	for _, f := range frames {
		if f.Type == chat.PlanReady {
			got = f.Plan
		}
	}
	if diff := cmp.Diff(&chat.Plan{Text: plan}, got); diff != "" {
		t.Errorf("the plan (-want +got):\n%s", diff)
	}
	h, err := c.History(ctx)
	must(t, err)
	if diff := cmp.Diff(got, h.Plan); diff != "" {
		t.Errorf("the plan that waits (-want +got):\n%s", diff)
	}
	a, err := c.Plan(ctx, chat.Approve, "bypass")
	must(t, err)
	run, err := c.Attach(ctx, a.Run, 0)
	must(t, err)
	if frames := ended(ctx, t, run); frames[1].Mode != "bypass" {
		t.Errorf("it is carried out in %+v", frames[1])
	}
	_, err = c.Plan(ctx, chat.Approve, "bypass")
	refusedWith(t, err, 409, chat.CodeNotPending)
}
