//go:build !linux

package harness

import (
	"os"
	"os/exec"
	"syscall"
)

// tie does nothing: only Linux ends a child with its parent.
func tie(*exec.Cmd) {}

var (
	sigTerm os.Signal = syscall.SIGTERM
	sigCont os.Signal = syscall.SIGTERM // never sent: nothing is found
)
