package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// disk is what outlives a Harness process: the session logs. Its processes behave as
// the recorded rc.8 does; what a turn does is written in the message (turn_test.go).
type disk struct {
	untested *chat.Sentence // of its status
	routes   []chat.Route   // of it
	mu       sync.Mutex
	sessions map[string]*session
	made     int
	current  *process
	starts   int
	held     int                                    // runs that hold the process
	faults   map[string]func(context.Context) error // by method; run before it
	calls    []string
	broken   error // Ensure fails with it
	gate     string
	images   []gateway.Image                  // of the newest prompt
	goOn     []string                         // what turns do that the host asked to go on, in order; then "say the rest"
	commands map[string]gateway.CommandResult // by name
	sizes    []string                         // what /strata-context says, one after the other; the last stays
	says     map[string]string                // what /strata-gate says to a word; a refusal where it begins with "!"
}

func newDisk() *disk {
	return &disk{routes: []chat.Route{{ID: "p/m", Default: true, ContextWindow: 200_000, Thinking: []string{"high", "odd"}}, {ID: "p/other"}, {ID: "p/eyes", Images: true}, {ID: "or/vendor/x"}}, sessions: map[string]*session{}, faults: map[string]func(context.Context) error{}, gate: gateOn}
}

const gateOn = `{"gate":"on","sha256":"ab","mode":"manual","seams":{"preExecute":true,"guard":true},"missing":[]}`

// session is one log and what stands beside it.
type session struct {
	id, parent string
	log        []dsh.Event
	waiting    []dsh.Message
	steering   []dsh.Message
	preset     string
	turns      int
	turn       context.CancelFunc // of the open turn; nil when idle
	attached   bool
	grown      chan struct{} // closed at the next event
}

// process is one life of the Harness.
type process struct {
	d       *disk
	done    chan struct{}
	ctx     context.Context
	kill    context.CancelFunc
	turns   sync.WaitGroup
	watches []*watcher
	asks    map[string]*ask
	answers map[string]string // session/call to what /strata-gate answer said
}

type ask struct {
	gateway.Approval
	outcome chan string
}

var (
	_ Harness          = (*disk)(nil)
	_ Process          = (*process)(nil)
	_ gateway.Gateway  = (*process)(nil)
	_ gateway.Unqueuer = (*process)(nil)
)

