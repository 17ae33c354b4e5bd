package profile

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"strata.dev/bridge/host/internal/harness/harnesstest"
)

var update = flag.Bool("update", false, "rewrite testdata/*.golden")

const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// small stands for a standard preset; the real one has a test of its own.
const small = `# comment
- id: persona
  name: '@deepseek-ai/dsh-persona'
  config:
    text: >-
      You are {{model}}.
      Be: brief.
- {id: tool-bash, name: '@deepseek-ai/dsh-tool-bash', disabled: !!js process.platform === 'win32'}
- id: planning
  name: cordis:group
  group: true
  isolate: {planMode: true}
  config:
    - id: plan-mode
      name: '@deepseek-ai/dsh-plan-mode'
- id: compaction
  name: cordis:group
  group: true
  config:
    - id: compaction-basic
      name: '@deepseek-ai/dsh-compaction-basic'
- id: delegation
  name: cordis:group
  group: true
  config:
    - id: workflow-worker-thread
      name: '@deepseek-ai/dsh-workflow-worker-thread'
      config: {provider: spawn}
    - id: tool-subagent
      name: '@deepseek-ai/dsh-tool-subagent'
      config: {provider: spawn, toolName: subagent}
    - id: tool-schedule
      name: '@deepseek-ai/dsh-tool-schedule'
- id: tool-ask-user
  name: '@deepseek-ai/dsh-tool-ask-user'
- id: tool-web
  name: '@deepseek-ai/dsh-tool-web'
  config: {fetch: false, searchTimeoutMs: 60000}
`

// smallRow is the same as newer Harnesses have it, in a patch of their bundle.
var smallRow = "- insert:\n    - id: preset-standard\n      name: '@deepseek-ai/dsh-agent-preset'\n      config:\n        id: standard\n        order: 1\n        plugins:\n" +
	strings.ReplaceAll("\n"+strings.TrimSpace(strings.ReplaceAll(small, "# comment\n", "")), "\n", "\n          ")[1:] + "\n"

func settings(change func(*Settings)) Settings {
	s := Settings{
		Standard: []byte(small),
		Plugins: Plugins{Shim: "/opt/strata/shim", Wasm: "/opt/strata/shim/dist/strata.wasm", SHA256: hash,
			Store: "/data/agent/plugins", Secrets: []string{"/data", "/home/u/.config/strata/token"}},
		Providers: []Provider{{ID: "strata", BaseURL: "http://127.0.0.1:4000/v1", KeyEnv: "STRATA_ROUTE_KEY",
			Models: []Model{{ID: "m", ContextWindow: 20_000}}}},
	}
	change(&s)
	return s
}

