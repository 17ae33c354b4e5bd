//go:build wasip1

// Command rogue is a guest without the SDK that breaks each rule of the plugin
// ABI on request: the head of its op `break` (and of an effect's answer, and
// init's config) is the JSON string that names the misdeed.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
	"unsafe"
)

// Addresses and lengths are plain numbers here, so that wild ones can be passed.

//go:wasmimport strata:plugin/host@0.1.0 log
func hostLog(level, msg, msgLen uint32)

//go:wasmimport strata:plugin/host@0.1.0 done
func hostDone(call, head, headLen, body, bodyLen uint32)

//go:wasmimport strata:plugin/host@0.1.0 failed
func hostFailed(call, code, codeLen, msg, msgLen uint32)

//go:wasmimport strata:plugin/host@0.1.0 effect
func hostEffect(call, token, kind, kindLen, head, headLen, body, bodyLen uint32)

//go:wasmimport wasi_snapshot_preview1 proc_exit
func procExit(code uint32)

const (
	done    = 0
	failed  = 1
	waiting = 2
)

const manifest = `{"abi":"0.1.0","plugins":[{"name":"rogue","ops":[` +
	`{"name":"break","effects":["sleep","ask"]},` +
	`{"name":"breakSync","sync":true,"effects":["sleep"]},` +
	`{"name":"breakSoon","deadlineMs":3000,"effects":["ask"],"default":{"soon":false}},` +
	`{"name":"fallback","sync":true,"default":{"safe":true,"n":[1.5]}},` +
	`{"name":"count","sync":true}]}]}`

var (
	pins    [][]byte // what the host side wrote and what it is about to read
	calls   int      // entered since this guest started
	wild    string   // what the allocator does wrong from now on
	onAbort = map[uint32]string{}
)

func at(b []byte) (uint32, uint32) {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
}

// out is at for a text; pinned, so that it neither moves nor goes before the next export.
func out(text string) (uint32, uint32) {
	b := []byte(text)
	pins = append(pins, b)
	return at(b)
}

func end(call uint32, head string) {
	p, n := out(head)
	hostDone(call, p, n, 0, 0)
}

func fail(call uint32, code, msg string) {
	c, cn := out(code)
	m, mn := out(msg)
	hostFailed(call, c, cn, m, mn)
}

func effect(call, token uint32, kind, head string) {
	k, kn := out(kind)
	h, hn := out(head)
	hostEffect(call, token, k, kn, h, hn, 0, 0)
}

func log(level uint32, msg string) {
	p, n := out(msg)
	hostLog(level, p, n)
}

// recurse uses up the stack. Its frames are large, so that every engine gets to
// the end of the guest's memory before the end of its own stack.
func recurse(n int) byte {
	var frame [4096]byte
	frame[n%len(frame)] = byte(n)
	return recurse(n+1) + frame[(n+1)%len(frame)]
}

