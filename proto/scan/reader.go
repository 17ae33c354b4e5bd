// Package scan reads and writes JSON of a known shape without reflection, for
// the paths where encoding/json is most of the cost. It does less on purpose: a
// Reader gives up on whatever is unusual, and its caller falls back on
// encoding/json. What it does take, it takes as encoding/json would.
package scan

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nested values; deeper ones are left to encoding/json.
const maxDepth = 100

// Reader walks one JSON text. After the first thing that it does not take, every
// method gives zero values and End reports false.
type Reader struct {
	data   []byte
	at     int
	fresh  bool // an object or array was opened and has no element yet
	failed bool
}

// NewReader starts at the beginning of a text.
func NewReader(data []byte) *Reader { return &Reader{data: data} }

// End tells whether all of the text was read and taken.
func (r *Reader) End() bool {
	r.space()
	return !r.failed && r.at == len(r.data)
}

// Fail gives up.
func (r *Reader) Fail() { r.failed = true }

func (r *Reader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// Peek is the first byte of the next value, or 0.
func (r *Reader) Peek() byte {
	r.space()
	if r.failed || r.at == len(r.data) {
		return 0
	}
	return r.data[r.at]
}

func (r *Reader) take(c byte) {
	if r.Peek() != c {
		r.failed = true
		return
	}
	r.at++
}

// Open reads the { or [ that begins a value.
func (r *Reader) Open(c byte) {
	r.take(c)
	r.fresh = true
}

// Begin is Open for a loop that has to know which element is the first.
func (r *Reader) Begin(c byte) bool {
	r.Open(c)
	return true
}

// More tells whether another element follows, and otherwise reads the } or ]
// that ends the value.
func (r *Reader) More(end byte) bool {
	c := r.Peek()
	fresh := r.fresh
	r.fresh = false
	switch {
	case c == 0:
		r.failed = true
	case c == end:
		r.at++
	case fresh:
		return true
	case c == ',':
		r.at++
		if r.Peek() != end {
			return !r.failed
		}
		r.failed = true
	default:
		r.failed = true
	}
	return false
}

// Name reads an object's next member name, which must be written without
// escapes, and the colon behind it. It is good until the text changes.
func (r *Reader) Name() []byte {
	name, plain := r.quoted()
	if !plain {
		r.failed = true
	}
	r.take(':')
	if r.failed {
		return nil
	}
	return name
}

// NameText is Name for names of any form.
func (r *Reader) NameText() string {
	name := r.Text()
	r.take(':')
	return name
}

// Text reads a string.
func (r *Reader) Text() string {
	text, plain := r.quoted()
	if r.failed {
		return ""
	}
	if plain {
		return string(text)
	}
	return r.unescape(text)
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	if r.Peek() == 't' {
		r.word("true")
		return !r.failed
	}
	r.word("false")
	return false
}

// ordinary bytes of a string stand for themselves, or are part of a character.
var ordinary = func() (is [256]bool) {
	for c := ' '; c <= 0xFF; c++ {
		is[c] = c != '"' && c != '\\'
	}
	return is
}()

// allPlain tells whether eight bytes of a string are ASCII that stands for itself:
// none is above 0x7F, below a blank, a quote or a backslash. The sums carry into a
// byte's top bit just where it is one of those (Hacker's Delight, 6-1).
func allPlain(eight uint64) bool {
	const each, top = 0x0101010101010101, 0x8080808080808080
	quote, backslash := eight^'"'*each, eight^'\\'*each
	odd := eight | (eight-' '*each)&^eight | (quote-each)&^quote | (backslash-each)&^backslash
	return odd&top == 0
}

// quoted reads a string and gives what stands between its quotes; plain says
// that it means itself.
func (r *Reader) quoted() (inner []byte, plain bool) {
	r.take('"')
	if r.failed {
		return nil, false
	}
	data, from := r.data, r.at
	plain = true
	var all byte // bits of all bytes
	for i := from; i < len(data); i++ {
		for i+8 < len(data) && allPlain(binary.LittleEndian.Uint64(data[i:])) {
			i += 8
		}
		c := data[i]
		all |= c
		if ordinary[c] {
			continue
		}
		if c == '"' {
			inner, r.at = data[from:i], i+1
			if all >= utf8.RuneSelf && !utf8.Valid(inner) {
				r.failed = true
			}
			return inner, plain
		}
		if c != '\\' || i+1 == len(data) {
			break
		}
		_, size, ok := escape(data[i:])
		if !ok {
			break
		}
		plain = false
		i += size - 1
	}
	r.failed = true
	return nil, false
}

// unescape gives what a string with backslashes means. quoted has read them.
func (r *Reader) unescape(inner []byte) string {
	var out strings.Builder
	out.Grow(len(inner))
	for {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			out.Write(inner)
			return out.String()
		}
		c, size, _ := escape(inner[i:])
		out.Write(inner[:i])
		out.WriteRune(c)
		inner = inner[i+size:]
	}
}

