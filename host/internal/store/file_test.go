package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteFileSurvivesACrashAtEveryByte(t *testing.T) {
	const before, after = "the old text\n", "the new text, somewhat longer\n"
	for _, there := range []bool{true, false} {
		for _, cut := range []bool{true, false} {
			acked := false
			for budget := 0; !acked; budget++ {
				dir := filepath.Join(t.TempDir(), "a", "b")
				path := filepath.Join(dir, "f.json")
				if there {
					if err := WriteFile(path, []byte(before)); err != nil {
						t.Fatal(err)
					}
				}
				d := newCrashDisk(t, budget)
				err := writeFile(d, path, []byte(after))
				if err != nil && !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				acked = err == nil
				if cut {
					d.powerCut()
				}
				got, err := os.ReadFile(path)
				old := there && string(got) == before || !there && errors.Is(err, fs.ErrNotExist)
				if string(got) != after && (acked || !old) {
					t.Fatalf("budget %d, power cut %t, acknowledged %t: the file holds %q, %v", budget, cut, acked, got, err)
				}
				if err := Sweep(dir); err != nil {
					t.Fatal(err)
				}
				if left := names(t, dir); len(left) > 1 || len(left) == 1 && left[0] != "f.json" {
					t.Errorf("budget %d: after Sweep %v", budget, left)
				}
				if budget > 1000 {
					t.Fatal("it never ends")
				}
			}
		}
	}
}

// TestWriteFileOrder: nothing is renamed that is not synced, and nothing is
// acknowledged whose name is not.
func TestWriteFileOrder(t *testing.T) {
	d := newCrashDisk(t, 1<<20)
	if err := writeFile(d, filepath.Join(t.TempDir(), "new", "f"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	want := []string{"mkdir", "sync folder", "create", "write", "sync", "rename", "sync folder"}
	if diff := cmp.Diff(want, d.did); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteFileModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "f")
	if err := WriteFile(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("y")); err != nil {
		t.Fatal(err)
	}
	got := map[string]fs.FileMode{}
	for _, p := range []string{path, filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		got[filepath.Base(p)] = info.Mode().Perm()
	}
	if diff := cmp.Diff(map[string]fs.FileMode{"f": 0o600, "b": 0o700, "a": 0o700}, got); diff != "" {
		t.Errorf("modes (-want +got):\n%s", diff)
	}
}

func TestJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	want := map[string]int{"b": 2, "a": 1}
	var got map[string]int
	if err := ReadJSON(path, &got); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("missing file: %v", err)
	}
	if err := WriteJSON(path, want); err != nil {
		t.Fatal(err)
	}
	if err := ReadJSON(path, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("round trip (-want +got):\n%s", diff)
	}
	if err := WriteFile(path, []byte("{")); err != nil {
		t.Fatal(err)
	}
	if err := ReadJSON(path, &got); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("broken JSON: %v", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
