package sdktest

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// host is the instance's host side.
type host struct{ d *Driver }

var _ sdk.Host = host{}

var levels = []string{"debug", "info", "warn", "error"}

func (h host) Log(level sdk.Level, msg string) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if int(level) >= len(levels) {
		h.d.violate(abi.RuleEnum)
		return
	}
	h.d.text(msg)
	h.d.logs = append(h.d.logs, levels[level]+": "+msg)
}

func (h host) Now() uint64 {
	if h.d.Clock == nil {
		return 0
	}
	return h.d.Clock()
}

func (h host) Random() uint64 {
	if h.d.Rand == nil {
		return 0
	}
	return h.d.Rand()
}

func (h host) Done(call uint32, head, body []byte) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	c := h.d.pushed(call)
	if c == nil {
		return
	}
	if len(head) > 0 && !json.Valid(head) {
		h.d.violate(abi.RuleHead)
	}
	if c.ends++; c.ends > 1 {
		h.d.violate(abi.RuleTwice)
		return
	}
	c.Head, c.Body = slices.Clone(head), slices.Clone(body)
}

func (h host) Failed(call uint32, code, msg string) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	c := h.d.pushed(call)
	if c == nil {
		return
	}
	h.d.text(code + msg)
	if c.ends++; c.ends > 1 {
		h.d.violate(abi.RuleTwice)
		return
	}
	c.Err = &abi.EffectError{Code: code, Message: msg}
}

func (h host) Effect(call, token uint32, kind string, head, body []byte) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	c := h.d.pushed(call)
	switch {
	case c == nil:
		return
	case c.ends > 0:
		h.d.violate(abi.RuleAfterEnd)
	case call == 0:
		h.d.violate(abi.RuleCallZero)
	case c.op.Sync:
		h.d.violate(abi.RuleSync)
	case slices.ContainsFunc(c.effects, func(e *Effect) bool { return e.open && e.token == token }):
		h.d.violate(abi.RuleToken)
	}
	h.d.text(kind)
	c.effects = append(c.effects, &Effect{token: token, open: true, Kind: kind, Head: slices.Clone(head), Body: slices.Clone(body)})
}

// pushed is the call that something was pushed for; nil after a violation.
func (d *Driver) pushed(call uint32) *Call {
	c := d.calls[call]
	if c == nil || c.over || call != d.entered {
		d.violate(abi.RuleForeign)
		return nil
	}
	return c
}

func (d *Driver) text(s string) {
	if !utf8.ValidString(s) {
		d.violate(abi.RuleText)
	}
}

func (d *Driver) violate(rule string) { d.Violations = append(d.Violations, rule) }

// check compares what an export returned with what it pushed.
func (d *Driver) check(c *Call) {
	d.mu.Lock()
	defer d.mu.Unlock()
	pushed := sdk.Waiting
	switch {
	case c.Err != nil:
		pushed = sdk.Failed
	case c.ends > 0:
		pushed = sdk.Done
	}
	switch {
	case c.Status > sdk.Waiting:
		d.violate(abi.RuleEnum)
	case c.Status != pushed && pushed == sdk.Waiting:
		d.violate(abi.RuleSilent)
	case c.Status != pushed:
		d.violate(abi.RuleStatus)
	case c.Status == sdk.Waiting && c.op.Sync:
		d.violate(abi.RuleSyncWait)
	case c.Status == sdk.Waiting && len(c.Effects()) == 0:
		d.violate(abi.RuleStuck)
	}
	if c.Status == sdk.Waiting {
		return
	}
	c.over = true
	for _, e := range c.effects { // aborted
		e.open = false
	}
}
