//go:build !linux

package kit

import "syscall"

func dieWithTest() *syscall.SysProcAttr { return nil }
