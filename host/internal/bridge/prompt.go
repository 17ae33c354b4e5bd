package bridge

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// selectModel chooses the run's model anew each time: a selection that was not
// followed by a prompt is lost on a restart. A thinking level that the route lacks
// is dropped.
func (r *active) selectModel(ctx context.Context) *chat.Error {
	name := r.route
	provider, id, ok := strings.Cut(name, "/")
	if name == "" {
		return offering(say.Error(chat.CodeModelUnavailable, "no route", say.NoModel), project.ActionModel)
	}
	gone := func(details string) *chat.Error {
		e := say.Error(chat.CodeModelUnavailable, details, say.ModelUnavailable, "model", name)
		e.Actions = []string{project.ActionModel}
		return e
	}
	if !ok || provider == "" || id == "" {
		return gone("not provider/model")
	}
	m := gateway.Model{Provider: provider, ID: id, Effort: r.c.b.effort(name, r.req.Thinking)}
	err := r.link.gw.SelectModel(ctx, r.root, m)
	if gateway.IsCode(err, gateway.CodeModelUnavailable) && m.Effort != "" {
		m.Effort = ""
		err = r.link.gw.SelectModel(ctx, r.root, m)
	}
	switch {
	case gateway.IsCode(err, gateway.CodeModelUnavailable):
		return gone(err.Error())
	case err != nil:
		return r.failure(ctx, r.link, err)
	}
	return nil
}

// model is the route of a message: the one it names, its chat's, or the default. What is
// the default now is another server where the chat's own is gone, and perhaps one that is
// to be paid: a chat that has begun never moves to it by itself.
func (b *Bridge) model(req chat.StreamRequest) string {
	if req.Model != "" {
		return req.Model
	}
	if rec, _ := b.records.get(req.ChatID); rec.Model != "" {
		return rec.Model
	}
	for _, r := range b.o.Harness.Status().Routes {
		if r.Default {
			return r.ID
		}
	}
	return ""
}

// effort is a thinking level as a route has it; one that it lacks is dropped.
func (b *Bridge) effort(route, level string) string {
	for _, r := range b.o.Harness.Status().Routes {
		if r.ID == route && !slices.Contains(r.Thinking, level) {
			return ""
		}
	}
	return level
}

// prompt hands the message over. Its request id is on disk before the Harness can
// have it.
func (r *active) prompt(ctx context.Context, resend bool) {
	switch r.line.Kind {
	case command.Handed:
		r.execute(ctx)
		return
	case command.Goal:
		r.pursue(ctx)
		return
	}
	err := r.c.b.remember(r.c.id, r.req.RequestID)
	if err != nil {
		r.post(func() {
			r.apply(run.Prompted{Err: offering(say.Error(chat.CodeInternal, err.Error(), say.Internal), project.ActionRetry)})
		})
		return
	}
	r.c.b.sentAfterAll(r.c.id, r.req.RequestID)
	err = r.link.gw.Prompt(ctx, gateway.Prompt{SessionID: r.root, RequestID: r.req.RequestID, Text: r.text, Images: pictures(r.req.Attachments), Resend: resend})
	switch {
	case err == nil:
		r.post(func() { r.apply(run.Prompted{}) })
	case r.link.gone(): // which the loop sees by itself
	case errors.Is(err, gateway.ErrLost):
		r.c.b.o.Log.Info("the connection broke while a message was handed over", zap.Error(err))
		r.post(func() { r.apply(run.Prompted{Lost: true, Details: err.Error()}) })
	case gateway.IsCode(err, gateway.CodeModelUnavailable):
		e := say.Error(chat.CodeModelUnavailable, err.Error(), say.ModelUnavailable, "model", r.route)
		e.Actions = another
		r.post(func() { r.apply(run.Prompted{Err: e}) })
	default:
		r.post(func() { r.apply(run.Prompted{Err: r.failure(ctx, r.link, err)}) })
	}
}
