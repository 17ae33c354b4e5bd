// Package script tells of small programs handed to sed, awk and jq whether they
// surely only print: each by an exact grammar of its harmless part. A construct
// that is not in the grammar is refused, whatever it does. Where programs of the
// same name read a text in different ways (a delimiter inside brackets, say), it
// is refused as well.
package script

import (
	"strconv"
	"strings"
)

// maxNumber is how many digits a number may have: a range, a width or a count
// of more would keep a program busy.
const maxNumber = 6

// maxTokens is how long a script may be: longer ones are programs, and looking at
// how their variables hang together takes time.
const maxTokens = 1500

// maxRepeats is how many copies of a part of a regular expression its counts may
// ask for: most programs write them all out first, and a million take gigabytes.
const maxRepeats = 100_000

// Mild tells whether the counts in a regular expression ({3}, {1,99}), taken as if
// each stood inside the next, ask for no more than maxRepeats copies.
func Mild(regex string) bool {
	copies := 1
	for rest := regex; ; {
		_, after, open := strings.Cut(rest, "{")
		if !open {
			return true
		}
		rest = after
		counts := after[:len(after)-len(strings.TrimLeft(after, digits+","))]
		most := 1
		for count := range strings.SplitSeq(counts, ",") {
			if len(count) > maxNumber {
				return false
			}
			n, _ := strconv.Atoi(count) // an empty one is no number
			most = max(most, n)
		}
		if copies *= most; copies > maxRepeats {
			return false
		}
	}
}

// reader walks a script.
type reader struct {
	src string
	pos int
}

func (r *reader) peek() byte {
	if r.pos >= len(r.src) {
		return 0
	}
	return r.src[r.pos]
}

// take takes a text if it stands next.
func (r *reader) take(s string) bool {
	if !strings.HasPrefix(r.src[r.pos:], s) {
		return false
	}
	r.pos += len(s)
	return true
}

// run takes all next characters that are in a set.
func (r *reader) run(set string) string {
	rest := r.src[r.pos:]
	n := len(rest) - len(strings.TrimLeft(rest, set))
	r.pos += n
	return rest[:n]
}

// done tells whether all was read.
func (r *reader) done() bool { return r.pos >= len(r.src) }

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)

// regex reads a regular expression up to its closing delimiter, which some
// programs look for inside brackets and others don't: there it must not stand.
func (r *reader) regex(delimiter byte) bool {
	for !r.done() {
		c := r.peek()
		r.pos++
		switch c {
		case delimiter:
			return true
		case '\n':
			return false
		case '\\':
			if r.done() || r.peek() == '\n' {
				return false
			}
			r.pos++
		case '[':
			if !r.bracket(delimiter) {
				return false
			}
		}
	}
	return false
}

// bracket reads the rest of a bracket expression that every program reads alike.
func (r *reader) bracket(delimiter byte) bool {
	r.take("^")
	r.take("]")
	for !r.done() {
		c := r.peek()
		r.pos++
		switch {
		case c == ']':
			return true
		case c == delimiter, c == '\n':
			return false
		case c == '[':
			if r.take(":") {
				if r.run(letters); !r.take(":]") {
					return false
				}
			} else {
				return false
			}
		case c == '\\':
			if next := r.peek(); next == 0 || next == delimiter || strings.IndexByte("][\\\n", next) >= 0 {
				return false
			}
			r.pos++
		}
	}
	return false
}
