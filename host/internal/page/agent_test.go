package page_test

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/httpapi"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// agent plays the bridge's part for one test: chats in memory, whose runs the
// test writes frame by frame.
type agent struct {
	mu      sync.Mutex
	chats   map[string]*conversation
	order   []string // newest first
	sent    []chat.StreamRequest
	answers []chat.ApprovalRequest
	plans   []chat.PlanRequest
	status  chat.AgentStatus
	refuse  error           // what Answer and Send say, where set
	begin   func(*run)      // called in a goroutine of its own per run
	wg      sync.WaitGroup  // of those
	stopped map[string]bool // chats that Stop was called for
	models  httpapi.Models
}

var _ httpapi.Agent = (*agent)(nil)

type conversation struct {
	id, title string
	model     string // of the newest run
	messages  []chat.Message
	run       *run
	waiting   []*run
}

// run is one answer being written.
type run struct {
	agent   *agent
	chat    *conversation
	name    string
	request chat.StreamRequest
	frames  []chat.Frame
	steps   []chat.Message // what the answer is so far: text after a card begins a new one
	changed chan struct{}
	over    bool
}

func newAgent(begin func(*run)) *agent {
	return &agent{chats: map[string]*conversation{}, begin: begin, stopped: map[string]bool{},
		status: chat.AgentStatus{State: "ready", Sentence: say.Sentence(say.AgentReady)}}
}

func (a *agent) serve(t *testing.T) (*httptest.Server, string) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	addr := srv.Listener.Addr().String()
	hosts, err := httpapi.Hosts(addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	srv.Config = httpapi.HTTPServer(httpapi.New(httpapi.Options{Agent: a, Models: a.models, Token: token, Hosts: hosts}), zap.NewNop())
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		a.mu.Lock()
		for id, c := range a.chats { // a failed test leaves runs behind
			a.stopped[id] = true
			a.wake(c)
		}
		a.mu.Unlock()
		a.wg.Wait()
	})
	return srv, "http://" + addr + "/"
}

// put adds a frame to the run and to the chat's history.
func (r *run) put(f chat.Frame) {
	r.agent.mu.Lock()
	defer r.agent.mu.Unlock()
	f.Run, f.Seq = r.name, int64(len(r.frames)+1)
	r.frames = append(r.frames, f)
	if f.Type == chat.Heard {
		r.steps = append(r.steps, *f.Message)
	}
	last := len(r.steps) - 1
	if last < 0 || f.Type == chat.Delta && (len(r.steps[last].Tools) > 0 || r.steps[last].Role == "user") {
		r.steps = append(r.steps, chat.Message{Role: "assistant", Time: 2})
		last++
	}
	step := &r.steps[last]
	switch f.Type {
	case chat.Delta:
		step.Text += f.Text
	case chat.Reasoning:
		step.Reasoning += f.Text
	case chat.AgentTool:
		if i := slices.IndexFunc(step.Tools, func(t chat.Tool) bool { return t.ID == f.Tool.ID }); i >= 0 {
			step.Tools[i] = *f.Tool
		} else {
			step.Tools = append(step.Tools, *f.Tool)
		}
	}
	if f.Type.Ends() {
		r.over = true
		if r.chat.run == r { // it has begun
			r.chat.messages = append(r.chat.messages, r.steps...)
			if waiting := r.chat.waiting; len(waiting) > 0 {
				r.chat.waiting = waiting[1:]
				r.agent.start(waiting[0])
			}
		}
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *run) say(text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		r.put(chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: word}})
	}
}

func (r *run) tool(t chat.Tool) { r.put(chat.Frame{Type: chat.AgentTool, Tool: &t}) }

func (r *run) done(cancelled bool) {
	r.put(chat.Frame{Type: chat.Done, Usage: &chat.Usage{}, Finish: "stop", Cancelled: &cancelled})
}

// answer waits for the person's answer to a card of this run, or for Stop.
func (r *run) answer(id string) (chat.ApprovalRequest, bool) {
	for {
		r.agent.mu.Lock()
		i := slices.IndexFunc(r.agent.answers, func(a chat.ApprovalRequest) bool { return a.ToolID == id })
		stopped, changed := r.agent.stopped[r.chat.id], r.changed
		r.agent.mu.Unlock()
		if i >= 0 {
			return r.agent.answers[i], true
		}
		if stopped {
			return chat.ApprovalRequest{}, false
		}
		<-changed
	}
}

