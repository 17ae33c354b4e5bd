package budget

// Compaction is when the Harness compacts a chat and how much of it stays verbatim, in
// tokens.
type Compaction struct {
	Threshold int // of the prompt
	Retain    int // of its newest messages
}

// StockHeadroom is the room, in tokens, that a Harness from 0.1.2 on keeps for a summary
// where its headroomTokens is not set.
const StockHeadroom = 65536

// CompactionByRatio is what Harnesses up to 0.1.1 do: by the window alone.
func CompactionByRatio(window int) Compaction {
	return Compaction{Threshold: window * 8 / 10, Retain: window * 16 / 100}
}

// CompactionByRoom is what later Harnesses do: output is the output that a route
// declares, headroom the room for a summary. retain is the retainTokens of the engine's
// row, or 0 where none is set. ok is false where no room is left: automatic compaction
// is off for such a route.
func CompactionByRoom(window, output, headroom, retain int) (c Compaction, ok bool) {
	left := window - output - headroom
	if left <= 0 {
		return Compaction{}, false
	}
	if retain == 0 {
		retain = (window - output) * 16 / 100
	}
	return Compaction{Threshold: min(window*8/10, left), Retain: retain}, true
}

// Headroom is the room for a summary that lets the Harness compact in a small window
// too: an eighth of what the output leaves, from 1024 tokens to its own. Our choice.
func Headroom(window, output int) int {
	return max(1024, min(StockHeadroom, (window-output)/8))
}
