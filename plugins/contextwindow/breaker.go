package contextwindow

import (
	"strings"

	"strata.dev/bridge/proto/abi"
)

// maxStrikes is how many passes in a row may free nothing before it is not tried again
// by itself.
const maxStrikes = 2

// breaker keeps a session from being summarized over and over without gain. It closes
// again with a pass that frees something, with another model, and once there is
// something new to be summarized. It is moved by what the session's log says alone, so
// that it stands as it stood wherever the log is read again.
type breaker struct {
	strikes int
	stuck   bool
	at      int // the Harness's price of the session when it opened
}

// fruitless are the words of a compaction's end by which it freed nothing. The last is
// the Harness's own; a stop, or messages that came meanwhile, count for nothing.
var fruitless = []string{abi.SaidNoSummary, abi.SaidNoGain, abi.SaidNoRoom, abi.SaidStuck, "is not smaller than"}

// compacted takes in the end of a pass, and why it failed.
func (s *session) compacted(failure string) {
	switch {
	case failure == "":
		s.breaker, s.outline = breaker{}, s.outlined
	case contains(fruitless, func(words string) bool { return strings.Contains(failure, words) }):
		if s.strikes++; s.strikes >= maxStrikes && !s.stuck {
			s.stuck, s.at = true, s.harness()
		}
	}
	s.outlined = outline{}
}

// last tells whether one more pass that frees nothing opens the breaker.
func (b *breaker) last() bool { return b.strikes+1 >= maxStrikes }

// grown closes the breaker once a tenth of the window has come since it opened.
func (b *breaker) grown(s *session) {
	if b.stuck && s.window > 0 && s.harness()-b.at >= s.window/10 {
		*b = breaker{}
	}
}

// gain is the least that a pass by itself must free, in tokens: a hundredth of the
// window. Less would be asked for again at once.
func (s *session) gain() int { return s.window / 100 }
