package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// providers are several model servers behind one address, each in a folder of its own:
// what they are asked is kept, and the scripted model answers for all.
type providers struct {
	*httptest.Server
	mu    sync.Mutex
	asked []providerRequest
}

type providerRequest struct {
	folder, path, key string
	body              map[string]json.RawMessage
}

const (
	listOfRouter = `{"data":[{"id":"a/thinks","name":"Thinks","context_length":200000,"supported_parameters":["reasoning"],"architecture":{"input_modalities":["text","image"]},"pricing":{"prompt":"0.000001","completion":"0.000002"}}]}`
	listOfLocal  = `{"data":[{"id":"gyro-s","object":"model","owned_by":"strata"},{"id":"gyro-l","object":"model","owned_by":"strata"}]}`
	claudeSays   = `event: message_start
data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude","content":[],"stop_reason":null,"usage":{"input_tokens":9,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"from claude"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}

`
)

func startProviders(t *testing.T, model *scriptmodel.Model) *providers {
	t.Helper()
	p, scripted := &providers{}, model.Handler()
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		folder, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		q := providerRequest{folder: folder, path: "/" + rest, key: strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")}
		data, err := io.ReadAll(r.Body)
		if err == nil && len(data) > 0 {
			err = json.Unmarshal(data, &q.body)
		}
		if err != nil {
			t.Error(err)
		}
		switch {
		case q.path == "/v1/models" && folder == "router":
			fmt.Fprint(w, listOfRouter)
		case q.path == "/v1/key":
			fmt.Fprint(w, `{}`)
		case q.path == "/v1/models":
			fmt.Fprint(w, listOfLocal)
		case q.path == "/v1/messages":
			p.keep(q)
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, claudeSays)
		default:
			p.keep(q)
			r.URL.Path, r.Body = q.path, io.NopCloser(bytes.NewReader(data))
			scripted.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// engine is one of them with an address of its own, which a test may close.
func (p *providers) engine(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(p.Config.Handler)
	s.Config.SetKeepAlivesEnabled(false) // so that nobody holds a connection to it when it closes
	s.Start()
	t.Cleanup(s.Close)
	return s
}

// refused sends a message that no model may get.
func refused(ctx context.Context, t *testing.T, c kit.Chat, model string) {
	t.Helper()
	frames, err := send(ctx, t, c, "#! SAY never", onModel(model, "")).End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModelUnavailable || !slices.Contains(last.Actions, "choose-model") {
		t.Errorf("on %q a message ends with %+v", model, last)
	}
}

func (p *providers) keep(q providerRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, q)
}

// last is the newest answer that a provider was asked for.
func (p *providers) last(t *testing.T, folder string) providerRequest {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := len(p.asked) - 1; i >= 0; i-- {
		if p.asked[i].folder == folder {
			return p.asked[i]
		}
	}
	t.Fatalf("%s was not asked", folder)
	return providerRequest{}
}

// fields are what of a request's body says how the model is to answer.
func (q providerRequest) fields() map[string]string {
	out := map[string]string{"path": q.path, "key": q.key}
	for name, value := range q.body {
		switch name {
		case "messages", "tools", "stream", "stream_options", "system":
		default:
			out[name] = string(value)
		}
	}
	return out
}

func onModel(model, thinking string) func(*chat.StreamRequest) {
	return func(r *chat.StreamRequest) { r.Model, r.Thinking = model, thinking }
}

// A host that knows no model gets several while it serves: engines of the app and saved
// connections, each asked in its own way with its own key, two at once; and one goes.
func TestModelConnections(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{NoModel: true})
	p := startProviders(t, w.model)
	frames, err := send(ctx, t, w.NewChat(), "#! SAY never").End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModelUnavailable {
		t.Errorf("without a model a message ends with %+v", last)
	}

	var got chat.ModelConnection
	engine := p.engine(t)
	must(t, w.Do(ctx, "PUT", "/api/models/local/7f", chat.LocalSpec{BaseURL: engine.URL + "/app/v1", Model: "gyro-s", Name: "Gyro S", ContextWindow: 65_536, Slots: 2}, &got))
	add := func(spec chat.ConnectionSpec, key string) {
		t.Helper()
		spec.Key = &key
		must(t, w.Do(ctx, "POST", "/api/models", spec, &got))
		if !got.Ready || got.Text != "" {
			t.Errorf("%s: %+v", spec.Kind, got)
		}
	}
	add(chat.ConnectionSpec{Kind: chat.KindOpenRouter, BaseURL: p.URL + "/router/v1", Models: []chat.ModelSpec{{ID: "a/thinks"}}}, "key-of-router")
	add(chat.ConnectionSpec{Kind: chat.KindAnthropic, BaseURL: p.URL + "/claude", Models: []chat.ModelSpec{{ID: "claude", ContextWindow: 200_000}}}, "key-of-claude")
	add(chat.ConnectionSpec{Kind: chat.KindDeepSeek, BaseURL: p.URL + "/deep/v1", Models: []chat.ModelSpec{{ID: "deep", ContextWindow: 100_000}}}, "key-of-deepseek")
	add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "Gone", BaseURL: p.URL + "/gone/v1", Models: []chat.ModelSpec{{ID: "m", ContextWindow: 100_000}}}, "key-of-gone")

	// Two chats on two routes at once.
	local, router := w.NewChat(), w.NewChat()
	one := send(ctx, t, local, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Hold("on-local"), scriptmodel.Say("local"))), onModel("app-7f/gyro-s", ""))
	two := send(ctx, t, router, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Hold("on-router"), scriptmodel.Say("router"))), onModel("openrouter/a/thinks", "max"))
	for _, name := range []string{"on-local", "on-router"} {
		_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt(name))
		must(t, err)
	}
	// One more connection, in the middle of both turns: it waits for their end, and they
	// are not broken off.
	add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "Late", BaseURL: p.URL + "/late/v1", Models: []chat.ModelSpec{{ID: "m", ContextWindow: 100_000}}}, "key-of-late")
	// So does an engine that comes and goes, and one that a turn is running on which goes.
	must(t, w.Do(ctx, "PUT", "/api/models/local/9c", chat.LocalSpec{BaseURL: p.URL + "/app/v1", Model: "gyro-l", ContextWindow: 65_536, Slots: 2}, nil))
	must(t, w.Do(ctx, "DELETE", "/api/models/local/9c", nil, nil))
	must(t, w.Do(ctx, "DELETE", "/api/models/local/7f", nil, nil))
	must(t, w.Do(ctx, "PUT", "/api/models/local/7f", chat.LocalSpec{BaseURL: engine.URL + "/app/v1", Model: "gyro-s", Name: "Gyro S", ContextWindow: 65_536, Slots: 2}, nil))
	// Nor do they hold up whom that does not concern: one on another model begins at once,
	// and one on a model that is gone is told at once.
	must(t, w.Do(ctx, "DELETE", "/api/models/gone", nil, nil))
	if got := kit.Text(play(ctx, t, w.NewChat(), "hello", onModel("anthropic/claude", ""))); got != "from claude" {
		t.Errorf("beside the running turns claude says %q", got)
	}
	frames, err = send(ctx, t, w.NewChat(), "#! SAY never", onModel("gone/m", "")).End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Type != chat.Failed || last.Code != chat.CodeModelUnavailable || !cmp.Equal(last.Actions, []string{"choose-model"}) {
		t.Errorf("on a model that is gone a message ends with %+v", last)
	}
	late := send(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Say("late")), onModel("late/m", "high"))
	_, err = late.Wait(ctx, func(f chat.Frame) bool { return f.Type == chat.Status })
	must(t, err)
	w.model.Release("on-local")
	w.model.Release("on-router")
	for want, run := range map[string]*kit.Run{"local": one, "router": two, "late": late} {
		if got := kit.Text(ended(ctx, t, run)); got != want {
			t.Errorf("%s says %q", want, got)
		}
	}
	if got := kit.Text(play(ctx, t, w.NewChat(), "hello", onModel("anthropic/claude", ""))); got != "from claude" {
		t.Errorf("claude says %q", got)
	}
	play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Say("deep")), onModel("deepseek/deep", ""))
	asked := map[string]map[string]string{}
	for _, folder := range []string{"app", "router", "late", "claude", "deep"} {
		asked[folder] = p.last(t, folder).fields()
	}
	play(ctx, t, local, scriptmodel.Steps(scriptmodel.Say("off")), onModel("app-7f/gyro-s", "off"))
	asked["app, off"] = p.last(t, "app").fields()
	play(ctx, t, local, scriptmodel.Steps(scriptmodel.Say("high")), onModel("app-7f/gyro-s", "high"))
	asked["app, high"] = p.last(t, "app").fields()
	const chatPath = "/v1/chat/completions"
	want := map[string]map[string]string{
		"app": {"path": chatPath, "key": "", "model": `"gyro-s"`, "fit_max_tokens": "true", "max_tokens": "32768",
			"chat_template_kwargs": `{"enable_thinking":true,"reasoning_effort":"medium"}`},
		"app, off": {"path": chatPath, "key": "", "model": `"gyro-s"`, "fit_max_tokens": "true", "max_tokens": "32768",
			"chat_template_kwargs": `{"enable_thinking":false}`},
		"app, high": {"path": chatPath, "key": "", "model": `"gyro-s"`, "fit_max_tokens": "true", "max_tokens": "32768",
			"chat_template_kwargs": `{"enable_thinking":true,"reasoning_effort":"high"}`},
		"router": {"path": chatPath, "key": "key-of-router", "model": `"a/thinks"`, "max_completion_tokens": "65536", "reasoning": `{"effort":"xhigh"}`},
		"late":   {"path": chatPath, "key": "key-of-late", "model": `"m"`, "max_completion_tokens": "50000"},
		"claude": {"path": "/v1/messages", "key": "key-of-claude", "model": `"claude"`, "max_tokens": "65536"},
		"deep":   {"path": chatPath, "key": "key-of-deepseek", "model": `"deep"`, "max_tokens": "50000"},
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}

	askModels(ctx, t, w, p, w.NewChat())
	// It crashes, and the chat is told; it is unloaded, and the chat moves to no other model,
	// whether a message names its model or not.
	engine.Close()
	refused(ctx, t, local, "app-7f/gyro-s")
	must(t, w.Do(ctx, "DELETE", "/api/models/local/7f", nil, nil))
	refused(ctx, t, local, "app-7f/gyro-s")
	refused(ctx, t, local, "")
	if got := kit.Text(play(ctx, t, local, scriptmodel.Steps(scriptmodel.Say("on another")), onModel("late/m", ""))); got != "on another" {
		t.Errorf("the chat goes on with %q", got)
	}
	goneModel(ctx, t, local, "Gyro S", onModel("late/m", ""))

	// As many helpers may be at work as the chat's own server takes requests, whatever the
	// default one does (4 here).
	add(chat.ConnectionSpec{Kind: chat.KindLocal, Name: "Own", BaseURL: p.URL + "/own/v1", Slots: 5, Models: []chat.ModelSpec{{ID: "gyro-s", ContextWindow: 65_536}}}, "")
	var six []string
	for i := range 6 {
		six = append(six, scriptmodel.Helper(fmt.Sprint("number ", i), scriptmodel.Steps(scriptmodel.Hold("six"), scriptmodel.Say("x")), true))
	}
	crowd := send(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Step(six...), scriptmodel.Say("a crowd")), onModel(got.ID+"/gyro-s", ""), kit.Mode("bypass"))
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("number 5"), func(r scriptmodel.Request) bool { return r.Step == 1 }))
	must(t, err)
	if n := strings.Count(string(told.Body), "There are already 5 helper agents at work"); n != 1 || strings.Contains(string(told.Body), "already 4 helper") {
		t.Errorf("%d of 6 helpers were refused: %s", n, told.Body)
	}
	w.model.Release("six")
	ended(ctx, t, crowd)

	// What a start would write is what the Harness composes; a layer that takes the fence
	// away is loud.
	valid := func() (string, error) {
		out, err := exec.CommandContext(ctx, kit.HostBinary(t), "profile", "validate", "--data", w.home.Data, "--workspace", w.home.Workspace,
			"--harness", kit.HarnessDir(), "--node", kit.Node(t), "--shim", kit.Shim(t), "--keys", "file").CombinedOutput()
		return string(out), err
	}
	if out, err := valid(); err != nil || !strings.HasPrefix(out, "The profile is valid: all of its ") {
		t.Errorf("validate: %v\n%s", err, out)
	}
	must(t, os.WriteFile(filepath.Join(w.home.Data, "agent", "home", "cordis.patch.yml"), []byte("- {id: strata-fence, disabled: true}\n"), 0o600))
	if out, err := valid(); err == nil || !strings.Contains(out, "strata-fence is changed by another layer") {
		t.Errorf("validate without the fence: %v\n%s", err, out)
	}
}