// misbehave commits one misdeed during an export for call.
func misbehave(call uint32, how string) uint32 {
	how, rest, _ := strings.Cut(strings.Trim(how, `"`), ":")
	switch how {
	case "done":
		end(call, `{"ok":true}`)
	case "failed":
		fail(call, "own-code", "Its own sentence.")
		return failed
	case "panicked":
		fail(call, "panic", "Its own words for a panic.")
		return failed
	case "empty":
		end(call, "")
	case "wait":
		effect(call, 1, "ask", `{"then":"`+rest+`"}`)
		return waiting
	case "on-cancel":
		onAbort[call] = rest
		effect(call, 1, "ask", "{}")
		return waiting
	case "end-with-effect-open":
		effect(call, 1, "ask", "{}")
		end(call, "{}")
	case "ungranted":
		effect(call, 7, "fetch", "{}")
		return waiting
	case "unoffered":
		effect(call, 8, "sleep", "{}")
		return waiting

	case "twice":
		end(call, "{}")
		end(call, "{}")
	case "done-and-failed":
		end(call, "{}")
		fail(call, "x", "y")
		return failed
	case "silent-done":
	case "silent-failed":
		return failed
	case "done-says-failed":
		end(call, "{}")
		return failed
	case "failed-says-done":
		fail(call, "x", "y")
	case "done-says-waiting":
		end(call, "{}")
		return waiting
	case "effect-says-done":
		effect(call, 1, "ask", "{}")
	case "stuck":
		return waiting
	case "foreign-done":
		end(call+1000, "{}")
	case "foreign-effect":
		effect(call+1000, 1, "ask", "{}")
		return waiting
	case "past-done":
		end(call-1, "{}")
	case "zero-done":
		end(0, "{}")
	case "token":
		effect(call, 1, "ask", "{}")
		effect(call, 1, "ask", "{}")
		return waiting
	case "effect-after-end":
		end(call, "{}")
		effect(call, 1, "ask", "{}")
	case "too-many":
		for i := range uint32(257) {
			effect(call, i, "ask", "{}")
		}
		return waiting
	case "effect":
		effect(call, 1, "sleep", "{}")
		end(call, "{}")

	case "bad-head":
		end(call, `{"open":`)
	case "bad-utf8-head":
		end(call, "\"\xff\"")
	case "bad-effect-head":
		effect(call, 1, "ask", "nothing")
		return waiting
	case "bad-code":
		fail(call, "\xff", "y")
		return failed
	case "bad-message":
		fail(call, "x", "\xc3")
		return failed
	case "bad-kind":
		effect(call, 1, "\xed\xa0\x80", "{}")
		return waiting
	case "bad-log":
		log(1, "\xff")
		end(call, "{}")
	case "bad-level":
		log(4, "hello")
		end(call, "{}")
	case "bad-status":
		end(call, "{}")
		return 3
	case "bad-memory":
		hostDone(call, 0xffff_fff0, 64, 0, 0)
	case "big-head":
		p, n := out(strings.Repeat(" ", 8<<20+1))
		hostDone(call, p, n, 0, 0)
	case "big-body":
		pins = append(pins, make([]byte, 32<<20+1))
		p, n := at(pins[len(pins)-1])
		hostDone(call, 0, 0, p, n)

	case "nap": // timers of the guest itself, and a collection while they run
		timer := time.NewTimer(time.Hour)
		time.Sleep(3 * time.Millisecond)
		runtime.GC()
		timer.Stop()
		end(call, `{"ok":true}`)
	case "look-around":
		_, read := os.ReadFile("/etc/hosts")
		_, list := os.ReadDir("/")
		write := os.WriteFile("/tmp/rogue", nil, 0o600)
		end(call, fmt.Sprintf(`{"args":%d,"env":%d,"read":%t,"list":%t,"write":%t}`,
			len(os.Args), len(os.Environ()), read == nil, list == nil, write == nil))
	case "snooze":
		time.Sleep(time.Hour)
	case "spin":
		log(1, "spinning")
		for {
		}

	case "bom":
		fail(call, "\ufeffcode", "\ufeffmessage")
		return failed
	case "long-log":
		log(1, strings.Repeat("é", 10_000))
		end(call, "{}")
	case "panic":
		panic("on purpose")
	case "exit":
		procExit(0)
	case "deadlock":
		<-make(chan int)
	case "recurse":
		recurse(0)
	case "grow":
		for kept := [][]byte{}; ; {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "wild-allocator":
		wild = rest
		end(call, "{}")
	default:
		fail(call, "bad-input", "No such misdeed: "+how)
		return failed
	}
	return done
}

//go:wasmexport cabi_realloc
func realloc(old, oldLen, align, newLen uint32) uint32 {
	switch wild {
	case "address":
		return 0xffff_fff0
	case "push":
		end(1, "{}")
	}
	b := make([]byte, max(newLen, 1))
	pins = append(pins, b)
	p, _ := at(b)
	return p
}

// lifted is text that the host side wrote, found by its address.
func lifted(p, n uint32) string {
	for _, b := range pins {
		if q, _ := at(b); q == p && n > 0 {
			return string(b[:n])
		}
	}
	return ""
}

//go:wasmexport strata:plugin/guest@0.1.0#describe
func describe() uint32 {
	end(0, manifest)
	return done
}

//go:wasmexport strata:plugin/guest@0.1.0#init
func initialise(name, nameLen, config, configLen uint32) uint32 {
	how := lifted(config, configLen)
	pins = nil
	if how == "" {
		how = "done"
	}
	return misbehave(0, how)
}

//go:wasmexport strata:plugin/guest@0.1.0#call
func call(id, name, nameLen, head, headLen, body, bodyLen uint32) uint32 {
	calls++
	op, how := lifted(name, nameLen), lifted(head, headLen)
	pins = nil
	if op == "count" {
		end(id, `{"calls":`+string(rune('0'+calls%10))+`}`)
		return done
	}
	if op == "breakSync" && how == `"wait"` {
		return waiting
	}
	return misbehave(id, how)
}

//go:wasmexport strata:plugin/guest@0.1.0#resume
func resume(id, token, ok, head, headLen, body, bodyLen uint32) uint32 {
	how := lifted(head, headLen)
	pins = nil
	delete(onAbort, id)
	if ok == 0 {
		end(id, how) // shows the error's head as it came
		return done
	}
	return misbehave(id, how)
}

//go:wasmexport strata:plugin/guest@0.1.0#cancel
func cancel(id uint32) {
	how := onAbort[id]
	delete(onAbort, id)
	if how != "" {
		misbehave(id, how)
	}
}

func main() {}
