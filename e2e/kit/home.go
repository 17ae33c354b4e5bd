package kit

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// Home is a test's own folders. They are outside /tmp, which a sandbox may give
// to tools as a private or a writable one.
type Home struct {
	Dir       string // holds the others
	Data      string // the host's data folder
	Workspace string // where the agent works
	DSH       string // DSH_HOME of a raw Harness
	User      string // HOME of the processes
	Logs      string // their output
}

var unsafeName = regexp.MustCompile(`[^A-Za-z0-9]+`)

// NewHome makes a Home. It is removed when the test ends, and kept, its path
// logged, when the test has failed.
func NewHome(t testing.TB) *Home {
	t.Helper()
	base := os.Getenv("STRATA_E2E_DIR")
	if base == "" {
		base = filepath.Join(Root(), ".run", "e2e")
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		t.Fatal(err)
	}
	name := unsafeName.ReplaceAllString(t.Name(), "-")
	dir, err := os.MkdirTemp(base, name[:min(len(name), 40)]+"-")
	if err != nil {
		t.Fatal(err)
	}
	h := &Home{Dir: dir}
	for name, at := range map[string]*string{"data": &h.Data, "workspace": &h.Workspace, "dsh": &h.DSH, "user": &h.User, "logs": &h.Logs} {
		*at = filepath.Join(dir, name)
		if err := os.Mkdir(*at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("kept: %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Errorf("removing the test's folder: %v", err)
		}
	})
	return h
}

// File writes a file of the workspace; name is relative to it.
func (h *Home) File(t testing.TB, name, text string) {
	t.Helper()
	path := filepath.Join(h.Workspace, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Read gives a file of the workspace; ok is false where there is none.
func (h *Home) Read(t testing.TB, name string) (text string, ok bool) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(h.Workspace, filepath.FromSlash(name)))
	if os.IsNotExist(err) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data), true
}

// Plugin writes a plugin of the Harness outside the workspace and gives its path.
func (h *Home) Plugin(t testing.TB, name, code string) string {
	t.Helper()
	dir := filepath.Join(h.Dir, "plugins")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
