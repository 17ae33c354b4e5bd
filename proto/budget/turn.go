package budget

// How full the window is, in percent of it, when a turn is ended because the Harness's
// compaction did not keep up, and from when on a turn without an answer has run out of
// room.
const (
	FullPercent      = 93
	OutOfRoomPercent = 85
)

// Reached tells whether that many tokens are the share of the window or more.
func Reached(used, window, percent int) bool {
	return used*100 >= window*percent
}

// MostContinued is how often the agent is asked to go on after one message whose reply
// was cut at the output limit.
const MostContinued = 2
