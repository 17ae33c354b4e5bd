package bridge

import (
	"cmp"
	"slices"
	"sync"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
)

// approvals are the questions that wait for a person, of all chats. A question is
// known from two sides: the session's log makes the card, the gateway's notice
// says how it is answered. Either may come first.
type approvals struct {
	mu    sync.Mutex
	count int64
	cards map[cardKey]*pending
	byID  map[string]*pending // by approval id
	wire  map[string]string   // approval id to the gateway's, where no card came yet
	over  map[string][]string // chat to ids of cards that no longer wait, oldest first
}

// cardKey names a card: its id is unique within a chat.
type cardKey struct{ chat, tool string }

// pending is one question.
type pending struct {
	order      int64
	run        *active
	session    string // that asks: the chat's, or a helper's
	callID     string // in that session
	approvalID string
	tool       chat.Tool

	state answerState
	allow bool // what we answer
	sent  bool // a yes of ours may have reached the Harness
	wire  string
	ready chan struct{} // closed once wire is set
	gone  chan struct{} // closed once it no longer waits
}

type answerState int

const (
	open answerState = iota
	answering
	answered
)

// maxOver is how many cards that no longer wait are remembered per chat.
const maxOver = 512

func newApprovals() *approvals {
	return &approvals{
		cards: map[cardKey]*pending{}, byID: map[string]*pending{},
		wire: map[string]string{}, over: map[string][]string{},
	}
}

// propose adds a question with its card.
func (a *approvals) propose(p *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := cardKey{p.run.c.id, p.tool.ID}
	if old := a.cards[key]; old != nil {
		a.drop(old)
	}
	a.count++
	p.order = a.count
	p.ready, p.gone = make(chan struct{}), make(chan struct{})
	a.cards[key], a.byID[p.approvalID] = p, p
	if id, ok := a.wire[p.approvalID]; ok {
		delete(a.wire, p.approvalID)
		p.wire = id
		close(p.ready)
	}
}

// requested takes in how a question is answered.
func (a *approvals) requested(w gateway.Approval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch p := a.byID[w.ApprovalID]; {
	case p == nil:
		a.wire[w.ApprovalID] = w.ID
	case p.wire == "":
		p.wire = w.ID
		close(p.ready)
	}
}

// resolved takes in that the gateway says a question is over.
func (a *approvals) resolved(r gateway.Resolved) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.wire, r.ApprovalID)
}

// forget drops the notices that no card came for, once their Harness is gone.
func (a *approvals) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.wire)
}

// decided takes in that the log says a question is over, and tells whether a yes
// was ours.
func (a *approvals) decided(approvalID string) (oursAllowed bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.wire, approvalID)
	p := a.byID[approvalID]
	if p == nil {
		return false
	}
	a.drop(p)
	return p.sent
}

// ended takes in that a call has its result, so that no question of it waits.
func (a *approvals) ended(session, callID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.byID {
		if p.session == session && p.callID == callID {
			a.drop(p)
		}
	}
}

// drop lets a question go. The lock is held.
func (a *approvals) drop(p *pending) {
	id := p.run.c.id
	delete(a.byID, p.approvalID)
	if key := (cardKey{id, p.tool.ID}); a.cards[key] == p {
		delete(a.cards, key)
	}
	over := append(a.over[id], p.tool.ID)
	if extra := len(over) - maxOver; extra > 0 {
		over = slices.Clone(over[extra:])
	}
	a.over[id] = over
	close(p.gone)
}

// forgetChat lets go of a chat that is no more.
func (a *approvals) forgetChat(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.over, id)
}

// clear lets all questions of a run go.
func (a *approvals) clear(r *active) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.cards {
		if p.run == r {
			a.drop(p)
		}
	}
}

// asks tells whether a question of a run waits for a person.
func (a *approvals) asks(r *active) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, p := range a.cards {
		if p.run == r && p.state == open {
			return true
		}
	}
	return false
}

// list gives what waits in a chat ("": in all), oldest first.
func (a *approvals) list(chatID string) []chat.Pending {
	a.mu.Lock()
	defer a.mu.Unlock()
	var found []*pending
	for key, p := range a.cards {
		if p.state == open && !isTask(key.chat) && (chatID == "" || key.chat == chatID) {
			found = append(found, p)
		}
	}
	slices.SortFunc(found, func(x, y *pending) int { return cmp.Compare(x.order, y.order) })
	out := make([]chat.Pending, 0, len(found))
	for _, p := range found {
		out = append(out, chat.Pending{ChatID: p.run.c.id, SessionID: p.run.root, Run: p.run.id, Tool: p.tool})
	}
	return out
}
