package replay

import (
	"encoding/json"
	"slices"

	"strata.dev/bridge/proto/dsh"
)

// Session is one log. Its fields are set once, by Server.Create or right after.
type Session struct {
	server *Server
	ID     string
	CWD    string
	Parent string

	attached bool
	resumed  bool
	running  bool
	title    string
	log      []dsh.Event
	values   map[string]json.RawMessage // projections
	queue    []dsh.QueueItem
}

// Append logs an event and sends it. Data is anything that encoding/json writes.
// It gives the event, with its seq.
func (se *Session) Append(typ string, data any) dsh.Event {
	return se.append(dsh.Event{Type: typ, Data: encode(data)})
}

// AppendFrom is Append for an event that stands for others, such as a message for
// its chunks, and is part of what the model sees.
func (se *Session) AppendFrom(typ string, data any, sources []int64) dsh.Event {
	return se.append(dsh.Event{Type: typ, Data: encode(data), Sources: sources, Surface: &dsh.Surface{Op: "append"}})
}

func (se *Session) append(e dsh.Event) dsh.Event {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	return se.server.log(se, e)
}

// log appends an event and sends it; the lock is held.
func (s *Server) log(se *Session, e dsh.Event) dsh.Event {
	e.Seq, e.Time = int64(len(se.log)), now()
	se.log = append(se.log, e)
	s.push(muxPath, s.mint(), eventFrame(se.ID, e))
	return e
}

// Replay sends an event of the log once more.
func (se *Session) Replay(seq int64) {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	s.push(muxPath, s.mint(), eventFrame(se.ID, se.log[seq]))
}

// Truncate drops the events from seq on, as a kill does that comes before the
// Harness wrote them.
func (se *Session) Truncate(seq int64) {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	se.log = se.log[:seq]
}

// Project sets a projection's value and sends it.
func (se *Session) Project(key string, value any) {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	se.values[key] = encode(value)
	s.push(muxPath, s.mint(), map[string]any{
		"type": "session/projection", "sessionId": se.ID, "key": key, "value": se.values[key], "seq": len(se.log) - 1,
	})
}

// SetTitle names the session; by says who: fallback, provider or user.
func (se *Session) SetTitle(title, by string) dsh.Event {
	se.server.mu.Lock()
	se.title = title
	se.server.mu.Unlock()
	se.Project(dsh.KeyTitle, title)
	return se.Append(dsh.TypeSessionTitle, dsh.Title{Title: title, Source: dsh.KindOnly{Kind: by}})
}

// Resumed tells, once, whether the session was attached again since it was last
// asked.
func (se *Session) Resumed() bool {
	se.server.mu.Lock()
	defer se.server.mu.Unlock()
	was := se.resumed
	se.resumed = false
	return was
}

// Running says whether a turn runs and sends it.
func (se *Session) Running(on bool) {
	s := se.server
	s.mu.Lock()
	defer s.mu.Unlock()
	se.running = on
	s.push(hostPath, s.mint(), map[string]any{"type": "host/session-status", "sessionId": se.ID, "running": on})
}

// Dequeue takes the first message out of the queue, as a starting turn does.
func (se *Session) Dequeue() {
	s := se.server
	s.mu.Lock()
	if len(se.queue) > 0 {
		se.queue = se.queue[1:]
	}
	s.queueFrame(se)
	s.mu.Unlock()
	se.Append(dsh.TypeInboxSpliced, map[string]any{"target": "next-turn", "start": 0, "removedCount": 1, "inserted": []any{}})
}

// enqueue takes a prompt in.
func (se *Session) enqueue(p Prompt) {
	placement, target := "queued", "next-turn"
	if p.Steer {
		placement, target = "steering", "next-step"
	}
	s := se.server
	s.mu.Lock()
	m := dsh.Message{
		ID: s.mint(), Role: "user", Content: []dsh.Block{{Type: "text", Text: p.Text}},
		Source: dsh.Source{Kind: "user", RPCID: p.RPCID},
	}
	se.queue = append(slices.Clone(se.queue), dsh.QueueItem{ID: m.ID, Placement: placement, Message: m})
	start := len(se.queue) - 1
	s.queueFrame(se)
	s.mu.Unlock()
	se.Append(dsh.TypeInboxSpliced, map[string]any{"target": target, "start": start, "inserted": []any{m}})
}

// queueFrame sends the queue; the server's lock is held.
func (s *Server) queueFrame(se *Session) {
	items := se.queue
	if items == nil {
		items = []dsh.QueueItem{}
	}
	s.push(muxPath, s.mint(), map[string]any{"type": "session/queue", "sessionId": se.ID, "items": items})
}

// page cuts a page of the log at a message's first event, newest first: at most n
// messages before seq (-1: from the end).
func page(log []dsh.Event, before int64, n int) (events []dsh.Event, more bool) {
	if before >= 0 {
		log = log[:min(int(before), len(log))]
	}
	for i := len(log) - 1; i >= 0; i-- {
		e := log[i]
		message := e.Type == dsh.TypeUserMessage || e.Type == dsh.TypeAssistantMessage
		if !message || e.Surface == nil || e.Surface.Op != "append" {
			continue
		}
		if n--; n > 0 {
			continue
		}
		cut := e.Seq
		for _, source := range e.Sources {
			cut = min(cut, source)
		}
		return log[cut:], cut > 0
	}
	return log, false
}

func eventFrame(id string, e dsh.Event) map[string]any {
	return map[string]any{"type": "session/event", "sessionId": id, "event": e}
}

func encode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("replay: " + err.Error()) // a caller's mistake
	}
	return b
}
