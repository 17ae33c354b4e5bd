// Package engine runs Strata plugins under wazero: the same module, the same
// rules and the same words as the Harness's Node shim, for tests, hot reload and
// the command line.
//
// An [Engine] is one compiled module. An [Instance] is one plugin of it; behind
// an instance stands a guest (one WebAssembly instance) that is made when it is
// needed, dropped after a trap and made again for the next call. [Instance.Call]
// runs one operation and may be called from many goroutines: one of them is in
// the guest at a time, and calls interleave where they wait for effects.
//
// What a host side must do beyond proto/wit is written in
// conformance/README.md; the sentences and limits are those of proto/abi.
package engine
