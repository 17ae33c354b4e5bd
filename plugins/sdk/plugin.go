package sdk

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"strata.dev/bridge/proto/abi"
)

// Plugin is one plugin of a module.
type Plugin struct {
	// Name is how the host side asks for it, and its key in abi.Tables.
	Name string
	// Table is its op table; nil takes abi.Tables[Name].
	Table []abi.Op
	// New gives a fresh, unconfigured instance. One is made at registration to
	// compare its handlers with the table, one when the host side runs init.
	New func() Instance
}

// Instance is one running plugin: its state lives in what the handlers close over.
type Instance struct {
	// Init takes the config that the host side passes; nil takes any.
	Init func(config []byte) error
	// Ops holds one handler for each row of the table.
	Ops Ops
}

// Ops maps op names to their handlers.
type Ops map[string]Handler

// Handler runs one call: head is JSON, body raw bytes, and so are the results.
type Handler func(t *Task, head, body []byte) ([]byte, []byte, error)

// Op makes a handler of a function from the op's head type to its answer type.
// A head that is not JSON of In fails the call with code bad-input; an empty
// head is the zero In. A body is ignored.
func Op[In, Out any](f func(t *Task, in In) (Out, error)) Handler {
	return OpBody(func(t *Task, in In, _ []byte) (Out, []byte, error) {
		out, err := f(t, in)
		return out, nil, err
	})
}

// OpBody is Op for ops that take or give raw bytes beside their JSON. The
// handler may keep body; it is its own.
func OpBody[In, Out any](f func(t *Task, in In, body []byte) (Out, []byte, error)) Handler {
	return func(t *Task, head, body []byte) ([]byte, []byte, error) {
		var in In
		if err := decode(head, &in); err != nil {
			return nil, nil, err
		}
		out, outBody, err := f(t, in, body)
		if err != nil {
			return nil, nil, err
		}
		outHead, err := json.Marshal(out)
		if err != nil {
			return nil, nil, fmt.Errorf("encoding the answer: %w", err)
		}
		return outHead, outBody, nil
	}
}

// Coded is Op for an op so hot that reflection is most of its cost: read and
// write do what encoding/json would, byte for byte. A head that read leaves to
// encoding/json, by its false, goes there.
func Coded[In, Out any](read func(head []byte) (In, bool), write func(out []byte, v Out) []byte, f func(t *Task, in In) (Out, error)) Handler {
	size := 512 // of an answer; the next one is mostly about as long
	return func(t *Task, head, _ []byte) ([]byte, []byte, error) {
		in, ok := read(head)
		if !ok {
			in = *new(In)
			if err := decode(head, &in); err != nil {
				return nil, nil, err
			}
		}
		out, err := f(t, in)
		if err != nil {
			return nil, nil, err
		}
		answer := write(make([]byte, 0, size), out)
		size = min(max(512, len(answer)+64), 16<<10)
		return answer, nil, nil
	}
}

// Config makes an Instance.Init of a function that takes the config decoded.
// An empty config is the zero C.
func Config[C any](f func(C) error) func([]byte) error {
	return func(config []byte) error {
		var c C
		if err := decode(config, &c); err != nil {
			return err
		}
		return f(c)
	}
}

// CodedConfig is Config for a plugin that must be ready soon; read is as in Coded.
func CodedConfig[C any](read func(config []byte) (C, bool), f func(C) error) func([]byte) error {
	return func(config []byte) error {
		if c, ok := read(config); ok {
			return f(c)
		}
		return Config(f)(config)
	}
}

func decode(head []byte, into any) error {
	if len(head) == 0 {
		return nil
	}
	if err := json.Unmarshal(head, into); err != nil {
		return say(abi.CodeBadInput, abi.MsgInput, "detail", err.Error())
	}
	return nil
}

// module is the instance that the exports of this module enter.
var module = Runtime{calls: map[uint32]*Task{}}

// Register links a plugin into this module. It panics when the plugin's
// handlers and its op table differ, or when the name is taken: a module that is
// wrong in itself must not load.
func Register(p Plugin) {
	if slices.ContainsFunc(module.plugins, func(q Plugin) bool { return q.Name == p.Name }) {
		panic(fmt.Sprintf("sdk: plugin %q is registered twice", p.Name))
	}
	err := p.check()
	if err == nil {
		module.plugins = append(module.plugins, p)
		module.manifest, err = manifestOf(module.plugins)
	}
	if err != nil {
		panic(err)
	}
}

// manifestOf is what describe pushes.
func manifestOf(plugins []Plugin) ([]byte, error) {
	m := abi.Manifest{ABI: abi.Version, Plugins: []abi.PluginRecord{}}
	for _, p := range plugins {
		m.Plugins = append(m.Plugins, abi.PluginRecord{Name: p.Name, Ops: p.table()})
	}
	slices.SortFunc(m.Plugins, func(a, b abi.PluginRecord) int { return strings.Compare(a.Name, b.Name) })
	head, err := abi.AppendManifest(nil, m)
	if err != nil {
		return nil, fmt.Errorf("encoding the manifest: %w", err)
	}
	return head, nil
}

func (p Plugin) table() []abi.Op {
	if p.Table != nil {
		return p.Table
	}
	return abi.Tables[p.Name]
}

// check tells the first difference between the handlers and the table.
func (p Plugin) check() error {
	if p.Name == "" || p.New == nil {
		return fmt.Errorf("sdk: plugin %q needs a name and a constructor", p.Name)
	}
	missing := maps.Clone(p.New().Ops)
	for _, op := range p.table() {
		if missing[op.Name] == nil {
			return fmt.Errorf("sdk: plugin %q has no handler for op %q of its table", p.Name, op.Name)
		}
		delete(missing, op.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		return fmt.Errorf("sdk: plugin %q has a handler for %q, which its table does not list", p.Name, name)
	}
	return nil
}
