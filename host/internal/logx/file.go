package logx

import (
	"fmt"
	"os"
	"sync"

	"go.uber.org/zap/zapcore"
)

// file is a log file that is put aside when it is full.
type file struct {
	mu   sync.Mutex
	path string
	max  int64
	f    *os.File
	size int64
}

var _ zapcore.WriteSyncer = (*file)(nil)

func openFile(path string, maxSize int64) (*file, error) {
	l := &file{path: path, max: maxSize}
	if err := l.open(); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *file) open() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log: %w", err)
	}
	// One that an older umask or a copy left open to others is closed to them.
	if err := f.Chmod(0o600); err != nil {
		f.Close()
		return fmt.Errorf("opening the log: %w", err)
	}
	i, err := f.Stat()
	if err != nil {
		f.Close()
		return fmt.Errorf("opening the log: %w", err)
	}
	l.f, l.size = f, i.Size()
	return nil
}

// Write appends one line. A line never spans two files.
func (l *file) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size > 0 && l.size+int64(len(b)) > l.max {
		// Where putting aside fails, logging goes on in the full file.
		if err := os.Rename(l.path, l.path+".1"); err == nil {
			old := l.f
			if err := l.open(); err != nil {
				return 0, err
			}
			old.Close()
		}
	}
	n, err := l.f.Write(b)
	l.size += int64(n)
	return n, err
}

func (l *file) Sync() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Sync()
}

// Close ends the file.
func (l *file) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}
