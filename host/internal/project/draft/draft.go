// Package draft reads the text of a file out of a tool call's arguments while the
// model is still writing them. It is pure.
package draft

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxTail is how many characters of the newest text are kept.
const maxTail = 400

// texts are the arguments that hold a file's text, of the tools write and edit.
var texts = map[string]bool{"content": true, "new_string": true}

// Draft is a text that is being written. The zero value is ready; it takes the
// arguments as they come, in pieces of any size.
type Draft struct {
	size  int // bytes of the text so far
	lines int
	tail  []rune

	depth   int    // of objects and lists; what counts stands at 1
	isValue bool   // a colon came: what follows is the value of key
	key     string // the newest key at depth 1
	word    strings.Builder
	in      bool // inside a string
	text    bool // whose characters are the file's text
	escape  []byte
	high    rune   // the first half of a surrogate pair
	partial []byte // of a character of several bytes
}

// Size is the text's length so far, in bytes.
func (d *Draft) Size() int { return d.size }

// Lines is how many lines it has so far; one that is not ended counts.
func (d *Draft) Lines() int { return d.lines }

// Tail is its newest characters, at most 400.
func (d *Draft) Tail() string { return string(d.tail[max(0, len(d.tail)-maxTail):]) }

// Begun tells whether anything of a text was there.
func (d *Draft) Begun() bool { return d.size > 0 }

// Write takes the next piece of the arguments. What is no JSON shows nothing.
func (d *Draft) Write(piece string) {
	for i := range len(piece) {
		d.step(piece[i])
	}
}

func (d *Draft) step(c byte) {
	switch {
	case d.in:
		d.inside(c)
	case c == '"':
		d.in, d.text = true, d.depth == 1 && d.isValue && texts[d.key]
		d.word.Reset()
	case c == '{' || c == '[':
		d.depth++
	case c == '}' || c == ']':
		d.depth--
	case c == ':' && d.depth == 1:
		d.isValue = true
	case c == ',' && d.depth == 1:
		d.isValue = false
	}
}

// inside takes a byte of a string.
func (d *Draft) inside(c byte) {
	switch {
	case len(d.escape) > 0:
		d.escaped(c)
	case c == '\\':
		d.escape = append(d.escape, c)
	case c == '"':
		d.half()
		d.in = false
		if d.depth == 1 && !d.isValue {
			d.key = d.word.String()
		}
	default:
		d.half()
		d.partial = append(d.partial, c)
		if r, _ := utf8.DecodeRune(d.partial); r != utf8.RuneError || len(d.partial) == utf8.UTFMax {
			d.add(r)
			d.partial = d.partial[:0]
		}
	}
}

// escaped takes a byte behind a backslash.
func (d *Draft) escaped(c byte) {
	const simple, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	d.escape = append(d.escape, c)
	if d.escape[1] != 'u' {
		d.half()
		if i := strings.IndexByte(simple, c); i >= 0 {
			d.add(rune(means[i]))
		}
		d.escape = d.escape[:0]
		return
	}
	if len(d.escape) < len(`\u0000`) {
		return
	}
	r := rune(0)
	for _, c := range d.escape[2:] {
		r = r<<4 | rune(strings.IndexByte("0123456789abcdef", c|0x20)&0xF)
	}
	d.escape = d.escape[:0]
	switch {
	case d.high != 0 && utf16.DecodeRune(d.high, r) != utf8.RuneError:
		d.add(utf16.DecodeRune(d.high, r))
		d.high = 0
	case utf16.IsSurrogate(r) && r < 0xDC00:
		d.half()
		d.high = r
	default:
		d.half()
		d.add(r)
	}
}

// half shows a first half that no second one follows, as encoding/json does.
func (d *Draft) half() {
	if d.high != 0 {
		d.high = 0
		d.add(utf8.RuneError)
	}
}

func (d *Draft) add(r rune) {
	if utf16.IsSurrogate(r) {
		r = utf8.RuneError
	}
	if !d.text {
		if !d.isValue && d.word.Len() < 64 {
			d.word.WriteRune(r)
		}
		return
	}
	if d.size == 0 || d.tail[len(d.tail)-1] == '\n' {
		d.lines++
	}
	d.size += utf8.RuneLen(r)
	if d.tail = append(d.tail, r); len(d.tail) > 2*maxTail {
		d.tail = append(d.tail[:0], d.tail[len(d.tail)-maxTail:]...)
	}
}
