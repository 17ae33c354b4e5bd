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

// waiting are the messages behind a chat's running turn.
func waiting(ctx context.Context, t *testing.T, c kit.Chat, want ...string) []chat.Waiting {
	t.Helper()
	h, err := c.History(ctx)
	must(t, err)
	var got []string
	for _, w := range h.Waiting {
		got = append(got, w.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("waiting (-want +got):\n%s", diff)
	}
	return h.Waiting
}

// waitingMessages: of two that wait one goes into the running turn, the other is taken
// back and never begins.
func waitingMessages(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	first := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("waiting"), scriptmodel.Bash("ls README.md")), scriptmodel.Say("never")))
	_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("waiting"))
	must(t, err)
	if _, err := first.Wait(ctx, kit.Says("one ")); err != nil {
		t.Fatal(err)
	}
	two, three := scriptmodel.Steps(scriptmodel.Say("two")), scriptmodel.Steps(scriptmodel.Say("three"))
	second, third := send(ctx, t, c, two), send(ctx, t, c, three)
	rows := waiting(ctx, t, c, two, three)
	must(t, c.SteerWaiting(ctx, rows[0].Run))
	if _, err := first.Wait(ctx, kit.OfType(chat.Status)); err != nil {
		t.Fatal(err)
	}
	back, err := c.TakeBack(ctx, rows[1].Run)
	must(t, err)
	if back.Text != three {
		t.Errorf("taken back: %+v", back)
	}
	_, err = c.TakeBack(ctx, rows[1].Run)
	refusedWith(t, err, 409, chat.CodeNotWaiting)
	waiting(ctx, t, c, two) // on its way
	w.model.Release("waiting")
	if got := kit.Text(ended(ctx, t, first)); got != "one two" {
		t.Errorf("the turn says %q", got)
	}
	for _, run := range []*kit.Run{second, third} {
		if last := ended(ctx, t, run); !*last[len(last)-1].Cancelled {
			t.Errorf("a run that never began ended with %+v", last[len(last)-1])
		}
	}
	waiting(ctx, t, c)
	goesOn(ctx, t, c)
}

// notSent: a picture for a model that reads none, and a message for a model that is
// gone, reach no model.
func notSent(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("hi")))
	_, err := c.Send(ctx, "#! SAY never", func(r *chat.StreamRequest) {
		r.Attachments = []chat.Attachment{{Name: "dot.png", MediaType: "image/png", Data: png1}}
	})
	refusedWith(t, err, 400, chat.CodeBadRequest)
	last := failedWith(ctx, t, send(ctx, t, c, "#! SAY never", func(r *chat.StreamRequest) { r.Model = "strata/gone" }), chat.CodeModelUnavailable)
	if diff := cmp.Diff([]string{"choose-model"}, last.Actions); diff != "" || !strings.Contains(last.Text, "strata/gone") {
		t.Errorf("%q offers (-want +got):\n%s", last.Text, diff)
	}
	goesOn(ctx, t, c)
}

// png1 is a picture of one pixel.
var png1 = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")

// commandFirst: a chat that begins with a command of the host's is in the list, and
// begins with the agent at the first message that is none.
func commandFirst(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	play(ctx, t, c, "/help")
	listed := func() (title string) {
		t.Helper()
		list, err := w.Chats(ctx)
		must(t, err)
		for _, row := range list {
			if row.ChatID == c.ID {
				title = row.Title
			}
		}
		return title
	}
	if got := listed(); got != "/help" {
		t.Errorf("the chat is listed as %q", got)
	}
	text := scriptmodel.Steps(scriptmodel.Say("hello"))
	if got := kit.Text(play(ctx, t, c, text)); got != "hello" {
		t.Errorf("it says %q", got)
	}
	if got := listed(); got != text {
		t.Errorf("the chat is listed as %q", got)
	}
}
