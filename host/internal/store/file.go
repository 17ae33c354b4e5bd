// Package store keeps the host's files: whole files that are replaced
// atomically, append-only logs of JSON lines, and a lock that says who owns a
// folder. A crash at any moment leaves a file as it was or as it should be,
// never half of it.
package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Modes of everything the host writes: for its own user alone.
const (
	FileMode os.FileMode = 0o600
	DirMode  os.FileMode = 0o700
)

const (
	tempPrefix = ".strata-"
	tempSuffix = ".tmp"
)

// WriteFile replaces path with data: written beside it, synced, renamed over it,
// and the folder synced. Missing parent folders are made with DirMode; the file
// gets FileMode whatever it had. Two writers at once are safe, the later rename
// stays.
func WriteFile(path string, data []byte) error { return writeFile(osDisk{}, path, data) }

// WriteJSON is WriteFile of v as indented JSON and a newline.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding %s: %w", path, err)
	}
	return WriteFile(path, append(data, '\n'))
}

// ReadJSON decodes path into v. A missing file is an error that
// errors.Is(err, fs.ErrNotExist).
func ReadJSON(path string, v any) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// Sweep removes what writers that were killed left beside the files of dir. Only
// the owner of dir may call it, before it writes. A missing dir is fine.
func Sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweeping %s: %w", dir, err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), tempPrefix) || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("sweeping %s: %w", dir, err)
		}
	}
	return nil
}

func writeFile(d disk, path string, data []byte) error {
	dir := filepath.Dir(path)
	if err := makeDir(d, dir); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	temp, err := writeTemp(d, dir, data)
	if err == nil {
		err = d.Rename(temp, path)
	}
	if err != nil {
		if temp != "" {
			_ = d.Remove(temp)
		}
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := d.SyncDir(dir); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

func writeTemp(d disk, dir string, data []byte) (name string, err error) {
	f, err := d.CreateTemp(dir, tempPrefix+"*"+tempSuffix)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err := f.Write(data); err != nil {
		return f.Name(), err
	}
	return f.Name(), f.Sync()
}
