package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// host is the gate with a store and a file system of its own. The question is
// left to the test.
type host struct {
	t     *testing.T
	d     *sdktest.Driver
	store map[string]string
	real  map[string]string // what does not lead to itself
	fails map[string]string // effect kinds to the code they fail with
	now   uint64
}

func newHost(t *testing.T, config abi.GateConfig) *host {
	h := &host{t: t, store: map[string]string{}, real: map[string]string{}, fails: map[string]string{}, now: 1_700_000_000_000}
	h.restart(config)
	return h
}

// restart is a fresh instance over the same store.
func (h *host) restart(config abi.GateConfig) {
	h.d = sdktest.New(h.t, Plugin, config)
	ids := uint64(len(h.store)) << 8
	h.d.Clock = func() uint64 { h.now++; return h.now }
	h.d.Rand = func() uint64 { ids++; return ids }
}

// serve answers what a call asks for until it ends or waits for the person.
func (h *host) serve(c *sdktest.Call) {
	h.t.Helper()
	for c.Status == sdk.Waiting {
		i := slices.IndexFunc(c.Effects(), func(e *sdktest.Effect) bool { return e.Kind != abi.EffectAsk })
		if i < 0 {
			return
		}
		e := c.Effects()[i]
		if code := h.fails[e.Kind]; code != "" {
			c.Refuse(e, code, "It did not work.")
			continue
		}
		var name abi.StoreKey
		var paths abi.PathsRequest
		decode(h.t, e.Head, &name)
		decode(h.t, e.Head, &paths)
		record, there := h.store[name.Name]
		switch e.Kind {
		case abi.EffectStoreGet:
			if !there {
				c.Refuse(e, abi.CodeNotFound, "There is none.")
				continue
			}
			c.Answer(e, struct{}{}, []byte(record))
		case abi.EffectStorePut:
			h.store[name.Name] = string(e.Body)
			c.Answer(e, struct{}{}, nil)
		case abi.EffectStoreAppend:
			h.store[name.Name] = record + string(e.Body)
			c.Answer(e, struct{}{}, nil)
		case abi.EffectStoreDelete:
			delete(h.store, name.Name)
			c.Answer(e, struct{}{}, nil)
		case abi.EffectStoreList:
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(h.store)), func(n string) bool { return !strings.HasPrefix(n, name.Name) })
			c.Answer(e, abi.StoreNames{Names: names}, nil)
		case abi.EffectRealpath:
			real := map[string]string{}
			for _, p := range paths.Paths {
				real[p] = p
				if to, ok := h.real[p]; ok {
					real[p] = to
				}
			}
			c.Answer(e, abi.PathsAnswer{Real: real}, nil)
		default:
			h.t.Fatalf("the gate asks for %s", e.Kind)
		}
	}
}

// confirm starts confirm for a call that asks.
func (h *host) confirm(call abi.GateCall, config abi.GateConfig) *sdktest.Call {
	h.t.Helper()
	c := h.d.Start("confirm", abi.GateConfirm{Call: call, Decision: Decide(call, config)}, nil)
	h.serve(c)
	return c
}

// question is what a call waits with; it fails the test where there is none.
func (h *host) question(c *sdktest.Call) (q abi.AskRequest) {
	h.t.Helper()
	if c.Status != sdk.Waiting || len(c.Effects()) != 1 {
		h.t.Fatalf("no question: %s %v %s", c.Head, c.Err, h.d.Logs())
	}
	decode(h.t, c.Effects()[0].Head, &q)
	return q
}

// answer answers the question that a call waits with and gives the verdict.
func (h *host) answer(c *sdktest.Call, a abi.AskAnswer) abi.GateVerdict {
	h.t.Helper()
	h.question(c)
	c.Answer(c.Effects()[0], a, nil)
	h.serve(c)
	return h.verdict(c)
}

// verdict is what a call that is over said.
func (h *host) verdict(c *sdktest.Call) (v abi.GateVerdict) {
	h.t.Helper()
	if c.Status != sdk.Done {
		h.t.Fatalf("no verdict: %v, open: %v", c.Err, c.Effects())
	}
	decode(h.t, c.Head, &v)
	return v
}

// do runs an op to its end and decodes its answer.
func (h *host) do(op string, head, out any) error {
	h.t.Helper()
	c := h.d.Start(op, head, nil)
	h.serve(c)
	if c.Err != nil {
		return c.Err
	}
	if c.Status != sdk.Done {
		h.t.Fatalf("%s waits for the person", op)
	}
	if out != nil {
		decode(h.t, c.Head, out)
	}
	return nil
}

// log is the decision log so far: who decided, and by what.
func (h *host) log() (lines []string) {
	h.t.Helper()
	for _, name := range slices.Sorted(maps.Keys(h.store)) {
		if !strings.HasPrefix(name, abi.DecisionRecord) {
			continue
		}
		for line := range strings.Lines(h.store[name]) {
			var e abi.GateEntry
			decode(h.t, []byte(line), &e)
			lines = append(lines, strings.TrimSpace(fmt.Sprint(e.Tool, " ", e.Decision, " by ", e.By, " ", e.Rule, " ", e.Outcome, " ", e.Scope)))
		}
	}
	return lines
}

func decode(t *testing.T, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%v in %q", err, b)
	}
}
