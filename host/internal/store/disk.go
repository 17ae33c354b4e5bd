package store

import (
	"io"
	"os"
	"path/filepath"
)

// disk is what WriteFile and Log ask of the file system, so that a test can break
// off after any byte of it.
type disk interface {
	// Exists tells whether there is something at path.
	Exists(path string) bool
	MkdirAll(dir string) error
	// Open opens a file for reading and writing, and makes it where it is missing.
	Open(path string) (logFile, error)
	CreateTemp(dir, pattern string) (file, error)
	Rename(from, to string) error
	Remove(path string) error
	SyncDir(dir string) error
}

type file interface {
	io.WriteCloser
	Name() string
	Sync() error
}

// logFile is what a Log asks of its file.
type logFile interface {
	io.ReaderAt
	io.WriterAt
	io.Seeker
	io.Closer
	Sync() error
	Truncate(size int64) error
}

type osDisk struct{}

var _ disk = osDisk{}

func (osDisk) Exists(path string) bool { _, err := os.Lstat(path); return err == nil }

func (osDisk) Open(path string) (logFile, error) {
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, FileMode)
}

func (osDisk) MkdirAll(dir string) error { return os.MkdirAll(dir, DirMode) }

// CreateTemp makes the file with FileMode, as os.CreateTemp does.
func (osDisk) CreateTemp(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) }

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncDir(dir string) error { return syncDir(dir) }

// makeDir makes dir and what above it is missing, so that no power cut takes it back.
func makeDir(d disk, dir string) error {
	var above []string // of each folder that is made
	for at := dir; !d.Exists(at); at = filepath.Dir(at) {
		above = append(above, filepath.Dir(at))
	}
	if err := d.MkdirAll(dir); err != nil {
		return err
	}
	for _, dir := range above {
		if err := d.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
