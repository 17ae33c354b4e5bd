//go:build unix

package gatewaytest

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Cost is what this process spent.
type Cost struct {
	CPU  time.Duration // of all its threads
	Heap int64         // bytes that live on, stacks included
}

// Spent measures what f takes: the processor time, and how much larger the heap is at
// the end, after a collection.
func Spent(t testing.TB, f func()) Cost {
	t.Helper()
	before, heap := used(t), live()
	f()
	cpu := used(t) - before
	return Cost{CPU: cpu, Heap: live() - heap}
}

func live() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers let go of, too
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func used(t testing.TB) time.Duration {
	t.Helper()
	var r unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &r); err != nil {
		t.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