func (a *agent) wake(c *conversation) {
	if c != nil && c.run != nil {
		close(c.run.changed)
		c.run.changed = make(chan struct{})
	}
}

func (a *agent) Send(_ context.Context, q chat.StreamRequest) (bridge.Subscription, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse != nil {
		return nil, a.refuse
	}
	a.sent = append(a.sent, q)
	c := a.chats[q.ChatID]
	if c == nil {
		c = &conversation{id: q.ChatID, title: q.Text}
		a.chats[q.ChatID] = c
		a.order = append([]string{q.ChatID}, a.order...)
	}
	busy := c.run != nil && !c.run.over
	if busy && q.Steer {
		a.wg.Go(func() { c.run.hear(q) })
		return &reader{c.run, 0}, nil
	}
	r := &run{agent: a, chat: c, name: fmt.Sprintf("run-%d", len(a.sent)), request: q, changed: make(chan struct{})}
	r.frames = []chat.Frame{{Run: r.name, Seq: 1, Type: chat.Queued}}
	if busy {
		c.waiting = append(c.waiting, r)
	} else {
		a.start(r)
	}
	return &reader{r, 0}, nil
}

// said is a request's message.
func said(q chat.StreamRequest) chat.Message {
	m := chat.Message{Role: "user", Text: q.Text, Time: 1, RPCID: q.RequestID}
	for _, p := range q.Attachments {
		m.Pictures = append(m.Pictures, chat.Picture{Name: p.Name, MediaType: p.MediaType})
	}
	return m
}

// start gives a run its turn. The lock is held.
func (a *agent) start(r *run) {
	r.chat.run, r.chat.model = r, r.request.Model
	r.chat.messages = append(r.chat.messages, said(r.request))
	a.wg.Go(func() {
		r.put(chat.Frame{Type: chat.Started, Agent: true, Mode: r.request.Mode, Model: r.request.Model, SessionID: "s-" + r.chat.id})
		a.begin(r)
	})
}

// hear has a run read a further message, and wakes its test.
func (r *run) hear(q chat.StreamRequest) {
	m := said(q)
	r.put(chat.Frame{Type: chat.Status, Sentence: say.Sentence(say.Steered)})
	r.put(chat.Frame{Type: chat.Heard, Message: &m})
}

// out takes a run out of its chat's queue. The lock is held.
func (a *agent) out(id, name string) (*run, error) {
	c := a.chats[id]
	i := slices.IndexFunc(c.waiting, func(r *run) bool { return r.name == name })
	if i < 0 {
		return nil, say.Error(chat.CodeNotWaiting, name, say.NotWaiting)
	}
	r := c.waiting[i]
	c.waiting = slices.Delete(c.waiting, i, i+1)
	a.wg.Go(func() { r.done(true) })
	return r, nil
}

func (a *agent) TakeBack(_ context.Context, id, name string) (chat.StreamRequest, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, err := a.out(id, name)
	if err != nil {
		return chat.StreamRequest{}, err
	}
	return r.request, nil
}

func (a *agent) SteerWaiting(_ context.Context, id, name string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, err := a.out(id, name)
	if err != nil {
		return err
	}
	running := r.chat.run
	a.wg.Go(func() { running.hear(r.request) })
	return nil
}

func (a *agent) Attach(_ context.Context, id, name string, after int64) (bridge.Subscription, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.chats[id]
	if c == nil || c.run == nil || c.run.name != name {
		return nil, say.Error(chat.CodeUnknownChat, "", say.UnknownChat)
	}
	return &reader{c.run, after}, nil
}

type reader struct {
	run   *run
	after int64
}

func (s *reader) Next(ctx context.Context) (chat.Frame, error) {
	for {
		s.run.agent.mu.Lock()
		changed, over := s.run.changed, s.run.over
		if s.after < int64(len(s.run.frames)) {
			f := s.run.frames[s.after]
			s.after++
			s.run.agent.mu.Unlock()
			return f, nil
		}
		s.run.agent.mu.Unlock()
		if over {
			return chat.Frame{}, io.EOF
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return chat.Frame{}, ctx.Err()
		}
	}
}

