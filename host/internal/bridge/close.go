package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/run"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const (
	// turnGrace is how long a turn may still take to end by itself once the host
	// closes: time for last words, or for a command that is nearly done. With what
	// follows it stays below the 10 s after which container engines kill.
	turnGrace = 4 * time.Second
	// stopGrace is how long a stopped turn may then take to be over in its log; a tool
	// that ignores SIGTERM takes the Harness 3.1 s.
	stopGrace = 4 * time.Second
	// lastGrace is how long what the runs have under way may take to see that it ended.
	lastGrace = 2 * time.Second
)

// errNotIdle says that something of the bridge goes on though it was closed.
var errNotIdle = errors.New("closing the chats: something still goes on")

// Parting is what became of the runs that Close found.
type Parting struct {
	Ended   int // by themselves, in time
	Stopped int // before they were done
	Unsent  int // whose message the agent never got
}

// Close implements API.
func (b *Bridge) Close(ctx context.Context) (Parting, error) {
	b.mu.Lock()
	b.closed = true
	talks := slices.Collect(maps.Values(b.chats))
	b.mu.Unlock()
	var runs []*active
	for _, c := range talks {
		runs = append(runs, c.waiting()...)
	}
	for _, r := range slices.Backward(runs) { // the last first, so that none begins
		r.shut()
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for _, r := range runs {
			<-r.done
		}
	}()
	select {
	case <-over:
	case <-time.After(turnGrace + stopGrace):
	case <-ctx.Done():
	}
	b.cancel() // what is left ends now
	idle := make(chan struct{})
	go func() { <-over; b.tasks.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(lastGrace):
		return Parting{}, errNotIdle
	}
	var p Parting
	for _, r := range runs {
		switch r.parted {
		case partedUnsent:
			p.Unsent++
		case partedStopped:
			p.Stopped++
		default:
			p.Ended++
		}
	}
	return p, nil
}

// parted is what the host's end did to a run.
type parted int

const (
	partedNot parted = iota
	partedUnsent
	partedStopped
)

// part has the run end because the host does. One whose message the Harness does not
// have ends at once, and one that waits for a person, who may never come. Others get
// some time: the channel says when it is over.
func (r *active) part() <-chan time.Time {
	switch {
	case r.state.Phase < run.Prompting:
		r.parted = partedUnsent
		r.keepUnsent(chat.Frame{Type: chat.Notice, Sentence: say.Sentence(say.Unsent)})
		r.apply(run.Changed{Err: &chat.Error{
			Code: chat.CodeAgentStopped, Sentence: say.Sentence(say.Unsent), Actions: []string{project.ActionRetry},
		}})
		return nil
	case r.c.b.approvals.asks(r):
		r.cutOff()
		return nil
	}
	r.emit(now(), chat.Frame{Type: chat.Status, Sentence: say.Sentence(say.ClosingSoon, "seconds", strconv.Itoa(int(turnGrace.Seconds())))})
	return time.After(turnGrace)
}

// cutOff stops the run in order, because the host ends.
func (r *active) cutOff() {
	r.parted = partedStopped
	r.apply(run.Changed{Err: closing()})
}

// keepUnsent keeps a message that the Harness never got, and why, so that the chat still
// shows it. It is forgotten once it is sent again (sentAfterAll). A chat of which nothing
// else is known is not kept.
func (r *active) keepUnsent(why chat.Frame) {
	b := r.c.b
	if _, known := b.records.get(r.c.id); !known || r.local() {
		return
	}
	var seen project.Transcript
	seen.User(spoken(r.req, r.started))
	seen.Frame(why, r.started)
	e := exchange{RequestID: r.req.RequestID, Time: r.started, Messages: seen.Messages(), Unsent: true}
	if err := b.exchanges.add(r.c.id, e); err != nil {
		b.o.Log.Warn("a message that was not sent was not kept", zap.Error(err))
	}
}

// sentAfterAll forgets that a message was not sent, as the session's log has it from
// now on.
func (b *Bridge) sentAfterAll(chatID, requestID string) {
	past, _ := b.exchanges.read(chatID)
	if !slices.ContainsFunc(past, func(e exchange) bool { return e.Unsent && e.RequestID == requestID }) {
		return
	}
	if err := b.exchanges.add(chatID, exchange{RequestID: requestID}); err != nil {
		b.o.Log.Warn("a message stays marked as not sent", zap.Error(err))
	}
}

// closing is what a person reads where the host ends.
func closing() *chat.Error {
	return &chat.Error{Code: chat.CodeAgentStopped, Sentence: say.Sentence(say.AgentClosed), Actions: []string{project.ActionRetry}}
}
