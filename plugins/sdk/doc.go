// Package sdk is what a plugin is written against: straight-line Go that parks
// on an effect instead of passing callbacks.
//
// A plugin is a Plugin value: a name and a constructor whose Instance maps each
// op of its table to a handler. Handlers are made by Op (JSON in, JSON out) or
// OpBody (with raw bytes beside the JSON). Each call runs as a goroutine of its
// own; an effect (Ask, Sleep, Fetch, StoreGet …) parks that goroutine until the
// host side answers. Several effects at once go through a Group.
//
// What holds for every call:
//
//   - It ends once: exactly one done or failed, at the return whose status says so.
//     It ends when its handler and all goroutines of its Groups have ended.
//   - An error or a panic fails this call only. The panic's stack goes to the log,
//     never into the message.
//   - When the handler returns, goroutines of its Groups that still wait are cancelled.
//   - A cancelled call pushes nothing more. The effect that was waited for returns
//     ErrCancelled, deferred functions run, and asking for another effect ends the
//     goroutine. An answer that comes late is dropped.
//   - A sync op that asks for an effect fails with code not-granted.
//
// A wait that the runtime cannot see (a bare channel receive, a WaitGroup, a
// timer) must never span an effect: the module would deadlock and trap. Wait
// with Group.Wait, Sleep and the other effects instead.
//
// Code here runs both inside the WebAssembly module and natively under tests
// (package sdktest).
package sdk
