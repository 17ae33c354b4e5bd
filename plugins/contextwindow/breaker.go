package contextwindow

// maxStrikes is how many passes in a row may free nothing before it is not tried again
// by itself.
const maxStrikes = 2

// breaker keeps a session from being summarized over and over without gain. It closes
// again with a pass that frees something, with another model, and once there is
// something new to be summarized.
type breaker struct {
	strikes int
	stuck   bool
	at      int // the Harness's price of the session when it opened
}

// strike counts a pass that freed nothing.
func (s *session) strike() {
	s.strikes++
	if s.strikes >= maxStrikes && !s.stuck {
		s.stuck, s.at = true, s.harness()
	}
}

// grown closes the breaker once a tenth of the window has come since it opened.
func (b *breaker) grown(s *session) {
	if b.stuck && s.window > 0 && s.harness()-b.at >= s.window/10 {
		*b = breaker{}
	}
}

// gain is the least that a pass by itself must free, in tokens: a hundredth of the
// window. Less would be asked for again at once.
func (s *session) gain() int { return s.window / 100 }
