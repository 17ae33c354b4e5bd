package engine_test

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// A guest that fills its memory costs the host less than twice the cap, because
// the cap is reserved at once and never copied.
func TestMemoryOfHost(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	in := open(t, "probe", engine.Config{}, engine.Options{})
	if err := in.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := peakKiB(t)
	expect(t, "grow", outcome{Head: `{"mib":40}`}, call(t.Context(), in, "grow", `{"mib":40}`, ""))
	if grown := peakKiB(t) - before; grown > 2*abi.MemoryPages*64 {
		t.Errorf("the host grew by %d KiB", grown)
	}
}

// A thousand panics and fifty traps give no wrong answer and leave no memory behind.
func TestFaultsLeaveNothing(t *testing.T) {
	in := open(t, "probe", engine.Config{}, engine.Options{})
	fault := func(traps, panics int) {
		for range traps {
			expect(t, "trap", outcome{Err: told(true, abi.CodeTrap, abi.MsgTrap)}, call(t.Context(), in, "trap", "", ""))
		}
		for range panics {
			if got := call(t.Context(), in, "panic", "", ""); got.Err == nil || got.Err.Code != abi.CodePanic {
				t.Fatalf("panic: %+v", got)
			}
		}
		expect(t, "echo", outcome{Head: `{"a":1}`}, call(t.Context(), in, "echo", `{"a":1}`, ""))
	}
	fault(5, 5)
	before := heapBytes()
	fault(50, 1000)
	if grown := heapBytes() - before; grown > 10<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC() // frees what finalizers of the first let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

var peak = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

func peakKiB(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	kib, err := strconv.Atoi(string(peak.FindSubmatch(status)[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kib
}
