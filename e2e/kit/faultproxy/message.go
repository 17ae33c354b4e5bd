package faultproxy

import "bytes"

// splitter cuts one way of a WebSocket connection into its frames (RFC 6455 §5.2),
// so that whole messages can be doubled or swapped. The Harness and the host send a
// message in one frame. What is no WebSocket goes through as it comes.
type splitter struct {
	state int
	buf   []byte
}

// States of a splitter.
const (
	handshake = iota // until the blank line of the HTTP head
	framed
	plain
)

// take gives what is whole by now: the head, frames, or the data as it came.
func (s *splitter) take(data []byte) (pieces [][]byte) {
	s.buf = append(s.buf, data...)
	if s.state == handshake {
		end := bytes.Index(s.buf, []byte("\r\n\r\n"))
		if end < 0 {
			return nil
		}
		head := s.buf[:end+4]
		if s.state = plain; bytes.Contains(bytes.ToLower(head), []byte("\r\nupgrade: websocket\r\n")) {
			s.state = framed
			pieces, s.buf = append(pieces, bytes.Clone(head)), s.buf[end+4:]
		}
	}
	if s.state == plain {
		pieces, s.buf = append(pieces, bytes.Clone(s.buf)), nil
		return pieces
	}
	for {
		size := frameSize(s.buf)
		if size == 0 || size > len(s.buf) {
			return pieces
		}
		pieces, s.buf = append(pieces, bytes.Clone(s.buf[:size])), s.buf[size:]
	}
}

// isMessage tells whether a piece is a message, not the head or a ping.
func (s *splitter) isMessage(piece []byte) bool {
	return s.state == framed && (piece[0]&0x0F == 1 || piece[0]&0x0F == 2) && piece[0]&0x80 != 0
}

// frameSize is the length of the frame that b begins with; 0 while its head is not
// whole.
func frameSize(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	head, size := 2, int(b[1]&0x7F)
	wide := map[int]int{126: 2, 127: 8}[size]
	if len(b) < head+wide {
		return 0
	}
	if wide > 0 {
		size = 0
		for _, c := range b[head : head+wide] {
			size = size<<8 | int(c)
		}
	}
	if head += wide; b[1]&0x80 != 0 { // the mask's key
		head += 4
	}
	return head + size
}
