package parent

import (
	"context"
	"errors"

	"golang.org/x/sys/unix"
)

// open takes hold of the process itself, so that another one that gets its number
// later is not mistaken for it (pidfd_open(2)).
func open(pid int) (wait func(context.Context) bool, err error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) bool {
		defer unix.Close(fd)
		for ctx.Err() == nil {
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
			n, err := unix.Poll(fds, int(pollEvery.Milliseconds()))
			if n > 0 || err != nil && !errors.Is(err, unix.EINTR) {
				return ctx.Err() == nil
			}
		}
		return false
	}, nil
}
