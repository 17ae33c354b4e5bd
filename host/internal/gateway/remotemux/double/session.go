package double

import (
	"encoding/json"
	"slices"

	"strata.dev/bridge/proto/dsh"
)

// Session is one log. Its exported fields are set once.
type Session struct {
	server *Server
	ID     string
	CWD    string
	Parent string
	Mode   string // of a helper: one-shot or continuable

	attached bool
	running  bool
	uncached bool
	behind   int
	log      []dsh.Event
	values   map[string]json.RawMessage // projections
	queue    []dsh.QueueItem
	prompted map[string]bool
	attempt  *dsh.Attempt
	attempts int // of this life of the process
	revision int64
}

// Append logs an event and sends it. It gives the event, with its seq.
func (se *Session) Append(typ string, data any) dsh.Event {
	return se.append(dsh.Event{Type: typ, Data: encode(data)})
}

// AppendMessage is Append for what the model sees.
func (se *Session) AppendMessage(typ string, data any) dsh.Event {
	return se.append(dsh.Event{Type: typ, Data: encode(data), Surface: &dsh.Surface{Op: "append"}})
}

func (se *Session) append(e dsh.Event) dsh.Event {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	return se.logged(e)
}

func (se *Session) logged(e dsh.Event) dsh.Event {
	e.Seq, e.Time = int64(len(se.log)), now()
	se.log = append(se.log, e)
	se.server.follow(se, map[string]any{"type": "event", "event": e}, false)
	return e
}

// Skip logs an event and does not send it: a hole.
func (se *Session) Skip(typ string, data any) dsh.Event {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	e := dsh.Event{Type: typ, Data: encode(data), Seq: int64(len(se.log)), Time: now()}
	se.log = append(se.log, e)
	return e
}

// Replay sends an event of the log once more.
func (se *Session) Replay(seq int64) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.server.follow(se, map[string]any{"type": "event", "event": se.log[seq]}, false)
}

// Truncate drops the events from seq on, as a kill does that comes before they were
// written.
func (se *Session) Truncate(seq int64) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.log = se.log[:seq]
}

// Detach makes the session cold. Uncached has session/projections answer null, behind
// has it answer as of that many events ago.
func (se *Session) Detach(uncached bool, behind int) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.attached, se.uncached, se.behind = false, uncached, behind
}

// Attached tells whether the session has an agent.
func (se *Session) Attached() bool {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	return se.attached
}

// Project sets a projection's value and sends it.
func (se *Session) Project(key string, value any) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.project(key, value)
}

func (se *Session) project(key string, value any) {
	se.values[key] = encode(value)
	se.server.control(map[string]any{
		"type": "projection", "sessionId": se.ID, "key": key, "value": se.values[key], "seq": len(se.log) - 1,
	})
}

// SetTitle names the session; by says who: fallback, provider or user.
func (se *Session) SetTitle(title, by string) dsh.Event {
	e := se.Append(dsh.TypeSessionTitle, dsh.Title{Title: title, Source: dsh.KindOnly{Kind: by}})
	se.Project(dsh.KeyTitle, title)
	return e
}

// Running says whether a turn runs and sends it.
func (se *Session) Running(on bool) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.running = on
	se.server.emit("api-session/status", se.ID, on)
}

// Dequeue takes the first message out of the queue, as a starting turn does.
func (se *Session) Dequeue() {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	if len(se.queue) > 0 {
		se.queue = se.queue[1:]
	}
	se.logged(dsh.Event{Type: dsh.TypeInboxSpliced, Data: encode(map[string]any{"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []any{}})})
	se.tellQueue()
}

// enqueue takes a prompt in; false: it is there already.
func (se *Session) enqueue(p Prompt) bool {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if se.prompted[p.RequestID] {
		return false
	}
	if se.prompted == nil {
		se.prompted = map[string]bool{}
	}
	se.prompted[p.RequestID] = true
	placement, target := "queued", "next-turn"
	if p.Steer {
		placement, target = "steering", "next-step"
	}
	m := dsh.Message{
		ID: s.mint("message"), Role: "user", Content: []dsh.Block{{Type: "text", Text: p.Text}},
		Source: dsh.Source{Kind: "user", RPCID: p.RequestID},
	}
	start := len(se.queue)
	se.queue = append(slices.Clone(se.queue), dsh.QueueItem{ID: m.ID, Placement: placement, Message: m})
	se.logged(dsh.Event{Type: dsh.TypeInboxSpliced, Data: encode(map[string]any{"target": target, "start": start, "inserted": []any{m}})})
	se.tellQueue()
	return true
}

func (se *Session) unqueue(id string) bool {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	i := slices.IndexFunc(se.queue, func(q dsh.QueueItem) bool { return q.ID == id })
	if i < 0 {
		return false
	}
	se.queue = slices.Delete(slices.Clone(se.queue), i, i+1)
	se.tellQueue()
	return true
}

// tellQueue sends the queue in the shape of the version; the lock is held.
func (se *Session) tellQueue() {
	if se.server.Old {
		se.server.control(map[string]any{"type": "queue", "sessionId": se.ID, "items": slices.Concat([]dsh.QueueItem{}, se.queue)})
		return
	}
	inbox := dsh.Inbox{NextTurn: []dsh.Message{}, NextStep: []dsh.Message{}}
	for _, q := range se.queue {
		if q.Placement == "queued" {
			inbox.NextTurn = append(inbox.NextTurn, q.Message)
		} else {
			inbox.NextStep = append(inbox.NextStep, q.Message)
		}
	}
	se.project(dsh.KeyInbox, inbox)
}

// window cuts the newest n messages, with all the events between them.
func window(log []dsh.Event, n int) (events []dsh.Event, more bool) {
	if n == 0 {
		n = 50
	}
	for i := len(log) - 1; i >= 0; i-- {
		if log[i].Surface == nil || log[i].Surface.Op != "append" {
			continue
		}
		if n--; n == 0 {
			return log[i:], i > 0
		}
	}
	return log, false
}

func records(events []dsh.Event) []any {
	list := make([]any, len(events))
	for i, e := range events {
		list[i] = map[string]any{"type": "event", "event": e}
	}
	return list
}
