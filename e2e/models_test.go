package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// Two chats on two models at once: each message goes to the model that it names, and
// what one chat chose is nobody else's default.
func TestTwoChatsOnTwoModels(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{Args: []string{"--model", "scripted-2"}})
	on := func(model string) func(*chat.StreamRequest) {
		return func(r *chat.StreamRequest) { r.Model = model }
	}
	play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Say("first"))) // the Harness is up, its settings are written
	settings := filepath.Join(w.home.Data, "agent", "home", "settings.yaml")
	before, err := os.ReadFile(settings)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}

	one, two := w.NewChat(), w.NewChat()
	var runs []*kit.Run
	for _, c := range []struct {
		chat.StreamRequest
		kit.Chat
	}{{chat.StreamRequest{Model: "strata/scripted-2", Text: "one"}, one}, {chat.StreamRequest{Model: "strata/scripted-1", Text: "two"}, two}} {
		runs = append(runs, send(ctx, t, c.Chat, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Hold("models-"+c.Text), scriptmodel.Say(c.Text))), on(c.Model)))
		_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("models-"+c.Text))
		must(t, err)
	}
	for i, name := range []string{"one", "two"} { // both were under way at once
		w.model.Release("models-" + name)
		if got := kit.Text(ended(ctx, t, runs[i])); got != name {
			t.Errorf("chat %s says %q", name, got)
		}
	}
	play(ctx, t, one, scriptmodel.Steps(scriptmodel.Say("one again")), on("strata/scripted-1"))
	play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Say("the default")))

	got := map[string]string{}
	for _, r := range w.model.Requests() {
		var body struct{ Model string }
		must(t, json.Unmarshal(r.Body, &body))
		for _, words := range []string{"models-one", "models-two", "one again", "the default"} {
			if r.Kind == scriptmodel.Chat && scriptmodel.Asks(words)(r) {
				got[words] = body.Model
			}
		}
	}
	want := map[string]string{"models-one": "scripted-2", "models-two": "scripted-1", "one again": "scripted-1", "the default": "scripted-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
	after, err := os.ReadFile(settings)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Errorf("the Harness's settings changed (-before +after):\n%s", diff)
	}

	run := send(ctx, t, two, "#! SAY never", on("strata/gone"))
	frames, err := run.End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModelUnavailable {
		t.Errorf("a model that is gone ends with %+v", last)
	}
}