func (s *reader) Close() {}

func (a *agent) Answer(_ context.Context, q chat.ApprovalRequest) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.refuse != nil {
		return a.refuse
	}
	a.answers = append(a.answers, q)
	for _, c := range a.chats {
		a.wake(c)
	}
	return nil
}

// Plan sends the plan's own message with a yes, as the bridge does.
func (a *agent) Plan(ctx context.Context, q chat.PlanRequest) (chat.PlanAnswer, error) {
	a.mu.Lock()
	a.plans = append(a.plans, q)
	a.mu.Unlock()
	if q.Decision == chat.Deny {
		return chat.PlanAnswer{Decision: q.Decision}, nil
	}
	id := strings.TrimPrefix(q.SessionID, "s-")
	_, err := a.Send(ctx, chat.StreamRequest{ChatID: id, Text: say.PlanApproved, Mode: q.Mode, RequestID: "plan"})
	return chat.PlanAnswer{Decision: q.Decision}, err
}

func (a *agent) Oversize(_ context.Context, q chat.OversizeRequest) (chat.OversizeAnswer, error) {
	return chat.OversizeAnswer{Text: "as a " + q.As + ": " + q.Text}, nil
}

func (a *agent) Stop(_ context.Context, q chat.StopRequest) (chat.StopAnswer, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stopped[q.ChatID] = true
	answer := chat.StopAnswer{Stopped: true}
	if c := a.chats[q.ChatID]; c != nil {
		for _, r := range c.waiting {
			answer.Unsent = append(answer.Unsent, r.request)
			a.wg.Go(func() { r.done(true) })
		}
		c.waiting = nil
		a.wake(c)
	}
	return answer, nil
}

func (a *agent) Pending(string) []chat.Pending {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []chat.Pending
	for _, c := range a.chats {
		if c.run == nil || c.run.over || len(c.run.steps) == 0 {
			continue
		}
		for _, t := range c.run.steps[len(c.run.steps)-1].Tools {
			if t.State == chat.ToolProposed {
				out = append(out, chat.Pending{ChatID: c.id, SessionID: "s-" + c.id, Tool: t})
			}
		}
	}
	return out
}

func (a *agent) Status(context.Context) chat.AgentStatus {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.status
}

func (a *agent) summary(c *conversation) chat.ChatSummary {
	s := chat.ChatSummary{ChatID: c.id, SessionID: "s-" + c.id, Title: c.title, UpdatedAt: time.Now().UnixMilli()}
	if c.run != nil && !c.run.over {
		s.Run = c.run.name
	}
	for _, r := range c.waiting {
		s.Waiting = append(s.Waiting, chat.Waiting{Run: r.name, RequestID: r.request.RequestID, Text: r.request.Text,
			Pictures: said(r.request).Pictures, Mode: r.request.Mode, Time: 1, Steers: len(r.request.Attachments) == 0 && !strings.HasPrefix(r.request.Text, "/")})
	}
	return s
}

func (a *agent) Chats(context.Context) (chat.ChatList, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var l chat.ChatList
	for _, id := range a.order {
		l.Chats = append(l.Chats, a.summary(a.chats[id]))
	}
	return l, nil
}

func (a *agent) Chat(_ context.Context, id string) (chat.Chat, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c := a.chats[id]
	if c == nil {
		return chat.Chat{}, say.Error(chat.CodeUnknownChat, "", say.UnknownChat)
	}
	out := chat.Chat{ChatSummary: a.summary(c), Model: c.model, Messages: slices.Clone(c.messages)}
	if out.Run != "" {
		out.Seq = int64(len(c.run.frames))
		for _, step := range c.run.steps {
			step.Tools = slices.Clone(step.Tools)
			out.Messages = append(out.Messages, step)
		}
	}
	return out, nil
}

func (a *agent) PatchChat(context.Context, string, chat.ChatPatch) (chat.ChatSummary, error) {
	return chat.ChatSummary{}, say.Error(chat.CodeUnknownChat, "", say.UnknownChat)
}
