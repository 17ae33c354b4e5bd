package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"strata.dev/bridge/host/internal/agent"
	"strata.dev/bridge/host/internal/bridge"
	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/harness/harnesstest"
	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// asked is what the model server was asked with.
type asked struct {
	last  string   // what was said since the model's own newest words
	all   string   // the whole request
	tools []string // by name
}

// server answers "you said …" to all it is asked; to "hold" once it is released.
type server struct {
	release chan struct{}

	mu   sync.Mutex
	seen []asked
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var req struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Tools []struct{ Function struct{ Name string } }
	}
	if err := json.Unmarshal(body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	got := asked{all: string(body)}
	for _, m := range req.Messages {
		got.last += string(m.Content) // the Harness says things of its own in the same place
		if m.Role != "user" {
			got.last = ""
		}
	}
	for _, t := range req.Tools {
		got.tools = append(got.tools, t.Function.Name)
	}
	s.mu.Lock()
	s.seen = append(s.seen, got)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(text, finish string) {
		fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":%q},"finish_reason":%s}]}`+"\n\n", text, finish)
		w.(http.Flusher).Flush()
	}
	chunk("you said ", "null")
	if strings.Contains(got.last, "hold") {
		select {
		case <-s.release:
		case <-r.Context().Done():
			return
		}
	}
	chunk("something", `"stop"`)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// about gives the newest request whose last message holds a text.
func (s *server) about(t *testing.T, text string) asked {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range slices.Backward(s.seen) {
		if strings.Contains(a.last, text) {
			return a
		}
	}
	t.Fatalf("nobody asked about %q", text)
	return asked{}
}

// talk is a chat's run that is read.
type talk struct {
	t   *testing.T
	sub bridge.Subscription
}

func send(t *testing.T, b *bridge.Bridge, id, text string) talk {
	t.Helper()
	sub, err := b.Send(t.Context(), chat.StreamRequest{ChatID: id, Text: text, Mode: "manual", RequestID: id + "-" + text})
	if err != nil {
		t.Fatal(err)
	}
	return talk{t, sub}
}

// until gives the first frame that want holds of.
func (r talk) until(want func(chat.Frame) bool) chat.Frame {
	r.t.Helper()
	for {
		f, err := r.sub.Next(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if want(f) {
			return f
		}
		if f.Type.Ends() {
			r.t.Fatalf("the run ended with %+v", f)
		}
	}
}

func ofType(ft chat.FrameType) func(chat.Frame) bool {
	return func(f chat.Frame) bool { return f.Type == ft }
}

// TestSettingsOnTheRealHarness: while a turn runs, a tool is turned off. The turn ends
// on the process that it began on, with the tool; the next message waits for it, and runs
// on another one, without the tool; both chats go on in their sessions.
func TestSettingsOnTheRealHarness(t *testing.T) {
	t.Parallel()
	root, dir := harnesstest.Root(t), harnesstest.Dir(t)
	model := &server{release: make(chan struct{})}
	web := httptest.NewServer(model)
	t.Cleanup(web.Close)
	upstream, err := url.Parse(web.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := connections.Listen()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.MakeDirs(dir); err != nil {
		t.Fatal(err)
	}
	settings := agent.Settings{Connections: []connections.Connection{{ID: "strata", Upstream: upstream, Models: []connections.Model{{ID: "m", ContextWindow: 50_000}}}}}
	a := agent.New(agent.Options{
		Getenv: os.Getenv, Harness: filepath.Join(root, "e2e", "harness"), Node: harnesstest.Node(t).Path,
		Shim: filepath.Join(root, "shim"), Dir: dir, Settings: settings, Proxy: proxy, Redact: redact.New(), Log: zap.NewNop(),
	})
	b, err := bridge.New(bridge.Options{Harness: a, Dir: dir, Workspace: harnesstest.Dir(t), Preset: profile.Name})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		_, err := b.Close(context.Background())
		if err = errors.Join(err, a.Close(context.Background()), proxy.Close()); err != nil {
			t.Error(err)
		}
	}()
	pid := func() int {
		if p := a.Status().Process; p != nil {
			return p.PID
		}
		return 0
	}
	signature := func() string {
		files := profile.Files{}
		data, err := os.ReadFile(filepath.Join(agent.Home(dir), filepath.FromSlash(profile.ManifestFile)))
		if err != nil {
			t.Fatal(err)
		}
		files[profile.ManifestFile] = data
		return files.Signature()
	}

	one := send(t, b, "one", "first words")
	begun := one.until(ofType(chat.Started))
	one.until(ofType(chat.Done))
	held := send(t, b, "two", "hold on")
	held.until(ofType(chat.Delta))
	before, signed := pid(), signature()

	settings.Off = []string{"tool-bash"}
	if err := a.Configure(settings); err != nil {
		t.Fatal(err)
	}
	waiting := send(t, b, "one", "second words")
	if f := waiting.until(ofType(chat.Status)); f.Key != say.SettingsWait {
		t.Errorf("the next message is told %+v", f)
	}
	if pid() != before || signature() != signed {
		t.Error("the Harness was touched under a turn")
	}
	close(model.release)
	if last := held.until(ofType(chat.Done)); last.Finish != "completed" {
		t.Errorf("the running turn ended with %+v", last)
	}
	if f := waiting.until(ofType(chat.Started)); f.SessionID != begun.SessionID {
		t.Errorf("the chat goes on in %s, it was in %s", f.SessionID, begun.SessionID)
	}
	waiting.until(ofType(chat.Done))
	if now := pid(); now == before || now == 0 || signature() == signed {
		t.Errorf("process %d, before %d; signature %s", now, before, signature())
	}
	send(t, b, "two", "go on").until(ofType(chat.Done))

	if !slices.Contains(model.about(t, "hold on").tools, "bash") {
		t.Errorf("the running turn had the tools %v", model.about(t, "hold on").tools)
	}
	for text, earlier := range map[string]string{"second words": "first words", "go on": "hold on"} {
		got := model.about(t, text)
		if slices.Contains(got.tools, "bash") || len(got.tools) < 5 {
			t.Errorf("%q had the tools %v", text, got.tools)
		}
		if !strings.Contains(got.all, earlier) {
			t.Errorf("%q does not know of %q", text, earlier)
		}
	}
}
