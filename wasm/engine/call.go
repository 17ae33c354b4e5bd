package engine

import (
	"time"

	"strata.dev/bridge/proto/abi"
)

// call is one call in flight. The goroutine that made the call owns it; the
// imports write to it while an export runs for it.
type call struct {
	id       uint32
	row      op
	deadline time.Time // zero: none

	end     *end
	asked   int                 // effects so far
	queue   []queued            // pushed by the running export, not started yet
	open    map[uint32]struct{} // tokens whose answer is outstanding
	answers chan answer
}

// end is what a call ended with.
type end struct {
	head, body []byte
	err        *Error
}

// queued is an effect that waits for the export to return.
type queued struct {
	token  uint32
	effect Effect
}

func newCall(row op) *call {
	return &call{row: row, open: map[uint32]struct{}{}, answers: make(chan answer, abi.MaxOpenEffects)}
}

// finish takes a done or failed; the rule that it breaks, or "".
func (c *call) finish(e end) (rule string) {
	if c.end != nil {
		return abi.RuleTwice
	}
	c.end = &e
	return ""
}

// ask takes an effect; the rule that it breaks, or "".
func (c *call) ask(token uint32, e Effect) (rule string) {
	_, taken := c.open[token]
	switch {
	case c.end != nil:
		return abi.RuleAfterEnd
	case c.id == 0:
		return abi.RuleCallZero
	case c.row.Sync:
		return abi.RuleSync
	case taken:
		return abi.RuleToken
	case len(c.open) == abi.MaxOpenEffects:
		return abi.RuleTooMany
	}
	c.asked++
	e.N, e.Op = c.asked, c.row.Name
	c.open[token] = struct{}{}
	c.queue = append(c.queue, queued{token, e})
	return ""
}

// check compares what an export returned with what it pushed.
func (c *call) check(s status) (rule string) {
	switch {
	case s > statusWaiting:
		return abi.RuleEnum
	case s == statusWaiting && c.end != nil:
		return abi.RuleStatus
	case s == statusWaiting && c.id == 0:
		return abi.RuleCallZero
	case s == statusWaiting && c.row.Sync:
		return abi.RuleSyncWait
	case s == statusWaiting && len(c.open) == 0:
		return abi.RuleStuck
	case s == statusWaiting:
		return ""
	case c.end == nil:
		return abi.RuleSilent
	case (c.end.err != nil) != (s == statusFailed):
		return abi.RuleStatus
	}
	return ""
}

// limit is how long an export may still run for this call; 0 is no limit.
func (c *call) limit() time.Duration {
	if c.deadline.IsZero() {
		return 0
	}
	return max(time.Until(c.deadline), time.Millisecond)
}
