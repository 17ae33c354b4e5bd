// Package budget is the arithmetic of a model's context window, shared by the host and
// the plugins: how long a reply may be, how full a chat is, whether a message fits, and
// in what pieces one that does not fit is summarised.
//
// It is pure. Sizes are tokens where nothing else is said; a window is never negative.
// The figures are those of the agent bridge's specification; where that leaves a formula
// open, the choice is ours and its comment says so.
package budget

// thousand64 is the size that the specification calls 64K, in tokens.
const thousand64 = 64 << 10

// Bounds of LocalOutput, in tokens.
const (
	LocalOutputMin = 4096
	LocalOutputMax = 32768
)

// LocalOutput is the output that a local model's route declares: 30 percent of the
// window, within its bounds. The Harness reserves that much room for a reply; it is not
// the limit of one (ReplyCap).
func LocalOutput(window int) int {
	return min(LocalOutputMax, max(LocalOutputMin, window*3/10))
}

// ReplyCap is the longest reply that is asked of a model: half of the window, at most
// 64K. OutputCap fits it into what the prompt leaves.
func ReplyCap(window int) int {
	return min(thousand64, window/2)
}

// room is what is kept free of a window because a count may be off by a little.
func room(window int) int {
	return min(4096, window/16)
}

// SafetyRoom is what is kept free between the prompt with its reply and the end of the
// window; remaining is what the prompt leaves. From 64K on the Harness's own rule holds,
// whose value is not known here: ok is false.
func SafetyRoom(window, remaining int) (tokens int, ok bool) {
	if window >= thousand64 {
		return 0, false
	}
	return min(room(window), remaining/2), true
}

// OutputCap is the output that a request asks for: what its caller wants, within what
// the prompt leaves of the window, and at least one token. From 64K on it keeps free at
// most 4096 tokens, which is our choice.
func OutputCap(window, prompt, caller int) int {
	remaining := window - prompt
	free, ok := SafetyRoom(window, remaining)
	if !ok {
		free = min(4096, remaining/2)
	}
	return max(1, min(caller, remaining-free))
}
