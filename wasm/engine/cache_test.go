package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The oldest go first, and only as many as must.
func TestPruneCache(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "v1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		path := filepath.Join(dir, "v1", fmt.Sprint(i))
		if err := os.WriteFile(path, make([]byte, 100), 0o600); err != nil {
			t.Fatal(err)
		}
		age := time.Unix(int64(1_000_000+(i*7)%5), 0) // 0, 2, 4, 1, 3
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
	}
	pruneCache(dir, 299)
	left, err := filepath.Glob(filepath.Join(dir, "v1", "*"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "v1", "2"), filepath.Join(dir, "v1", "4")}
	if diff := cmp.Diff(want, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	pruneCache(filepath.Join(dir, "absent"), 0)
}
