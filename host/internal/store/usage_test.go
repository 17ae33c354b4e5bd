package store

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestUsage(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "12345", "sub/b": "123", "sub/deep/c": ""} {
		if err := WriteFile(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(dir, "sub", "link")); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(filepath.Join(dir, "sub", "link"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Size{".": {8 + link.Size(), 4}, "a": {5, 1}, "sub": {3 + link.Size(), 3}, "none": {}} {
		if got, err := Usage(filepath.Join(dir, path)); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", path, got, err, want)
		}
	}
	names, err := Names(dir)
	if err != nil || !slices.Equal(names, []string{"a", "sub"}) {
		t.Errorf("names %q, %v", names, err)
	}
	if names, err := Names(filepath.Join(dir, "none")); err != nil || names != nil {
		t.Errorf("names of nothing %q, %v", names, err)
	}
	if free, err := Free(dir); err != nil || free <= 0 {
		t.Errorf("%d bytes are free, %v", free, err)
	}
	if _, err := Free(filepath.Join(dir, "none")); err == nil {
		t.Error("a disk that is not there has room")
	}
}
