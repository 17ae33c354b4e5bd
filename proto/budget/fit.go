package budget

// Fit is what is done with a message before it is sent.
type Fit string

// What is done with a message.
const (
	Send          Fit = "send"
	SummariseThen Fit = "summarise-then-send" // the message fits into an otherwise empty chat
	NeverFits     Fit = "never-fits"
)

// Uncounted is the size of what a server could not count.
const Uncounted = -1

// Limit is the longest prompt that is sent into a window; the room below its end is our
// choice.
func Limit(window int) int {
	return window - room(window)
}

// DecideFit says what is done with a message: whole is the chat with it, alone the
// message in an otherwise empty chat, each as the model's server counted it or Uncounted.
// What cannot be counted is sent: the Harness's compaction is the net.
func DecideFit(window, whole, alone int) Fit {
	limit := Limit(window)
	switch {
	case whole < 0 || whole <= limit || alone < 0:
		return Send
	case alone <= limit:
		return SummariseThen
	}
	return NeverFits
}

// PieceBudget is how much of the history one summary request takes in: fixed is what
// every request carries (instructions, tools), summary its output cap, carried the
// summary of the pieces before it. It is not positive where the window is too small.
func PieceBudget(window, fixed, summary, carried int) int {
	return window - fixed - summary - carried - room(window)
}

// Pieces is a history in pieces that fit.
type Pieces struct {
	Pieces [][]int // indexes of the units, in order
	Cut    []int   // the units that are larger than a piece: cut for the request alone
}

// Pack puts units, parts of the history that must stay whole, into pieces in order: the
// first piece takes up to first tokens, the others up to rest. A larger unit is a piece
// of its own.
func Pack(units []int, first, rest int) Pieces {
	var p Pieces
	var piece []int
	used := 0
	end := func() {
		if len(piece) > 0 {
			p.Pieces, piece, used = append(p.Pieces, piece), nil, 0
		}
	}
	limit := func() int {
		if len(p.Pieces) == 0 {
			return first
		}
		return rest
	}
	for i, unit := range units {
		if used+unit > limit() {
			end()
		}
		piece, used = append(piece, i), used+unit
		if used > limit() {
			p.Cut = append(p.Cut, i)
			end()
		}
	}
	end()
	return p
}

// SmallestPiece is where halving a refused piece ends, in tokens. Our choice.
const SmallestPiece = 1024

// Halve is the size at which a refused piece is tried again; ok is false where it would
// be too small to say anything.
func Halve(size int) (half int, ok bool) {
	half = size / 2
	return half, half >= SmallestPiece
}
