package harness

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// tie makes the kernel end the process with SIGTERM when the thread that starts
// it ends, which is when this host ends, however that happens: the starting
// goroutine keeps its thread for as long as the process lives.
func tie(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGTERM} }

var (
	sigTerm os.Signal = unix.SIGTERM
	// sigCont lets a stopped process see its SIGTERM.
	sigCont os.Signal = unix.SIGCONT
)
