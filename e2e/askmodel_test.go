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

// asks calls the helper tool with a model's name.
func asks(model, label string, child ...string) string {
	return scriptmodel.Call("subagent", map[string]any{
		"description": label, "prompt": scriptmodel.Steps(child...), "model": model, "run_in_background": false,
	})
}

// helperCards gives the calls of the helper tool that started none, or one that failed,
// by their titles; those of others are rows.
func helperCards(frames []chat.Frame) map[string]string {
	cards := map[string]string{}
	for _, f := range frames {
		if f.Type == chat.AgentTool && f.Tool.Name == "subagent" && (f.Tool.State == chat.ToolDone || f.Tool.State == chat.ToolError) {
			cards[f.Tool.Title] = string(f.Tool.State) + ": " + f.Tool.Result + f.Tool.Details
		}
	}
	return cards
}

// askModels has a chat on the local model ask others by their names: two at once, seen at
// their servers; a close guess; one that fails. What costs more says so in its row.
func askModels(ctx context.Context, t *testing.T, w *world, p *providers, c kit.Chat) {
	t.Helper()
	on := onModel("app-7f/gyro-s", "")
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(
		asks("THINKS", "one", scriptmodel.Step(scriptmodel.Hold("helper-router"), scriptmodel.Say("from the router"))),
		asks("Late: m", "two", scriptmodel.Step(scriptmodel.Hold("helper-late"), scriptmodel.Say("from late"))),
	), scriptmodel.Say("both said it")), on)
	for _, name := range []string{"helper-router", "helper-late"} { // both are at work
		_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt(name))
		must(t, err)
	}
	landed := map[string]string{"router": string(p.last(t, "router").body["model"]), "late": string(p.last(t, "late").body["model"])}
	if diff := cmp.Diff(map[string]string{"router": `"a/thinks"`, "late": `"m"`}, landed); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	w.model.Release("helper-router")
	w.model.Release("helper-late")
	frames := ended(ctx, t, run)
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("both said it"), func(r scriptmodel.Request) bool { return r.Step == 1 }))
	must(t, err)
	for _, said := range []string{`"content":"from the router"`, `"content":"from late"`} {
		if !strings.Contains(string(told.Body), said) {
			t.Errorf("the chat was not told %s: %s", said, told.Body)
		}
	}
	rows := map[string]string{}
	for _, f := range frames {
		if row, ok := f.Agent.(map[string]any); ok {
			rows[row["name"].(string)], _, _ = strings.Cut(row["description"].(string), ": #! ")
		}
	}
	if diff := cmp.Diff(map[string]string{
		"one": "On Thinks, which costs more than the model that started it", "two": "On m, which costs more than the model that started it",
	}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}

	before := p.count("router")
	frames = play(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(
		asks("thnks", "guess", scriptmodel.Say("never")),
		asks("claude 9", "other", scriptmodel.Say("never")),
	), scriptmodel.Step(asks("openrouter/a/thinks", "fails", `ERR 401 "the key is not valid"`)), scriptmodel.Say("that is all")), on)
	cards := helperCards(frames)
	for title, words := range map[string]string{
		"Ask thnks: guess":               `Did you mean "Thinks" (openrouter/a/thinks)? Nothing was started.`,
		"Ask claude 9: other":            "Did you mean anthropic/claude? Nothing was started.",
		"Ask openrouter/a/thinks: fails": `The helper on "Thinks" (openrouter/a/thinks) failed: `,
	} {
		if !strings.HasPrefix(cards[title], "error: ") || !strings.Contains(cards[title], words) {
			t.Errorf("%q ends with %q, want %q", title, cards[title], words)
		}
	}
	if n := p.count("router") - before; n != 1 {
		t.Errorf("the router was asked %d times", n)
	}
}

// count is how often a provider was asked for an answer.
func (p *providers) count(folder string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, q := range p.asked {
		if q.folder == folder {
			n++
		}
	}
	return n
}

// goneModel asks for a model whose route is no more.
func goneModel(ctx context.Context, t *testing.T, c kit.Chat, name string, change func(*chat.StreamRequest)) {
	t.Helper()
	frames := play(ctx, t, c, scriptmodel.Steps(asks(name, "gone", scriptmodel.Say("never")), scriptmodel.Say("as you say")), change)
	want := "No model is named \"" + name + "\". Nothing was started. The models that can be used are "
	for title, said := range helperCards(frames) {
		if !strings.HasPrefix(said, "error: ") || !strings.Contains(said, want) || !strings.Contains(said, "Others can be added in Models.") {
			t.Errorf("%q ends with %q", title, said)
		}
	}
	if len(helperCards(frames)) != 1 {
		t.Errorf("the cards are %v", helperCards(frames))
	}
}
