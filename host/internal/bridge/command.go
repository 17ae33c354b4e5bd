package bridge

import (
	"context"
	"strconv"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/fit"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// read takes the message for a command where it is one.
func (r *active) read() {
	if r.req.AsText {
		return
	}
	r.line = command.Parse(r.req.Text)
	if r.line.Kind == command.Plan && r.line.Rest != "" {
		r.mode, r.text = abi.Plan, r.line.Rest
	}
}

// local tells whether the host answers by itself.
func (r *active) local() bool {
	switch r.line.Kind {
	case command.Help, command.Unknown:
		return true
	case command.Plan:
		return r.line.Rest == ""
	case command.Goal:
		return r.c.b.o.GoalsOff
	}
	return false
}

// answerLocally answers a command that needs no agent.
func (r *active) answerLocally() {
	var frames []chat.Frame
	last := project.DoneFrame("completed", false, chat.Usage{})
	switch r.line.Kind {
	case command.Help:
		for _, key := range []string{say.HelpPlan, say.HelpCompact, say.HelpGoal, say.HelpText} {
			frames = append(frames, chat.Frame{Type: chat.Notice, Sentence: say.Sentence(key)})
		}
	case command.Plan:
		frames = append(frames, ownLine(say.Sentence(say.PlanEmpty)))
	case command.Goal:
		frames = append(frames, ownLine(say.Sentence(say.GoalsOff)))
	default:
		last = project.ErrorFrame(unknownCommand(r.line))
	}
	at := now()
	r.keepCommand(at, append(frames, last)...)
	r.post(func() { r.emit(at, frames...) })
	r.answered(last)
}

// ownLine is a sentence of the host's that stands by itself in an answer.
func ownLine(s chat.Sentence) chat.Frame {
	return chat.Frame{Type: chat.Delta, Own: true, Sentence: s}
}

func unknownCommand(l command.Line) *chat.Error {
	e := say.Error(chat.CodeUnknownCommand, "", say.UnknownCommand, "command", "/"+titleOf(l.Name))
	e.Actions = []string{project.ActionAsText}
	return e
}

// execute hands the command to the Harness, which has one of that name or not. Stop
// breaks it off.
func (r *active) execute(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.spawn(ctx, func(ctx context.Context) {
		select {
		case <-r.stop:
			cancel()
		case <-ctx.Done():
		}
	})
	summarizes := r.line.Name == "compact"
	var before fit.Chat
	if summarizes {
		before, _ = r.size(ctx)
	}
	res, err := r.link.gw.Execute(ctx, r.root, r.line.String())
	var failed *chat.Error
	switch {
	case err != nil && r.link.gone(): // which the loop sees by itself
		return
	case err != nil && ctx.Err() != nil: // stopped
	case err != nil:
		failed = r.failure(ctx, r.link, err)
	case !res.Found:
		failed = unknownCommand(r.line)
	case !res.OK && summarizes:
		failed = offering(say.Error(chat.CodeCommandFailed, res.Text, say.NotSummarized), project.ActionModel, project.ActionRetry)
	case !res.OK:
		failed = offering(say.Error(chat.CodeCommandFailed, res.Text, say.CommandFailed, "command", "/"+r.line.Name), project.ActionRetry)
	}
	if failed != nil {
		r.keepCommand(now(), project.ErrorFrame(failed))
		r.post(func() { r.apply(run.Prompted{Err: failed}) })
		return
	}
	var said, meter []chat.Frame
	at := now()
	if err == nil {
		text := chat.Sentence{Text: res.Text}
		switch {
		case summarizes:
			after, ok := r.size(ctx)
			text = summarized(res, before, after)
			if outlined(res, after) {
				said = append(said, ownLine(project.OutlinedIn(after.Kept)))
			}
			if ok && after.Window > 0 {
				meter = append(meter, filled(after))
			}
		case res.Text == "":
			text = say.Sentence(say.CommandDone, "command", "/"+r.line.Name)
		}
		said = append(said, ownLine(text))
		r.keepCommand(at, said...)
	}
	r.post(func() {
		r.emit(at, append(said, meter...)...)
		r.apply(run.Commanded{})
		r.apply(run.Prompted{})
	})
}

// fullShare is from what percent of the window on a chat with nothing older to summarize
// is full of its newest message.
const fullShare = 50

// nothingYet is what the Harness says where it has nothing to summarize.
const nothingYet = "No compactable history yet."

// summarized is the plain answer to /compact: how full the chat was and is now. The
// Harness's own answer counts where nobody can tell.
func summarized(res gateway.CommandResult, before, after fit.Chat) chat.Sentence {
	known := before.Window > 0 && after.Window > 0
	switch {
	case known && after.Tokens < before.Tokens:
		return say.Sentence(say.ChatFilled, "before", strconv.Itoa(before.Percent()), "after", strconv.Itoa(after.Percent()))
	case !known && res.Text != nothingYet:
		return say.Sentence(say.Compacted)
	case before.Percent() >= fullShare:
		return say.Sentence(say.NewestFills, "percent", strconv.Itoa(before.Percent()))
	}
	return say.Sentence(say.NothingToSummarize)
}

// keepCommand keeps a command and its answer, of the time at, for the chat's history,
// and the chat where that is new.
func (r *active) keepCommand(at int64, frames ...chat.Frame) {
	r.keepAside(r.req, r.started, at, frames...)
}

// keepAside is keepCommand for a command that another request gave, sent at a time.
func (r *active) keepAside(req chat.StreamRequest, sent, at int64, frames ...chat.Frame) {
	b := r.c.b
	var seen project.Transcript
	seen.User(chat.Message{Role: "user", Text: req.Text, Time: sent, RPCID: req.RequestID})
	for _, f := range frames {
		seen.Frame(f, at)
	}
	e := exchange{RequestID: req.RequestID, Time: sent, Messages: seen.Messages(), Whole: true, Command: true}
	if err := b.exchanges.add(r.c.id, e); err != nil {
		b.o.Log.Warn("a command's answer was not kept", zap.Error(err))
		return
	}
	if _, known := b.records.get(r.c.id); known {
		return
	}
	rec := record{}.begin(r.req, b.o.Workspace, now())
	rec.Unbegun, rec.Updated = true, now()
	if err := b.records.put(rec); err != nil {
		b.o.Log.Warn("a chat was not kept", zap.Error(err))
	}
}
