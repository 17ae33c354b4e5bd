package profile

import (
	gocmp "cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// real gives settings with the pinned preset, the real shim and a model at url.
func real(t *testing.T, home, url string) Settings {
	t.Helper()
	standard, err := ReadStandard(harnesstest.Component(t))
	if err != nil {
		t.Fatal(err)
	}
	shim := filepath.Join(harnesstest.Root(t), "shim")
	wasm := filepath.Join(shim, "dist", "strata.wasm")
	sum, err := HashFile(wasm)
	if err != nil {
		t.Fatalf("%v\nmake wasm builds it.", err)
	}
	return Settings{
		Standard: standard,
		Plugins:  Plugins{Shim: shim, Wasm: wasm, SHA256: sum, Store: filepath.Join(home, "plugins"), Secrets: []string{home}},
		Providers: []Provider{{ID: "strata", Name: "Scripted", BaseURL: url, KeyEnv: harness.EnvRouteKey,
			Retry: Retry{Max: 1, InitialDelay: 10, MaxDelay: 20}, Models: []Model{
				{ID: "vendor/model:free", ContextWindow: 20_000, Efforts: []Effort{{"off", ""}, {"high", "high"}}},
			}}},
	}
}

func config(t *testing.T) harness.Config {
	t.Helper()
	return harness.Config{Component: harnesstest.Component(t), Node: harnesstest.Node(t),
		Home: filepath.Join(harnesstest.Dir(t), "home"), Profile: Name, RouteKey: "token-of-this-launch"}
}

// request is what the model server is asked with.
type request struct {
	Auth     string
	Model    string            `json:"model"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []struct {
		Function struct{ Name string } `json:"function"`
	} `json:"tools"`
	fields map[string]json.RawMessage
}

// record is a model that says "done" and keeps what it was asked.
type record struct {
	mu       sync.Mutex
	requests []request
}

func (m *record) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := request{Auth: r.Header.Get("Authorization")}
	err := json.NewDecoder(r.Body).Decode(&q.fields)
	if err == nil {
		data, _ := json.Marshal(q.fields)
		err = json.Unmarshal(data, &q)
	}
	if err != nil || r.URL.Path != "/v1/chat/completions" {
		http.Error(w, fmt.Sprint(r.URL.Path, err), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.requests = append(m.requests, q)
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
}

func (m *record) all() []request {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.requests)
}

// TestBoot starts the real Harness with a generated profile and looks at what
// became of every part of it.
func TestBoot(t *testing.T) {
	model := &record{}
	server := httptest.NewServer(model)
	t.Cleanup(server.Close)
	cfg := config(t)
	files := generate(t, real(t, cfg.Home, server.URL+"/v1"))
	if _, err := files.Write(cfg.Home); err != nil {
		t.Fatal(err)
	}
	dump, warnings, err := harness.DumpConfig(t.Context(), cfg)
	if err != nil || warnings != "" {
		t.Fatalf("dump: %v, warnings %q", err, warnings)
	}
	// Nothing that a process which starts just then reads was written.
	for _, name := range []string{"profiles/node_modules", "profiles/" + Name + "/cordis.yml"} {
		if _, err := os.Lstat(filepath.Join(cfg.Home, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := files.Check(dump, cfg); err != nil {
		t.Error(err)
	}
	p, err := harness.Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})

	t.Run("our rows are active", func(t *testing.T) {
		var inventory struct {
			Entries []struct {
				EntryID, ModuleName, FiberPhase string
				Enabled                         bool
			}
		}
		harnesstest.Call(t, p, "pluginInventory/list", map[string]any{"args": map[string]any{}}, &inventory)
		got := map[string]string{}
		for _, e := range inventory.Entries {
			if strings.Contains(e.ModuleName, "shim") || strings.Contains(e.ModuleName, "session-title-first-prompt-llm") {
				got[filepath.Base(e.ModuleName)] = fmt.Sprint(e.Enabled, " ", e.FiberPhase)
			}
		}
		want := map[string]string{"fence.mjs": "true active", "gate.mjs": "true active",
			"models.mjs": "true active", "context.mjs": "true active", "search.mjs": "true active", "dsh-session-title-first-prompt-llm": "false "}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("the fence stands", func(t *testing.T) {
		res, err := http.Post(p.URL()+"/api/host.describe", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized {
			t.Errorf("without the secret: %s", res.Status)
		}
	})
	var session struct{ SessionID, AgentPreset string }
	harnesstest.Call(t, p, "session.create", map[string]any{"cwd": harnesstest.Dir(t)}, &session)
	if session.AgentPreset != Name {
		t.Errorf("a new session has the preset %q", session.AgentPreset)
	}
	t.Run("a new session asks", func(t *testing.T) {
		var history struct {
			Projections struct {
				Values json.RawMessage
			}
			Events []struct {
				Event struct {
					Type string
					Data struct{ Preset, Mode, Policy string }
				}
			}
		}
		harnesstest.Call(t, p, "session.history", map[string]any{"sessionId": session.SessionID}, &history)
		var got []string
		for _, e := range history.Events {
			if d := e.Event.Data; d.Preset+d.Mode+d.Policy != "" {
				got = append(got, d.Preset+d.Mode+d.Policy)
			}
		}
		if diff := cmp.Diff([]string{"strata-manual", "danger-full-access", "ask"}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("the route works and the tools are ours", func(t *testing.T) {
		harnesstest.Call(t, p, "session.prompt", map[string]any{"sessionId": session.SessionID, "mode": "queue",
			"content": []any{map[string]string{"type": "text", "text": "hello"}}}, nil)
		harnesstest.Until(t, "the model is asked", func() bool { return len(model.all()) > 0 })
		q := model.all()[0]
		if q.Model != "vendor/model:free" || q.Auth != "Bearer token-of-this-launch" {
			t.Errorf("model %q with %q", q.Model, q.Auth)
		}
		var first struct{ Role, Content string }
		if err := json.Unmarshal(q.Messages[0], &first); err != nil || first.Role != "system" || !strings.Contains(first.Content, AskModel) {
			t.Errorf("the first message is of %q, %v, and says %q", first.Role, err, first.Content)
		}
		fields := map[string]string{}
		for _, name := range []string{"store", "max_tokens"} {
			fields[name] = string(q.fields[name])
		}
		if diff := cmp.Diff(map[string]string{"store": "", "max_tokens": ""}, fields); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
		// The route reserves 5000 tokens; the context plugin asks for up to half of the window.
		if reply, err := strconv.Atoi(string(q.fields["max_completion_tokens"])); err != nil || reply <= 5000 || reply > 10_000 {
			t.Errorf("a reply of %s tokens is asked for", q.fields["max_completion_tokens"])
		}
		var tools []string
		for _, tool := range q.Tools {
			tools = append(tools, tool.Function.Name)
		}
		slices.Sort(tools)
		golden(t, "tools", []byte(strings.Join(tools, "\n")+"\n"))
	})
	t.Run("no second request for a title", func(t *testing.T) {
		var history struct {
			Events []struct{ Event struct{ Type string } }
		}
		harnesstest.Until(t, "the turn ends", func() bool {
			harnesstest.Call(t, p, "session.history", map[string]any{"sessionId": session.SessionID}, &history)
			return slices.ContainsFunc(history.Events, func(e struct{ Event struct{ Type string } }) bool { return e.Event.Type == "turn/end" })
		})
		if n := len(model.all()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("nothing of ours was rewritten", func(t *testing.T) {
		for name, want := range files {
			got, err := os.ReadFile(filepath.Join(cfg.Home, filepath.FromSlash(name)))
			if err != nil || string(got) != string(want) {
				t.Errorf("%s: %v\n%s", name, err, cmp.Diff(string(want), string(got)))
			}
		}
	})
}

// TestCheckIsLoud composes profiles with the real Harness whose rows do not land.
func TestCheckIsLoud(t *testing.T) {
	cfg := config(t)
	good := real(t, cfg.Home, "http://127.0.0.1:9/v1")
	for _, tt := range []struct {
		name, own, want string
		change          func(Files)
	}{
		{"as generated", "", "", func(Files) {}},
		{"a person's own row", "- {id: agent-default-model, config: {provider: x, model: y}}\n", "", func(Files) {}},
		{"a row for an id that is not there", "", "agent-presetz is not there", func(f Files) {
			f[PatchFile] = []byte(strings.Replace(string(f[PatchFile]), "id: agent-presets", "id: agent-presetz", 1))
		}},
		{"the gate's file changed", "- {id: strata-gate, config: {sha256: x}}\n", "strata-gate is changed by another layer", func(Files) {}},
		{"the fence turned off", "- {id: strata-fence, disabled: true}\n", "strata-fence is changed by another layer", func(Files) {}},
		{"the presets replaced", "- {id: permission, config: {presets: {}}}\n", "permission is changed by another layer", func(Files) {}},
		{"an inserted row under another id", "- {id: strata-search, disabled: true}\n", "", func(Files) {}},
		{"two rows of an id", "", "web is not as it was written", func(f Files) {
			f[PatchFile] = append(f[PatchFile], "- id: web\n  config: {searchProvider: other}\n"...)
		}},
		{"a row of the preset whose plugin is not there", "", "tool-todo of the agent preset has a plugin that is not there", func(f Files) {
			f[PresetFile] = []byte(strings.Replace(string(f[PresetFile]), "dsh-tool-todo", "dsh-tool-toodo", 1))
		}},
		{"one whose file is not there", "", "compaction-strata of the agent preset has a plugin that is not there", func(f Files) {
			f[PresetFile] = []byte(strings.Replace(string(f[PresetFile]), "/compaction.mjs", "/none.mjs", 1))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := generate(t, good)
			tt.change(files)
			if _, err := files.Write(cfg.Home); err != nil {
				t.Fatal(err)
			}
			harnesstest.Write(t, filepath.Join(cfg.Home, "cordis.patch.yml"), gocmp.Or(tt.own, "[]\n"))
			dump, _, err := harness.DumpConfig(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			err = files.Check(dump, cfg)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
	// What is on the disk is another one than ours.
	files := generate(t, good)
	if _, err := files.Write(cfg.Home); err != nil {
		t.Fatal(err)
	}
	dump, _, err := harness.DumpConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"a changed config": {"thresholdChars: 8192", "thresholdChars: 1"}, "a changed name": {"dsh-tool-todo", "dsh-tool-web"}, "a row off": {"  isolate:\n    compaction", "  disabled: true\n  isolate:\n    compaction"},
	} {
		text := strings.Replace(string(files[PresetFile]), change[0], change[1], 1)
		harnesstest.Write(t, filepath.Join(cfg.Home, filepath.FromSlash(PresetFile)), text)
		if err := files.Check(dump, cfg); text == string(files[PresetFile]) || err == nil || !strings.Contains(err.Error(), "the agent preset is not as it was written") {
			t.Errorf("%s in the preset: %v", name, err)
		}
	}
	for name, change := range map[string][2]string{
		"web is not as it was written":             {"searchProvider: strata-duckduckgo", "searchProvider: other"},
		"strata-context is not as it was written":  {"shim/context.mjs", "shim/gate.mjs"},
		"agent-presets is not as it was written":   {"default: strata\n", "default: standard\n"},
		"session-title-llm is not there":           {"id: session-title-llm\n", "id: session-title-lm\n"},
		"llm-pi-ai is not as it was written":       {"contextWindow: 20000", "contextWindow: 20001"},
		"strata-gate is changed by another layer":  {"name: " + good.Plugins.Shim + "/gate.mjs", "name: /elsewhere/gate.mjs"},
		"strata-models is not as it was written":   {"local: false", "local: true"},
		"permission is changed by another layer":   {"defaultPreset: strata-manual", "defaultPreset: strata-bypass"},
		"agent-default-model is not as it was wri": {"model: vendor/model:free\n", "model: other\n"},
	} {
		text := strings.Replace(string(dump), change[0], change[1], 1)
		if err := files.Check([]byte(text), cfg); text == string(dump) || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("changed in the tree: %v, want %s", err, name)
		}
	}
	if err := generate(t, good).Check([]byte("- [\n"), cfg); err == nil {
		t.Error("a broken dump passes")
	}
	harnesstest.Write(t, filepath.Join(cfg.Home, "cordis.patch.yml"), "{\n")
	_, _, err = harness.DumpConfig(t.Context(), cfg)
	var e *harness.Error
	if !errors.As(err, &e) || e.Kind != harness.KindProfile {
		t.Errorf("a person's own broken layer: %v", err)
	}
}
