package bridge

import (
	"context"
	"errors"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/direct"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Direct answers a message without the Harness.
type Direct interface {
	// Answer emits the frames from start to done or error, without run and seq, and
	// returns after the last one. The end of the context breaks the answer off.
	Answer(ctx context.Context, t direct.Turn, emit func(chat.Frame))
}

var _ Direct = (*direct.Client)(nil)

// alone gives the notices of a run that goes on without the Harness, or nil where it
// goes on with it. A chat that began without stays without: the Harness would not know
// a word of it.
func (r *active) alone(ctx context.Context) []chat.Frame {
	b := r.c.b
	if b.o.Direct == nil {
		return nil
	}
	_, err := b.connect(ctx)
	if passing(err) { // once more, as a chat keeps to what it began with
		_, err = b.connect(ctx)
	}
	switch rec, _ := b.records.get(r.c.id); {
	case b.away(err):
		var e *chat.Error
		errors.As(err, &e) // it is one
		return []chat.Frame{
			{Type: chat.Notice, Code: e.Code, Sentence: e.Sentence, Details: e.Details},
			{Type: chat.Notice, Code: e.Code, Sentence: say.Sentence(say.AnswersAlone)},
		}
	case err == nil && rec.Direct:
		return []chat.Frame{{Type: chat.Notice, Code: chat.CodeAgentUnavailable, Sentence: say.Sentence(say.DirectChat)}}
	}
	return nil
}

// passing tells whether a start failed for no reason that is known to stay.
func passing(err error) bool {
	var e *chat.Error
	return errors.As(err, &e) && (e.Key == say.AgentFailed || e.Key == say.AgentLost)
}

// away tells whether err says that the Harness cannot be had and others may answer.
func (b *Bridge) away(err error) bool {
	var e *chat.Error
	return b.o.Direct != nil && errors.As(err, &e) && e.Code == chat.CodeAgentUnavailable && e.Key != say.ShuttingDown
}

// answer has the model answer, beside the loop. The message is on disk before the
// model can have it, and the answer before its last frame can be seen. Noted is when
// the page was told why the agent does not answer: the answer's time, there and on disk.
func (r *active) answer(ctx context.Context, noted int64) {
	if r.local() {
		r.answerLocally()
		return
	}
	b := r.c.b
	if k := r.line.Kind; k == command.Handed || k == command.Goal { // the model is not to get it as text
		e := say.Error(chat.CodeAgentUnavailable, "the command is the agent's", say.CommandFailed, "command", "/"+r.line.Name)
		r.keepCommand(now(), project.ErrorFrame(e))
		r.answered(project.ErrorFrame(e))
		return
	}
	message := spoken(r.req, r.started)
	earlier := b.past(r.c.id, r)
	err := b.begun(r, exchange{RequestID: r.req.RequestID, Time: r.started, Messages: []chat.Message{message}})
	if err != nil {
		r.answered(project.ErrorFrame(offering(say.Error(chat.CodeInternal, err.Error(), say.Internal), project.ActionRetry)))
		return
	}
	var seen project.Transcript
	seen.User(message)
	for _, f := range r.why {
		seen.Frame(f, noted)
	}
	var last chat.Frame
	b.o.Direct.Answer(ctx, r.turnOf(earlier), func(f chat.Frame) {
		if f.Type.Ends() {
			last = f
			return
		}
		if f.Type == chat.Started {
			if err := r.keepRoute(); err != nil { // the next message goes on with the one before
				b.o.Log.Error("a chat's model was not kept", zap.Error(err))
			}
		}
		at := now()
		seen.Frame(f, at)
		r.post(func() { r.emit(at, f) })
	})
	if r.ctx.Err() != nil || ctx.Err() != nil && r.shutting() { // the host ends
		last = project.ErrorFrame(closing())
	}
	seen.Frame(last, now())
	if err := b.exchanges.add(r.c.id, exchange{RequestID: r.req.RequestID, Time: r.started, Messages: seen.Messages(), Whole: true}); err != nil {
		b.o.Log.Error("an answer was not kept", zap.Error(err))
	}
	r.answered(last)
}

func (r *active) answered(last chat.Frame) {
	r.post(func() { r.apply(run.Answered{Last: last}) })
}

// turnOf is what the model gets: of the chat what it has answered itself.
func (r *active) turnOf(earlier []exchange) direct.Turn {
	t := direct.Turn{
		Model: r.route, Mode: string(r.mode), Effort: r.req.Thinking, Text: r.text, Pictures: r.req.Attachments,
	}
	for _, e := range earlier {
		if e.Command || e.Unsent {
			continue
		}
		t.Earlier = append(t.Earlier, e.Messages...)
	}
	return t
}

// begun keeps a message, and its chat where that is new.
func (b *Bridge) begun(r *active, e exchange) error {
	if err := b.exchanges.add(r.c.id, e); err != nil {
		return err
	}
	if rec, known := b.records.get(r.c.id); !known || rec.Unbegun {
		rec = rec.begin(r.req, b.o.Workspace, now())
		rec.Direct, rec.Updated = true, now()
		return b.records.put(rec)
	}
	return b.records.change(r.c.id, func(c *record) { c.Updated, c.Unseen = now(), c.SessionID != "" })
}

// past is what was answered beside the session before the run under way, or nil. What
// that run itself has kept stands among its own frames.
func (b *Bridge) past(chatID string, r *active) []exchange {
	all, err := b.exchanges.read(chatID)
	if err != nil {
		b.o.Log.Warn("some answers of a chat cannot be read", zap.Error(err))
	}
	return slices.DeleteFunc(all, func(e exchange) bool {
		return r != nil && (e.RequestID == r.req.RequestID || e.Command && e.Time > r.started)
	})
}

// unseen is the notice of a session that lacks what was answered without it.
func (r *active) unseen() []chat.Frame {
	if rec, _ := r.c.b.records.get(r.c.id); !rec.Unseen {
		return nil
	}
	return []chat.Frame{{Type: chat.Notice, Code: chat.CodeAgentUnavailable, Sentence: say.Sentence(say.UnseenByAgent)}}
}
