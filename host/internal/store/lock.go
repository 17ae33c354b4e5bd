package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked says that another process, or this one, holds the lock.
var ErrLocked = errors.New("already locked")

// maxNote is the longest note of a lock in bytes.
const maxNote = 4096

// Lock is an advisory lock on a file. The kernel frees it when its process ends,
// however that happens; programs that the process started do not inherit it.
type Lock struct{ f *os.File }

// Acquire takes the lock at path at once or gives ErrLocked. The file and its
// folder are made where missing, and stay. The note that an earlier holder left
// is kept until SetNote.
func Acquire(path string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), DirMode); err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, FileMode)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	if err := lockFile(f); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), f.Close())
	}
	return &Lock{f}, nil
}

// Note reads what SetNote wrote last, by this holder or an earlier one.
func (l *Lock) Note() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(l.f, 0, maxNote))
}

// SetNote puts data, at most 4,096 bytes, into the lock file for the next holder.
// It is written in place by one call, as replacing the file would lose the lock;
// it need not survive a power cut, after which no process is left to tell of.
func (l *Lock) SetNote(data []byte) error {
	if len(data) > maxNote {
		return fmt.Errorf("lock note of %d bytes, at most %d", len(data), maxNote)
	}
	if _, err := l.f.WriteAt(data, 0); err != nil {
		return fmt.Errorf("writing lock note: %w", err)
	}
	if err := l.f.Truncate(int64(len(data))); err != nil {
		return fmt.Errorf("writing lock note: %w", err)
	}
	return nil
}

// Holder reads the note of whoever holds the lock at path; held is false where nobody
// does, also where there is no such file. It makes nothing.
func Holder(path string) (note []byte, held bool, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	l, err := Acquire(path)
	switch {
	case err == nil:
		return nil, false, l.Release()
	case !errors.Is(err, ErrLocked):
		return nil, false, err
	}
	if note, err = os.ReadFile(path); err != nil {
		return nil, true, fmt.Errorf("reading lock note: %w", err)
	}
	return note, true, nil
}

// Release frees the lock. The file stays: removing it would let two processes
// lock two files of one name. Closing it would not do: a process that is being forked
// just now has the file too, until it runs its program.
func (l *Lock) Release() error { return errors.Join(unlockFile(l.f), l.f.Close()) }
