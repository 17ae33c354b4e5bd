package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// step carries out one step of the preparation, beside the loop.
func (r *active) step(ctx context.Context, s run.Step) {
	if s == run.Session {
		opened, err := r.openSession(ctx)
		r.post(func() {
			if err == nil {
				r.opened(opened)
			}
			r.apply(run.StepDone{Step: s, SessionID: opened.log.session, Err: err})
		})
		return
	}
	var err *chat.Error
	switch s {
	case run.Mode:
		var seq int64
		if seq, err = r.setMode(ctx); err == nil {
			r.post(func() { r.modeSet(seq) })
		}
	case run.Gate:
		err = r.confirmGate(ctx)
	case run.Model:
		err = r.selectModel(ctx)
	}
	r.post(func() { r.apply(run.StepDone{Step: s, Err: err}) })
}

// opened is what step Session found.
type opened struct {
	link   *link
	log    sessionLog
	stream gateway.Stream
	// replaced says that the Harness had no record of the chat's session.
	replaced bool
}

// openSession brings up the Harness and the chat's session: the mapped one, or a
// new one. The chat is mapped to a new session once that is whole.
func (r *active) openSession(ctx context.Context) (opened, *chat.Error) {
	b := r.c.b
	l, err := b.connect(ctx)
	if err != nil {
		return opened{}, r.failure(ctx, l, err)
	}
	rec, known := b.records.get(r.c.id)
	o := opened{link: l}
	if known {
		// Taken away for the time being: a step that is broken off leaves nothing half
		// read behind.
		o.log, r.c.log = r.c.log, sessionLog{}
		if o.log.link != l || o.log.session != rec.SessionID {
			o.log = newSessionLog(l, rec.SessionID, rec.CWD)
		}
		err := o.catchUp(ctx)
		if err != nil && !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			return opened{}, r.failure(ctx, l, err)
		}
		o.replaced = err != nil
	}
	if !known || o.replaced {
		if !known {
			rec = record{ChatID: r.c.id, CWD: r.req.CWD, Title: titleOf(r.req.Text), Created: now()}
			if rec.CWD == "" {
				rec.CWD = b.o.Workspace
			}
		}
		id, err := l.gw.CreateSession(ctx, rec.CWD, b.o.Preset)
		if err != nil {
			return opened{}, r.failure(ctx, l, err)
		}
		o.log = newSessionLog(l, id, rec.CWD)
		if err := o.catchUp(ctx); err != nil {
			return opened{}, r.failure(ctx, l, err)
		}
		rec.SessionID, rec.Updated = id, now()
		if err := b.records.put(rec); err != nil {
			return opened{}, say.Error(chat.CodeInternal, err.Error(), say.Internal)
		}
	}
	if o.stream, err = l.gw.Follow(ctx, o.log.session, o.log.last); err != nil {
		return opened{}, r.failure(ctx, l, err)
	}
	context.AfterFunc(r.ctx, o.stream.Close) // the run may have ended before anyone reads it
	return o, nil
}

// catchUp takes in what the log has beyond what was read.
func (o *opened) catchUp(ctx context.Context) error {
	snap, err := o.link.gw.Snapshot(ctx, o.log.session, o.log.last+1)
	if err != nil {
		return err
	}
	for _, e := range snap.Events {
		o.log.apply(e)
	}
	return nil
}

// failure is why a step failed: the end of the process before what followed from
// it. Where Stop broke it off the reducer asks for none.
func (r *active) failure(ctx context.Context, l *link, err error) *chat.Error {
	if l != nil && l.gone() {
		return died()
	}
	if e := unavailable(ctx, err); e != nil {
		e.Actions = append(e.Actions, project.ActionRetry)
		return e
	}
	return closing()
}

// preset is the permission preset of the run's mode.
func (r *active) preset() string { return "strata-" + string(r.mode) }

const (
	readBacks    = 5                     // of the mode, until it is said not to match
	readBackWait = 50 * time.Millisecond // between two
)

// setMode puts the session into its mode and reads it back once the command is
// done, as the projection passes through other presets before. It gives the seq up
// to which the log is ours.
func (r *active) setMode(ctx context.Context) (int64, *chat.Error) {
	res, err := r.link.gw.Execute(ctx, r.root, "/permission "+r.preset())
	if err != nil {
		return 0, r.failure(ctx, r.link, err)
	}
	if !res.Found || !res.OK {
		return 0, r.noMode(res.Text)
	}
	var current string
	for range readBacks {
		snap, err := r.link.gw.Snapshot(ctx, r.root, r.base.Load().seq+1)
		if err != nil {
			return 0, r.failure(ctx, r.link, err)
		}
		var p struct {
			Current string `json:"currentValue"`
		}
		if err := json.Unmarshal(snap.Projections["permissions"], &p); err != nil {
			return 0, r.noMode("permissions: " + err.Error())
		}
		if current = p.Current; current == r.preset() {
			return snap.LastSeq, nil
		}
		select {
		case <-time.After(readBackWait):
		case <-ctx.Done():
			return 0, r.failure(ctx, r.link, ctx.Err())
		}
	}
	return 0, r.noMode("the mode reads " + current)
}

