package kit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"strata.dev/bridge/e2e/muxport"
)

// RemoteMux gives the folder of a component that is the pinned Harness with the
// modern wire. It is made once for a Home, so that a restart finds what the process
// before it kept.
func RemoteMux(t testing.TB, home *Home, o muxport.Options) string {
	t.Helper()
	dir := filepath.Join(home.Dir, "remote-mux")
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir
	}
	Needs(t, EventsMux)
	sources := filepath.Join(Root(), "e2e", "muxport")
	if err := muxport.Component(dir, sources, filepath.Join(HarnessDir(), "node_modules", "@deepseek-ai", "dsh"), o); err != nil {
		t.Fatal(err)
	}
	return dir
}
