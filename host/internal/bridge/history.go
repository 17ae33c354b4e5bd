package bridge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// Attach implements API.
func (b *Bridge) Attach(ctx context.Context, chatID, run string, after int64) (Subscription, error) {
	c := b.known(chatID)
	if c == nil {
		return nil, say.Error(chat.CodeUnknownChat, chatID, say.UnknownChat)
	}
	if r := c.find(run); r != nil && r.log.holds(after) {
		return newReader(r.log, after), nil
	}
	return b.reset(ctx, c)
}

// reset gives the chat as it stands, then what the run under way writes.
func (b *Bridge) reset(ctx context.Context, c *conversation) (Subscription, error) {
	s, err := b.scene(ctx, c)
	if err != nil {
		return nil, err
	}
	f := chat.Frame{Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: s.messages, Context: s.context}}
	if s.run == nil {
		return newReader(nil, 0, f), nil
	}
	f.Run, f.Seq = s.run.id, s.seq
	return newReader(s.run.log, s.seq, f), nil
}

// scene is a chat at one moment: its messages, and of the run under way the seq up
// to which they go.
type scene struct {
	messages []chat.Message
	context  *chat.Context // the newest that is known
	run      *active
	seq      int64
}

// base is where a run began: its messages follow the session's log up to seq.
type base struct {
	session string
	cwd     string
	seq     int64
}

// scene reads the log of what came before the run under way, and takes the rest
// from that run, which knows more than the log: its helpers' cards, its notices.
func (b *Bridge) scene(ctx context.Context, c *conversation) (scene, error) {
	for {
		r := c.current()
		var from base
		if rec, ok := b.records.get(c.id); ok {
			from = base{session: rec.SessionID, cwd: rec.CWD, seq: -1}
		}
		whole := true
		if r != nil {
			if at := r.base.Load(); at != nil {
				from, whole = *at, false
			}
		}
		events, err := b.log(ctx, from.session)
		away := b.away(err)
		if err != nil && !away {
			return scene{}, err
		}
		past := b.past(c.id, r)
		switch now := c.current(); {
		case now != r, r != nil && whole && r.base.Load() != nil:
			continue // it moved on meanwhile: what was read may hold part of a run
		}
		if !whole {
			events = slices.DeleteFunc(events, func(e dsh.Event) bool { return e.Seq > from.seq })
		}
		var logged project.Transcript
		logged.Read(project.Config{Root: from.session, Session: from.session, CWD: from.cwd}, events)
		messages := logged.Exchanges()
		if away {
			messages = earlierAway()
		}
		s := scene{messages: merge(messages, past), context: logged.Context(), run: r}
		if r != nil {
			var more []chat.Message
			var newer *chat.Context
			more, newer, s.seq = r.log.view()
			s.context = cmp.Or(newer, s.context)
			if c.current() != r {
				continue // it ended, and its messages are in the session's log now
			}
			s.messages = append(s.messages, more...)
			if r.log.over() {
				s.run, s.seq = nil, 0
			}
		}
		return s, nil
	}
}

// log reads a session's whole log. A session that the Harness has no record of has
// none.
func (b *Bridge) log(ctx context.Context, session string) ([]dsh.Event, error) {
	if session == "" {
		return nil, nil
	}
	l, err := b.connect(ctx)
	if err != nil {
		return nil, refusal(ctx, err)
	}
	snap, err := l.gw.Snapshot(ctx, session, 0)
	if err != nil && l.gone() { // it was started again meanwhile
		if l, err = b.connect(ctx); err == nil {
			snap, err = l.gw.Snapshot(ctx, session, 0)
		}
	}
	if gateway.IsCode(err, gateway.CodeSessionNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, refusal(ctx, err)
	}
	return snap.Events, nil
}

