package tools

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// A key in an argument or in an address is warned of, and not said again; what only looks
// a little like one is not.
func TestKeyInClear(t *testing.T) {
	const generated = "0a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d"
	args := func(args ...string) chat.CustomToolPatch {
		return chat.CustomToolPatch{Command: ptr("npx"), Args: &args}
	}
	at := func(url string) chat.CustomToolPatch { return chat.CustomToolPatch{URL: &url} }
	tools := map[string]chat.CustomToolPatch{
		"warned-shape":    args("-y", "@example/notes", "ghp_"+generated+"abcd"),
		"warned-flag":     args("--api-key=" + generated),
		"warned-two":      args("--token", generated),
		"warned-variable": args("-c", "API_KEY="+generated+" notes"),
		"warned-header":   args("--header", "Authorization: Bearer "+generated),
		"warned-address":  at("https://mcp.example.com/ghp_" + generated + "abcd/mcp"),
		"warned-part":     at("https://mcp.example.com/s/" + generated + "/mcp"),
		"package":         args("-y", "@example/notes@2025.11.30", "--port", "8080"),
		"flags":           args("--token-file", "/home/me/token2025", "--folder", "/srv/notes-2025-11-30/of everybody"),
		"path":            at("https://mcp.example.com/v1/projects/notes-of-everybody/mcp"),
		"version":         at("https://mcp.example.com/2025-06-18/mcp"),
	}
	want := map[string]*chat.Sentence{}
	s := open(t, filepath.Join(t.TempDir(), "settings.json"))
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		p := tools[name]
		p.Kind, p.Name = chat.KindServer, name
		if err := s.Add(t.Context(), p); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if want[name] = nil; strings.HasPrefix(name, "warned-") {
			sentence := say.Sentence(say.ServerKeyInClear, "name", name)
			want[name] = &sentence
		}
	}
	got := map[string]*chat.Sentence{}
	for _, tool := range s.Get().Custom {
		got[tool.ID] = tool.Warning
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
