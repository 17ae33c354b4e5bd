package gate

import (
	"runtime"
	"runtime/debug"
)

// collector collects garbage at moments of its own. One that the runtime begins by
// itself lasts, in a module without threads, for as many calls as it takes them to do
// its work, and each takes twice as long while it does (make bench).
type collector struct{ left int }

// What an op leaves behind, measured over facts and decide; how much may come together; and the runtime's
// own measure (GOGC), which is to be later than that.
const (
	leftPerByte = 16
	leftPerCall = 2 << 10
	mostLeft    = 3 << 20
	percent     = 200
)

// newCollector makes the runtime wait for it; where there are threads it does nothing.
func newCollector() collector {
	if runtime.GOARCH == "wasm" {
		debug.SetGCPercent(percent)
	}
	return collector{}
}

// ran notes an op on a call, and collects when enough has come together.
func (c *collector) ran(arguments int) {
	if runtime.GOARCH != "wasm" {
		return
	}
	if c.left += leftPerCall + leftPerByte*arguments; c.left > mostLeft {
		c.left = 0
		runtime.GC()
	}
}