func cases() map[string]Settings {
	return map[string]Settings{
		"one-route": settings(func(*Settings) {}),
		"bare":      {Standard: []byte(small)},
		"own-selection": settings(func(s *Settings) {
			s.ModelSelection = true
			s.Providers = append(s.Providers, Provider{ID: "or", Name: "OpenRouter", BaseURL: "http://127.0.0.1:4000/or/v1", Models: []Model{
				{ID: "vendor/x", Name: "X", Price: &Price{Input: 0.25, Output: 2}, Efforts: []Effort{{"low", "low"}}},
			}})
		}),
		"no-helpers": settings(func(s *Settings) { s.Off = []string{"tool-subagent"} }),
		"no-route":   settings(func(s *Settings) { s.Providers = nil }),
		"many-models": settings(func(s *Settings) {
			s.Providers = append(s.Providers, Provider{ID: "other", Name: "Other: \"quoted\"", BaseURL: "http://127.0.0.1:4000/other/v1",
				KeyEnv: "STRATA_ROUTE_KEY", Retry: Retry{Max: 1, InitialDelay: 10, MaxDelay: 20}, Models: []Model{
					{ID: "vendor/model:free", Name: "Größe 7", ContextWindow: 1_000_000, Images: true,
						Efforts: []Effort{{"off", ""}, {"high", "high"}}},
					{ID: "no", MaxOutput: 1000},
				}})
		}),
		"windows": settings(func(s *Settings) {
			s.Plugins = Plugins{Shim: `C:\Program Files\Strata\shim`, Wasm: `C:\Program Files\Strata\shim\dist\strata.wasm`, SHA256: hash,
				Store: `C:\Users\ü\AppData\Local\Strata\plugins`, Secrets: []string{`C:\Users\ü\AppData`, `\\server\share`}}
		}),
		"rows-one-route": settings(func(s *Settings) { s.Standard, s.MaxHelpers, s.HelperLimit = []byte(smallRow), 6, true }),
		"rows-newer": settings(func(s *Settings) {
			s.Standard, s.MaxHelpers, s.HelperLimit, s.Headroom, s.ModelSelection = newer(), 8, true, true, true
			s.Providers, s.Servers = append(apis(), local()), mcpServers()
			s.Providers[0].MaxHelpers, s.Providers[1].MaxHelpers, s.Providers[4].MaxHelpers = 8, 12, 4
		}),
		"rows-newer-off": settings(func(s *Settings) { s.Standard, s.Off = newer(), []string{"workflow-ptc", "tool-schedule"} }),
		"small-windows": settings(func(s *Settings) {
			s.Providers = []Provider{local()}
			s.Providers[0].Models = []Model{{ID: "tiny", ContextWindow: 2048}, {ID: "small", ContextWindow: 8192}, {ID: "large", ContextWindow: 1_000_000}, {ID: "unknown"}}
		}),
		"rows-off": settings(func(s *Settings) {
			s.Standard, s.Off = []byte(smallRow), []string{"tool-bash", "workflow-worker-thread"}
		}),
		"one-local": settings(func(s *Settings) { s.Providers = []Provider{local()} }),
		"many-apis": settings(func(s *Settings) { s.Providers = append(apis(), local()) }),
		"tools-off": settings(func(s *Settings) { s.Off = []string{"tool-bash", "workflow-worker-thread"} }),
		"search-keyed": settings(func(s *Settings) {
			s.Plugins.Search = Search{Service: "exa", Origin: "http://127.0.0.1:4000/_search/v1", KeyEnv: "STRATA_SEARCH_KEY", Stock: true}
		}),
		"search-without-key": settings(func(s *Settings) { s.Plugins.Search = Search{Service: "deepseek", Stock: true} }),
		"search-stock": settings(func(s *Settings) {
			s.Plugins.Search = Search{Service: "deepseek", Origin: "http://127.0.0.1:4000/_search/v1", KeyEnv: "STRATA_SEARCH_KEY", Stock: true}
		}),
		"search-no-stock": settings(func(s *Settings) {
			s.Plugins.Search = Search{Service: "deepseek", Origin: "http://127.0.0.1:4000/_search/v1", KeyEnv: "STRATA_SEARCH_KEY"}
		}),
		"helpers":       settings(func(s *Settings) { s.MaxHelpers = 2 }),
		"servers":       settings(func(s *Settings) { s.Servers = mcpServers() }),
		"rows-servers":  settings(func(s *Settings) { s.Standard, s.Servers = []byte(smallRow), mcpServers() }),
		"servers-alone": {Standard: []byte(small), Servers: mcpServers()[:1]},
		"web":           settings(func(s *Settings) { s.Plugins.Web = Web{Engine: "DuckDuckGo", SkipAsk: true} }),
	}
}

func mcpServers() []Server {
	return []Server{
		{Name: "custom-notes", Command: "node", Args: []string{"/opt/notes server.mjs", "--url=http://127.0.0.1:4000/x"}, Env: map[string]string{
			"NOTES_TOKEN": "STRATA_MCP_KEY_2_1", "DIR": "STRATA_MCP_KEY_1_1",
		}},
		{Name: "custom-web", URL: "http://127.0.0.1:4000/_mcp/v1/web/3", KeyEnv: "STRATA_MCP_KEY"},
	}
}

func local() Provider {
	return Provider{ID: "local-7f", Name: "This computer", BaseURL: "http://127.0.0.1:4000/local-7f/v1", KeyEnv: "STRATA_ROUTE_KEY",
		Local: true, Thinking: ThinkingTemplate, Effort: "medium", MaxTokens: true, Models: []Model{{
			ID: "gyro-s", Name: "Gyro S", ContextWindow: 65_536, Images: true, Efforts: []Effort{{"off", ""}, {"low", "low"}, {"medium", "medium"}, {"high", "high"}},
		}}}
}

