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

var errCrash = errors.New("crashed")

// crashDisk is the real disk until its budget is used up, one unit for every
// byte and every other operation. From then on nothing happens any more, as in a
// process that was killed, and what was not synced is lost, as in a power cut.
type crashDisk struct {
	osDisk
	budget   int
	unsynced map[string]bool
}

func (d *crashDisk) spend() error {
	if d.budget <= 0 {
		return errCrash
	}
	d.budget--
	return nil
}

func (d *crashDisk) MkdirAll(dir string) error {
	return errors.Join(d.spend(), d.osDisk.MkdirAll(dir))
}

func (d *crashDisk) CreateTemp(dir, pattern string) (file, error) {
	if err := d.spend(); err != nil {
		return nil, err
	}
	f, err := d.osDisk.CreateTemp(dir, pattern)
	return &crashFile{f, d}, err
}

func (d *crashDisk) Rename(from, to string) error {
	if err := d.spend(); err != nil {
		return err
	}
	if d.unsynced[from] {
		d.unsynced[to] = true
	}
	return d.osDisk.Rename(from, to)
}

func (d *crashDisk) Remove(path string) error {
	if err := d.spend(); err != nil {
		return err
	}
	return d.osDisk.Remove(path)
}

func (d *crashDisk) SyncDir(dir string) error {
	if err := d.spend(); err != nil {
		return err
	}
	return d.osDisk.SyncDir(dir)
}

func (d *crashDisk) powerCut(t *testing.T) {
	for path := range d.unsynced {
		if err := os.Truncate(path, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

type crashFile struct {
	file
	d *crashDisk
}

func (f *crashFile) Write(p []byte) (int, error) {
	f.d.unsynced[f.Name()] = true
	n := min(len(p), f.d.budget)
	f.d.budget -= n
	if _, err := f.file.Write(p[:n]); err != nil {
		return n, err
	}
	if n < len(p) {
		return n, errCrash
	}
	return n, nil
}

func (f *crashFile) Sync() error {
	if err := f.d.spend(); err != nil {
		return err
	}
	delete(f.d.unsynced, f.Name())
	return f.file.Sync()
}

func TestWriteFileSurvivesACrashAtEveryByte(t *testing.T) {
	const before, after = "the old text\n", "the new text, somewhat longer\n"
	const steps = len(after) + 5 // mkdir, create, sync, rename, sync of the folder
	seen := map[string]int{}
	for budget := range steps + 1 {
		dir := t.TempDir()
		path := filepath.Join(dir, "f.json")
		if err := WriteFile(path, []byte(before)); err != nil {
			t.Fatal(err)
		}
		d := &crashDisk{budget: budget, unsynced: map[string]bool{}}
		err := writeFile(d, path, []byte(after))
		if crashed := budget < steps; crashed != errors.Is(err, errCrash) {
			t.Fatalf("budget %d: error %v, crashed %v", budget, err, crashed)
		}
		d.powerCut(t)
		got := read(t, path)
		if got != before && got != after {
			t.Fatalf("budget %d: the file holds %q", budget, got)
		}
		seen[got]++
		if err := Sweep(dir); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"f.json"}, names(t, dir)); diff != "" {
			t.Errorf("budget %d: after Sweep (-want +got):\n%s", budget, diff)
		}
	}
	// The rename is the one moment: two budgets after it, the others before.
	if diff := cmp.Diff(map[string]int{before: steps - 1, after: 2}, seen); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
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
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