// Ensure implements Harness.
func (d *disk) Ensure(ctx context.Context) (Process, error) {
	if err := d.fault(ctx, "Ensure"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.broken != nil {
		return nil, d.broken
	}
	if d.current == nil {
		d.starts++
		p := &process{d: d, done: make(chan struct{}), asks: map[string]*ask{}, answers: map[string]string{}}
		p.ctx, p.kill = context.WithCancel(context.Background())
		for _, s := range d.sessions {
			s.repair()
		}
		d.current = p
	}
	return d.current, nil
}

// Hold implements Harness. A fault of it is a restart for new settings that is due.
func (d *disk) Hold(ctx context.Context, _ string, waiting func()) (func(), error) {
	d.mu.Lock()
	due := d.faults["Hold"] != nil
	d.mu.Unlock()
	if due {
		waiting()
	}
	if err := d.fault(ctx, "Hold"); err != nil {
		return nil, err
	}
	d.mu.Lock()
	d.held++
	d.mu.Unlock()
	return sync.OnceFunc(func() {
		d.mu.Lock()
		d.held--
		d.mu.Unlock()
	}), nil
}

// Status implements Harness.
func (d *disk) Status() chat.AgentStatus {
	return chat.AgentStatus{State: "ready", Plugins: []chat.PluginStatus{{Name: "gate", SHA256: "ab"}}, Untested: d.untested, Routes: d.routes}
}

// die ends the running process as SIGKILL does.
func (d *disk) die() {
	d.mu.Lock()
	p := d.current
	d.current = nil
	d.mu.Unlock()
	if p == nil {
		return
	}
	close(p.done) // first, as the real one's streams end because of it
	p.kill()
	p.turns.Wait()
	d.mu.Lock()
	for _, s := range d.sessions {
		s.turn, s.attached = nil, false
		s.wake()
	}
	for _, w := range p.watches {
		w.wake()
	}
	d.mu.Unlock()
}

// fault runs before a method: it may block, or fail it.
func (d *disk) fault(ctx context.Context, method string) error {
	d.mu.Lock()
	d.calls = append(d.calls, method)
	f := d.faults[method]
	d.mu.Unlock()
	if f == nil {
		return nil
	}
	return f(ctx)
}

func (d *disk) on(method string, f func(context.Context) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults[method] = f
}

// hold makes a method wait until release is called. Reached is closed at the first call.
func (d *disk) hold(method string) (reached <-chan struct{}, release func()) {
	at, free := make(chan struct{}), make(chan struct{})
	var once sync.Once
	d.on(method, func(ctx context.Context) error {
		once.Do(func() { close(at) })
		select {
		case <-free:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	return at, sync.OnceFunc(func() { close(free) })
}

// called are the calls so far.
func (d *disk) called() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// count tells how often a method was called.
func (d *disk) count(method string) int {
	n := 0
	for _, c := range d.called() {
		if c == method {
			n++
		}
	}
	return n
}

// only gives the one session that is no helper's.
func (d *disk) only() *session {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found *session
	for _, s := range d.sessions {
		if s.parent == "" {
			if found != nil {
				panic("several sessions")
			}
			found = s
		}
	}
	return found
}

// append adds an event. The disk's lock is held.
func (s *session) append(kind string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err)
	}
	s.log = append(s.log, dsh.Event{Type: kind, Seq: int64(len(s.log)), Time: time.Now().UnixMilli(), Data: raw})
	s.wake()
}

func (s *session) wake() {
	close(s.grown)
	s.grown = make(chan struct{})
}

// repair closes what a kill left open, as rc.8 does on reading the log.
func (s *session) repair() {
	open, calls := false, map[string]bool{}
	for _, e := range s.log {
		switch e.Type {
		case dsh.TypeTurnStart:
			open = true
		case dsh.TypeTurnEnd:
			open = false
		case dsh.TypeToolCall:
			var c dsh.ToolCall
			_ = json.Unmarshal(e.Data, &c)
			calls[c.CallID] = true
		case dsh.TypeToolResult:
			var r dsh.ToolResult
			_ = json.Unmarshal(e.Data, &r)
			delete(calls, r.Message.Source.CallID)
		}
	}
	if !open {
		return
	}
	for id := range calls {
		s.append(dsh.TypeToolResult, toolResult(id, "Error: interrupted", true, "TOOL_OUTCOME_UNKNOWN"))
	}
	s.append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: s.turns, Reason: dsh.EndReason{Kind: "interrupted"}})
}

// Gateway implements Process.
func (p *process) Gateway() gateway.Gateway { return p }

// Done implements Process.
func (p *process) Done() <-chan struct{} { return p.done }

func (p *process) Worked() {}

func (p *process) Ended() string { return "signal: killed" }

// enter runs a method's fault and says whether the process is still there.
func (p *process) enter(ctx context.Context, method string) error {
	if err := p.d.fault(ctx, method); err != nil {
		return err
	}
	if p.ctx.Err() != nil {
		return fmt.Errorf("%s: %w", method, gateway.ErrLost)
	}
	return ctx.Err()
}

func (p *process) find(id string) (*session, error) {
	if s := p.d.sessions[id]; s != nil {
		return s, nil
	}
	return nil, &gateway.Error{Code: gateway.CodeSessionNotFound, Message: id}
}

func (p *process) Wire() string { return "double" }

func (p *process) Describe(ctx context.Context) (gateway.Info, error) {
	return gateway.Info{}, ctx.Err()
}

