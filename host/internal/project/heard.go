package project

import (
	"crypto/sha256"
	"hash"
)

// maxHeard is how many bytes of a text are kept to compare it with what follows. No
// usual answer is as long; one of 20 MB would be held several times over.
const maxHeard = 1 << 20

// heard is a text as far as it has come: its bytes, or from maxHeard on their number
// and hash alone.
type heard struct {
	n    int
	text []byte
	sum  hash.Hash // of all of it; nil while text is
}

func (h *heard) add(piece string) {
	h.n += len(piece)
	switch {
	case h.sum != nil:
		h.sum.Write([]byte(piece))
	case h.n > maxHeard:
		h.sum = sha256.New()
		h.sum.Write(h.text)
		h.sum.Write([]byte(piece))
		h.text = nil
	default:
		h.text = append(h.text, piece...)
	}
}

// whole tells whether the text itself is kept.
func (h *heard) whole() bool { return h.sum == nil }

// rest gives what follows in a text that begins with what was heard.
func (h *heard) rest(whole string) (rest string, ok bool) {
	if len(whole) < h.n {
		return "", false
	}
	if h.sum == nil {
		return whole[h.n:], whole[:h.n] == string(h.text)
	}
	begins := sha256.New()
	for at := 0; at < h.n; at += maxHeard { // without a copy of all of it
		begins.Write([]byte(whole[at:min(at+maxHeard, h.n)]))
	}
	return whole[h.n:], string(begins.Sum(nil)) == string(h.sum.Sum(nil))
}
