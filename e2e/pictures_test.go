package e2e

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// A picture reaches a model that reads pictures; one that does not is not asked.
func TestPictures(t *testing.T) {
	with := func(r *chat.StreamRequest) {
		r.Attachments = []chat.Attachment{{Name: "grey.png", MediaType: "image/png", Data: png1}}
	}
	overEach(t, []string{"0.1.0", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		o.Args = []string{"--images"}
		w := newWorld(ctx, t, o)
		c := w.NewChat()
		play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("I see a grey square")), with)
		want := "data:image/png;base64," + base64.StdEncoding.EncodeToString(png1)
		if _, err := w.model.WaitRequest(ctx, func(r scriptmodel.Request) bool { return strings.Contains(string(r.Body), want) }); err != nil {
			t.Error(err)
		}
		got, err := c.History(ctx)
		must(t, err)
		if d := cmp.Diff([]chat.Picture{{Name: "grey.png", MediaType: "image/png"}}, got.Messages[0].Pictures); d != "" {
			t.Errorf("the history (-want +got):\n%s", d)
		}
		recorded(ctx, t, w, "pictures alone", func(ctx context.Context, t *testing.T, w *world) {
			c := w.NewChat()
			play(ctx, t, c, "", with)
			asked := w.model.Requests()
			if body := string(asked[len(asked)-1].Body); !strings.Contains(body, want) {
				t.Errorf("the model was asked %s", body)
			}
			if got := kit.Text(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("a grey square")))); got != "a grey square" {
				t.Errorf("the next message says %q", got)
			}
		})
	})
	t.Run("a model that reads none", func(t *testing.T) {
		t.Parallel()
		ctx := kit.Context(t)
		w := newWorld(ctx, t, kit.HostOptions{})
		before := len(w.model.Requests())
		_, err := w.NewChat().Send(ctx, scriptmodel.Steps(scriptmodel.Say("x")), with)
		refusedWith(t, err, 400, chat.CodeBadRequest)
		if n := len(w.model.Requests()); n != before {
			t.Errorf("the model was asked %d times", n-before)
		}
	})
}
