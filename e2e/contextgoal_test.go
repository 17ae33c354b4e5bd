package e2e

import (
	"context"
	"errors"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/e2e/talks"
	"strata.dev/bridge/proto/chat"
)

// longGoal: a goal's text that fits into no chat is refused, whether rounds go on or not.
func longGoal(ctx context.Context, t *testing.T, w *world, model string) {
	c := w.NewChat()
	on := func(r *chat.StreamRequest) { r.Model = "strata/" + model }
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("hi")), on) // what the instructions take is known from then on
	long := talks.Log(300_000)
	run := send(ctx, t, c, "/goal "+long, on)
	frames, err := run.End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Code != chat.CodeMessageTooLarge {
		t.Errorf("a goal that is too long ends with %+v", last)
	}
	run = send(ctx, t, c, "/goal "+scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("goal-"+c.ID))), on)
	_, err = run.Wait(ctx, kit.Says("one "))
	must(t, err)
	var refused *kit.Refused
	if _, err := c.Send(ctx, "/goal edit "+long, on); !errors.As(err, &refused) || refused.Why.Code != chat.CodeMessageTooLarge {
		t.Errorf("a goal's new text that is too long is answered with %v", err)
	}
	_, err = c.Stop(ctx)
	must(t, err)
	ended(ctx, t, run)
}
