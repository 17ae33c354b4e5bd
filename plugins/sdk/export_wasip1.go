package sdk

import (
	"unsafe"

	"go.bytecodealliance.org/cm"
	"strata.dev/bridge/plugins/gen/strata/plugin/guest"
	"strata.dev/bridge/plugins/gen/strata/plugin/host"
)

// wasmHost is the Host behind the imports. Lists are copied by the host side
// before an import returns, so nothing has to outlive the call.
type wasmHost struct{}

var _ Host = wasmHost{}

func (wasmHost) Log(level Level, msg string) { host.Log(host.Level(level), msg) }
func (wasmHost) Now() uint64                 { return host.Now() }
func (wasmHost) Random() uint64              { return host.Random() }
func (wasmHost) Done(call uint32, head, body []byte) {
	host.Done(call, cm.ToList(head), cm.ToList(body))
}
func (wasmHost) Failed(call uint32, code, msg string) { host.Failed(call, code, msg) }
func (wasmHost) Effect(call, token uint32, kind string, head, body []byte) {
	host.Effect(call, token, kind, cm.ToList(head), cm.ToList(body))
}

// pins keep the buffers that cabi_realloc gave out alive until the export they
// are arguments of has begun; from then on the arguments themselves do.
var pins [][]uint64

// cabiRealloc is the canonical ABI's allocator, through which the host side
// places arguments in our memory. Words of eight bytes satisfy every alignment.
//
//go:wasmexport cabi_realloc
func cabiRealloc(old unsafe.Pointer, oldSize, _, newSize uint32) unsafe.Pointer {
	buffer := make([]uint64, max(1, (uint64(newSize)+7)/8))
	p := unsafe.Pointer(&buffer[0])
	if n := min(oldSize, newSize); n > 0 {
		copy(unsafe.Slice((*byte)(p), n), unsafe.Slice((*byte)(old), n))
	}
	pins = append(pins, buffer)
	return p
}

func unpin() {
	clear(pins)
	pins = pins[:0]
}

func init() {
	module.host = wasmHost{}
	guest.Exports.Describe = func() guest.Status {
		return guest.Status(module.Describe())
	}
	guest.Exports.Init = func(plugin string, config cm.List[uint8]) guest.Status {
		unpin()
		return guest.Status(module.Init(plugin, config.Slice()))
	}
	guest.Exports.Call = func(call uint32, op string, head, body cm.List[uint8]) guest.Status {
		unpin()
		return guest.Status(module.Call(call, op, head.Slice(), body.Slice()))
	}
	guest.Exports.Resume = func(call, token uint32, ok bool, head, body cm.List[uint8]) guest.Status {
		unpin()
		return guest.Status(module.Resume(call, token, ok, head.Slice(), body.Slice()))
	}
	guest.Exports.Cancel = func(call uint32) {
		module.Cancel(call)
	}
}
