package profile

import (
	"os"
	"path/filepath"
	"testing"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// Whether the Harness's own tool takes a model is told by what its package exports.
func TestModelSelection(t *testing.T) {
	if HasModelSelection(harnesstest.Component(t)) {
		t.Error("the pinned Harness has a choice of helpers' models of its own now")
	}
	for exports, want := range map[string]bool{
		`{"exports":{".":"./lib/index.js","./model-selection-settings":"./lib/settings.js"}}`: true,
		`{"exports":{".":"./lib/index.js"}}`:                                                  false,
		`{`:                                                                                   false,
	} {
		for _, place := range []string{"dsh-tool-subagent", "dsh/node_modules/@deepseek-ai/dsh-tool-subagent"} {
			dir := t.TempDir()
			for _, d := range []string{"dsh", place} {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, place, "package.json"), []byte(exports), 0o644); err != nil {
				t.Fatal(err)
			}
			if got := HasModelSelection(harness.Component{Dir: filepath.Join(dir, "dsh")}); got != want {
				t.Errorf("%s in %s: %v", exports, place, got)
			}
		}
	}
}

// A row for a client that is not there would keep the Harness from starting.
func TestHasServers(t *testing.T) {
	if !HasServers(harnesstest.Component(t)) {
		t.Error("the pinned Harness connects no MCP servers any more")
	}
	if HasServers(harness.Component{Dir: t.TempDir()}) {
		t.Error("one without the client does")
	}
}

// What a Harness can do is read in its packages: the pinned one has neither.
func TestFeaturesOfPackages(t *testing.T) {
	if c := harnesstest.Component(t); HasHeadroom(c) || HasHelperLimit(c) {
		t.Error("the pinned Harness keeps room for summaries, or bounds helpers, now")
	}
	dir := t.TempDir()
	harnesstest.Write(t, filepath.Join(dir, "dsh-compaction-basic", "lib", "index.js"), "const headroomTokensSchema = z.number()")
	harnesstest.Write(t, filepath.Join(dir, "dsh-subagent", "lib", "index.js"), "z.object({ maxActiveSubagents: z.number() })")
	if err := os.MkdirAll(filepath.Join(dir, "dsh"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c := (harness.Component{Dir: filepath.Join(dir, "dsh")}); !HasHeadroom(c) || !HasHelperLimit(c) {
		t.Error("a newer one is not seen")
	}
}
