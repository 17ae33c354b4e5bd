package store

import (
	"io"
	"os"
)

// disk is what WriteFile asks of the file system, so that a test can break off
// after any byte of it.
type disk interface {
	MkdirAll(dir string) error
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

type osDisk struct{}

var _ disk = osDisk{}

func (osDisk) MkdirAll(dir string) error { return os.MkdirAll(dir, DirMode) }

// CreateTemp makes the file with FileMode, as os.CreateTemp does.
func (osDisk) CreateTemp(dir, pattern string) (file, error) { return os.CreateTemp(dir, pattern) }

func (osDisk) Rename(from, to string) error { return os.Rename(from, to) }

func (osDisk) Remove(path string) error { return os.Remove(path) }

func (osDisk) SyncDir(dir string) error { return syncDir(dir) }
