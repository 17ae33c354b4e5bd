package kit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// driftedHMR stands for the HMR package of a plain install: its packages are too
// new for each other, so that the service is never offered. The real Harness then
// prints its URL and ends with its own words.
const driftedHMR = `export const name = 'hmr'
export const inject = ['aServiceOfAnotherRelease']
export function apply() {}
`

// Drifted makes a copy of the pinned Harness whose HMR package does not fit, as
// an install without the pin's overrides has it, and gives its folder.
func Drifted(t testing.TB, home *Home) string {
	t.Helper()
	dir := filepath.Join(home.Dir, "drifted")
	if err := linkTree(Pinned(), dir); err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "node_modules/.pnpm/@deepseek-ai+cordis-plugin-hmr@*/node_modules/@deepseek-ai/cordis-plugin-hmr/lib/index.js"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the pinned Harness's HMR package: %v, %v", found, err)
	}
	if err := os.Remove(found[0]); err != nil { // the link only; the pin's file stays
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], []byte(driftedHMR), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// linkTree copies a folder by hard links, or by copies where it is on another
// file system.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(at, 0o755)
		case e.Type() == fs.ModeSymlink:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(target, at)
		}
		if err := os.Link(path, at); !errors.Is(err, syscall.EXDEV) {
			return err
		}
		return copyFile(path, at)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return errors.Join(fmt.Errorf("copying %s: %w", from, err), out.Close())
	}
	return out.Close()
}
