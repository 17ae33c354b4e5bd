package kit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Feature is something that not every Harness has.
type Feature string

// EventsMux is the wire of 0.1.0: /api/events.mux and /api/events.host, without
// authentication. Cases that drive a raw Harness or look at the fence need it.
const EventsMux Feature = "the events.mux wire"

// probes look at a Harness's code for what makes a feature: in an installation
// or, second, in a built checkout.
var probes = map[Feature]struct {
	globs []string
	text  string
}{
	EventsMux: {[]string{
		"node_modules/.pnpm/@deepseek-ai+dsh-host-apiproxy@*/node_modules/@deepseek-ai/dsh-host-apiproxy/lib/index.js",
		"packages/host/apiproxy/lib/index.js",
	}, "/api/events.mux"},
}

// Needs ends a case that the Harness under test has not the features for. The
// case is named in STRATA_NEEDS_FILE, which make test prints at its end. On the
// pinned Harness nothing may be lacking: there the case fails.
func Needs(t testing.TB, features ...Feature) {
	t.Helper()
	for _, f := range features {
		has, err := probe(HarnessDir(), f)
		if err != nil {
			t.Fatal(err)
		}
		if has {
			continue
		}
		if HarnessDir() == Pinned() {
			t.Fatalf("the pinned Harness lacks %s", f)
		}
		if err := noteNeed(os.Getenv("STRATA_NEEDS_FILE"), t.Name(), f); err != nil {
			t.Fatal(err)
		}
		t.Skipf("this Harness lacks %s", f)
	}
}

func probe(dir string, f Feature) (bool, error) {
	p, ok := probes[f]
	if !ok {
		return false, fmt.Errorf("looking for %q: no probe of that name", f)
	}
	var files []string
	for _, g := range p.globs {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(g)))
		if err != nil {
			return false, fmt.Errorf("looking for %s: %w", f, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			return false, fmt.Errorf("looking for %s: %w", f, err)
		}
		if bytes.Contains(code, []byte(p.text)) {
			return true, nil
		}
	}
	return false, nil
}

// noteNeed appends a line; one write, so that lines of other test processes stay
// whole.
func noteNeed(file, test string, f Feature) error {
	if file == "" {
		return nil
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting what could not run: %w", err)
	}
	if _, err := fmt.Fprintf(out, "%s needs %s\n", test, f); err != nil {
		out.Close()
		return fmt.Errorf("noting what could not run: %w", err)
	}
	return out.Close()
}
