package kit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Environ is a scrubbed environment: PATH with node first and without the
// programs of hide, HOME, LANG, and the extra NAME=value pairs.
func Environ(t testing.TB, home *Home, hide []string, extra ...string) []string {
	t.Helper()
	path := filepath.Dir(Node(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
	env := []string{"PATH=" + hidePath(t, home, path, hide), "HOME=" + home.User, "LANG=C.UTF-8"}
	return append(env, extra...)
}

// hidePath replaces each folder of a PATH that holds one of the programs by one
// of links to all its others.
func hidePath(t testing.TB, home *Home, path string, programs []string) string {
	t.Helper()
	var out []string
	for _, dir := range filepath.SplitList(path) {
		holds := slices.ContainsFunc(programs, func(p string) bool {
			_, err := os.Stat(filepath.Join(dir, p))
			return err == nil
		})
		if holds {
			dir = linksWithout(t, home, dir, programs)
		}
		if !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return strings.Join(out, string(os.PathListSeparator))
}

func linksWithout(t testing.TB, home *Home, dir string, programs []string) string {
	t.Helper()
	to := filepath.Join(home.Dir, "path"+unsafeName.ReplaceAllString(dir, "-"))
	if err := os.Mkdir(to, 0o755); os.IsExist(err) {
		return to
	} else if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains(programs, e.Name()) {
			continue
		}
		if err := os.Symlink(filepath.Join(dir, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return to
}
