package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// unconfined has the Harness look for its launcher of the kernel's own confinement where
// there is none, as on a system that it is not made for.
const unconfined = `
export const name = 'unconfined'
export const inject = ['sandbox']
export function apply(ctx) {
  ctx.sandbox.internals.landlockLauncher = '/no/such/launcher'
}
`

// asksToo asks about one command that the gate lets through, as another plugin may.
const asksToo = `
export const name = 'asks-too'
export const inject = ['tools']
export function apply(ctx) {
  ctx.on('tools/pre-execute', async (exec, next) =>
    exec.arguments?.command === 'ls asks-too' ? { kind: 'ask', reason: 'Another plugin asks too.' } : next())
}
`

// inTurn has a tool of which calls run side by side: the first ends only once the second
// has.
const inTurn = `
export const name = 'in-turn'
export const inject = ['tools']
export function apply(ctx) {
  let second
  const ended = new Promise(resolve => { second = resolve })
  ctx.tools.register({
    name: 'in_turn', description: 'Ends in turn.', isConcurrencySafe: () => true,
    parameters: { type: 'object', properties: { nth: { type: 'string' } }, required: ['nth'] },
    output: { schema: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'] }, render: (_, { said }) => [{ type: 'text', text: said }] },
    async execute({ nth }) {
      if (nth === 'first') return { said: 'first after ' + await ended }
      second(nth)
      return { said: nth }
    },
  })
}
`

// TestOwnRows plays what rows of the person's own do to a Harness: no program that
// confines commands is found, neither bwrap nor the Harness's own; another plugin asks
// besides the gate; calls of a tool run side by side; the gate is taken out.
func TestOwnRows(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.1.5", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
		o.Model = w.model
		w.home.File(t, "README.md", "# A small project\n")
		rows := "- insert:\n    - id: unconfined\n      name: " + w.home.Plugin(t, "unconfined.mjs", unconfined) + "\n" +
			"    - id: asks-too\n      name: " + w.home.Plugin(t, "asks-too.mjs", asksToo) + "\n" +
			"    - id: in-turn\n      name: " + w.home.Plugin(t, "in-turn.mjs", inTurn) + "\n"
		ownLayer(t, w.home, rows)
		w.Host = kit.StartHost(ctx, t, w.home, o)
		recorded(ctx, t, w, "plan without confinement", planWithoutConfinement)
		recorded(ctx, t, w, "parallel calls keep their order", parallelCalls)
		recorded(ctx, t, w, "a note where another asks", noteWhereAnotherAsks)
		ownLayer(t, w.home, rows+"- id: strata-gate\n  disabled: true\n")
		must(t, kit.Until(ctx, func(ctx context.Context) error {
			frames, err := send(ctx, t, w.NewChat(), "#! SAY hi").End(ctx)
			if last := frames[len(frames)-1]; err == nil && last.Type != chat.Failed {
				err = fmt.Errorf("the turn ended with %s", last.Type)
			}
			return err
		}))
		recorded(ctx, t, w, "a mode is unavailable", modeUnavailable)
	})
}

func planWithoutConfinement(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	frames := play(ctx, t, c, scriptmodel.Steps(
		scriptmodel.Bash("ls README.md"), scriptmodel.Call("read", map[string]string{"file_path": w.path("README.md")}),
		scriptmodel.Bash("touch unconfined.txt"), scriptmodel.Bash("cat README.md"), scriptmodel.Say("the plan")), kit.Mode("plan"))
	want := []string{"bash: running denied", "read: running done", "bash: running denied", "bash: running denied"}
	if diff := cmp.Diff(want, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if got := own(frames); len(got) != 1 || !strings.Contains(got[0], "bubblewrap") {
		t.Errorf("the chat says %q", got)
	}
	if got := own(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("ls"), scriptmodel.Say("again")), kit.Mode("plan"))); len(got) > 0 {
		t.Errorf("the chat says once more %q", got)
	}
	if w.exists(t, "unconfined.txt") {
		t.Error("a command ran unconfined")
	}
	if diff := cmp.Diff([]string{"bash: running done"}, kit.States(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("ls README.md"), scriptmodel.Say("ok"))))); diff != "" {
		t.Errorf("Manual (-want +got):\n%s", diff)
	}
}

// noteWhereAnotherAsks: the Harness drops the words of a no, so they reach the model as
// the next message.
func noteWhereAnotherAsks(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("ls asks-too"), scriptmodel.Say("never")))
	proposed := card(ctx, t, run, "bash", chat.ToolProposed)
	if proposed.Reason != "Another plugin asks too." {
		t.Errorf("the card says %q", proposed.Reason)
	}
	must(t, c.Deny(ctx, proposed, "#! SAY \"I look elsewhere\""))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff([]string{"bash: running proposed denied"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	if got := kit.Text(frames); got != "I look elsewhere" {
		t.Errorf("it says %q", got)
	}
	run = send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash("ls asks-too"), scriptmodel.Say("as you wish")))
	must(t, c.Deny(ctx, card(ctx, t, run, "bash", chat.ToolProposed), ""))
	if got := kit.Text(ended(ctx, t, run)); got != "as you wish" {
		t.Errorf("it says %q", got)
	}
}

// modeUnavailable: without the gate there is no Manual, and Plan goes on.
func modeUnavailable(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("the plan")), kit.Mode("plan"))
	failedWith(ctx, t, send(ctx, t, c, "#! SAY never"), chat.CodeModeUnavailable)
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("the plan again")), kit.Mode("plan"))
}

// parallelCalls makes two calls in one answer that run side by side, of which the
// second ends first: the cards stand in the order of the calls, on the page and in the
// history.
func parallelCalls(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	call := func(nth string) string { return scriptmodel.Call("in_turn", map[string]string{"nth": nth}) }
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(call("first"), call("second")), scriptmodel.Say("both")))
	// The Harness asks about the second while the first runs, which waits for it.
	var asked []string
	for range 2 {
		f, err := run.Wait(ctx, func(f chat.Frame) bool {
			return f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed && !slices.Contains(asked, f.Tool.ID)
		})
		must(t, err)
		must(t, c.Approve(ctx, *f.Tool))
		asked = append(asked, f.Tool.ID)
	}
	var page, kept []chat.Tool
	for _, f := range ended(ctx, t, run) {
		if f.Type != chat.AgentTool {
			continue
		}
		if i := slices.IndexFunc(page, func(p chat.Tool) bool { return p.ID == f.Tool.ID }); i >= 0 {
			page[i] = *f.Tool
		} else {
			page = append(page, *f.Tool)
		}
	}
	h, err := c.History(ctx)
	must(t, err)
	for _, m := range h.Messages {
		kept = append(kept, m.Tools...)
	}
	for what, cards := range map[string][]chat.Tool{"page": page, "history": kept} {
		var got []string
		for _, card := range cards {
			got = append(got, string(card.State)+": "+card.Result)
		}
		if d := cmp.Diff([]string{"done: first after second", "done: second"}, got); d != "" {
			t.Errorf("the cards of the %s (-want +got):\n%s", what, d)
		}
	}
}