func apis() []Provider {
	const env = "STRATA_ROUTE_KEY"
	return []Provider{
		{ID: "openrouter", Name: "OpenRouter", BaseURL: "http://127.0.0.1:4000/openrouter/v1", KeyEnv: env, Thinking: ThinkingOpenRouter, Models: []Model{
			{ID: "anthropic/claude-sonnet-4.5", ContextWindow: 1_000_000, MaxOutput: 64_000, Images: true, CacheMarks: true,
				Efforts: []Effort{{"off", "none"}, {"low", "low"}, {"medium", "medium"}, {"high", "high"}, {"max", "xhigh"}},
				Price:   &Price{Input: 3, Output: 15, CacheRead: 0.3}},
			{ID: "meta-llama/llama-3.1-8b-instruct", ContextWindow: 131_072},
		}},
		{ID: "anthropic", BaseURL: "http://127.0.0.1:4000/anthropic", KeyEnv: env, API: Messages, Models: []Model{{ID: "claude-sonnet-4-5", ContextWindow: 200_000, Images: true}}},
		{ID: "deepseek", BaseURL: "http://127.0.0.1:4000/deepseek/v1", KeyEnv: env, MaxTokens: true, WantsReasoning: true, Models: []Model{{ID: "deepseek-chat", ContextWindow: 131_072}}},
		{ID: "openai", Name: "OpenAI: \"work\"", BaseURL: "http://127.0.0.1:4000/openai/v1", KeyEnv: env, Models: []Model{{ID: "gpt-5", Name: "GPT-5", ContextWindow: 400_000, Images: true}}},
	}
}

func TestRoutes(t *testing.T) {
	got := Settings{Providers: []Provider{local(), apis()[0]}}.Routes()
	want := []Route{
		{ID: "local-7f/gyro-s", Provider: "local-7f", Model: "gyro-s", Name: "Gyro S", Connection: "This computer", Local: true,
			ContextWindow: 65_536, Images: true, Efforts: []string{"off", "low", "medium", "high"}},
		{ID: "openrouter/anthropic/claude-sonnet-4.5", Provider: "openrouter", Model: "anthropic/claude-sonnet-4.5", Name: "anthropic/claude-sonnet-4.5",
			Connection: "OpenRouter", ContextWindow: 1_000_000, Images: true, Efforts: []string{"off", "low", "medium", "high", "max"},
			Price: &Price{Input: 3, Output: 15, CacheRead: 0.3}},
		{ID: "openrouter/meta-llama/llama-3.1-8b-instruct", Provider: "openrouter", Model: "meta-llama/llama-3.1-8b-instruct",
			Name: "meta-llama/llama-3.1-8b-instruct", Connection: "OpenRouter", ContextWindow: 131_072},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What a local route declares: context.md §3, and never more than half of a small window.
func TestOutputOfLocalRoutes(t *testing.T) {
	got := map[int64]int64{}
	for _, window := range []int64{1, 4096, 8192, 32_768, 65_536, 131_072} {
		got[window] = Provider{Local: true}.output(Model{ContextWindow: window})
	}
	want := map[int64]int64{1: 1, 4096: 2048, 8192: 4096, 32_768: 9830, 65_536: 19_660, 131_072: 32_768}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGolden(t *testing.T) {
	for name, s := range cases() {
		t.Run(name, func(t *testing.T) {
			files := generate(t, s)
			var archive txtar.Archive
			for _, name := range slices.Sorted(maps.Keys(files)) {
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: files[name]})
			}
			golden(t, name, txtar.Format(&archive))
			for range 20 {
				if diff := cmp.Diff(files, generate(t, s)); diff != "" {
					t.Fatalf("equal settings, other bytes:\n%s", diff)
				}
			}
		})
	}
}

// newer is the standard preset of a newer Harness, as its own file would be.
func newer() []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "standard-0.2.yml"))
	if err != nil {
		panic(err)
	}
	return data
}

// TestStandardOfThePin fails when the pinned Harness's own preset has other
// plugins than those that were looked at: a new or renamed one must be judged.
func TestStandardOfThePin(t *testing.T) {
	standard, err := ReadStandard(harnesstest.Component(t))
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "standard-rows", judged(t, standard))
	golden(t, "standard-rows-0.2", judged(t, newer()))
	if _, err := agentPreset(Settings{Standard: standard, Plugins: Plugins{Shim: "/shim"}}); err != nil {
		t.Errorf("with our plugins: %v", err)
	}
	// A plugin that is added, or has another name, shows.
	for name, change := range map[string][2]string{
		"added":          {"- id: tool-todo\n", "- {id: tool-new, name: '@deepseek-ai/dsh-tool-new'}\n- id: tool-todo\n"},
		"renamed":        {"dsh-tool-ask-user'", "dsh-tool-ask-person'"},
		"with a new id":  {"id: tool-bash\n", "id: tool-shell\n"},
		"taken away":     {"- id: tool-skill\n  name: '@deepseek-ai/dsh-tool-skill'\n", ""},
		"newer, added":   {"{id: present,", "{id: tool-new, name: '@deepseek-ai/dsh-tool-new'}\n          - {id: present,"},
		"newer, renamed": {"dsh-tool-schedule'", "dsh-tool-calendar'"},
	} {
		was := standard
		if strings.HasPrefix(name, "newer") {
			was = newer()
		}
		now := bytes.Replace(was, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(was, now) || bytes.Equal(judged(t, was), judged(t, now)) {
			t.Errorf("a plugin that is %s does not show", name)
		}
	}
}

