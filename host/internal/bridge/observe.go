package bridge

import (
	"cmp"
	"context"
	"errors"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// opened takes over the chat's session.
func (r *active) opened(o opened) {
	r.link, r.root = o.link, o.log.session
	r.c.log, r.mapped = o.log, o.mapped
	r.base.Store(&base{session: o.log.session, cwd: o.log.cwd, seq: o.log.last})
	r.usage = o.log.fold.Usage()
	r.since = now()
	r.link.bind(r.root, r)
	if r.c.log.fold.Undecoded() > 0 {
		r.c.b.o.Log.Warn("some of a session's log could not be read", zap.Int("events", r.c.log.fold.Undecoded()))
	}
	if o.replaced {
		r.emit(now(), chat.Frame{Type: chat.Notice, Code: chat.CodeUnknownSession, Sentence: say.Sentence(say.SessionReplaced)})
	}
	r.emit(now(), r.unseen()...)
	r.spawn(r.ctx, func(ctx context.Context) {
		err := r.follow(ctx, o.stream, r.root, o.log.last, r.event, r.live)
		switch {
		case err == nil, r.link.gone():
		case errors.Is(err, gateway.ErrRewound):
			r.rewind(ctx, o.log.cwd)
		default:
			r.post(func() { r.apply(run.Died{Err: r.failure(ctx, r.link, err)}) })
		}
	})
}

// follow hands a session's events to the loop until the context ends, and with live
// the pieces of an answer that is being made. It follows again where the gateway let
// it go: what of an answer comes once more then, the projection knows.
func (r *active) follow(ctx context.Context, s gateway.Stream, session string, after int64, take func(dsh.Event), live func(dsh.Live)) error {
	defer func() { s.Close() }()
	for {
		item, err := s.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, gateway.ErrSlow):
			r.c.b.o.Log.Warn("a follower fell behind and begins again", zap.String("session", session))
			s.Close()
			next, err := r.link.gw.Follow(ctx, session, after)
			if err != nil {
				return err
			}
			s = next
		case err != nil:
			return err
		case item.Event != nil:
			after = item.Event.Seq
			e := *item.Event
			r.post(func() { take(e) })
		case item.Live != nil && live != nil:
			l := *item.Live
			r.post(func() { live(l) })
		}
	}
}

// event takes in the next event of the chat's session.
func (r *active) event(e dsh.Event) {
	frames := r.c.log.apply(e)
	r.questions(r.root, e, frames) // first: who sees a card can answer it
	if r.state.Phase >= run.Prompting {
		r.emit(e.Time, frames...)
	}
	r.signal(e)
	r.watch(frames)
	r.answerChecks()
	r.answerTidy()
}

// live takes in the next piece of the answer that is being made.
func (r *active) live(l dsh.Live) {
	frames := r.c.log.fold.Live(l)
	if r.state.Phase >= run.Prompting {
		r.emit(cmp.Or(l.Time, now()), frames...)
	}
	r.watch(frames)
}

// signal tells the reducer what an event means for the run.
func (r *active) signal(e dsh.Event) {
	switch e.Type {
	case dsh.TypeTurnStart:
		r.turnBegins()
		r.apply(run.TurnStarted{})
	case dsh.TypeTurnEnd:
		if end, ok := project.TurnEnd(e); ok {
			if end.Reason.Kind != "interrupted" { // which is what the next process writes
				r.link.proc.Worked()
			}
			r.apply(run.TurnEnded{Reason: end.Reason, GoOn: r.c.log.fold.GoesOn()})
		}
	case dsh.TypeUserMessage:
		r.message(e)
	case dsh.TypeInboxSpliced:
		if s, ok := project.Data[dsh.Splice](e); ok {
			for _, m := range s.Inserted {
				if m.Source.Kind == "subagent-settled" {
					r.helperReported(m.Source.Sender)
				}
			}
		}
	case dsh.TypeGoalChange:
		r.goalEvent(e)
	case dsh.TypePermissionPreset, dsh.TypeSandboxMode, dsh.TypeApprovalPolicy:
		r.switched = e.Seq
		r.foreign()
	case dsh.TypeToolCall:
		if c, ok := project.Data[dsh.ToolCall](e); ok {
			r.delegate = r.delegate || project.Delegates(c.Name)
		}
	case dsh.TypeSessionTitle:
		if t, ok := project.Data[dsh.Title](e); ok {
			r.titled(*t)
		}
	}
}

