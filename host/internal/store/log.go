package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Log is an append-only file of JSON values, one a line. A line counts once its
// newline is there; the rest of a write that was broken off is cut away at the
// next open.
type Log struct {
	mu   sync.Mutex
	f    logFile
	size int64 // up to and with the newest whole line
	err  error // once set, the file's end is unknown and nothing more is appended
}

// OpenLog opens path for appending, making it (FileMode) and its folder (DirMode)
// where missing. One Log per file at a time.
func OpenLog(path string) (*Log, error) { return openLog(osDisk{}, path) }

func openLog(d disk, path string) (*Log, error) {
	dir := filepath.Dir(path)
	if err := makeDir(d, dir); err != nil {
		return nil, fmt.Errorf("opening log %s: %w", path, err)
	}
	made := !d.Exists(path)
	f, err := d.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening log %s: %w", path, err)
	}
	l := &Log{f: f}
	if made { // or a power cut takes it away with all that is in it
		err = d.SyncDir(dir)
	}
	if err == nil {
		l.size, err = wholeLines(f)
	}
	if err == nil {
		err = f.Truncate(l.size)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening log %s: %w", path, err), f.Close())
	}
	return l, nil
}

// Append writes v as one line and syncs it. After an error the line is not in
// the log.
func (l *Log) Append(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("appending: %w", err)
	}
	line = append(line, '\n')
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return fmt.Errorf("appending: %w", l.err)
	}
	_, err = l.f.WriteAt(line, l.size)
	if err == nil {
		err = l.f.Sync()
	}
	if err != nil {
		l.err = l.f.Truncate(l.size)
		return fmt.Errorf("appending: %w", err)
	}
	l.size += int64(len(line))
	return nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}

// ReadLog reads every whole line of the log at path. A torn last line is left
// out; a missing file is an empty log. A whole line that is no T is an error
// naming the line, beside the values before it.
func ReadLog[T any](path string) ([]T, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading log %s: %w", path, err)
	}
	var values []T
	for n := 1; ; n++ {
		line, rest, whole := bytes.Cut(data, []byte("\n"))
		if !whole {
			return values, nil
		}
		data = rest
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(line, &v); err != nil {
			return values, fmt.Errorf("reading log %s: line %d: %w", path, n, err)
		}
		values = append(values, v)
	}
}

// wholeLines gives the offset after the last newline of f, reading from its end.
func wholeLines(f logFile) (int64, error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return 0, err
	}
	block := make([]byte, 64<<10)
	for end > 0 {
		n := min(end, int64(len(block)))
		if _, err := f.ReadAt(block[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(block[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}