func (r *active) noMode(details string) *chat.Error {
	e := say.Error(chat.CodeModeUnavailable, details, say.ModeUnavailable, "mode", modeName(string(r.mode)))
	e.Actions = []string{project.ActionRetry, project.ActionNewChat}
	return e
}

// modeName is a mode as the page's menu writes it.
func modeName(mode string) string { return strings.ToUpper(mode[:1]) + mode[1:] }

// confirmGate makes sure that the gate answers, is the one that was installed, has
// all its seams, and judges the session as Manual: without it Manual would be an
// open sandbox.
func (r *active) confirmGate(ctx context.Context) *chat.Error {
	no := func(details string) *chat.Error {
		return say.Error(chat.CodeModeUnavailable, details, say.GateUnavailable)
	}
	res, err := r.link.gw.Execute(ctx, r.root, "/strata-gate")
	switch {
	case err != nil:
		return r.failure(ctx, r.link, err)
	case !res.Found || !res.OK:
		return no("/strata-gate: " + res.Text)
	}
	var gate struct {
		Gate    string          `json:"gate"`
		SHA256  string          `json:"sha256"`
		Mode    string          `json:"mode"`
		Root    string          `json:"root"`
		Seams   map[string]bool `json:"seams"`
		Missing []string        `json:"missing"`
	}
	if err := json.Unmarshal([]byte(res.Text), &gate); err != nil {
		return no("/strata-gate: " + err.Error())
	}
	whole := gate.Gate == "on" && len(gate.Missing) == 0 && len(gate.Seams) > 0
	for _, there := range gate.Seams {
		whole = whole && there
	}
	for _, p := range r.c.b.o.Harness.Status().Plugins {
		whole = whole && (p.Name != "gate" || p.SHA256 == "" || p.SHA256 == gate.SHA256)
	}
	if !whole || gate.Mode != string(r.mode) || (gate.Root != "" && gate.Root != r.root) {
		return no(res.Text)
	}
	return nil
}

// selectModel chooses the run's model anew each time: a selection that was not
// followed by a prompt is lost on a restart. A thinking level that the route lacks
// is dropped.
func (r *active) selectModel(ctx context.Context) *chat.Error {
	name := r.c.b.model(r.req)
	provider, id, ok := strings.Cut(name, "/")
	if name == "" {
		return say.Error(chat.CodeModelUnavailable, "no route", say.NoModel)
	}
	gone := func(details string) *chat.Error {
		e := say.Error(chat.CodeModelUnavailable, details, say.ModelUnavailable, "model", name)
		e.Actions = []string{project.ActionModel}
		return e
	}
	if !ok || provider == "" || id == "" {
		return gone("not provider/model")
	}
	m := gateway.Model{Provider: provider, ID: id, Effort: r.req.Thinking}
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

// model is the route of a message: the one it names, or the default.
func (b *Bridge) model(req chat.StreamRequest) string {
	if req.Model != "" {
		return req.Model
	}
	for _, r := range b.o.Harness.Status().Routes {
		if r.Default {
			return r.ID
		}
	}
	return ""
}

// prompt hands the message over. Its request id is on disk before the Harness can
// have it.
func (r *active) prompt(ctx context.Context, resend bool) {
	err := r.c.b.records.change(r.c.id, func(c *record) {
		c.Updated = now()
		if !slices.Contains(c.Requests, r.req.RequestID) {
			c.Requests = append(c.Requests, r.req.RequestID)
		}
	})
	if err != nil {
		r.post(func() { r.apply(run.Prompted{Err: say.Error(chat.CodeInternal, err.Error(), say.Internal)}) })
		return
	}
	err = r.link.gw.Prompt(ctx, gateway.Prompt{SessionID: r.root, RequestID: r.req.RequestID, Text: r.req.Text, Resend: resend})
	switch {
	case err == nil:
		r.post(func() { r.apply(run.Prompted{}) })
	case r.link.gone(): // which the loop sees by itself
	case errors.Is(err, gateway.ErrLost):
		r.c.b.o.Log.Info("the connection broke while a message was handed over", zap.Error(err))
		r.post(func() { r.apply(run.Prompted{Lost: true}) })
	case gateway.IsCode(err, gateway.CodeModelUnavailable):
		e := say.Error(chat.CodeModelUnavailable, err.Error(), say.ModelUnavailable, "model", r.c.b.model(r.req))
		r.post(func() { r.apply(run.Prompted{Err: e}) })
	default:
		r.post(func() { r.apply(run.Prompted{Err: r.failure(ctx, r.link, err)}) })
	}
}