// judged lists the rows of a standard preset, and whether our preset has them.
func judged(t *testing.T, standard []byte) []byte {
	t.Helper()
	all, err := readPreset(standard)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := agentPreset(Settings{Standard: standard})
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]mapping{}
	if err := index(ours.rows, kept); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	var walk func(list)
	walk = func(rows list) {
		for _, r := range rows {
			row := r.(mapping)
			id, name := row.get("id").(string), row.get("name").(string)
			state := "kept"
			if _, ok := kept[id]; !ok {
				state = "dropped"
			}
			b.WriteString(state + " " + id + " " + name + "\n")
			if inner, ok := row.get("config").(list); ok {
				walk(inner)
			}
		}
	}
	walk(all.rows)
	return b.Bytes()
}

func TestRefusedSettings(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Settings)
		want   string
	}{
		"no standard preset":     {func(s *Settings) { s.Standard = nil }, "standard agent preset"},
		"preset that is no list": {func(s *Settings) { s.Standard = []byte("a: b\n") }, "not a list"},
		"preset of scalars":      {func(s *Settings) { s.Standard = []byte("- a\n") }, "row 1 is no mapping"},
		"preset with all dropped": {func(s *Settings) {
			s.Standard = []byte("- {id: a, name: '@deepseek-ai/dsh-plan-mode'}\n")
		}, "no rows"},
		"preset with another compaction engine": {func(s *Settings) {
			s.Standard = []byte(strings.ReplaceAll(small, "dsh-compaction-basic", "dsh-compaction-other"))
		}, "no compaction engine (dsh-compaction-basic)"},
		"preset that declares nothing": {func(s *Settings) {
			s.Standard = []byte("- insert:\n    - {id: preset-standard, name: '@deepseek-ai/dsh-agent-preset', config: {id: standard}}\n")
		}, "declares no plugins"},
		"preset with another tag":   {func(s *Settings) { s.Standard = []byte("- {id: !!other x}\n") }, "tag !!other"},
		"provider without an id":    {func(s *Settings) { s.Providers[0].ID = "" }, "id of its own"},
		"provider without a URL":    {func(s *Settings) { s.Providers[0].BaseURL = "" }, "base URL"},
		"provider without a model":  {func(s *Settings) { s.Providers[0].Models = nil }, "a model"},
		"two providers of one name": {func(s *Settings) { s.Providers = append(s.Providers, s.Providers[0]) }, "id of its own"},
		"two models of one name": {func(s *Settings) {
			s.Providers[0].Models = []Model{{ID: "a"}, {ID: "a"}}
		}, "id of its own"},
		"a variable that shells see": {func(s *Settings) { s.Providers[0].KeyEnv = "STRATA_ROUTE" }, "would be seen"},
		"a gate without a hash":      {func(s *Settings) { s.Plugins.SHA256 = "" }, "SHA-256"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := Generate(settings(tt.change))
			if err == nil || !strings.Contains(err.Error(), tt.want) || files != nil {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestWriteTouchesOnlyWhatDiffers(t *testing.T) {
	home := t.TempDir()
	own := map[string]string{"cordis.patch.yml": "- {id: web, disabled: true}\n", "settings.yaml": "a: b\n"}
	for name, text := range own {
		harnesstest.Write(t, filepath.Join(home, name), text)
	}
	files := generate(t, settings(func(*Settings) {}))
	write := func(f Files) []string {
		written, err := f.Write(home)
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	all := []string{PresetFile, PresetMetaFile, PatchFile, ManifestFile}
	slices.Sort(all)
	if diff := cmp.Diff(all, write(files)); diff != "" {
		t.Errorf("first write (-want +got):\n%s", diff)
	}
	if written := write(files); written != nil {
		t.Errorf("second write: %q", written)
	}
	changed := generate(t, settings(func(s *Settings) { s.Providers[0].BaseURL = "http://127.0.0.1:5000/v1" }))
	if diff := cmp.Diff([]string{PatchFile}, write(changed)); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	for name, text := range own {
		data, err := os.ReadFile(filepath.Join(home, name))
		if err != nil || string(data) != text {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

func generate(t *testing.T, s Settings) Files {
	t.Helper()
	files, err := Generate(s)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("differs from %s; look, then run with -update (-want +got):\n%s", path, diff)
	}
}
