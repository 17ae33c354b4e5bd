package main

import "syscall"

// ownGroup starts the host in its own process group, and has it stopped where
// this process is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