// Chat implements API.
func (b *Bridge) Chat(ctx context.Context, id string) (chat.Chat, error) {
	c := b.known(id)
	if c == nil {
		return chat.Chat{}, say.Error(chat.CodeUnknownChat, id, say.UnknownChat)
	}
	s, err := b.scene(ctx, c)
	if err != nil {
		return chat.Chat{}, err
	}
	rec, _ := b.records.get(id)
	out := chat.Chat{ChatSummary: b.summary(c, s.run), Model: rec.Model, Messages: s.messages, Seq: s.seq, Plan: c.waitingPlan(), Context: s.context}
	if out.Messages == nil {
		out.Messages = []chat.Message{}
	}
	return out, nil
}

// Chats implements API.
func (b *Bridge) Chats(context.Context) (chat.ChatList, error) {
	ids := map[string]bool{}
	for _, rec := range b.records.all() {
		ids[rec.ChatID] = true
	}
	b.mu.Lock()
	talks := slices.Collect(maps.Values(b.chats))
	b.mu.Unlock()
	for _, c := range talks {
		if r := c.current(); r != nil && !r.log.over() { // one that has told its end is in the records, or nowhere
			ids[c.id] = true
		}
	}
	list := chat.ChatList{Chats: []chat.ChatSummary{}}
	for id := range ids {
		if c := b.known(id); c != nil && !isTask(id) {
			list.Chats = append(list.Chats, b.summary(c, c.current()))
		}
	}
	slices.SortFunc(list.Chats, func(x, y chat.ChatSummary) int {
		return cmp.Or(cmp.Compare(y.UpdatedAt, x.UpdatedAt), cmp.Compare(x.ChatID, y.ChatID))
	})
	return list, nil
}

// summary is a chat's row.
func (b *Bridge) summary(c *conversation, r *active) chat.ChatSummary {
	s := chat.ChatSummary{ChatID: c.id, Waiting: c.queue()}
	rec, ok := b.records.get(c.id)
	if ok {
		s.SessionID, s.Title, s.CWD, s.Archived, s.UpdatedAt = rec.SessionID, rec.Title, rec.CWD, rec.Archived, rec.Updated
	}
	if r != nil && !r.log.over() {
		s.Run, s.UpdatedAt = r.id, max(s.UpdatedAt, r.started)
		if !ok {
			s.Title, s.CWD = r.title, cmp.Or(r.req.CWD, b.o.Workspace)
		}
	}
	return s
}

const (
	maxTitle   = 200             // characters of a chat's title
	renameWait = 5 * time.Second // for the Harness to take it; it is kept all the same
)

// PatchChat implements API.
func (b *Bridge) PatchChat(ctx context.Context, id string, p chat.ChatPatch) (chat.ChatSummary, error) {
	rec, ok := b.records.get(id)
	if !ok {
		return chat.ChatSummary{}, say.Error(chat.CodeUnknownChat, id, say.UnknownChat)
	}
	var title string
	if p.Title != nil {
		title = strings.Join(strings.Fields(*p.Title), " ")
		if title == "" || len([]rune(title)) > maxTitle {
			return chat.ChatSummary{}, say.Error(chat.CodeBadRequest, "title", say.FieldWrong, "field", "title")
		}
	}
	err := b.records.change(id, func(c *record) {
		if p.Title != nil {
			c.Title, c.Named = title, true
		}
		if p.Archived != nil {
			c.Archived = *p.Archived
		}
	})
	if err != nil {
		return chat.ChatSummary{}, say.Error(chat.CodeInternal, err.Error(), say.Internal)
	}
	b.rename(ctx, rec.SessionID, title)
	c := b.known(id)
	if c == nil {
		return chat.ChatSummary{}, say.Error(chat.CodeAgentUnavailable, "closing", say.ShuttingDown)
	}
	return b.summary(c, c.current()), nil
}

// rename tells a running Harness of a chat's title. The chats' own list is what
// counts, so that it may fail.
func (b *Bridge) rename(ctx context.Context, session, title string) {
	b.mu.Lock()
	l := b.link
	b.mu.Unlock()
	if l == nil || session == "" || title == "" || l.gone() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, renameWait)
	defer cancel()
	if err := l.gw.Rename(ctx, session, title); err != nil {
		b.o.Log.Info("the Harness did not take a title", zap.Error(err))
	}
}
