package main

import (
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"strata.dev/bridge/plugins/contextwindow"
	"strata.dev/bridge/plugins/gate"
	"strata.dev/bridge/plugins/models"
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search"
	"strata.dev/bridge/proto/abi"
)

// plugins are those of strata.wasm, by name.
var plugins = map[string]sdk.Plugin{"context": contextwindow.Plugin, "gate": gate.Plugin, "models": models.Plugin, "search": search.Plugin}

// command is a line to the driver.
type command struct {
	Do       string           `json:"do"`
	Instance string           `json:"instance"`
	Plugin   string           `json:"plugin"`
	Config   string           `json:"config"`
	Call     string           `json:"call"`
	Op       string           `json:"op"`
	N        int              `json:"n"`
	Head     string           `json:"head"`
	Body     []byte           `json:"body"`
	Error    *abi.EffectError `json:"error"`
}

// event is a line from it.
type event struct {
	On       string           `json:"on"`
	Instance string           `json:"instance,omitempty"`
	Call     string           `json:"call,omitempty"`
	N        int              `json:"n,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Error    *abi.EffectError `json:"error,omitempty"`
	Head     string           `json:"head,omitempty"`
	Body     []byte           `json:"body,omitempty"`
	Level    string           `json:"level,omitempty"`
	Message  string           `json:"message,omitempty"`
}

// driver is this host side: its instances, and its calls by their names.
type driver struct {
	instances map[string]*instance
	calls     map[string]*call
}

// do carries a command out and gives all that comes of it.
func (d *driver) do(c command) ([]event, error) {
	switch c.Do {
	case "open":
		in, err := open(c)
		if err != nil {
			return nil, err
		}
		d.instances[c.Instance] = in
		return append(in.said, event{On: "opened", Instance: c.Instance}), nil
	case "call":
		in := d.instances[c.Instance]
		if in == nil {
			return nil, fmt.Errorf("no instance %q", c.Instance)
		}
		if c.Head != "" && !(utf8.ValidString(c.Head) && json.Valid([]byte(c.Head))) {
			return []event{{On: "failed", Call: c.Call, Error: &abi.EffectError{Code: abi.CodeBadInput, Message: abi.MsgHead}}}, nil
		}
		in.last++
		call := &call{in: in, id: in.last, name: c.Call}
		d.calls[c.Call] = call
		return call.enter(func() { in.Call(call.id, c.Op, []byte(c.Head), c.Body) }), nil
	case "answer":
		call := d.calls[c.Call]
		if call == nil || c.N < 1 || c.N > len(call.tokens) {
			return nil, nil
		}
		head, err := []byte(c.Head), error(nil)
		if c.Error != nil {
			head, err = json.Marshal(c.Error)
		}
		return call.enter(func() { call.in.Resume(call.id, call.tokens[c.N-1], c.Error == nil, head, c.Body) }), err
	case "close":
		delete(d.instances, c.Instance)
		return []event{{On: "closed", Instance: c.Instance}}, nil
	}
	return nil, fmt.Errorf("no command %q", c.Do)
}

// instance is one plugin that runs here.
type instance struct {
	*sdk.Runtime
	name string
	last uint32 // id of a call
	now  *call  // whose export runs; nil for init
	said []event
}

var _ sdk.Host = (*instance)(nil)

func open(c command) (*instance, error) {
	plugin, known := plugins[c.Plugin]
	if !known {
		return nil, fmt.Errorf("no plugin %q", c.Plugin)
	}
	in := &instance{name: c.Instance}
	var err error
	if in.Runtime, err = sdk.NewRuntime(in, plugin); err != nil {
		return nil, err
	}
	if in.Init(c.Plugin, []byte(c.Config)) != sdk.Done {
		return nil, fmt.Errorf("opening the plugin: %v", in.said)
	}
	in.said = nil
	return in, nil
}

// call is one call and the effects it has asked for so far.
type call struct {
	in     *instance
	id     uint32
	name   string
	tokens []uint32
}

// enter runs an export of a call and gives what it pushed.
func (c *call) enter(export func()) []event {
	c.in.now, c.in.said = c, nil
	export()
	c.in.now = nil
	return c.in.said
}

func (in *instance) say(e event) {
	if in.now != nil {
		e.Call = in.now.name
	}
	in.said = append(in.said, e)
}

// Log implements sdk.Host.
func (in *instance) Log(level sdk.Level, msg string) {
	levels := [...]string{"debug", "info", "warn", "error"}
	in.said = append(in.said, event{On: "log", Instance: in.name, Level: levels[level], Message: msg})
}

// Now implements sdk.Host.
func (*instance) Now() uint64 { return uint64(time.Now().UnixMilli()) }

// Random implements sdk.Host.
func (*instance) Random() uint64 { return 0 }

// Done implements sdk.Host.
func (in *instance) Done(_ uint32, head, body []byte) {
	in.say(event{On: "done", Head: string(head), Body: body})
}

// Failed implements sdk.Host.
func (in *instance) Failed(_ uint32, code, msg string) {
	in.say(event{On: "failed", Error: &abi.EffectError{Code: code, Message: msg}})
}

// Effect implements sdk.Host.
func (in *instance) Effect(_, token uint32, kind string, head, body []byte) {
	in.now.tokens = append(in.now.tokens, token)
	in.say(event{On: "effect", N: len(in.now.tokens), Kind: kind, Head: string(head), Body: body})
}