func (p *process) CreateSession(ctx context.Context, cwd, preset string) (string, error) {
	if err := p.enter(ctx, "CreateSession"); err != nil {
		return "", err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	return p.create("session-", "").id, nil
}

// create makes a session. The disk's lock is held.
func (p *process) create(prefix, parent string) *session {
	p.d.made++
	s := &session{id: fmt.Sprintf("%s%d", prefix, p.d.made), parent: parent, attached: true, grown: make(chan struct{})}
	p.d.sessions[s.id] = s
	s.append(dsh.TypePermissionPreset, dsh.Value{Preset: "workspace-write"})
	return s
}

func (p *process) SelectModel(ctx context.Context, id string, m gateway.Model) error {
	if err := p.enter(ctx, "SelectModel"); err != nil {
		return err
	}
	there := func(r chat.Route) bool { return r.ID == m.Provider+"/"+m.ID }
	if !slices.ContainsFunc(p.d.routes, there) || m.Effort == "odd" {
		return &gateway.Error{Code: gateway.CodeModelUnavailable, Message: "no such route"}
	}
	p.note("SelectModel " + m.Provider + "/" + m.ID + " " + m.Effort)
	return nil
}

func (p *process) note(call string) {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	p.d.calls = append(p.d.calls, call)
}

func (p *process) Prompt(ctx context.Context, m gateway.Prompt) error {
	if err := p.enter(ctx, "Prompt"); err != nil {
		return err
	}
	err := p.take(m)
	if late := p.d.fault(ctx, "Prompted"); late != nil { // it was taken, and the answer got lost
		return late
	}
	return err
}

func (p *process) take(m gateway.Prompt) error {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(m.SessionID)
	if err != nil {
		return err
	}
	if m.Resend && s.has(m.RequestID) {
		return nil
	}
	p.d.images = m.Images
	content := []dsh.Block{{Type: "text", Text: m.Text}}
	for n, i := range m.Images {
		content = append(content, dsh.Block{Type: "image", Attachment: &dsh.Attachment{ID: fmt.Sprint("a", n), MediaType: i.MediaType, Name: i.Name}})
	}
	message := dsh.Message{
		ID: fmt.Sprintf("m%d", len(s.log)), Role: "user", Content: content,
		Source: dsh.Source{Kind: "user", RPCID: m.RequestID},
	}
	p.d.calls = append(p.d.calls, fmt.Sprintf("Prompt %q", m.Text))
	if m.Steer && s.turn != nil {
		s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-step", Start: len(s.steering), Inserted: []dsh.Message{message}})
		s.steering = append(s.steering, message)
		return nil
	}
	p.queue(s, message)
	return nil
}

// goesOn is what the next turn does that the host asked to go on.
func (d *disk) goesOn() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.goOn) == 0 {
		return "say the rest"
	}
	text := d.goOn[0]
	d.goOn = d.goOn[1:]
	return text
}

// queue puts a message into the inbox and wakes the session. The lock is held.
func (p *process) queue(s *session, m dsh.Message) {
	s.attached = true
	s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-turn", Start: len(s.waiting), Inserted: []dsh.Message{m}})
	s.waiting = append(s.waiting, m)
	p.wakeSession(s)
}

func (s *session) has(requestID string) bool {
	for _, e := range s.log {
		if e.Type == dsh.TypeInboxSpliced && strings.Contains(string(e.Data), fmt.Sprintf("%q", requestID)) {
			return true
		}
	}
	return false
}

