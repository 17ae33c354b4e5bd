package connections

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
)

// leastBegun is how much of a key's begin at the end of a piece of text has it wait for
// the next piece, in bytes: what a word ends with by chance goes on at once.
const leastBegun = 3

// maxEvent is the largest event that is looked into, in bytes; theirs have some hundred.
const maxEvent = 1 << 20

// texts are the fields of events that hold a piece of a longer text, as the protocols of
// chat completions and of messages name them.
var texts = []string{"content", "reasoning_content", "reasoning", "refusal", "text", "thinking", "arguments", "partial_json"}

// pieces takes a key out of the texts of a stream of events, where it comes in the pieces
// of several events. An event goes on when it is whole; a text's end that may be the
// begin of the key goes on with its next piece, or before the first event without one.
type pieces struct {
	io.Closer
	in    *bufio.Reader
	forms forms
	held  map[string]piece // by the text's place
	event []byte           // what has come of an event
	out   []byte           // is to be read
	err   error            // of in, for when all is read
}

// piece is the end of a text that may be the begin of the key: what of it has gone on,
// what waits, and the event that it came in.
type piece struct {
	told, text string
	event      []byte
}

// join puts a piece of text behind the one before, and tells what goes on.
func (f forms) join(before piece, text string) (told string, end piece) {
	all := string(f.hide([]byte(before.told + before.text + text)))
	told = strings.TrimPrefix(all, before.told) // all of it where that was the key's begin
	n := f.begun([]byte(all), 1)
	end.told = all[len(all)-n:]
	if n < leastBegun {
		return told, end
	}
	waits := min(n, len(told))
	end.told, end.text = end.told[:n-waits], end.told[n-waits:]
	return told[:len(told)-waits], end
}

func newPieces(in io.ReadCloser, key Key) *pieces {
	return &pieces{Closer: in, in: bufio.NewReader(in), forms: formsOf(key), held: map[string]piece{}}
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.out) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		line, err := p.in.ReadSlice('\n')
		p.event = append(p.event, line...)
		full := err == bufio.ErrBufferFull
		switch end := len(bytes.TrimRight(line, "\r\n")) == 0; {
		case err != nil && !full:
			p.out, p.err = p.last(), err
		case end && !full:
			p.out, p.event = p.take(p.event), nil
		case len(p.event) >= maxEvent: // it is none that a server of models sends
			p.out, p.event = p.event, nil
		}
	}
	n := copy(b, p.out)
	p.out = p.out[n:]
	return n, nil
}

// last gives what there is when the stream ends.
func (p *pieces) last() []byte {
	out := p.take(p.event)
	p.event = nil
	return append(out, p.release(nil)...)
}

// take gives a whole event without the key, behind what waited and does not go on in it.
func (p *pieces) take(event []byte) []byte {
	body, has := dataOf(event)
	switch {
	case !has: // a comment, which comes at any time
		return event
	case body == nil: // "[DONE]", or none of theirs
		return append(p.release(nil), event...)
	}
	var there []string
	changed := false
	eachText(body, func(place, text string) string {
		there = append(there, place)
		told, held := p.forms.join(p.held[place], text)
		held.event = bytes.Clone(event)
		p.held[place] = held
		changed = changed || told != text
		return told
	})
	before := p.release(there)
	if !changed {
		return append(before, event...)
	}
	return append(before, withData(event, body)...)
}

// release gives events with what waits, of texts that are not there.
func (p *pieces) release(there []string) (out []byte) {
	for place, held := range p.held {
		if held.text == "" || slices.Contains(there, place) {
			continue
		}
		delete(p.held, place)
		body, _ := dataOf(held.event) // it was read before
		eachText(body, func(at, _ string) string {
			if at == place {
				return held.text
			}
			return ""
		})
		out = append(out, withData(held.event, body)...)
	}
	return out
}

// dataOf reads the JSON object of an event's data; nil is none. It tells whether the
// event has data at all.
func dataOf(event []byte) (body map[string]any, has bool) {
	for line := range bytes.Lines(event) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		if dec.Decode(&body) != nil {
			body = nil
		}
		return body, true
	}
	return nil, false
}

// withData gives an event with other data.
func withData(event []byte, body map[string]any) []byte {
	data, err := json.Marshal(body)
	if err != nil { // it was JSON
		return event
	}
	var out []byte
	for line := range bytes.Lines(event) {
		if bytes.HasPrefix(line, []byte("data:")) {
			line = slices.Concat([]byte("data: "), data, []byte("\n"))
		}
		out = append(out, line...)
	}
	return out
}

// eachText has change say what each piece of text becomes. A text's place is where it
// stands in the event, and the index that the protocol numbers it by.
func eachText(body map[string]any, change func(place, text string) string) {
	var walk func(v any, place string)
	walk = func(v any, place string) {
		switch v := v.(type) {
		case []any:
			for i := range v {
				walk(v[i], place+"/"+strconv.Itoa(i))
			}
		case map[string]any:
			if n, ok := v["index"].(json.Number); ok {
				place += "#" + n.String()
			}
			for name, field := range v {
				if text, ok := field.(string); ok && slices.Contains(texts, name) {
					v[name] = change(place+"/"+name, text)
				} else if !ok {
					walk(field, place+"/"+name)
				}
			}
		}
	}
	walk(body, "")
}
