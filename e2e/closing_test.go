package e2e

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

const (
	closingLine = "Strata is closing. This answer has {seconds} more seconds to end; what is done by then is kept."
	closedLine  = "Strata was closed during this answer. Start it again and send a message to go on."
	unsentLine  = "Strata was closed before this message was sent. Start it again and send the message once more."
)

// TestClosing: the host ends while chats are at work, and another one takes the data
// folder over at once, as an upgrade in place does.
func TestClosing(t *testing.T) {
	t.Parallel()
	overEach(t, []string{"0.1.0", "0.2"}, hostCloses)
}

func hostCloses(ctx context.Context, t *testing.T, o kit.HostOptions) {
	w := newWorld(ctx, t, o)
	words, works, asks := w.NewChat(), w.NewChat(), w.NewChat()
	session := sessionOf(play(ctx, t, works, scriptmodel.Steps(scriptmodel.Say("remember the word amaranth"))))

	// One is at its last words, one runs a command, behind which another message waits,
	// and one asks.
	last := send(ctx, t, words, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("last "), scriptmodel.Hold("closing"), scriptmodel.Say("words"))))
	working, tools := runningTool(ctx, t, w, works, "closing")
	waits := send(ctx, t, works, "the next thing", kit.RequestID("waits"))
	_, err := waits.Wait(ctx, kit.OfType(chat.Queued))
	must(t, err)
	asking := send(ctx, t, asks, scriptmodel.Steps(scriptmodel.Write(w.path("never.txt"), "x"), scriptmodel.Say("never")))
	proposed := card(ctx, t, asking, "write", chat.ToolProposed)
	_, err = last.Wait(ctx, kit.Says("last "))
	must(t, err)
	_, err = w.model.WaitRequest(ctx, scriptmodel.HeldAt("closing"))
	must(t, err)

	must(t, w.Signal(syscall.SIGTERM))
	next := kit.LaunchHost(t, w.home, kit.HostOptions{Model: w.model, Wire: o.Wire})
	says := func(key string) func(chat.Frame) bool { return func(f chat.Frame) bool { return f.Key == key } }
	for _, r := range []*kit.Run{last, working} {
		_, err := r.Wait(ctx, says(closingLine))
		must(t, err)
	}
	_, err = w.NewChat().Send(ctx, "too late")
	refusedWith(t, err, 503, chat.CodeAgentUnavailable)
	w.model.Release("closing")
	if got := kit.Text(ended(ctx, t, last)); got != "last words" {
		t.Errorf("what ends in time says %q", got)
	}
	for name, r := range map[string]*kit.Run{closedLine: working, unsentLine: waits} {
		if f := failedWith(ctx, t, r, chat.CodeAgentStopped); f.Key != name {
			t.Errorf("a run ended with %q, want %q", f.Key, name)
		}
	}
	if d := cmp.Diff([]string{"bash: running proposed running error"}, kit.States(working.Frames())); d != "" {
		t.Errorf("the command's card (-want +got):\n%s", d)
	}
	if f := failedWith(ctx, t, asking, chat.CodeAgentStopped); f.Key != closedLine {
		t.Errorf("what asked ended with %+v", f)
	}
	denied := card(ctx, t, asking, "write", chat.ToolDenied)
	if denied.ID != proposed.ID || denied.Result == "" || w.exists(t, "never.txt") {
		t.Errorf("the card says %+v", denied)
	}
	code, err := w.Wait(ctx)
	must(t, err)
	if said := strings.Join(w.Output(), "\n"); code != 0 || !strings.Contains(said, "stopped: 2;") || !strings.Contains(said, "not sent: 1.") {
		t.Errorf("exit code %d, and it said:\n%s", code, said)
	}
	gone(ctx, t, "a tool", tools...)

	// The next one has waited, and has all.
	client, err := kit.AwaitHost(ctx, next)
	must(t, err)
	w.Host = &kit.Host{Process: next, Client: client}
	for _, c := range []*kit.Chat{&words, &works, &asks} {
		c.Client = client
	}
	h, err := works.History(ctx)
	must(t, err)
	if n := len(h.Messages); n < 2 || h.Messages[n-2].Text != "the next thing" || len(h.Messages[n-1].Notes) != 1 || h.Messages[n-1].Notes[0].Key != unsentLine {
		t.Errorf("the message that waited: %+v", h.Messages)
	}
	remembers(ctx, t, w, works, session, "amaranth")
	if text, _ := w.home.Read(t, "closing.log"); text != "ran\n" {
		t.Errorf("the stopped command ran so often: %q", text)
	}
	again := ended(ctx, t, send(ctx, t, works, "the next thing", kit.RequestID("waits")))
	if !kit.ByTheAgent(again) {
		t.Errorf("what waited, sent again: %+v", again)
	}
	h, err = works.History(ctx)
	must(t, err)
	var texts []string
	for _, m := range h.Messages {
		if m.Role == "user" {
			texts = append(texts, m.Text)
		}
	}
	if i := slices.Index(texts, "the next thing"); i != len(texts)-1 {
		t.Errorf("the messages: %q", texts)
	}
	if got := kit.Text(play(ctx, t, words, scriptmodel.Steps(scriptmodel.Say("on")))); got != "on" {
		t.Errorf("the chat that ended in time says %q", got)
	}
	asked := send(ctx, t, asks, scriptmodel.Steps(scriptmodel.Write(w.path("asked-again.txt"), "x"), scriptmodel.Say("asked again")))
	must(t, asks.Approve(ctx, card(ctx, t, asked, "write", chat.ToolProposed)))
	if ended(ctx, t, asked); !w.exists(t, "asked-again.txt") || w.exists(t, "never.txt") {
		t.Error("what was asked again is not what was done")
	}
}
