package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// hide keeps this process's memory, which has the keys, and its environment from other
// programs of the same user: they cannot read its /proc/<pid>/mem and environ, trace it,
// or find it in a core dump (prctl(2), PR_SET_DUMPABLE). Root can. What the host starts is
// not hidden.
func hide() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("hiding the host's memory: %w", err)
	}
	return nil
}
