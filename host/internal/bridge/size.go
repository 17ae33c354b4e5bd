package bridge

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/command"
	"strata.dev/bridge/host/internal/fit"
	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/goal"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/budget"
	"strata.dev/bridge/proto/chat"
)

// Counter counts a message by the tokenizer of the model's own server.
type Counter interface {
	// Count is the size of a text in tokens; ok is false where the server cannot tell.
	Count(ctx context.Context, model, text string) (tokens int, ok bool)
}

// sizes is what was learnt of the chats and their models.
type sizes struct {
	mu    sync.Mutex
	fixed map[string]int      // tokens of the agent's instructions, by route
	chats map[string]fit.Chat // what was known when a message was looked at last
	told  map[[3]string]bool  // chats, routes and why no summary is tried, once that was told
}

// unaided are the sentences of why no summary is tried, by the plugin's.
var unaided = map[string]string{abi.SaidFixed: say.WindowTooSmall, abi.SaidStuck: say.SummaryStuck}

// news tells whether it is new to a chat why no summary is tried on this route; "" is that
// one is. What is tried again may be given up again, which is new.
func (s *sizes) news(chatID, route, why string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if why == "" {
		delete(s.told, [3]string{chatID, route, say.SummaryStuck})
		return false
	}
	at := [3]string{chatID, route, why}
	if s.told == nil {
		s.told = map[[3]string]bool{}
	}
	known := s.told[at]
	s.told[at] = true
	return !known
}

// fixedOf is the newest that is known of a route's instructions, in tokens.
func (s *sizes) fixedOf(route string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fixed[route]
}

// keep keeps what was learnt.
func (s *sizes) keep(chatID, route string, c fit.Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.chats == nil {
		s.fixed, s.chats = map[string]int{}, map[string]fit.Chat{}
	}
	if c.Fixed > 0 && c.Source == sourceMeasured {
		s.fixed[route] = c.Fixed
	}
	s.chats[chatID] = c
}

// of is what was known of a chat last.
func (s *sizes) of(chatID string) fit.Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chats[chatID]
}

// The sources of a context frame.
const (
	sourceMeasured  = "measured"
	sourceEstimated = "estimated"
)

// size asks the context plugin how full the session is for the run's model; ok is false where it does not
// answer.
func (r *active) size(ctx context.Context) (c fit.Chat, ok bool) {
	res, err := r.link.gw.Execute(ctx, r.root, "/strata-context for "+r.route)
	if err == nil && res.Found && res.OK {
		err = json.Unmarshal([]byte(res.Text), &c)
	}
	if err != nil || !res.Found || !res.OK {
		if ctx.Err() == nil {
			r.c.b.o.Log.Info("the chat's size is not known", zap.String("run", r.id), zap.String("answer", res.Text), zap.Error(err))
		}
		return fit.Chat{}, false
	}
	return c, true
}

// window is the context window of the run's route as its connection has it; 0 is not known.
func (r *active) window() int {
	route := r.route
	for _, known := range r.c.b.o.Harness.Status().Routes {
		if known.ID == route {
			return int(known.ContextWindow)
		}
	}
	return 0
}

// said is the text that goes to the model with the run's message; "" where none does.
func (r *active) said() string {
	switch r.line.Kind {
	case command.Handed:
		return ""
	case command.Goal:
		return goal.Parse(r.line.Rest).Text
	}
	return r.text
}

// fits looks, before the message is handed over, whether it fits: it makes room in the
// chat where that helps, and refuses what would never fit. Whoever cannot be asked lets
// the message through; the Harness's own summary and second try are the net.
func (r *active) fits(ctx context.Context) *chat.Error {
	text, pictures := r.said(), len(r.req.Attachments)
	if text == "" && (pictures == 0 || r.line.Kind != command.None) {
		return nil
	}
	what, failed := r.look(ctx, text, pictures)
	if failed == nil && what == budget.SummariseThen {
		r.post(func() { r.emit(now(), chat.Frame{Type: chat.Status, Sentence: say.Sentence(say.Compacting)}) })
		r.makeRoom(ctx)
	}
	return failed
}

