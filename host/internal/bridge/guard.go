package bridge

import (
	"context"
	"strconv"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/turnguard"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// shown is what the run has shown so far, and what is made of it at its end.
type shown struct {
	guard    *turnguard.Guard // of the newest turn; nil before the first
	proposal project.Proposal
	goesOn   bool            // the next turn goes on with an answer that was cut off
	verdict  *chat.Sentence  // why the guard ended the turn
	told     bool            // what is told at the end was told
	left     []chat.Sentence // what was learnt before the turn and is told at its end
	tidied   int64           // up to where the log tells how room was made
	roomless *chat.Error     // why no room helps
}

// turnBegins begins to count anew.
func (r *active) turnBegins() {
	if r.shown.guard != nil && !r.shown.goesOn {
		r.shown.proposal.Turn(r.planned())
	}
	r.shown.guard, r.shown.goesOn = turnguard.New(r.mode == abi.Plan), false
}

// planned tells whether the person asked for a plan in so many words.
func (r *active) planned() bool { return r.line.Kind == command.Plan }

// watch gives the guard what the page sees of the chat's own turn.
func (r *active) watch(frames []chat.Frame) {
	if r.shown.guard == nil {
		return
	}
	for _, f := range frames {
		r.shown.proposal.Frame(f)
		if verdict := r.shown.guard.Frame(f); verdict != nil {
			r.judge(verdict)
		}
	}
}

// judge ends the turn as the guard says. One that began before the Harness has answered
// the prompt ends once it has.
func (r *active) judge(verdict *chat.Sentence) {
	if r.state.Phase == run.Prompting {
		r.held = append(r.held, func() { r.judge(verdict) })
		return
	}
	if r.state.Guarded() {
		return
	}
	if r.apply(run.Guarded{}); r.state.Guarded() {
		r.shown.verdict = verdict
		r.c.b.o.Log.Info("the turn guard ended a turn", zap.String("run", r.id), zap.String("why", verdict.Text))
	}
}

// conclude tells, before the last frame of a turn that ended by itself or by the guard,
// what it leaves behind: a plan that waits for an answer, or why it was ended.
func (r *active) conclude() {
	if r.shown.told || r.shown.guard == nil {
		return
	}
	r.shown.told = true
	why := r.shown.verdict
	if why != nil {
		r.keepNote("guard", *why, now())
	}
	if r.mode == abi.Plan {
		text := r.shown.proposal.Text(r.planned())
		if why != nil {
			text = r.shown.proposal.Written()
		}
		if text != "" {
			p := chat.Plan{Text: text}
			if why != nil {
				p.Caution, p.CautionKey, p.CautionArgs = why.Text, why.Key, why.Args
			}
			r.c.propose(r, p)
			r.emit(now(), chat.Frame{Type: chat.PlanReady, Plan: &p})
			return
		}
	}
	if why != nil {
		r.emit(now(), ownLine(*why))
	}
}

// tellLeft tells what was learnt before the turn.
func (r *active) tellLeft() {
	for i, s := range r.shown.left {
		r.keepNote("left"+strconv.Itoa(i), s, now())
		r.emit(now(), ownLine(s))
	}
	r.shown.left = nil
}

// keepNote keeps for the chat's history what the host said by itself: the session's log
// has none of it.
func (r *active) keepNote(kind string, s chat.Sentence, at int64) {
	e := exchange{
		RequestID: kind + "-" + r.id, Time: at, Whole: true, Command: true,
		Messages: []chat.Message{{Role: "assistant", Notes: []chat.Note{{Sentence: s}}, Time: at}},
	}
	if err := r.c.b.exchanges.add(r.c.id, e); err != nil {
		r.c.b.o.Log.Warn("what was said of a turn was not kept", zap.Error(err))
	}
}

// tidy asks the Harness to make room in the session. Best effort: what goes wrong is in
// the log, and the next message finds out.
func (r *active) tidy(ctx context.Context, from int64) {
	var why *chat.Error
	switch known, ok := r.makeRoom(ctx); {
	case ok && known.Narrow():
		why = cramped() // no summary helps there
	case ok && known.Full() && r.line.Kind == command.None:
		why = r.tooLarge(say.MessageRefused, known) // what fills it is the message itself
	}
	snap, err := r.link.gw.Snapshot(ctx, r.root, from)
	r.post(func() {
		r.tellLeft()
		r.shown.roomless = why
		r.shown.tidied = -1 // at once, where nobody knows how far the log goes
		if err == nil {
			r.shown.tidied = snap.LastSeq
		}
		r.answerTidy()
	})
}

// answerTidy tells the reducer that room was made, once the log of it is taken in.
func (r *active) answerTidy() {
	if r.state.Phase == run.Tidying && r.shown.tidied <= r.c.log.last {
		r.apply(run.Tidied{Err: r.shown.roomless})
	}
}