// Unqueue implements gateway.Unqueuer.
func (p *process) Unqueue(ctx context.Context, id, message string) error {
	if err := p.enter(ctx, "Unqueue"); err != nil {
		return err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return err
	}
	is := func(m dsh.Message) bool { return m.ID == message }
	if i := slices.IndexFunc(s.steering, is); i >= 0 {
		s.steering = slices.Delete(s.steering, i, i+1)
		s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-step", Start: i, RemovedCount: 1})
		return nil
	}
	i := slices.IndexFunc(s.waiting, is)
	if i < 0 {
		return &gateway.Error{Code: "queue-item-not-found"}
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.append(dsh.TypeInboxSpliced, dsh.Splice{Target: "next-turn", Start: i, RemovedCount: 1})
	return nil
}

func (p *process) Cancel(ctx context.Context, id string) error {
	if err := p.enter(ctx, "Cancel"); err != nil {
		return err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return err
	}
	if !s.attached {
		return &gateway.Error{Code: gateway.CodeSessionNotFound, Message: "not attached"}
	}
	if s.turn != nil {
		s.turn()
	}
	return nil
}

func (p *process) Execute(ctx context.Context, id, line string) (gateway.CommandResult, error) {
	name, rest, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if err := p.enter(ctx, "Execute /"+name); err != nil {
		return gateway.CommandResult{}, err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return gateway.CommandResult{}, err
	}
	if s.parent != "" { // rc.8 runs no command on a helper's session
		return gateway.CommandResult{}, &gateway.Error{Method: "commands/execute", Code: gateway.CodeAgentBusy}
	}
	s.attached = true
	switch name {
	case "permission":
		p.d.calls = append(p.d.calls, line)
		s.preset = rest
		s.append(dsh.TypePermissionPreset, dsh.Value{Preset: rest})
		s.append(dsh.TypeCommandDone, dsh.Command{CommandID: "c", Kind: "success"})
		return gateway.CommandResult{Found: true, OK: true, Text: "preset " + rest}, nil
	case "strata-context":
		if len(p.d.sizes) == 0 {
			return gateway.CommandResult{}, nil
		}
		text := p.d.sizes[0]
		if len(p.d.sizes) > 1 {
			p.d.sizes = p.d.sizes[1:]
		}
		return gateway.CommandResult{Found: true, OK: true, Text: text}, nil
	case "strata-gate":
		if p.d.gate == "" {
			return gateway.CommandResult{}, nil
		}
		word, _, _ := strings.Cut(rest, " ")
		if text, ok := p.d.says[word]; ok {
			text, refused := strings.CutPrefix(text, "!")
			return gateway.CommandResult{Found: true, OK: !refused, Text: text}, nil
		}
		if answer, ok := strings.CutPrefix(rest, "answer "); ok {
			var a struct{ Session, CallID string }
			_ = json.Unmarshal([]byte(answer), &a)
			p.answers[a.Session+"/"+a.CallID] = answer
			return gateway.CommandResult{Found: true, OK: true, Text: `{"kept":true}`}, nil
		}
		return gateway.CommandResult{Found: true, OK: true, Text: p.d.gate}, nil
	}
	res, ok := p.d.commands[name]
	if ok {
		p.d.calls = append(p.d.calls, line)
	}
	return res, nil
}

func (p *process) Snapshot(ctx context.Context, id string, from int64) (gateway.Snapshot, error) {
	if err := p.enter(ctx, "Snapshot"); err != nil {
		return gateway.Snapshot{}, err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return gateway.Snapshot{}, err
	}
	return gateway.Snapshot{
		Events: slices.Clone(s.log[min(int(from), len(s.log)):]), LastSeq: int64(len(s.log)) - 1, Running: s.turn != nil,
		Projections: map[string]json.RawMessage{"permissions": json.RawMessage(fmt.Sprintf(`{"currentValue":%q}`, s.preset))},
	}, nil
}

func (p *process) Sessions(ctx context.Context) ([]gateway.Session, error) {
	if err := p.enter(ctx, "Sessions"); err != nil {
		return nil, err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	var out []gateway.Session
	for _, s := range p.d.sessions {
		out = append(out, gateway.Session{ID: s.id, ParentID: s.parent, Running: s.turn != nil, UpdatedAt: s.log[len(s.log)-1].Time})
	}
	return out, nil
}

func (p *process) Rename(ctx context.Context, id, title string) error { return p.enter(ctx, "Rename") }

func (p *process) InterruptHelper(ctx context.Context, parent, id string) error {
	if err := p.enter(ctx, "InterruptHelper"); err != nil {
		return err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	s, err := p.find(id)
	if err != nil {
		return err
	}
	if s.parent != parent {
		return &gateway.Error{Code: "subagent-unauthorized"}
	}
	if s.turn != nil {
		s.turn()
	}
	return nil
}

func (p *process) Answer(ctx context.Context, a gateway.Answer) error {
	if err := p.enter(ctx, "Answer"); err != nil {
		return err
	}
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	q := p.asks[a.ID]
	if q == nil || q.SessionID != a.SessionID || q.ApprovalID != a.ApprovalID {
		return &gateway.Error{Code: gateway.CodeNotPending}
	}
	outcome := "rejected"
	if a.Allow {
		outcome = "allowed-once"
	}
	p.decide(q, outcome)
	return nil
}

// decide ends a question. The lock is held.
func (p *process) decide(q *ask, outcome string) {
	delete(p.asks, q.ID)
	p.notify(gateway.Notice{Resolved: &gateway.Resolved{SessionID: q.SessionID, ApprovalID: q.ApprovalID, Outcome: outcome}})
	p.d.sessions[q.SessionID].append(dsh.TypeApprovalDecided, dsh.Approval{ID: q.ApprovalID, Outcome: outcome})
	q.outcome <- outcome
}

func (p *process) Close() error { return nil }
