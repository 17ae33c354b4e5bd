package faultproxy

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const upgrade = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"

// frame is a WebSocket frame of an opcode, masked as a client's.
func frame(opcode byte, text string, masked bool) []byte {
	b := []byte{0x80 | opcode}
	mask := byte(0)
	if masked {
		mask = 0x80
	}
	switch n := len(text); {
	case n < 126:
		b = append(b, mask|byte(n))
	case n < 1<<16:
		b = append(b, mask|126, byte(n>>8), byte(n))
	default:
		b = append(b, mask|127, 0, 0, 0, 0, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	if masked {
		b = append(b, 0, 0, 0, 0)
	}
	return append(b, text...)
}

func TestSplitterGivesWholeFramesHoweverTheyCome(t *testing.T) {
	want := [][]byte{
		[]byte(upgrade), frame(1, "a", false), frame(9, "ping", false), frame(1, strings.Repeat("b", 126), true),
		frame(1, "", false), frame(2, strings.Repeat("c", 70_000), false), frame(8, "\x03\xe8", false),
	}
	all := bytes.Join(want, nil)
	for _, step := range []int{1, 2, 3, 7, 1000, len(all)} {
		var s splitter
		var got [][]byte
		for from := 0; from < len(all); from += step {
			got = append(got, s.take(all[from:min(from+step, len(all))])...)
		}
		if !slices.EqualFunc(want, got, bytes.Equal) || len(s.buf) != 0 {
			t.Fatalf("%d bytes at a time, %d left: %d pieces, not the %d that were sent", step, len(s.buf), len(got), len(want))
		}
		var messages []bool
		for _, piece := range got {
			messages = append(messages, s.isMessage(piece))
		}
		if diff := cmp.Diff([]bool{false, true, false, true, true, true, false}, messages); diff != "" {
			t.Errorf("which are messages: %s", diff)
		}
	}
}

func TestSplitterLeavesOtherDataAlone(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
	var s splitter
	got := bytes.Join(append(s.take([]byte(answer[:10])), append(s.take([]byte(answer[10:]+"\x81")), s.take([]byte("\x05"))...)...), nil)
	if diff := cmp.Diff(answer+"\x81\x05", string(got)); diff != "" || s.isMessage([]byte("\x81\x05")) {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The echo server takes no WebSocket, but says what it hears: here a head and
// messages of a line each.
func TestMessagesAreDoubledAndSwapped(t *testing.T) {
	p, dial := setup(t)
	p.OnMessage(func(way Direction) MessageHook {
		if way == ToServer {
			return nil
		}
		return doubleOrSwap()
	})
	c := dial()
	say(t, c, upgrade+string(frame(1, "once\n", false))+string(frame(1, "twice\n", false))+string(frame(1, "later\n", false))+string(frame(1, "now\n", false)))
	for line := range strings.Lines(upgrade) {
		hear(t, c, line)
	}
	for _, text := range []string{"once\n", "twice\n", "twice\n", "now\n", "later\n"} {
		hear(t, c, string(frame(1, text, false)))
	}
}

func doubleOrSwap() MessageHook {
	var held []byte
	return func(message []byte) [][]byte {
		switch text := string(message[2:]); {
		case text == "twice\n":
			return [][]byte{message, message}
		case text == "later\n":
			held = message
			return nil
		case held != nil:
			return [][]byte{message, held}
		}
		return [][]byte{message}
	}
}

func TestCutInTheMiddle(t *testing.T) {
	p, dial := setup(t)
	c := dial()
	say(t, c, "one\n")
	hear(t, c, "one\n")
	p.CutAfter(ToClient, 7)
	say(t, c, "two\n")
	hear(t, c, "two\n")
	say(t, c, "three\n")
	got := make([]byte, 6)
	n, err := io.ReadFull(c, got)
	if string(got[:n]) != "thr" || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %q, %v", got[:n], err)
	}
}

func TestPaceSendsByteForByte(t *testing.T) {
	p, dial := setup(t)
	c := dial()
	p.Pace(time.Millisecond)
	say(t, c, "slow\n")
	hear(t, c, "slow\n")
	p.Pace(time.Hour) // held up; closing does not wait for it
	say(t, c, "never\n")
	p.Cut()
	if line, err := c.ReadString('\n'); err == nil {
		t.Errorf("got %q", line)
	}
}
