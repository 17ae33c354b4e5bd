package bridge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"strata.dev/bridge/proto/chat"
)

// Status implements API.
func (b *Bridge) Status(context.Context) chat.AgentStatus {
	s := b.o.Harness.Status()
	b.mu.Lock()
	talks := slices.Collect(maps.Values(b.chats))
	b.mu.Unlock()
	for _, c := range talks {
		for n, r := range c.waiting() {
			if r.log.over() {
				continue
			}
			if n > 0 {
				s.Queued++
			}
			turn := chat.ActiveTurn{ChatID: c.id, Run: r.id, Seq: r.log.seq(), Mode: string(r.mode), Started: r.started}
			if at := r.base.Load(); at != nil {
				turn.SessionID = at.session
			}
			s.Turns = append(s.Turns, turn)
		}
	}
	slices.SortFunc(s.Turns, func(x, y chat.ActiveTurn) int {
		return cmp.Or(cmp.Compare(x.Started, y.Started), cmp.Compare(x.Run, y.Run))
	})
	s.Pending = len(b.Pending(""))
	if s.Errors = b.errors.list(); len(s.Errors) > 0 {
		s.LastError = &s.Errors[0]
	}
	if g := b.gate.Load(); g != nil {
		s.Plugins = slices.Clone(s.Plugins)
		for i := range s.Plugins {
			if p := &s.Plugins[i]; p.Name == gatePlugin {
				p.Running, p.Missing, p.CheckedAt = g.Running, g.Missing, g.CheckedAt
			}
		}
	}
	return s
}

// gatePlugin is the gate's name among the plugins.
const gatePlugin = "gate"

// noteGate keeps what the gate said of itself: which bytes it runs, and what it
// did not find.
func (b *Bridge) noteGate(sha256 string, seams map[string]bool, missing []string) {
	missing = slices.Clone(missing)
	for seam, there := range seams {
		if !there && !slices.Contains(missing, seam) {
			missing = append(missing, seam)
		}
	}
	slices.Sort(missing)
	b.gate.Store(&chat.PluginStatus{Running: sha256, Missing: missing, CheckedAt: now()})
}

// maxErrors is how many runs that failed are remembered.
const maxErrors = 10

// failures are how runs ended that failed, the newest first.
type failures struct {
	mu  sync.Mutex
	all []chat.LastError
}

func (f *failures) add(e chat.LastError) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = append([]chat.LastError{e}, f.all[:min(len(f.all), maxErrors-1)]...)
}

func (f *failures) list() []chat.LastError {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.all)
}

// noteError keeps how a run failed.
func (r *active) noteError(f chat.Frame) {
	r.c.b.errors.add(chat.LastError{
		Time: now(), ChatID: r.c.id, Run: r.id, Code: f.Code, Details: f.Details, Sentence: f.Sentence,
	})
}
