package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// build makes the module in a module root with the flags that the Makefile uses.
func build(t *testing.T, root string, tags ...string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "strata.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-buildmode=c-shared", "-o", out}, tags...)
	cmd := exec.Command("go", append(args, "./cmd/strata")...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building strata.wasm: %v\n%s", err, text)
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}

func TestModule(t *testing.T) {
	module := build(t, "../..")

	// The faults of test builds must not be in the module that people run. The
	// second half proves that the search would find them.
	t.Run("no faults", func(t *testing.T) {
		faulty := build(t, "../..", "-tags=straptest")
		for _, marker := range []string{"STRATA_TRAP_DECIDE", "STRATA_PANIC_DECIDE", "STRATA_SPIN_DECIDE"} {
			if bytes.Contains(module, []byte(marker)) {
				t.Errorf("the module holds %s", marker)
			}
			if !bytes.Contains(faulty, []byte(marker)) {
				t.Errorf("the test build does not hold %s", marker)
			}
		}
	})

	// Another checkout in another folder gives the same bytes, so that a hash in
	// a config means the source.
	t.Run("reproducible", func(t *testing.T) {
		root := t.TempDir()
		for _, name := range []string{"plugins", "proto"} {
			if err := os.CopyFS(filepath.Join(root, name), os.DirFS(filepath.Join("../../..", name))); err != nil {
				t.Fatal(err)
			}
		}
		work := "go 1.26.0\n\nuse (\n\t./plugins\n\t./proto\n)\n"
		if err := os.WriteFile(filepath.Join(root, "go.work"), []byte(work), 0o600); err != nil {
			t.Fatal(err)
		}
		if again := build(t, filepath.Join(root, "plugins")); !bytes.Equal(module, again) {
			t.Errorf("a build in another folder gave other bytes: %d and %d", len(module), len(again))
		}
	})
}
