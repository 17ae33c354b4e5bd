package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// TaskPrefix begins the chat id of a task's run. Such a chat is in no list, takes no
// message and no answer from a page, and is dropped after its run.
const TaskPrefix = "task:"

func isTask(chatID string) bool { return strings.HasPrefix(chatID, TaskPrefix) }

// nobody is what the model reads where a question had nobody to answer it.
const nobody = "This is a scheduled task and nobody is at the screen, so nothing can be approved. Do not ask for this again. Go on without it, and say at the end what you wanted to do."

// RunTask starts the run of a task, as Send does, in a chat that begins with
// TaskPrefix: with nobody to ask. Every question is answered with no at once, the web
// is closed unless the person let it be used unasked, and without the Harness it fails.
func (b *Bridge) RunTask(ctx context.Context, req chat.StreamRequest) (Subscription, error) {
	if !isTask(req.ChatID) {
		return nil, say.Error(chat.CodeBadRequest, "chatId", say.FieldWrong, "field", "chatId")
	}
	return b.send(ctx, req)
}

// unattended tells the gate that nobody is there to ask in a task's session. Without
// a gate that takes it, a task does not run.
func (r *active) unattended(ctx context.Context) *chat.Error {
	if !isTask(r.c.id) {
		return nil
	}
	switch res, err := r.link.gw.Execute(ctx, r.root, "/strata-gate unattended"); {
	case err != nil:
		return r.failure(ctx, r.link, err)
	case !res.Found || !res.OK:
		return offering(say.Error(chat.CodeModeUnavailable, "/strata-gate unattended: "+res.Text, say.GateUnavailable), project.ActionRetry)
	}
	return nil
}

// detailWait is how long the gate may take to tell what a question is about in words
// that can be translated. The answer does not hang on it.
const detailWait = 2 * time.Second

// sayNo answers a question of a task's run, and again until the answer is taken or
// the question is over.
func (r *active) sayNo(ctx context.Context, p *pending) {
	short, cancel := context.WithTimeout(ctx, detailWait)
	r.detail(short, p)
	cancel()
	told := make(chan struct{})
	r.post(func() { close(told) }) // behind what the gate told
	select {
	case <-told:
	case <-ctx.Done():
		return
	}
	r.persist(ctx, "answer a task's question", func() error {
		err := r.c.b.answer(ctx, r.c, chat.ApprovalRequest{
			SessionID: r.root, ToolID: p.tool.ID, Digest: p.tool.Digest, Decision: chat.Deny, Note: nobody,
		})
		select {
		case <-p.gone:
			return nil
		default:
			return err
		}
	})
}

// OnlyLooked tells by their cards' ids which calls of a task's run the gate knows to
// only look, whatever the run's mode let them do. What cannot be found out is not in it.
func (b *Bridge) OnlyLooked(ctx context.Context, chatID string, tools []chat.Tool) map[string]bool {
	looked := map[string]bool{}
	rec, ok := b.records.get(chatID)
	l, err := b.connect(ctx)
	if !ok || err != nil {
		return looked
	}
	for _, t := range tools {
		line, err := json.Marshal(map[string]any{"tool": t.Name, "arguments": json.RawMessage(t.Input), "mode": abi.Manual})
		if err != nil { // its arguments are cut off
			continue
		}
		res, err := l.gw.Execute(ctx, rec.SessionID, "/strata-gate explain "+string(line))
		if err != nil {
			b.o.Log.Info("what a task has changed is not known", zap.Error(err))
			return looked
		}
		var why abi.GateDecision
		if res.OK && json.Unmarshal([]byte(res.Text), &why) == nil && why.Decision == abi.Allow {
			looked[t.ID] = true
		}
	}
	return looked
}

// DropTask forgets the chat of a task once its runs have ended, and has its session
// put away where the Harness can. Where the context ends before, the next start of the
// host does it.
func (b *Bridge) DropTask(ctx context.Context, chatID string) {
	if !isTask(chatID) {
		return
	}
	b.mu.Lock()
	c := b.chats[chatID]
	b.mu.Unlock()
	if c != nil && !c.settled(ctx) {
		return
	}
	rec, known := b.records.get(chatID)
	if err := errors.Join(b.exchanges.drop(chatID), b.records.remove(chatID)); err != nil {
		b.o.Log.Warn("a task's chat was not dropped", zap.Error(err)) // at the next start it is
	}
	b.approvals.forgetChat(chatID)
	b.mu.Lock()
	delete(b.chats, chatID)
	b.ended = slices.DeleteFunc(b.ended, func(r *active) bool {
		if r.c.id == chatID {
			b.kept -= r.log.forget()
		}
		return r.c.id == chatID
	})
	l := b.link
	if known && rec.SessionID != "" {
		b.spent = append(b.spent, rec.SessionID)
	}
	if l != nil && !b.closed {
		b.tasks.Go(l.archive)
	}
	b.mu.Unlock()
}

// settled waits until nothing of the chat's runs goes on.
func (c *conversation) settled(ctx context.Context) bool {
	c.mu.Lock()
	runs := slices.Collect(maps.Values(c.requests))
	c.mu.Unlock()
	for _, r := range runs {
		select {
		case <-r.done:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// dropTasks forgets what an earlier host left of tasks.
func (b *Bridge) dropTasks() error {
	for _, id := range slices.Sorted(maps.Keys(b.records.chats)) {
		if !isTask(id) {
			continue
		}
		b.spent = append(b.spent, b.records.chats[id].SessionID)
		if err := errors.Join(b.exchanges.drop(id), b.records.remove(id)); err != nil {
			return fmt.Errorf("dropping the chat of a task: %w", err)
		}
	}
	return nil
}

// archiveWait is how long the Harness may take to put a session away.
const archiveWait = 10 * time.Second

// archive puts the sessions of tasks away that have ended. One that cannot be is left:
// nothing shows it but the Harness's own page.
func (l *link) archive() {
	b := l.b
	b.mu.Lock()
	spent := b.spent
	b.spent = nil
	b.mu.Unlock()
	put, ok := l.gw.(gateway.Archiver)
	for i, id := range spent {
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(b.ctx, archiveWait)
		err := put.Archive(ctx, id)
		cancel()
		switch {
		case err == nil:
		case l.gone() && b.ctx.Err() == nil: // for its next life
			b.mu.Lock()
			b.spent = append(b.spent, spent[i:]...)
			b.mu.Unlock()
			return
		default:
			b.o.Log.Info("a task's session was not put away", zap.Error(err))
		}
	}
}
