package parent

import (
	"context"

	"golang.org/x/sys/windows"
)

// open takes hold of the process itself; its handle is signalled when it ends.
func open(pid int) (wait func(context.Context) bool, err error) {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) bool {
		defer windows.CloseHandle(handle)
		for ctx.Err() == nil {
			event, err := windows.WaitForSingleObject(handle, uint32(pollEvery.Milliseconds()))
			if err != nil || event == windows.WAIT_OBJECT_0 {
				return ctx.Err() == nil
			}
		}
		return false
	}, nil
}
