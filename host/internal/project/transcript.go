package project

import (
	"slices"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Transcript makes messages of frames. An answer that goes on after tool cards is
// a new message, so that text and cards keep their order.
type Transcript struct {
	messages []entry
	from     int   // first message of the running exchange: cards are looked up from here
	begins   bool  // the next message begins an exchange though no person wrote it
	began    int64 // and when what it answers to was done, Unix milliseconds
	context  *chat.Context
}

// Context is the newest that a frame told of how full the window is; nil for none.
func (t *Transcript) Context() *chat.Context { return t.context }

// entry is a message that may still grow.
type entry struct {
	chat.Message
	begins          bool  // an exchange
	began           int64 // and when what it answers to was done, where no person wrote it
	text, reasoning []byte
}

// User adds what a person wrote.
func (t *Transcript) User(m chat.Message) {
	t.messages = append(t.messages, entry{Message: m, begins: true})
	t.from, t.begins, t.began = len(t.messages), false, 0
}

// Begin says that what follows answers to something that is not in the log, done at a
// time: Unix milliseconds.
func (t *Transcript) Begin(time int64) { t.from, t.begins, t.began = len(t.messages), true, time }

// Frame adds what a frame shows. Time is Unix milliseconds.
func (t *Transcript) Frame(f chat.Frame, time int64) {
	switch f.Type {
	case chat.Delta:
		if f.Own {
			t.note(chat.Note{Sentence: f.Sentence}, time)
			return
		}
		e := t.growing(time)
		e.text = append(e.text, f.Text...)
	case chat.Reasoning:
		e := t.growing(time)
		e.reasoning = append(e.reasoning, f.Text...)
	case chat.AgentTool:
		t.card(*f.Tool, time)
	case chat.AgentRow:
		if row, ok := f.Agent.(*chat.Helper); ok {
			t.helper(*row, time)
		}
	case chat.ContextUse:
		c := *f.Context
		t.context = &c
	case chat.Heard:
		t.User(*f.Message)
	case chat.Notice, chat.Failed:
		t.note(chat.Note{Sentence: f.Sentence, Code: f.Code, Details: f.Details, Actions: f.Actions}, time)
	case chat.Done:
		if f.Cancelled != nil && *f.Cancelled {
			t.note(chat.Note{Sentence: say.Sentence(say.Stopped)}, time)
		}
	}
}

// Messages is what there is so far; later frames do not change it.
func (t *Transcript) Messages() []chat.Message {
	out := make([]chat.Message, len(t.messages))
	for i := range t.messages {
		e := &t.messages[i]
		out[i] = e.Message
		if e.Role == roleAssistant {
			out[i].Text = strings.TrimLeft(string(e.text), "\n")
			out[i].Reasoning = strings.TrimLeft(string(e.reasoning), "\n")
		}
		out[i].Tools = slices.Clone(e.Tools)
		out[i].Helpers = slices.Clone(e.Helpers)
		out[i].Notes = slices.Clone(e.Notes)
	}
	return out
}

// Exchange is what a person asked and what came of it.
type Exchange struct {
	Time     int64 // Unix milliseconds: when it was asked
	Messages []chat.Message
}

// Exchanges are the messages so far, parted where a new thing was asked.
func (t *Transcript) Exchanges() []Exchange {
	var out []Exchange
	for i, m := range t.Messages() {
		if e := t.messages[i]; e.begins || len(out) == 0 {
			at := m.Time
			if e.began > 0 { // the wires do not tell of the same pieces of an answer that is cut
				at = e.began
			}
			out = append(out, Exchange{Time: at})
		}
		last := &out[len(out)-1]
		last.Messages = append(last.Messages, m)
	}
	return out
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// last is the newest message of the assistant in the running exchange.
func (t *Transcript) last() *entry {
	if n := len(t.messages); n > t.from {
		return &t.messages[n-1]
	}
	return nil
}

func (t *Transcript) add(time int64) *entry {
	t.messages = append(t.messages, entry{Message: chat.Message{Role: roleAssistant, Time: time}, begins: t.begins, began: t.began})
	t.begins, t.began = false, 0
	return &t.messages[len(t.messages)-1]
}

// growing is the message that text belongs to.
func (t *Transcript) growing(time int64) *entry {
	if e := t.last(); e != nil && len(e.Tools) == 0 {
		return e
	}
	return t.add(time)
}

// current is the newest message of the running exchange, a new one where it has none.
func (t *Transcript) current(time int64) *entry {
	if e := t.last(); e != nil {
		return e
	}
	return t.add(time)
}

func (t *Transcript) note(n chat.Note, time int64) {
	e := t.current(time)
	e.Notes = append(e.Notes, n)
}

// helper puts a row in the place of the one with its id.
func (t *Transcript) helper(row chat.Helper, time int64) {
	for i := len(t.messages) - 1; i >= t.from; i-- {
		rows := t.messages[i].Helpers
		if j := slices.IndexFunc(rows, func(h chat.Helper) bool { return h.ID == row.ID }); j >= 0 {
			rows[j] = row
			return
		}
	}
	e := t.current(time)
	e.Helpers = append(e.Helpers, row)
}

func (t *Transcript) card(tool chat.Tool, time int64) {
	for i := len(t.messages) - 1; i >= t.from; i-- {
		for j := range t.messages[i].Tools {
			if t.messages[i].Tools[j].ID == tool.ID {
				t.messages[i].Tools[j] = tool
				return
			}
		}
	}
	e := t.current(time)
	e.Tools = append(e.Tools, tool)
}

// Read adds what a session's whole log, oldest first, shows.
func (t *Transcript) Read(cfg Config, events []dsh.Event) {
	f := New(cfg)
	var early []chat.Frame // of a summary that was made before the turn took its message
	for _, e := range events {
		if m, ok := Person(e); ok {
			t.User(m)
			for _, fr := range early {
				t.Frame(fr, e.Time)
			}
			early = nil
		}
		if d, ok := Data[dsh.GoalChange](e); ok && !f.open && d.Operation != "block" {
			t.Begin(e.Time) // a command did that
		}
		frames := f.Apply(e)
		if e.Type == dsh.TypeCompactionEnd && f.open && !f.stepped {
			early, frames = append(early, frames...), nil
		}
		for _, fr := range frames {
			t.Frame(fr, e.Time)
		}
		if end, ok := TurnEnd(e); ok {
			t.Frame(End(end.Reason, chat.Usage{}), e.Time)
		}
	}
}

// History folds a session's whole log, oldest first, into messages.
func History(cfg Config, events []dsh.Event) []chat.Message {
	var t Transcript
	t.Read(cfg, events)
	return t.Messages()
}

// personKind is the source of a message that a person wrote.
const personKind = "user"

// OursPrefix begins the request id of a message that the host sends by itself.
const OursPrefix = "strata:"

// Ours tells whether the host sent a message by itself. It is not shown.
func Ours(m dsh.Message) bool { return strings.HasPrefix(m.Source.RPCID, OursPrefix) }

// Person gives the message if a person wrote it. Messages of plugins, goals and
// helpers are the Harness's own and are not shown.
func Person(e dsh.Event) (chat.Message, bool) {
	if e.Type != dsh.TypeUserMessage {
		return chat.Message{}, false
	}
	m, ok := Data[dsh.Message](e)
	if !ok || m.Source.Kind != personKind || Ours(*m) {
		return chat.Message{}, false
	}
	out := chat.Message{Role: roleUser, Text: Text(m.Content), Time: e.Time, RPCID: m.Source.RPCID}
	for _, b := range m.Content {
		if b.Type == "image" && b.Attachment != nil {
			out.Pictures = append(out.Pictures, chat.Picture{Name: b.Attachment.Name, MediaType: b.Attachment.MediaType})
		}
	}
	return out, true
}

// Text joins the text blocks of a message.
func Text(blocks []dsh.Block) string {
	var parts []string
	for _, b := range blocks {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// TurnEnd gives the end of a turn if e is one.
func TurnEnd(e dsh.Event) (dsh.TurnEnd, bool) {
	if e.Type != dsh.TypeTurnEnd {
		return dsh.TurnEnd{}, false
	}
	end, ok := Data[dsh.TurnEnd](e)
	if !ok {
		return dsh.TurnEnd{}, false
	}
	return *end, true
}

// Data gives an event's data where it is a T, as far as it could be read.
func Data[T any](e dsh.Event) (*T, bool) {
	d, _ := dsh.Decode(e) //nolint:errcheck // Fold counts what does not fit
	v, ok := d.(*T)
	return v, ok
}