// message takes in that a turn has a person's message: ours, or one that was
// waiting in the Harness.
func (r *active) message(e dsh.Event) {
	m, ok := project.Person(e)
	if d, is := project.Data[dsh.Message](e); is && r.further[d.Source.RPCID] != nil {
		if ok { // here it stands in the session's log too
			r.c.read(m.RPCID)
			r.emit(e.Time, chat.Frame{Type: chat.Heard, Message: &m})
		}
		r.apply(run.Seen{})
		return
	}
	switch {
	case !ok:
	case m.RPCID == r.req.RequestID:
		r.apply(run.Seen{})
	case r.state.Phase >= run.Prompting:
		r.emit(e.Time, chat.Frame{Type: chat.Notice, Sentence: say.Sentence(say.ParkedFirst, "text", titleOf(m.Text))})
	}
}

// modeSet says up to where changes of mode and policy are ours.
func (r *active) modeSet(seq int64) {
	r.modeSeq = seq
	r.foreign()
}

// foreign stops the run where its mode or policy was changed by something else.
func (r *active) foreign() {
	if r.modeSeq >= 0 && r.switched > r.modeSeq {
		r.apply(run.Changed{Err: policyChanged("mode or policy")})
	}
}

func policyChanged(what string) *chat.Error {
	return &chat.Error{Code: chat.CodeModeUnavailable, Sentence: say.Sentence(say.PolicyChanged), Details: what, Actions: []string{project.ActionRetry}}
}

// questions keeps the table of approvals in step with a session's events.
func (r *active) questions(session string, e dsh.Event, frames []chat.Frame) {
	switch e.Type {
	case dsh.TypeToolResult: // also where a kill left the question without an answer
		if t, ok := project.Data[dsh.ToolResult](e); ok {
			r.c.b.approvals.ended(session, t.Message.Source.CallID)
		}
		return
	case dsh.TypeApprovalAsked, dsh.TypeApprovalDecided:
	default:
		return
	}
	a, ok := project.Data[dsh.Approval](e)
	if !ok {
		return
	}
	if e.Type == dsh.TypeApprovalAsked {
		for _, f := range frames {
			if f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed {
				p := &pending{run: r, session: session, callID: a.CallID, approvalID: a.ID, tool: *f.Tool}
				r.c.b.approvals.propose(p)
				if isTask(r.c.id) {
					r.spawn(r.ctx, func(ctx context.Context) { r.sayNo(ctx, p) })
					continue
				}
				r.spawn(r.ctx, func(ctx context.Context) { r.detail(ctx, p) })
			}
		}
		return
	}
	if ours := r.c.b.approvals.decided(a.ID); a.Outcome == "allowed-once" && !ours {
		r.apply(run.Changed{Err: policyChanged("an answer")})
	}
}

// titled keeps the Harness's title of the session, unless the person gave one. Its
// fallback is made of the first message, as ours is.
func (r *active) titled(t dsh.Title) {
	if t.Title == "" || t.Source.Kind == "fallback" {
		return
	}
	err := r.c.b.records.change(r.c.id, func(c *record) {
		if !c.Named {
			c.Title = titleOf(t.Title)
		}
	})
	if err != nil {
		r.c.b.o.Log.Warn("a title was not kept", zap.Error(err))
	}
}

// connection tells the page that the Harness cannot be reached, or can again.
func (r *active) connection(key string) {
	lost := key == say.Reconnecting
	if lost == r.lost || r.state.Phase < run.Prompting {
		return
	}
	r.lost = lost
	r.emit(now(), chat.Frame{Type: chat.Status, Sentence: say.Sentence(key)})
}
