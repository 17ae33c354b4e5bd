package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// The host takes an install that prints its URL and ends for what it is: it goes
// on serving its page, is never ready, says in one sentence what to do, and has the model
// answer alone.
func TestHostOnUnpinnedHarness(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	h := kit.StartHost(ctx, t, home, kit.HostOptions{
		Model: kit.StartModel(t, scriptmodel.Config{}), Harness: kit.Drifted(t, home),
	})
	want := chat.Sentence{
		Text: `The installed agent's packages do not fit together. Install it again with "make run", which uses the tested ones.`,
		Key:  `The installed agent's packages do not fit together. Install it again with "make run", which uses the tested ones.`,
	}
	var status chat.AgentStatus
	if err := kit.Until(ctx, func(ctx context.Context) (err error) {
		if status, err = h.Status(ctx); err == nil && status.Key != want.Key { // it has yet to begin, or is at it
			err = fmt.Errorf("the status is %+v", status)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, status.Sentence); diff != "" || status.State != "stopped" {
		t.Errorf("status %q (-want +got):\n%s", status.State, diff)
	}

	run, err := h.NewChat().Send(ctx, "#! SAY alone")
	if err != nil {
		t.Fatal(err)
	}
	why, err := run.Wait(ctx, kit.OfType(chat.Notice))
	if diff := cmp.Diff(want, why.Sentence); diff != "" || err != nil || why.Code != chat.CodeAgentUnavailable || why.Details == "" {
		t.Errorf("the notice %+v, %v (-want +got):\n%s", why, err, diff)
	}
	if got := kit.Text(ended(ctx, t, run)); got != "alone" {
		t.Errorf("the model alone says %q", got)
	}
	if code, err := h.Stop(ctx); code != 0 || err != nil {
		t.Errorf("SIGTERM: exit code %d, %v", code, err)
	}
}
