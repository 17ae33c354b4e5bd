package bridge

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Options is what a Bridge is made of.
type Options struct {
	Harness Harness
	// Dir is the agent's data folder; the chats are kept in it.
	Dir string
	// Workspace is the folder of chats that name none; absolute.
	Workspace string
	// Direct answers where the Harness cannot; nil leaves such messages unanswered.
	Direct Direct
	// Counter counts messages by the model's own tokenizer; nil counts none.
	Counter Counter
	// Preset is the agent preset of new sessions.
	Preset string
	// GoalsOff says that the person turned goals off.
	GoalsOff bool
	// Log gets what no person reads; nil drops it.
	Log *zap.Logger
}

// limits bound what is kept for readers that come later or lag, in bytes (about).
type limits struct {
	run   int // of one run's frames
	ended int // of all runs that have ended
}

// Bridge makes chats of a Harness's sessions.
type Bridge struct {
	o         Options
	limits    limits
	records   *records
	exchanges exchanges
	approvals *approvals
	errors    failures
	gate      atomic.Pointer[chat.PluginStatus] // what it said last
	sizes     sizes

	ctx    context.Context // of everything that outlives a call; ends with Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	chats  map[string]*conversation
	link   *link
	spent  []string  // sessions of tasks that are to be archived
	ended  []*active // whose frames are kept for late readers, oldest first
	kept   int       // their weight
}

var _ API = (*Bridge)(nil)

// New reads the chats and gives a Bridge. It starts no Harness.
func New(o Options) (*Bridge, error) {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	rec, err := openRecords(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("opening the chats: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &Bridge{
		o: o, limits: limits{run: 4 << 20, ended: 64 << 20}, records: rec, exchanges: exchangesIn(o.Dir), approvals: newApprovals(),
		ctx: ctx, cancel: cancel, chats: map[string]*conversation{},
	}
	if err := b.dropTasks(); err != nil {
		return nil, err
	}
	return b, nil
}

// begin runs f until Close has waited for it.
func (b *Bridge) begin(f func()) *chat.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	}
	b.tasks.Go(f)
	return nil
}

// conversation gives the chat of that id, known on disk or not.
func (b *Bridge) conversation(id string) (*conversation, *chat.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	}
	c := b.chats[id]
	if c == nil {
		c = &conversation{b: b, id: id, requests: map[string]*active{}}
		b.chats[id] = c
	}
	return c, nil
}

// known gives the chat if it exists: on disk, or with a run.
func (b *Bridge) known(id string) *conversation {
	b.mu.Lock()
	c := b.chats[id]
	b.mu.Unlock()
	if c != nil && c.alive() {
		return c
	}
	if _, ok := b.records.get(id); !ok {
		return nil
	}
	c, _ = b.conversation(id)
	return c
}

// named gives the chat that a page means: by its own id, or by its session's.
func (b *Bridge) named(id string) *conversation {
	if c := b.known(id); c != nil {
		return c
	}
	if rec, ok := b.records.bySession(id); ok {
		return b.known(rec.ChatID)
	}
	return nil
}

// retire keeps the frames of a run that ended, and lets the oldest go. Its messages
// are in the session's log.
func (b *Bridge) retire(r *active) {
	r.log.close()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, r)
	b.kept += r.log.size()
	for b.kept > b.limits.ended && len(b.ended) > 1 {
		b.kept -= b.ended[0].log.forget()
		b.ended[0] = nil
		b.ended = b.ended[1:]
	}
}

// newID is 128 random bits in hex.
func newID() string {
	var raw [16]byte
	rand.Read(raw[:]) //nolint:errcheck // it never fails
	return hex.EncodeToString(raw[:])
}

// now is Unix milliseconds.
func now() int64 { return time.Now().UnixMilli() }
