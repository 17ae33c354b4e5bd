package agent

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
	"strata.dev/bridge/host/internal/profile"
)

// TestProvenOnce: what a process was that proved good is not composed once more for the
// next one; whatever may have changed it is. A check that fails proves nothing.
func TestProvenOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, wires["events.mux"])
	composed := filepath.Join(b.dir, "composed")
	script := filepath.Join(b.dir, "standin.mjs")
	code, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	// Beside the start the stand-in composes the rows of a file, and leaves a line.
	harnesstest.Write(t, script, `import { appendFileSync as note, readFileSync as rows } from 'node:fs';
if (process.argv.includes('--dump-config')) {
  note(new URL('composed', import.meta.url), 'once\n');
  console.log(rows(new URL('tree', import.meta.url), 'utf8'));
  process.exit(0);
}
`+string(code))
	write := func(path, text string) { t.Helper(); harnesstest.Write(t, path, text) }
	write(filepath.Join(b.dir, "package.json"), "{}")
	write(filepath.Join(b.dir, "ready"), b.web.URL)
	write(filepath.Join(b.dir, "tree"), "- id: a\n- id: b\n")
	cfg := harness.Config{
		Component: harness.Component{Dir: b.dir, Bin: script}, Node: harnesstest.Node(t),
		Home: filepath.Join(b.dir, "home"), Profile: "strata",
	}
	files := profile.Files{profile.PatchFile: []byte("- id: a\n")}
	for _, step := range []struct {
		name     string
		change   func()
		composes bool
		fails    bool
	}{
		{"the first", func() {}, true, false},
		{"the same again", func() {}, false, false},
		{"once more", func() {}, false, false},
		{"another profile", func() { files = profile.Files{profile.PatchFile: []byte("- id: b\n")} }, true, false},
		{"a layer of the person's", func() { write(filepath.Join(cfg.Home, "cordis.patch.yml"), "[]\n") }, true, false},
		{"the person's settings", func() { write(filepath.Join(cfg.Home, "settings.yaml"), "{}\n") }, true, false},
		{"the same again after that", func() {}, false, false},
		{"another component", func() { write(filepath.Join(b.dir, "package.json"), `{"version":"2"}`) }, true, false},
		{"a layer that takes the row away", func() {
			write(filepath.Join(cfg.Home, "cordis.patch.yml"), "- {id: b, disabled: true}\n")
			write(filepath.Join(b.dir, "tree"), "- id: a\n")
		}, true, true},
		{"the same, which still fails", func() {}, true, true},
	} {
		step.change()
		_ = os.Remove(composed)
		p, err := b.agent.launch(t.Context(), files, cfg)
		if (err != nil) != step.fails {
			t.Fatalf("%s: %v", step.name, err)
		}
		lines, _ := os.ReadFile(composed) // none: it was not composed
		if got := strings.Count(string(lines), "once"); (got == 1) != step.composes {
			t.Errorf("%s: composed %d times", step.name, got)
		}
		if p != nil {
			if err := p.Stop(context.Background()); err != nil {
				t.Error(err)
			}
		}
	}
}
