package kit

import "syscall"

// dieWithTest has the kernel kill a child whose test process was killed, as by a
// timeout. The runtime ends none of its threads here, to which this is bound.
func dieWithTest() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
