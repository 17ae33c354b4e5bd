package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// agent records what the routes asked of it and answers what a test set.
type agent struct {
	mu    sync.Mutex
	calls []any

	sub     *sub
	err     error
	panics  bool
	pending []chat.Pending
	status  chat.AgentStatus
	list    chat.ChatList
	chat    chat.Chat
}

var (
	_ Agent = (*agent)(nil)
	_ Agent = bridge.API(nil)
)

type attachCall struct {
	ChatID, Run string
	After       int64
}

type patchCall struct {
	ID    string
	Patch chat.ChatPatch
}

func (a *agent) called(c any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls = append(a.calls, c)
	if a.panics {
		panic("the fake panics")
	}
	return a.err
}

func (a *agent) seen() []any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.calls
}

func (a *agent) Send(_ context.Context, r chat.StreamRequest) (bridge.Subscription, error) {
	if err := a.called(r); err != nil {
		return nil, err
	}
	return a.sub, nil
}

func (a *agent) Attach(_ context.Context, id, run string, after int64) (bridge.Subscription, error) {
	if err := a.called(attachCall{id, run, after}); err != nil {
		return nil, err
	}
	return a.sub, nil
}

func (a *agent) Answer(_ context.Context, r chat.ApprovalRequest) error { return a.called(r) }

func (a *agent) Plan(_ context.Context, r chat.PlanRequest) (chat.PlanAnswer, error) {
	return chat.PlanAnswer{Decision: r.Decision, Run: "run-2"}, a.called(r)
}

func (a *agent) Oversize(_ context.Context, r chat.OversizeRequest) (chat.OversizeAnswer, error) {
	return chat.OversizeAnswer{Text: "see " + r.As, Path: ".strata/attached/a.txt"}, a.called(r)
}

func (a *agent) Stop(_ context.Context, r chat.StopRequest) (chat.StopAnswer, error) {
	return chat.StopAnswer{Stopped: true}, a.called(r)
}

func (a *agent) Pending(id string) []chat.Pending {
	_ = a.called("pending " + id)
	return a.pending
}

func (a *agent) Status(context.Context) chat.AgentStatus {
	_ = a.called("status")
	return a.status
}

func (a *agent) Chats(context.Context) (chat.ChatList, error) { return a.list, a.called("chats") }

func (a *agent) Chat(_ context.Context, id string) (chat.Chat, error) {
	return a.chat, a.called("chat " + id)
}

func (a *agent) PatchChat(_ context.Context, id string, p chat.ChatPatch) (chat.ChatSummary, error) {
	return chat.ChatSummary{ChatID: id, Title: "New"}, a.called(patchCall{id, p})
}

// sub is a subscription that a test feeds.
type sub struct {
	frames chan chat.Frame // closed: the run is over
	once   sync.Once
	closed chan struct{}
}

func newSub(frames ...chat.Frame) *sub {
	s := &sub{frames: make(chan chat.Frame, len(frames)+8), closed: make(chan struct{})}
	for _, f := range frames {
		s.frames <- f
	}
	return s
}

func (s *sub) Next(ctx context.Context) (chat.Frame, error) {
	select {
	case f, ok := <-s.frames:
		if !ok {
			return chat.Frame{}, io.EOF
		}
		return f, nil
	case <-ctx.Done():
		return chat.Frame{}, ctx.Err()
	}
}

func (s *sub) Close() { s.once.Do(func() { close(s.closed) }) }

// logBuffer keeps what was logged.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *logBuffer) Sync() error { return nil }

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *logBuffer) logger() *zap.Logger {
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), l, zap.DebugLevel))
}

// serve starts a Server on loopback and gives its address, "127.0.0.1:port".
func serve(t *testing.T, o Options) string {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	addr := srv.Listener.Addr().String()
	hosts, err := Hosts(addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Token, o.Hosts = token, hosts
	srv.Config = HTTPServer(New(o), o.Log)
	srv.Start()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return addr
}

// ask sends one request; headers alternate name and value, "Host" sets the host.
func ask(t *testing.T, addr, method, path, body string, headers ...string) *http.Response {
	t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+addr+path, r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			req.Host = headers[i+1]
		case headers[i+1] == "":
			req.Header.Del(headers[i])
		default:
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// refusal reads a refused answer.
func refusal(t *testing.T, res *http.Response) chat.Error {
	t.Helper()
	var e chat.ErrorBody
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatalf("%v: %q", err, b)
	}
	return e.Error
}

// waitingCall is one of the two about a message that waits.
type waitingCall struct{ Do, ChatID, Run string }

func (a *agent) TakeBack(_ context.Context, id, run string) (chat.StreamRequest, error) {
	return chat.StreamRequest{ChatID: id, Text: "later", RequestID: "q"}, a.called(waitingCall{"take back", id, run})
}

func (a *agent) SteerWaiting(_ context.Context, id, run string) error {
	return a.called(waitingCall{"steer", id, run})
}
