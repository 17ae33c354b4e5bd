package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// own are the host's own sentences of a run.
func own(frames []chat.Frame) []string {
	var out []string
	for _, f := range frames {
		if f.Own || f.Type == chat.Notice {
			out = append(out, f.Text)
		}
	}
	return out
}

// failedWith waits for the end of a run, which must be an error frame of that code.
func failedWith(ctx context.Context, t *testing.T, run *kit.Run, code chat.Code) chat.Frame {
	t.Helper()
	frames, err := run.End(ctx)
	must(t, err)
	last := frames[len(frames)-1]
	if last.Type != chat.Failed || last.Code != code || !strings.HasSuffix(last.Text, ".") {
		t.Errorf("the run ended with %+v, want %s", last, code)
	}
	return last
}

func asText(r *chat.StreamRequest) { r.AsText = true }
func steers(r *chat.StreamRequest) { r.Steer = true }

func commandsTyped(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	if got := own(play(ctx, t, c, "/help")); len(got) != 4 || !strings.Contains(got[1], "/compact") {
		t.Errorf("/help says %q", got)
	}
	last := failedWith(ctx, t, send(ctx, t, c, `/nonsense #! SAY "as text"`), chat.CodeUnknownCommand)
	if diff := cmp.Diff([]string{"send-as-text"}, last.Actions); diff != "" {
		t.Errorf("an unknown command offers (-want +got):\n%s", diff)
	}
	if got := kit.Text(play(ctx, t, c, `/nonsense #! SAY "as text"`, asText)); got != "as text" {
		t.Errorf("sent as text it says %q", got)
	}
	frames := play(ctx, t, c, "/plan "+scriptmodel.Steps(scriptmodel.Write(w.path("planned-once.txt"), "x"), scriptmodel.Say("the plan")))
	if diff := cmp.Diff([]string{"write: running denied"}, kit.States(frames)); diff != "" || frames[1].Mode != "plan" || w.exists(t, "planned-once.txt") {
		t.Errorf("/plan began with %+v (-want +got):\n%s", frames[1], diff)
	}
	for _, line := range []string{"/compact", "/goal"} { // each in a new chat: what is summarized has no fixed size
		if got := own(play(ctx, t, w.NewChat(), line)); len(got) != 1 || got[0] == "" {
			t.Errorf("%s says %q", line, got)
		}
	}
	failedWith(ctx, t, send(ctx, t, c, "/strata"), chat.CodeUnknownCommand)
	failedWith(ctx, t, send(ctx, t, c, "/permission danger-full-access"), chat.CodeUnknownCommand)
}

func steered(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	first := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("steered"), scriptmodel.Bash("ls README.md")), scriptmodel.Say("never")))
	_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("steered"))
	must(t, err)
	if _, err := first.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	second := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("two")), steers)
	if _, err := second.Wait(ctx, kit.OfType(chat.Status)); err != nil {
		t.Fatal(err)
	}
	w.model.Release("steered")
	frames := ended(ctx, t, first)
	if got := kit.Text(frames); got != "one two" {
		t.Errorf("the steered turn says %q", got)
	}
	if diff := cmp.Diff(frames, ended(ctx, t, second)); diff != "" {
		t.Errorf("the one who steered sees another run (-first +second):\n%s", diff)
	}
}

func stoppedQueue(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	first := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("stopped-queue"))))
	_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("stopped-queue"))
	must(t, err)
	if _, err := first.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	steering := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("steered")), steers)
	if _, err := steering.Wait(ctx, kit.OfType(chat.Status)); err != nil {
		t.Fatal(err)
	}
	waiting := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("waited")))
	if _, err := waiting.Wait(ctx, kit.OfType(chat.Queued)); err != nil {
		t.Fatal(err)
	}
	stopped(ctx, t, c, first)
	if last := ended(ctx, t, waiting); !*last[len(last)-1].Cancelled {
		t.Errorf("what waited ended with %+v", last[len(last)-1])
	}
	goesOn(ctx, t, c)
}

func emptyEndings(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	if got := own(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Think("well")))); len(got) != 1 || !strings.HasPrefix(got[0], "I stopped without writing an answer") {
		t.Errorf("an empty answer says %q", got)
	}
	if got := own(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think("well"), `USAGE {"prompt_tokens":225000,"completion_tokens":1,"total_tokens":225001}`)))); len(got) != 1 || !strings.HasPrefix(got[0], "I ran out of room") {
		t.Errorf("an empty answer in a full chat says %q", got)
	}
}

func cutReplies(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	cut := func(text string) string { return scriptmodel.Step(scriptmodel.Say(text), "FINISH length") }
	frames := play(ctx, t, c, scriptmodel.Steps(cut("one "), scriptmodel.Say("two")))
	if got := kit.Text(frames); got != "one two" || len(own(frames)) != 1 {
		t.Errorf("it says %q and %q", got, own(frames))
	}
	frames = play(ctx, t, c, scriptmodel.Steps(cut("one "), cut("two "), cut("three "), scriptmodel.Say("never")))
	if got := kit.Text(frames); got != "one two three " || len(own(frames)) != 3 {
		t.Errorf("a reply that is always cut says %q and %q", got, own(frames))
	}
}

// TestJoined: where our preset is gone no message is sent to an agent without tools,
// and nothing is kept of the chat.
func TestJoined(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.1.5", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		w := newWorld(ctx, t, o)
		goesOn(ctx, t, w.NewChat()) // the Harness runs, and has mounted the preset
		preset := filepath.Join(w.home.Data, "agent", "home", ".agent-presets", "strata")
		must(t, os.Rename(preset, preset+".away"))
		c := w.NewChat()
		last := failedWith(ctx, t, send(ctx, t, c, "#! SAY never"), chat.CodeAgentUnavailable)
		if !strings.Contains(last.Text, "without its tools") || last.Details == "" {
			t.Errorf("it says %+v", last)
		}
		_, err := c.History(ctx)
		refusedWith(t, err, 404, chat.CodeUnknownChat)
		must(t, os.Rename(preset+".away", preset))
		goesOn(ctx, t, c)
	})
}
