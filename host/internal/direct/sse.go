package direct

import (
	"bytes"
	"errors"
	"strings"
)

// MaxEvent is the largest server-sent event that is read, in bytes: far more than a
// piece of an answer, and less than what would hurt.
const MaxEvent = 1 << 20

// ErrTooLong says that an event is larger than MaxEvent.
var ErrTooLong = errors.New("the server sent an event that is too long")

// Event is one server-sent event.
type Event struct {
	Name string // of its event field, "" where it has none
	Data string // its data fields, joined by newlines
}

// Parser reads a stream of server-sent events as the WHATWG HTML standard has it,
// in pieces cut anywhere. The zero value is ready. It does no I/O.
type Parser struct {
	line    []byte // begun and not ended
	begun   bool   // the first line was read: a byte order mark is no longer one
	skipLF  bool   // the last byte was CR
	name    string
	data    strings.Builder
	hasData bool
	size    int // of the event so far
}

// Feed takes the next bytes and gives the events that they end. After ErrTooLong the
// stream is of no use; the events before it are given all the same.
func (p *Parser) Feed(b []byte) ([]Event, error) {
	var out []Event
	for len(b) > 0 {
		if p.skipLF {
			p.skipLF = false
			if b[0] == '\n' {
				b = b[1:]
				continue
			}
		}
		end := bytes.IndexAny(b, "\r\n")
		rest := b[:max(0, end)]
		if end < 0 {
			rest = b
		}
		if p.size += len(rest); p.size > MaxEvent {
			return out, ErrTooLong
		}
		p.line = append(p.line, rest...)
		if end < 0 {
			return out, nil
		}
		p.skipLF = b[end] == '\r'
		b = b[end+1:]
		if e, ok := p.ended(); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

var mark = []byte("\xef\xbb\xbf")

// ended takes in the line that has just ended. An empty one ends the event.
func (p *Parser) ended() (Event, bool) {
	line := p.line
	if !p.begun {
		line = bytes.TrimPrefix(line, mark)
		p.begun = true
	}
	p.line = p.line[:0]
	if len(line) == 0 {
		e, ok := Event{Name: p.name, Data: p.data.String()}, p.hasData
		p.name, p.hasData, p.size = "", false, 0
		p.data.Reset()
		return e, ok
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(field) {
	case "event":
		p.name = string(value)
	case "data":
		if p.hasData {
			p.data.WriteByte('\n')
		}
		p.hasData = true
		p.data.Write(value)
	case "": // a comment keeps the connection awake and is no part of an event
		p.size -= len(line)
	}
	return Event{}, false
}
