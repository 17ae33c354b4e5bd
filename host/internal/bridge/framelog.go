package bridge

import (
	"context"
	"io"
	"reflect"
	"sync"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/chat"
)

// frameLog is a run's frames, the newest of them, and the messages that all of
// them make. Appending never waits for a reader.
type frameLog struct {
	run string
	max int // bytes kept, about

	mu         sync.Mutex
	frames     []chat.Frame
	bytes      int
	last       int64 // seq of the newest frame
	ended      bool
	wake       chan struct{} // closed at the next append; nil while nobody waits
	transcript project.Transcript
}

// append numbers f and adds it. After a last frame it does nothing. Time is Unix
// milliseconds.
func (l *frameLog) append(f chat.Frame, time int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(f, time)
}

// reset begins the messages anew and says so in a frame.
func (l *frameLog) reset(t project.Transcript, time int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transcript = t
	l.put(chat.Frame{Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: t.Messages()}}, time)
}

// put is append with the lock held.
func (l *frameLog) put(f chat.Frame, time int64) {
	if l.ended {
		return
	}
	l.last++
	f.Run, f.Seq = l.run, l.last
	l.ended = f.Type.Ends()
	l.frames = append(l.frames, f)
	l.bytes += weight(f)
	for l.bytes > l.max && len(l.frames) > 1 {
		l.drop()
	}
	l.transcript.Frame(f, time)
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

func (l *frameLog) drop() {
	l.bytes -= weight(l.frames[0])
	l.frames[0] = chat.Frame{}
	l.frames = l.frames[1:]
}

// user says what message the run answers.
func (l *frameLog) user(m chat.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transcript.User(m)
}

// view gives the messages of the run so far and the seq up to which they go.
func (l *frameLog) view() ([]chat.Message, *chat.Context, int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.transcript.Messages(), l.transcript.Context(), l.last
}

// holds tells whether all frames after seq are here or yet to come.
func (l *frameLog) holds(after int64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return after >= l.last-int64(len(l.frames)) && after <= l.last
}

// seq is that of the newest frame.
func (l *frameLog) seq() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// over tells whether the last frame is written.
func (l *frameLog) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// close lets go of the messages.
func (l *frameLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transcript = project.Transcript{}
}

// forget drops all frames of an ended run and gives how many bytes that were.
func (l *frameLog) forget() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.bytes
	l.frames, l.bytes = nil, 0
	return n
}

// size is the weight of what is kept.
func (l *frameLog) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes
}

// take gives the frame after seq; where there is none yet, the channel that is
// closed when there is.
func (l *frameLog) take(after int64) (chat.Frame, <-chan struct{}, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := l.last - int64(len(l.frames)) // seq before the oldest kept
	switch {
	case after < first:
		return chat.Frame{}, nil, ErrSlow
	case after < l.last:
		return l.frames[after-first], nil, nil
	case l.ended:
		return chat.Frame{}, nil, io.EOF
	}
	if l.wake == nil {
		l.wake = make(chan struct{})
	}
	return chat.Frame{}, l.wake, nil
}

// frameSize is what a frame takes without its texts.
var frameSize = int(reflect.TypeFor[chat.Frame]().Size())

// weight is about how many bytes a frame takes.
func weight(f chat.Frame) int {
	n := frameSize + len(f.Details) + sentenceWeight(f.Sentence)
	if t := f.Tool; t != nil {
		n += toolWeight(*t)
	}
	if d := f.ToolDraft; d != nil {
		n += len(d.ID) + len(d.Name) + len(d.Tail)
	}
	if h, ok := f.Agent.(*chat.Helper); ok {
		n += len(h.ID) + len(h.Name) + len(h.Description)
	}
	if m := f.Message; m != nil {
		n += frameSize + len(m.Text)
	}
	if f.Plan != nil {
		n += len(f.Plan.Text)
	}
	if f.Snapshot != nil {
		for _, m := range f.Snapshot.Messages {
			n += frameSize + len(m.Text) + len(m.Reasoning)
			for _, t := range m.Tools {
				n += toolWeight(t)
			}
			for _, s := range m.Notes {
				n += sentenceWeight(s.Sentence) + len(s.Details)
			}
		}
	}
	return n
}

func sentenceWeight(s chat.Sentence) int {
	n := len(s.Text)
	for _, v := range s.Args {
		n += len(v)
	}
	return n
}

func toolWeight(t chat.Tool) int {
	n := len(t.Input) + len(t.Result) + len(t.Details) + len(t.Reason) + len(t.Title)
	if t.Save != nil {
		n += len(t.Save.Pattern)
	}
	return n
}

// reader is a Subscription: first the frames it was given, then the log's after
// seq. It holds no frames of its own, so that it can neither block the run nor
// grow.
type reader struct {
	first []chat.Frame
	log   *frameLog // nil: nothing follows
	after int64

	once   sync.Once
	closed chan struct{}
}

var _ Subscription = (*reader)(nil)

func newReader(log *frameLog, after int64, first ...chat.Frame) *reader {
	return &reader{first: first, log: log, after: after, closed: make(chan struct{})}
}

// Next implements Subscription. One goroutine calls it.
func (r *reader) Next(ctx context.Context) (chat.Frame, error) {
	select {
	case <-r.closed:
		return chat.Frame{}, io.EOF
	default:
	}
	if len(r.first) > 0 {
		f := r.first[0]
		r.first = r.first[1:]
		return f, nil
	}
	if r.log == nil {
		return chat.Frame{}, io.EOF
	}
	for {
		f, wake, err := r.log.take(r.after)
		if err != nil {
			return chat.Frame{}, err
		}
		if wake == nil {
			r.after = f.Seq
			return f, nil
		}
		select {
		case <-wake:
		case <-r.closed:
			return chat.Frame{}, io.EOF
		case <-ctx.Done():
			return chat.Frame{}, ctx.Err()
		}
	}
}

// Close implements Subscription.
func (r *reader) Close() { r.once.Do(func() { close(r.closed) }) }
