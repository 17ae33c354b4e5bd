package direct

import "strings"

// Kind is what a Piece is.
type Kind int

// The kinds.
const (
	Text      Kind = iota // of the answer
	Reasoning             // the model's thinking
)

// Piece is a piece of an answer.
type Piece struct {
	Kind Kind
	Text string
}

// Usage is what a request used, in tokens. Prompt includes Cached.
type Usage struct{ Prompt, Completion, Cached int64 }

// Finish is why an answer ended, by the Harness's words (dsh.EndReason) where it has
// one.
type Finish string

// The ways to end.
const (
	Completed Finish = "completed"
	MaxTokens Finish = "max-tokens"     // cut at the limit
	Withheld  Finish = "content-filter" // the server refused to go on
	aborted   Finish = "aborted"        // Stop
)

// decoder makes pieces of one provider's events. It is pure: the same events give the
// same pieces, however the bytes were cut.
type decoder interface {
	// event takes the next event. An error is a *Failure, and nothing follows it.
	event(e Event) ([]Piece, error)
	// end says how the answer ended, once no more comes. An answer that broke off is
	// a *Failure.
	end() (Finish, error)
	// used is what the request used, as far as the server has told.
	used() Usage
	// over tells that the server has said its last word.
	over() bool
}

// pieces gives the pieces of texts that are there.
func pieces(reasoning, text string) []Piece {
	var out []Piece
	if reasoning != "" {
		out = append(out, Piece{Reasoning, reasoning})
	}
	if text != "" {
		out = append(out, Piece{Text, text})
	}
	return out
}

// clip shortens technical text to what a person still reads.
func clip(s string) string {
	const most = 2000
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
