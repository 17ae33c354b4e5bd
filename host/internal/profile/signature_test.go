package profile

import (
	"bytes"
	"slices"
	"testing"
)

// TestSignature: it changes exactly when what the Harness composes does.
func TestSignature(t *testing.T) {
	base := generate(t, settings(func(*Settings) {})).Signature()
	if len(base) != 64 {
		t.Fatalf("the signature is %q", base)
	}
	model := func(change func(*Model)) func(*Settings) {
		return func(s *Settings) {
			s.Providers = slices.Clone(s.Providers)
			s.Providers[0].Models = slices.Clone(s.Providers[0].Models)
			change(&s.Providers[0].Models[0])
		}
	}
	seen := map[string]string{base: "nothing"}
	for _, tt := range []struct {
		name   string
		change func(*Settings)
		same   bool
	}{
		{"nothing", func(*Settings) {}, true},
		{"the proxy's port", func(s *Settings) { s.Providers[0].BaseURL = "http://127.0.0.1:4001/v1" }, true},
		{"a comment of the standard preset", func(s *Settings) { s.Standard = slices.Concat([]byte("# another\n"), s.Standard) }, true},
		{"a tool is off", func(s *Settings) { s.Off = []string{"tool-bash"} }, false},
		{"another tool is off", func(s *Settings) { s.Off = []string{"persona"} }, false},
		{"helpers", func(s *Settings) { s.MaxHelpers = 3 }, false},
		{"helpers on one provider's models", func(s *Settings) {
			s.Providers = slices.Clone(s.Providers)
			s.Providers[0].MaxHelpers = 3
		}, false},
		{"the standard preset", func(s *Settings) {
			s.Standard = slices.Concat(s.Standard, []byte("- {id: new, name: '@x/dsh-tool-new'}\n"))
		}, false},
		{"the plugins' bytes", func(s *Settings) { s.Plugins.SHA256 = "f" + s.Plugins.SHA256[1:] }, false},
		{"the plugins' folder", func(s *Settings) { s.Plugins.Shim = "/elsewhere" }, false},
		{"no plugins", func(s *Settings) { s.Plugins = Plugins{} }, false},
		{"a secret path", func(s *Settings) { s.Plugins.Secrets = append(slices.Clone(s.Plugins.Secrets), "/more") }, false},
		{"the web", func(s *Settings) { s.Plugins.Web.SkipAsk = true }, false},
		{"a search service without a key", func(s *Settings) { s.Plugins.Search.Service = "exa" }, false},
		{"a search service with its key", func(s *Settings) {
			s.Plugins.Search = Search{Service: "exa", Origin: "http://127.0.0.1:1/v1", KeyEnv: "A_KEY"}
		}, false},
		{"no route", func(s *Settings) { s.Providers = nil }, false},
		{"a model", model(func(m *Model) { m.ID = "other" }), false},
		{"a model's window", model(func(m *Model) { m.ContextWindow = 30_000 }), false},
		{"a model's name", model(func(m *Model) { m.Name = "other" }), false},
		{"a model's levels", model(func(m *Model) { m.Efforts = []Effort{{"high", "high"}} }), false},
		{"a model's longest answer", model(func(m *Model) { m.MaxOutput = 100 }), false},
		{"how levels are told", func(s *Settings) { s.Providers[0].Thinking = ThinkingTemplate }, false},
		{"how a provider is asked", func(s *Settings) { s.Providers[0].API = Messages }, false},
		{"one more provider", func(s *Settings) { s.Providers = append(slices.Clone(s.Providers), local()) }, false},
		{"the same preset as a row", func(s *Settings) { s.Standard = []byte(smallRow) }, false},
		{"an MCP server", func(s *Settings) { s.Servers = mcpServers()[:1] }, false},
		{"another MCP server", func(s *Settings) { s.Servers = mcpServers()[1:] }, false},
		{"an MCP server's variable", func(s *Settings) {
			s.Servers = mcpServers()[:1]
			s.Servers[0].Env = map[string]string{"DIR": "STRATA_MCP_KEY_1_2"}
		}, false},
		{"an MCP server of the proxy's at another place", func(s *Settings) {
			s.Servers = mcpServers()[1:]
			s.Servers[0].URL = "http://127.0.0.1:4000/_mcp/v1/web/4"
		}, false},
		{"a model's eyes", model(func(m *Model) { m.Images = true }), false},
	} {
		got := generate(t, settings(tt.change)).Signature()
		if same := got == base; same != tt.same {
			t.Errorf("%s: the same signature: %t, want %t", tt.name, same, tt.same)
		}
		if other, known := seen[got]; known && !tt.same {
			t.Errorf("%s has the signature of %s", tt.name, other)
		}
		seen[got] = tt.name
	}
	search := func(port string) string {
		return generate(t, settings(func(s *Settings) {
			s.Plugins.Search = Search{Service: "exa", Origin: "http://127.0.0.1:" + port, KeyEnv: "A_KEY"}
		})).Signature()
	}
	if search("1") != search("2") {
		t.Error("the proxy's port of a search service changes the signature")
	}
	server := func(port string) string {
		return generate(t, settings(func(s *Settings) {
			s.Servers = []Server{{Name: "web", URL: "http://127.0.0.1:" + port + "/_mcp/v1/web/3", KeyEnv: "A_KEY"}}
		})).Signature()
	}
	if server("1") != server("2") {
		t.Error("the proxy's port of an MCP server changes the signature")
	}
	if got := (Files{}).Signature(); got != "" {
		t.Errorf("no files have the signature %q", got)
	}
}

// TestOff: a plugin that is off is in no row, and one that is not there is an error.
func TestOff(t *testing.T) {
	files := generate(t, settings(func(s *Settings) {
		s.Off = []string{"tool-bash", "compaction-basic", "workflow-worker-thread", "tool-subagent", "tool-web"}
	}))
	doc, err := parseYAML(files[PresetFile])
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]mapping{}
	if err := index(doc, rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows["persona"] == nil {
		t.Errorf("these are left: %v", rows)
	}
	if bytes.Contains(files[PresetFile], []byte(AskModel)) {
		t.Error("an agent without helpers is told how to ask other models")
	}
	if _, err := Generate(settings(func(s *Settings) { s.Off = []string{"tool-none"} })); err == nil {
		t.Error("a plugin that is not there can be off")
	}
}
