package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Size is what a file or folder holds.
type Size struct {
	Bytes int64 // of its files; what the disk takes for them is more
	Files int64
}

// Usage gives what path holds, and all below it where it is a folder. Links count as
// themselves. What is gone meanwhile is left out; what cannot be read is an error
// beside the rest.
func Usage(path string) (Size, error) {
	var size Size
	var unread []error
	err := filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return nil
		}
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			unread = append(unread, err)
		default:
			size.Files++
			size.Bytes += info.Size()
		}
		return nil
	})
	return size, errors.Join(append(unread, err)...)
}

// Names are the names in a folder, none where there is no such folder.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out, err
}