// escape reads the escape that a text begins with and gives its length too.
// Surrogates are left to encoding/json.
func escape(text []byte) (c rune, size int, ok bool) {
	switch text[1] {
	case '"', '\\', '/':
		return rune(text[1]), 2, true
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
		c, ok = hex4(text[2:])
		return c, 6, ok && (c < 0xD800 || c >= 0xE000)
	}
	return 0, 0, false
}

func hex4(digits []byte) (rune, bool) {
	if len(digits) < 4 {
		return 0, false
	}
	var u rune
	for _, c := range digits[:4] {
		switch {
		case c >= '0' && c <= '9':
			u = u<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			u = u<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			u = u<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return u, true
}

// Same reads a string and appends it as AppendText without html would append what
// it means.
func (r *Reader) Same(out []byte) []byte {
	inner, plain := r.quoted()
	switch {
	case r.failed:
		return out
	case sameWritten(inner, plain):
		return append(out, r.data[r.at-len(inner)-2:r.at]...)
	case plain:
		return AppendText(out, string(inner), false)
	}
	return AppendText(out, r.unescape(inner), false)
}

// sameWritten tells whether AppendText would write a string just like this.
func sameWritten(inner []byte, plain bool) bool {
	if bytes.Contains(inner, []byte("\xe2\x80")) { // line separators are among these
		return false
	}
	for !plain {
		i := bytes.IndexByte(inner, '\\')
		if i < 0 {
			break
		}
		switch inner[i+1] {
		case '"', '\\', 'b', 'f', 'n', 'r', 't':
			inner = inner[i+2:]
		default:
			return false
		}
	}
	return true
}

// Raw reads any value and gives it as it is written, without the blanks around it.
func (r *Reader) Raw() []byte {
	r.space()
	from := r.at
	r.skip(maxDepth)
	if r.failed {
		return nil
	}
	return r.data[from:r.at]
}

func (r *Reader) skip(depth int) {
	switch c := r.Peek(); {
	case depth == 0:
		r.failed = true
	case c == '"':
		r.quoted()
	case c == '{':
		for r.Open('{'); r.More('}'); {
			r.quoted()
			r.take(':')
			r.skip(depth - 1)
		}
	case c == '[':
		for r.Open('['); r.More(']'); {
			r.skip(depth - 1)
		}
	case c == 't':
		r.word("true")
	case c == 'f':
		r.word("false")
	case c == 'n':
		r.word("null")
	default:
		r.number()
	}
}

// word reads a literal.
func (r *Reader) word(text string) {
	if end := r.at + len(text); end <= len(r.data) && string(r.data[r.at:end]) == text {
		r.at = end
		return
	}
	r.failed = true
}

// number reads a number.
func (r *Reader) number() {
	if r.next() == '-' {
		r.at++
	}
	switch c := r.next(); {
	case c == '0':
		r.at++
	case c >= '1' && c <= '9':
		r.digits()
	default:
		r.failed = true
	}
	if r.next() == '.' {
		r.at++
		r.digits()
	}
	if c := r.next(); c == 'e' || c == 'E' {
		r.at++
		if c := r.next(); c == '+' || c == '-' {
			r.at++
		}
		r.digits()
	}
}

func (r *Reader) next() byte {
	if r.at == len(r.data) {
		return 0
	}
	return r.data[r.at]
}

// digits reads one digit or more.
func (r *Reader) digits() {
	from := r.at
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	if r.at == from {
		r.failed = true
	}
}
