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
// on serving its page, is never ready, and says in one sentence what to do.
func TestHostOnUnpinnedHarness(t *testing.T) {
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
		if status, err = h.Status(ctx); err == nil && status.State == "starting" {
			err = fmt.Errorf("the status is %+v", status)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, status.Sentence); diff != "" || status.State != "stopped" {
		t.Errorf("status %q (-want +got):\n%s", status.State, diff)
	}

	run, err := h.NewChat().Send(ctx, "#! SAY never")
	if err != nil {
		t.Fatal(err)
	}
	frames, err := run.End(ctx)
	if err != nil {
		t.Fatal(err)
	}
	last := frames[len(frames)-1]
	if diff := cmp.Diff(want, last.Sentence); diff != "" || last.Type != chat.Failed || last.Code != chat.CodeAgentUnavailable {
		t.Errorf("the last frame is %s %s (-want +got):\n%s", last.Type, last.Code, diff)
	}
	if code, err := h.Stop(ctx); code != 0 || err != nil {
		t.Errorf("SIGTERM: exit code %d, %v", code, err)
	}
}
