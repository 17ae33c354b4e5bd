package kit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The pinned Harness has every feature.
func TestPinHasAll(t *testing.T) {
	for f := range probes {
		if has, err := probe(Pinned(), f); !has || err != nil {
			t.Errorf("%s: %t, %v", f, has, err)
		}
		if has, err := probe(t.TempDir(), f); has || err != nil {
			t.Errorf("%s in an empty folder: %t, %v", f, has, err)
		}
	}
	if _, err := probe(Pinned(), "flying"); err == nil {
		t.Error("an unknown feature was looked for")
	}
}

// On a Harness that lacks a feature the case is noted and skipped.
func TestNeedsNotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "needs.txt")
	t.Setenv("STRATA_HARNESS_DIR", t.TempDir())
	t.Setenv("STRATA_NEEDS_FILE", file)
	t.Run("case", func(t *testing.T) {
		Needs(t, EventsMux)
		t.Error("the case went on")
	})
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("TestNeedsNotes/case needs the events.mux wire\n", string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
