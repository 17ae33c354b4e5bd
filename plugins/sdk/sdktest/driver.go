// Package sdktest runs a plugin natively, as a host side would run it as
// WebAssembly: one export at a time, effects answered by the test, and every
// rule of the ABI that a host side enforces watched over.
package sdktest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// Driver is one instance of a plugin and the host side it runs on.
type Driver struct {
	// Violations are the rules of the ABI (abi.Rule…) that were broken so far. A
	// test that wants none need not look: New fails it at the end. One that
	// wants some takes them out.
	Violations []string
	// Clock and Rand are what now and random answer; nil is 0.
	Clock, Rand func() uint64

	t     testing.TB
	rt    *sdk.Runtime
	table map[string]abi.Op

	mu      sync.Mutex // what the instance pushes
	entered uint32     // the call whose export runs
	calls   map[uint32]*Call
	last    uint32
	logs    []string
}

// Call is one call in progress or over.
type Call struct {
	d       *Driver
	id      uint32
	op      abi.Op
	begun   uint64 // by the driver's clock
	over    bool   // cancelled, or its end was seen
	ends    int
	effects []*Effect

	// Status is what the last export returned: sdk.Waiting while it is open.
	Status sdk.Status
	// Head and Body are the answer of a call that is done.
	Head, Body []byte
	// Err is the end of a call that failed.
	Err *abi.EffectError
}

// Effect is one effect that a call asked for.
type Effect struct {
	token uint32
	open  bool

	Kind       string
	Head, Body []byte
}

// New starts an instance of p with a config, which may be nil, a []byte or what
// JSON is made of.
func New(t testing.TB, p sdk.Plugin, config any) *Driver {
	t.Helper()
	d, err := Start(t, p, config)
	if err != nil {
		t.Fatalf("init of %s: %v", p.Name, err)
	}
	return d
}

// Start is New for a test that wants to see init fail.
func Start(t testing.TB, p sdk.Plugin, config any) (*Driver, error) {
	t.Helper()
	d := &Driver{t: t, calls: map[uint32]*Call{}, table: map[string]abi.Op{}}
	rt, err := sdk.NewRuntime(host{d}, p)
	if err != nil {
		return nil, err
	}
	d.rt = rt
	t.Cleanup(func() {
		for _, v := range d.Violations {
			t.Errorf("the plugin broke a rule: %s", v)
		}
	})
	manifest := d.zero(rt.Describe)
	var m abi.Manifest
	if err := json.Unmarshal(manifest.Head, &m); err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	for _, row := range m.Plugins[0].Ops {
		d.table[row.Name] = row
	}
	if c := d.zero(func() sdk.Status { return rt.Init(p.Name, encode(t, config)) }); c.Err != nil {
		return nil, c.Err
	}
	return d, nil
}

// zero runs describe or init, which are call 0.
func (d *Driver) zero(export func() sdk.Status) *Call {
	c := &Call{d: d, op: abi.Op{Sync: true}}
	d.calls[0] = c
	c.enter(export)
	delete(d.calls, 0)
	return c
}

// Start begins a call and runs it until it ends or waits. head and body are as
// in New's config.
func (d *Driver) Start(op string, head any, body []byte) *Call {
	d.t.Helper()
	row, ok := d.table[op]
	if !ok {
		d.t.Fatalf("no op %q in the table", op)
	}
	d.last++
	c := &Call{d: d, id: d.last, op: row, begun: host{d}.Now()}
	d.calls[c.id] = c
	c.enter(func() sdk.Status { return d.rt.Call(c.id, op, encode(d.t, head), body) })
	return c
}

// Do runs a call that needs no effect and decodes its answer into out, unless
// that is nil.
func (d *Driver) Do(op string, head, out any) error {
	d.t.Helper()
	c := d.Start(op, head, nil)
	switch {
	case c.Status == sdk.Waiting:
		d.t.Fatalf("%s waits for %s", op, c.effects[0].Kind)
	case c.Err != nil:
		return c.Err
	case out == nil:
		return nil
	}
	return json.Unmarshal(c.Head, out)
}

// Logs are the lines logged so far, each with its level in front: "info: text".
func (d *Driver) Logs() []string { return slices.Clone(d.logs) }

// Open is how many calls the instance itself counts as open.
func (d *Driver) Open() int { return d.rt.Open() }

// Effects are the call's open effects, in the order they were asked for.
func (c *Call) Effects() []*Effect {
	return slices.DeleteFunc(slices.Clone(c.effects), func(e *Effect) bool { return !e.open })
}

// Answer answers an open effect well. Where the driver's clock says that the op's
// deadline has passed, the call has been given up before, as a host side does.
func (c *Call) Answer(e *Effect, head any, body []byte) {
	c.d.t.Helper()
	c.resume(e, true, encode(c.d.t, head), body)
}

// Refuse answers an open effect badly.
func (c *Call) Refuse(e *Effect, code, message string) {
	c.d.t.Helper()
	c.resume(e, false, encode(c.d.t, abi.EffectError{Code: code, Message: message}), nil)
}

func (c *Call) resume(e *Effect, ok bool, head, body []byte) {
	c.d.t.Helper()
	if !e.open {
		c.d.t.Fatalf("effect %s is not open", e.Kind)
	}
	if ms := uint64(c.op.DeadlineMs); ms > 0 && (host{c.d}).Now() > c.begun+ms {
		c.Cancel()
		c.Status = sdk.Failed
		c.Err = &abi.EffectError{Code: abi.CodeDeadline, Message: abi.Fill(abi.MsgDeadline, "ms", strconv.FormatUint(ms, 10))}
		return
	}
	e.open = false
	c.enter(func() sdk.Status { return c.d.rt.Resume(c.id, e.token, ok, head, body) })
}

// Late answers an effect of a call that is over, as a host side never does.
func (c *Call) Late(e *Effect, head any) sdk.Status {
	return c.d.rt.Resume(c.id, e.token, true, encode(c.d.t, head), nil)
}

// Cancel gives the call up.
func (c *Call) Cancel() {
	c.over = true
	c.d.entered = c.id
	c.d.rt.Cancel(c.id)
	for _, e := range c.effects {
		e.open = false
	}
}

// enter runs one export for the call, refuses what its row does not grant, and
// checks what it returned against what it pushed.
func (c *Call) enter(export func() sdk.Status) {
	c.d.entered = c.id
	c.Status = export()
	c.d.check(c)
	for _, e := range c.Effects() {
		if c.Status == sdk.Waiting && e.open && !slices.Contains(c.op.Effects, e.Kind) {
			c.Refuse(e, abi.CodeNotGranted, abi.Fill(abi.MsgNotGranted, "op", c.op.Name, "kind", e.Kind))
		}
	}
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return nil
	case []byte:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("encoding %v: %v", v, err)
	}
	return b
}
