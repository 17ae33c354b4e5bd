package connections

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const events = "text/event-stream; charset=utf-8"

// completion is an event of chat completions with a piece of a field.
func completion(field, text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"delta\":{%q:%q},\"index\":0}]}\n\n", field, text)
}

// message is one of messages.
func message(text string) string {
	return fmt.Sprintf("event: content_block_delta\ndata: {\"delta\":{\"text\":%q,\"type\":\"text_delta\"},\"index\":1,\"type\":\"content_block_delta\"}\n\n", text)
}

// argument is one with pieces of the arguments of two calls.
func argument(first, second string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":%q},\"index\":0},{\"function\":{\"arguments\":%q},\"index\":1}]},\"index\":0}]}\n\n", first, second)
}

const (
	doneEvent = "data: [DONE]\n\n"
	noText    = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"index\":0}]}\n\n"
)

// TestPieces: a key that comes in pieces does not go on; whatever else comes goes on as
// it is, and nothing of it is lost.
func TestPieces(t *testing.T) {
	first, second := secret[:9], secret[9:]
	for name, tt := range map[string]struct{ in, want []string }{
		"in two": {[]string{completion("content", "it is "+first), completion("content", second+", yes"), noText, doneEvent},
			[]string{completion("content", "it is "), completion("content", "[key], yes"), noText, doneEvent}},
		"by two bytes": {[]string{completion("content", secret[:2]), completion("content", secret[2:4]), completion("content", secret[4:]), noText},
			[]string{completion("content", secret[:2]), completion("content", ""), completion("content", "[key]"), noText}},
		"begun alone": {[]string{completion("content", "it is "+first), noText, doneEvent},
			[]string{completion("content", "it is "), completion("content", first), noText, doneEvent}},
		"at the end":     {[]string{message("it is " + first)}, []string{message("it is "), message(first)}},
		"before the end": {[]string{message(first), doneEvent}, []string{message(""), message(first), doneEvent}},
		"over a comment": {[]string{message(first), ": still there\n\n", message(second)}, []string{message(""), ": still there\n\n", message("[key]")}},
		"two calls": {[]string{argument(first, second), argument(second, first), argument("x", second)},
			[]string{argument("", second), argument("[key]", ""), argument("x", "[key]")}},
		"two fields": {[]string{completion("content", first), completion("reasoning_content", second), noText},
			[]string{completion("content", ""), completion("content", first), completion("reasoning_content", second), noText}},
		"another word": {[]string{completion("content", first), completion("content", "-mirror"), noText},
			[]string{completion("content", ""), completion("content", first+"-mirror"), noText}},
		"none": {[]string{completion("content", "its desks"), "data: {not JSON\n\n", "event: ping\r\ndata: {}\r\n\r\n", doneEvent},
			[]string{completion("content", "its desks"), "data: {not JSON\n\n", "event: ping\r\ndata: {}\r\n\r\n", doneEvent}},
	} {
		for how, reader := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "by the byte": iotest.OneByteReader} {
			got, err := streamed(newKey(secret), events, reader(strings.NewReader(strings.Join(tt.in, ""))))
			if diff := cmp.Diff(strings.Join(tt.want, ""), string(got)); diff != "" || err != nil {
				t.Errorf("%s, %s: %v (-want +got):\n%s", name, how, err, diff)
			}
		}
	}
}

// An event that holds nothing of a key goes on before the next one comes.
func TestPiecesHoldNoEventBack(t *testing.T) {
	r, w := io.Pipe()
	p := newPieces(r, newKey(secret))
	buf := make([]byte, 4096)
	for _, event := range []string{completion("content", "tasks"), message("a b"), ": \n\n", noText, doneEvent} {
		go func() { _, _ = w.Write([]byte(event)) }()
		if n, err := p.Read(buf); err != nil || string(buf[:n]) != event {
			t.Errorf("%q came as %q, %v", event, buf[:n], err)
		}
	}
}

// What is no event of a model goes on in spite of its size.
func TestPiecesOfLargeEvents(t *testing.T) {
	for name, begin := range map[string]string{
		"a long line": "data: {\"x\":\"" + strings.Repeat("y", maxEvent+5000) + "\"}\n\n", "many lines": strings.Repeat("data: {}\n", maxEvent/4), "no line": strings.Repeat("y", 3*maxEvent),
	} {
		in := begin + completion("content", "z")
		r, w := io.Pipe()
		go func() { _, _ = io.WriteString(w, in) }() // and the stream stays open
		res := &http.Response{Header: http.Header{"Content-Type": {events}}, Body: r}
		newKey(secret).Filter(res)
		got := make([]byte, maxEvent)
		if _, err := io.ReadFull(res.Body, got); err != nil || string(got) != in[:maxEvent] {
			t.Errorf("%s: it does not go on: %v", name, err)
		}
		_ = r.Close()
		if got, err := streamed(newKey(secret), events, strings.NewReader(in)); err != nil || string(got) != in {
			t.Errorf("%s: %d bytes became %d, %v", name, len(in), len(got), err)
		}
	}
}

// FuzzPieces: wherever a text with the key is cut, what goes on is the text without it.
func FuzzPieces(f *testing.F) {
	f.Add("it is "+secret+", yes", uint8(8), uint8(20), uint8(21))
	f.Fuzz(func(t *testing.T, text string, a, b, c uint8) {
		text = strings.ToValidUTF8(text, "?")
		runes := []rune(text)
		cuts := []int{0, min(int(a), len(runes)), min(int(b), len(runes)), min(int(c), len(runes)), len(runes)}
		slices.Sort(cuts)
		var in strings.Builder
		for i := range cuts[:len(cuts)-1] {
			data, err := json.Marshal(string(runes[cuts[i]:cuts[i+1]]))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&in, "data: {\"content\":%s}\n\n", data)
		}
		got, err := streamed(newKey(secret), events, strings.NewReader(in.String()))
		if err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for line := range bytes.Lines(got) {
			var body struct{ Content string }
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
				if err := json.Unmarshal(data, &body); err != nil {
					t.Fatalf("%v in %s", err, line)
				}
				all.WriteString(body.Content)
			}
		}
		if strings.Contains(all.String(), secret) {
			t.Errorf("%q became %q", text, all.String())
		}
		if all.String() != text && newKey(secret).Redact(text) == text {
			t.Errorf("%q became %q", text, all.String())
		}
	})
}
