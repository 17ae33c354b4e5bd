package bridge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// TestTornExchanges: a log cut at any byte gives what was acknowledged before, and can be
// written again.
func TestTornExchanges(t *testing.T) {
	x := exchangesIn(t.TempDir())
	said := func(id string, time int64) exchange {
		return exchange{RequestID: id, Time: time, Messages: []chat.Message{{Role: "user", Text: "said " + id}}, Whole: true}
	}
	all := []exchange{said("a", 1), said("b", 2), said("c", 3)}
	for _, e := range all {
		if err := x.add("chat", e); err != nil {
			t.Fatal(err)
		}
	}
	path := x.path("chat")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := all[:strings.Count(string(whole[:cut]), "\n")]
		got, err := x.read("chat")
		if err != nil || len(got) != len(want) || (len(got) > 0 && cmp.Diff(want, got) != "") {
			t.Fatalf("cut at %d: %+v, %v", cut, got, err)
		}
		if x.answered("chat", "d") {
			t.Fatalf("cut at %d: what was never said is answered", cut)
		}
		if err := x.add("chat", said("d", 4)); err != nil {
			t.Fatal(err)
		}
		if got, err := x.read("chat"); err != nil || len(got) != len(want)+1 || got[len(want)].RequestID != "d" {
			t.Fatalf("cut at %d, and written again: %+v, %v", cut, got, err)
		}
	}
	if names, err := filepath.Glob(filepath.Join(x.dir, "*")); err != nil || len(names) != 1 {
		t.Errorf("files %q, %v", names, err)
	}
}
