//go:build unix

package conformance

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lock waits until no other process holds the file, and gives what lets it go.
func lock(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, fmt.Errorf("locking: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", path, err), file.Close())
	}
	return func() { file.Close() }, nil
}
