package direct

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParser(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     []Event
	}{
		{"one", "data: a\n\n", []Event{{"", "a"}}},
		{"a name, no blank after the colon", "event:x\ndata:a\n\n", []Event{{"x", "a"}}},
		{"CR and CRLF", "data: a\r\rdata: b\r\n\r\ndata: c\n\n", []Event{{"", "a"}, {"", "b"}, {"", "c"}}},
		{"lines of data", "data: a\ndata\ndata:  b\n\n", []Event{{"", "a\n\n b"}}},
		{"comments, ids, retries, what nobody knows", ": x\nid: 1\nretry: 3\nfoo: bar\nfoo\ndata: a\n:\n\n", []Event{{"", "a"}}},
		{"a byte order mark at the start alone", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n", []Event{{"", "a"}}},
		{"a name without data is no event, and names no later one", "event: x\n\ndata: a\n\n", []Event{{"", "a"}}},
		{"an event that is not ended", "data: a\n\ndata: b\n", []Event{{"", "a"}}},
		{"empty data", "data:\n\n", []Event{{"", ""}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for cut := range len(tt.in) + 1 {
				var p Parser
				var got []Event
				for _, part := range []string{tt.in[:cut], tt.in[cut:]} {
					events, err := p.Feed([]byte(part))
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, events...)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
				}
			}
		})
	}
}

// A server can make the host hold no more than an event's worth; comments alone never
// count.
func TestParserIsBounded(t *testing.T) {
	var p Parser
	comment := []byte(": " + strings.Repeat("x", 1000) + "\n")
	for range 3 * MaxEvent / len(comment) {
		if events, err := p.Feed(comment); err != nil || events != nil {
			t.Fatal(events, err)
		}
	}
	events, err := p.Feed([]byte("data: a\n\ndata: " + strings.Repeat("x", MaxEvent)))
	if !errors.Is(err, ErrTooLong) || len(events) != 1 {
		t.Errorf("%d events, %v", len(events), err)
	}
	p = Parser{}
	for range MaxEvent {
		if _, err = p.Feed([]byte("data: x\n")); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("many lines: %v", err)
	}
}
