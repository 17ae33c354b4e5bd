package sdk

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"strata.dev/bridge/proto/abi"
)

// Host is what the host side gives an instance; the imports of the WIT world.
// Done, Failed and Effect only enqueue: they never call back into the Runtime.
type Host interface {
	Log(level Level, msg string)
	Now() uint64 // Unix milliseconds
	Random() uint64
	Done(call uint32, head, body []byte)
	Failed(call uint32, code, msg string)
	Effect(call, token uint32, kind string, head, body []byte)
}

// Level is the weight of a log line.
type Level uint8

// Log levels, as in the WIT enum.
const (
	Debug Level = iota
	Info
	Warn
	Error
)

// Status is what an export returns.
type Status uint8

// Statuses, as in the WIT enum.
const (
	Done Status = iota
	Failed
	Waiting
)

// Runtime is one instance of a module: the exports of the WIT world. The host
// side enters it one export at a time.
type Runtime struct {
	host     Host
	plugins  []Plugin
	manifest []byte

	mu    sync.Mutex // all that follows, and the fields of every Task
	name  string     // the plugin this instance serves, once init went well
	ops   map[string]op
	calls map[uint32]*Task
	token uint32
}

type op struct {
	run  Handler
	sync bool
}

// NewRuntime is an instance of a module made of these plugins. It fails when a
// plugin's handlers and its op table differ.
func NewRuntime(host Host, plugins ...Plugin) (*Runtime, error) {
	for _, p := range plugins {
		if err := p.check(); err != nil {
			return nil, err
		}
	}
	manifest, err := manifestOf(plugins)
	return &Runtime{host: host, plugins: plugins, manifest: manifest, calls: map[uint32]*Task{}}, err
}

// Describe pushes the manifest as done of call 0.
func (r *Runtime) Describe() Status {
	r.host.Done(0, r.manifest, nil)
	return Done
}

// Init makes this instance serve one plugin, once. It ends call 0.
func (r *Runtime) Init(plugin string, config []byte) Status {
	if r.name != "" {
		return r.fail(0, say(abi.CodeBadInput, abi.MsgServes, "plugin", r.name))
	}
	i := slices.IndexFunc(r.plugins, func(p Plugin) bool { return p.Name == plugin })
	if i < 0 {
		return r.fail(0, say(abi.CodeUnknownPlugin, abi.MsgPlugin, "plugin", plugin))
	}
	var instance Instance
	err := r.guard(func() error {
		instance = r.plugins[i].New()
		if instance.Init == nil {
			return nil
		}
		return instance.Init(config)
	})
	if err != nil {
		return r.fail(0, err)
	}
	r.ops = map[string]op{}
	for _, row := range r.plugins[i].table() {
		r.ops[row.Name] = op{run: instance.Ops[row.Name], sync: row.Sync}
	}
	r.name = plugin
	r.host.Done(0, []byte("{}"), nil)
	return Done
}

// Call starts an op and runs it until it ends or waits for effects only. An id
// that is still in use panics, which traps the instance: pushing an end for it
// would end the other call.
func (r *Runtime) Call(id uint32, name string, head, body []byte) Status {
	o, ok := r.ops[name]
	if !ok {
		if r.name == "" {
			return r.fail(id, say(abi.CodeNotReady, abi.MsgNotReady))
		}
		return r.fail(id, say(abi.CodeUnknownOp, abi.MsgUnknownOp, "plugin", r.name, "op", name))
	}
	t := &Task{rt: r, id: id, sync: o.sync, status: Waiting, running: 1, idle: make(chan struct{}, 1)}
	r.mu.Lock()
	if r.calls[id] != nil {
		r.mu.Unlock()
		panic(fmt.Sprintf("sdk: call id %d is in use", id))
	}
	r.calls[id] = t
	r.mu.Unlock()

	if o.sync { // ends in this export, so it needs no goroutine of its own
		t.run(o.run, head, body)
	} else {
		go t.run(o.run, head, body)
	}
	<-t.idle
	return t.status
}

// Resume hands an effect's answer to the goroutine that waits for it and runs
// its call on. An answer nobody waits for is dropped.
func (r *Runtime) Resume(id, token uint32, ok bool, head, body []byte) Status {
	a := answer{head: head, body: body}
	if !ok {
		a.err = effectError(head)
	}
	r.mu.Lock()
	t := r.calls[id]
	if t == nil || t.waiters[token] == nil {
		r.mu.Unlock()
		return Waiting
	}
	t.wake(token, a)
	r.mu.Unlock()
	<-t.idle
	return t.status
}

// Cancel ends a call without a word: what waits is woken with ErrCancelled and
// runs its deferred functions before Cancel returns.
func (r *Runtime) Cancel(id uint32) {
	r.mu.Lock()
	t := r.calls[id]
	if t == nil {
		r.mu.Unlock()
		return
	}
	t.silent = true
	t.cancel()
	r.mu.Unlock()
	<-t.idle
}

// Open is how many calls have not ended.
func (r *Runtime) Open() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

func (r *Runtime) fail(id uint32, err error) Status {
	code, message := describeError(err)
	r.host.Failed(id, utf8(code), utf8(message))
	return Failed
}

// guard turns a panic of f into an error that names no internals; they go to the log.
func (r *Runtime) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.host.Log(Error, utf8(fmt.Sprintf("panic: %v\n%s", p, debug.Stack())))
			err = say(abi.CodePanic, abi.MsgPanic)
		}
	}()
	return f()
}

// utf8 makes a text fit for the ABI, which takes nothing else.
func utf8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
