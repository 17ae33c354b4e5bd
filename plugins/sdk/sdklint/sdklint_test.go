package sdklint

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const sample = `package p

import (
	"sync"
	clock "time"
)

func f(ch chan int, done chan struct{}) {
	var wg sync.WaitGroup
	go wg.Wait()
	<-ch
	ch <- 1
	select {
	default:
	}
	clock.Sleep(1)
	var mu sync.Mutex
	mu.Lock()
	_ = clock.Second
	//sdklint:allow it is closed already
	<-done
}
`

func TestCheckFindsWaits(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Check(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"p.go:10: a bare goroutine: use Group.Go",
		"p.go:11: a channel receive: the runtime cannot see it wait",
		"p.go:12: a channel send: the runtime cannot see it wait",
		"p.go:13: a select: wait with Group.Wait or an effect",
		"p.go:16: clock.Sleep: wait with Group.Wait or sdk.Sleep",
		"p.go:9: sync.WaitGroup: wait with Group.Wait or sdk.Sleep",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// No plugin of ours waits where the runtime cannot see it. The SDK itself does.
func TestOurPluginsDoNotWait(t *testing.T) {
	checked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		if rel == "gen" || rel == "sdk" || d.Name() == "testdata" {
			return fs.SkipDir
		}
		found, err := Check(path)
		if err != nil {
			return err
		}
		checked++
		for _, line := range found {
			t.Errorf("%s/%s", rel, line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 6 {
		t.Errorf("only %d folders were looked at", checked)
	}
}