// look says what is to be done with a text and its pictures, or why it cannot be sent.
func (r *active) look(ctx context.Context, text string, pictures int) (budget.Fit, *chat.Error) {
	b, route := r.c.b, r.route
	known, ok := r.size(ctx)
	if !ok {
		return budget.Send, nil
	}
	if known.Window <= 0 { // nothing was asked of the model yet
		known.Window, known.Fixed = r.window(), b.sizes.fixedOf(route)
		known.Tokens = max(known.Tokens, known.Fixed)
	}
	defer func() { b.sizes.keep(r.c.id, route, known) }()
	if known.Cramped() {
		return budget.NeverFits, cramped()
	}
	if why := unaided[known.Stuck]; b.sizes.news(r.c.id, route, why) {
		r.post(func() { r.shown.left = append(r.shown.left, say.Sentence(why)) })
	}
	if known.Surely(text, pictures) {
		return budget.Send, nil
	}
	message := r.count(ctx, &known, text)
	if message >= 0 {
		message += pictures * fit.PictureTokens
	}
	what := known.Decide(message)
	if what != budget.NeverFits {
		return what, nil
	}
	return what, r.tooLarge(say.MessageTooLarge, known)
}

// tooLarge is tooLarge for the run's message: its pictures may be what is, or something
// that the chat holds already and that no room can be made of.
func (r *active) tooLarge(key string, known fit.Chat) *chat.Error {
	if !known.Little(r.said()) {
		return tooLarge(key, known)
	}
	e := say.Error(chat.CodeContextFull, "", say.ContextFull)
	if len(r.req.Attachments) > 0 {
		e = say.Error(chat.CodeContextFull, "", say.PicturesTooLarge)
	}
	e.Actions = slices.Concat(another, []string{project.ActionNewChat})
	return e
}

// tooLarge is what a person reads of a message that fits into no chat on the model.
func tooLarge(key string, known fit.Chat) *chat.Error {
	e := say.Error(chat.CodeMessageTooLarge, "", key)
	e.Actions = []string{project.ActionAttach, project.ActionPreview}
	if !known.ReadsParts() {
		e.Actions = slices.Insert(e.Actions, 0, project.ActionModel)
	}
	return e
}

// makeRoom asks the Harness to make room in the session, and gives how full it is then; ok
// is false where nobody can tell. Best effort: what goes wrong is in the log, and the next
// request finds out.
func (r *active) makeRoom(ctx context.Context) (c fit.Chat, ok bool) {
	res, err := r.link.gw.Execute(ctx, r.root, "/compact")
	if err != nil && ctx.Err() == nil || err == nil && !res.OK {
		r.c.b.o.Log.Info("no room was made", zap.String("run", r.id), zap.String("answer", res.Text), zap.Error(err))
	}
	if c, ok = r.size(ctx); ok && outlined(res, c) {
		r.post(func() { r.shown.left = append(r.shown.left, project.OutlinedIn(c.Kept)) })
	}
	return c, ok
}

// outlined tells whether what was asked to make room did so without a summary.
func outlined(res gateway.CommandResult, after fit.Chat) bool {
	return res.OK && res.Text != nothingYet && after.Outline
}

// cramped is what a person reads of a model whose window the agent's own instructions fill.
func cramped() *chat.Error {
	e := say.Error(chat.CodeContextFull, "", say.WindowTooSmall)
	e.Actions = another
	return e
}

// outgrows tells whether a message is too long to go into the run's turn as it is: one for
// which room must be made, or that never fits, which its own turn says. How full the chat
// is was learnt before the run, so what takes little of the window is not asked about.
func (r *active) outgrows(ctx context.Context, text string) bool {
	what, _ := r.beside(ctx, text)
	return what != budget.Send
}

// beside says what is to be done with a text that comes while a turn runs, by what was
// known of the chat before it.
func (r *active) beside(ctx context.Context, text string) (budget.Fit, fit.Chat) {
	b, route := r.c.b, r.route
	known := b.sizes.of(r.c.id)
	if known.Window <= 0 {
		known.Window, known.Fixed = r.window(), b.sizes.fixedOf(route)
	}
	empty := known
	empty.Tokens = known.Fixed
	if known.Cramped() || empty.Surely(text, 0) {
		return budget.Send, known
	}
	return known.Decide(r.count(ctx, &known, text)), known
}

// count is a message's size: by the model's own tokenizer, else by the density that
// the chat has shown. A count tells a chat without one how dense such text is.
func (r *active) count(ctx context.Context, known *fit.Chat, text string) int {
	if c := r.c.b.o.Counter; c != nil {
		if tokens, ok := c.Count(ctx, r.route, text); ok {
			if known.Source != sourceMeasured {
				known.Density = budget.Density(tokens, fit.Price(text))
			}
			return tokens
		}
	}
	return known.Reckon(text)
}

// filled is the meter's frame of what is known of a chat.
func filled(c fit.Chat) chat.Frame {
	source := sourceEstimated
	if c.Source == sourceMeasured {
		source = sourceMeasured
	}
	return chat.Frame{Type: chat.ContextUse, Context: &chat.Context{
		Tokens: int64(c.Tokens), Window: int64(c.Window), Percent: c.Percent(), Source: source,
	}}
}
