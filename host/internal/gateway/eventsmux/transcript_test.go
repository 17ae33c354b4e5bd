package eventsmux_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"strata.dev/bridge/host/internal/gateway/eventsmux"
)

// The same conversations with the real Harness (TestReal) and with the double: both
// must give what the transcript says, or the double's other tests prove nothing.
// -update writes down what the real one gave.
func testTranscripts(t *testing.T, r *rig) {
	w := world{repo: r.repo, restart: func() *eventsmux.Gateway {
		r.stop(t) // a killed one may not have written its last events
		r.start(t)
		return r.dial(t, "")
	}}
	for _, file := range transcripts(t) {
		t.Run(name(file), func(t *testing.T) {
			w.gw = r.dial(t, "") // the process may be another one
			transcript(t, w, file, flag.Lookup("update").Value.String() == "true")
		})
	}
}

func TestTranscriptsDouble(t *testing.T) {
	for _, file := range transcripts(t) {
		t.Run(name(file), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t, func(b *bench) { direct(b.Server) })
				w := world{gw: b.gw, repo: "/repo", restart: func() *eventsmux.Gateway {
					b.Restart()
					return b.gw
				}}
				transcript(t, w, file, false)
			})
		})
	}
}

func transcripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) != 4 {
		t.Fatalf("want 4 transcripts, got %d (%v)", len(files), err)
	}
	return files
}

func name(file string) string { return strings.TrimSuffix(filepath.Base(file), ".txtar") }

func transcript(t *testing.T, w world, file string, update bool) {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil || len(a.Files) != 2 {
		t.Fatalf("%s: %d sections, %v", file, len(a.Files), err)
	}
	got := converse(t, w, string(a.Files[0].Data))
	if update {
		a.Files[1].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want := string(bytes.TrimSpace(a.Files[1].Data))
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(strings.TrimSpace(got), "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
