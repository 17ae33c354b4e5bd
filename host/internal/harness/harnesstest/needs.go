package harnesstest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"strata.dev/bridge/host/internal/harness"
)

// wire is the path that tells the events.mux wire; its packages are found in an
// installation, or in a built checkout.
const wire = "/api/events.mux"

var wireCode = []string{
	"node_modules/.pnpm/@deepseek-ai+dsh-host-apiproxy@*/node_modules/@deepseek-ai/dsh-host-apiproxy/lib/index.js",
	"packages/host/apiproxy/lib/index.js",
}

// needsWire ends a test that STRATA_HARNESS_DIR has not the wire for.
func needsWire(t testing.TB) {
	t.Helper()
	named := os.Getenv(harness.EnvHarness)
	if named == "" {
		return // the pin has it
	}
	for _, pattern := range wireCode {
		files, err := filepath.Glob(filepath.Join(named, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if code, err := os.ReadFile(file); err == nil && bytes.Contains(code, []byte(wire)) {
				return
			}
		}
	}
	if file := os.Getenv("STRATA_NEEDS_FILE"); file != "" {
		out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := fmt.Fprintf(out, "%s needs the events.mux wire\n", t.Name()); err != nil {
			t.Fatal(err)
		}
	}
	t.Skip("this Harness lacks the events.mux wire")
}
