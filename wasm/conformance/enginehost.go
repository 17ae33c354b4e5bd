package conformance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
	"strata.dev/bridge/wasm/engine/effects"
)

// EngineHost is the wazero engine behind the wire, in this process.
type EngineHost struct {
	cfg    engine.Config
	events chan Event

	mu        sync.Mutex
	engines   map[string]*engine.Engine // by path, hash and memory cap
	instances map[string]*wireInstance
	calls     map[string]*wireCall
}

var _ Host = (*EngineHost)(nil)

// wireInstance is an open instance and the calls whose end is still to be told.
type wireInstance struct {
	*engine.Instance
	calls sync.WaitGroup
}

// NewEngineHost runs modules as cfg says; hash, memory and logger come with each open.
func NewEngineHost(cfg engine.Config) *EngineHost {
	return &EngineHost{
		cfg:       cfg,
		events:    make(chan Event, 1024),
		engines:   map[string]*engine.Engine{},
		instances: map[string]*wireInstance{},
		calls:     map[string]*wireCall{},
	}
}

// Events implements Host.
func (h *EngineHost) Events() <-chan Event { return h.events }

// Close implements Host.
func (h *EngineHost) Close() error {
	var err error
	for _, e := range h.engines {
		err = errors.Join(err, e.Close(context.Background()))
	}
	for _, in := range h.instances {
		in.calls.Wait()
	}
	close(h.events)
	return err
}

// Send implements Host.
func (h *EngineHost) Send(c Command) error {
	switch c.Do {
	case "open":
		h.open(c)
	case "call":
		return h.call(c)
	case "answer":
		h.answer(c)
	case "cancel":
		if call := h.find(c.Call); call != nil {
			call.cancel()
		}
	case "close":
		h.mu.Lock()
		in := h.instances[c.Instance]
		delete(h.instances, c.Instance)
		h.mu.Unlock()
		if in == nil {
			return fmt.Errorf("no instance %q", c.Instance)
		}
		in.Close()
		in.calls.Wait() // their ends are told first
		h.emit(Event{On: "closed", Instance: c.Instance})
	default:
		return fmt.Errorf("no command %q", c.Do)
	}
	return nil
}

func (h *EngineHost) emit(e Event) { h.events <- e }

// open makes an instance and starts its guest.
func (h *EngineHost) open(c Command) {
	in, ops, err := h.instance(c)
	if err == nil {
		err = in.Start(context.Background())
	}
	if err != nil {
		h.emit(Event{On: "refused", Instance: c.Instance, Error: told(err)})
		return
	}
	h.mu.Lock()
	h.instances[c.Instance] = &wireInstance{Instance: in}
	h.mu.Unlock()
	h.emit(Event{On: "opened", Instance: c.Instance, Ops: ops})
}

func (h *EngineHost) instance(c Command) (*engine.Instance, []string, error) {
	e, err := h.engine(c)
	if err != nil {
		return nil, nil, err
	}
	offered := engine.Effects{}
	for _, all := range []engine.Effects{
		effects.Sleep(), effects.Fetch(c.Hosts), effects.Realpath(), effects.Store(c.Store, c.Plugin),
		effects.FetchWeb(effects.WebOptions{}), effects.TextDecode(),
	} {
		for kind, f := range all {
			if slices.Contains(c.Real, kind) {
				offered[kind] = f
			}
		}
	}
	for _, kind := range c.Scripted {
		offered[kind] = h.scripted
	}
	in, err := e.Instance(c.Plugin, engine.Options{
		Config:  []byte(c.Config),
		Effects: offered,
		Logger:  slog.New(logEvents{emit: h.emit, instance: c.Instance}),
	})
	if err != nil {
		return nil, nil, err
	}
	var ops []string
	for _, p := range e.Manifest().Plugins {
		for _, op := range p.Ops {
			if p.Name == c.Plugin {
				ops = append(ops, op.Name)
			}
		}
	}
	return in, ops, nil
}

// engine compiles a module once for all its instances.
func (h *EngineHost) engine(c Command) (*engine.Engine, error) {
	key := fmt.Sprint(c.Wasm, c.SHA256, c.Pages)
	if e := h.engines[key]; e != nil {
		return e, nil
	}
	module, err := os.ReadFile(c.Wasm)
	if err != nil {
		return nil, err
	}
	cfg := h.cfg
	cfg.SHA256, cfg.MemoryPages = c.SHA256, c.Pages
	e, err := engine.New(context.Background(), module, cfg)
	if err == nil {
		h.engines[key] = e
	}
	return e, err
}

// told is an error as it goes over the wire.
func told(err error) *abi.EffectError {
	if e := new(engine.Error); errors.As(err, &e) {
		return &e.EffectError
	}
	return &abi.EffectError{Code: abi.CodeFailed, Message: err.Error()}
}
