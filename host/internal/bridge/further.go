package bridge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/replycut"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/proto/chat"
)

// further is a message that a run hands over besides its first one: the person's into
// the running turn, or the host's own to go on.
type further struct {
	text   string
	flying bool // on its way to the Harness
}

// handOver gives the session a further message. Then is called in the loop with the
// result, before the reducer has it.
func (r *active) handOver(p gateway.Prompt, then func(error)) {
	p.SessionID = r.root
	f := &further{text: p.Text, flying: true}
	r.further[p.RequestID] = f
	r.spawn(r.ctx, func(ctx context.Context) {
		err := r.promptAgain(ctx, p)
		r.post(func() {
			f.flying = false
			if err != nil && !errors.Is(err, gateway.ErrLost) { // or it may show in the log all the same
				delete(r.further, p.RequestID)
			}
			then(err)
			r.takeBackLanded()
		})
	})
}

// promptAgain hands a message over, some times where the connection breaks.
func (r *active) promptAgain(ctx context.Context, p gateway.Prompt) error {
	for try := 1; ; try++ {
		err := r.link.gw.Prompt(ctx, p)
		if !errors.Is(err, gateway.ErrLost) || try == run.MaxPrompts || r.link.gone() {
			return err
		}
		r.c.b.o.Log.Info("the connection broke while a message was handed over", zap.Error(err))
		p.Resend = true
	}
}

// goOn asks the agent to go on where its answer was cut off.
func (r *active) goOn() {
	r.asked++
	r.shown.goesOn = true
	id := fmt.Sprintf("%s%s-%d", project.OursPrefix, r.req.RequestID, r.asked)
	r.handOver(gateway.Prompt{RequestID: id, Text: replycut.Ask}, func(err error) {
		var e *chat.Error
		if err != nil {
			e = r.failure(r.ctx, r.link, err)
		}
		r.apply(run.Handed{Err: e})
	})
}

// waits tells whether a message of the run's waits for a turn, or is on its way.
func (r *active) waits() bool {
	for id, f := range r.further {
		if _, waiting := r.c.log.inbox.find(id); waiting || f.flying {
			return true
		}
	}
	_, waiting := r.c.log.inbox.find(r.req.RequestID)
	return waiting
}

// queued is a message that waits in the session, and the request that sent it.
type queued struct{ request, message string }

// takeBack takes the run's waiting messages back, once none is on its way.
func (r *active) takeBack() {
	r.taking = true
	r.takeBackLanded()
}

func (r *active) takeBackLanded() {
	if !r.taking {
		return
	}
	ids := []string{r.req.RequestID}
	for id, f := range r.further {
		if f.flying {
			return
		}
		ids = append(ids, id)
	}
	r.taking = false
	slices.Sort(ids)
	var waiting []queued
	for _, id := range ids {
		if m, ok := r.c.log.inbox.find(id); ok {
			waiting = append(waiting, queued{request: id, message: m.ID})
		}
	}
	r.spawn(r.ctx, func(ctx context.Context) { r.unqueue(ctx, waiting) })
}
