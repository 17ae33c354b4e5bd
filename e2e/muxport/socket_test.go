package muxport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// WebSocket opcodes (RFC 6455 §5.2).
const (
	opText   = 1
	opBinary = 2
	opClose  = 8
	opPing   = 9
	opPong   = 10
)

// socket is a WebSocket client that answers pings, unless it is deaf.
type socket struct {
	conn net.Conn
	in   *bufio.Reader
	deaf bool

	mu       sync.Mutex // also of writes
	messages [][]byte
	err      error
	changed  *sync.Cond
	done     chan struct{}
}

// dial opens path with the headers given. A refusal is its status line; a
// connection that is dropped unanswered is io.EOF.
func dial(ctx context.Context, t *testing.T, host, path string, header http.Header, deaf bool) (*socket, error) {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { conn.Close() })
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return nil, err
		}
	}
	header = header.Clone()
	header.Set("Upgrade", "websocket")
	header.Set("Connection", "Upgrade")
	header.Set("Sec-WebSocket-Version", "13")
	header.Set("Sec-WebSocket-Key", base64.StdEncoding.EncodeToString(make([]byte, 16)))
	var head bytes.Buffer
	fmt.Fprintf(&head, "GET %s HTTP/1.1\r\n", path)
	if header.Get("Host") == "" {
		fmt.Fprintf(&head, "Host: %s\r\n", host)
	}
	if err := header.Write(&head); err != nil {
		return nil, err
	}
	head.WriteString("\r\n")
	if _, err := conn.Write(head.Bytes()); err != nil {
		return nil, err
	}
	in := bufio.NewReader(conn)
	if _, err := in.Peek(1); err != nil {
		return nil, err
	}
	res, err := http.ReadResponse(in, nil)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("%s, Connection %s", res.Status, map[bool]string{true: "close", false: "open"}[res.Close])
	}
	s := &socket{conn: conn, in: in, deaf: deaf, done: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go s.pump()
	t.Cleanup(func() {
		conn.Close()
		<-s.done
	})
	return s, nil
}

// pump reads until the connection ends, so that pings are answered whatever the
// test waits for.
func (s *socket) pump() {
	defer close(s.done)
	for {
		message, err := s.receive()
		s.mu.Lock()
		if s.err = err; err == nil {
			s.messages = append(s.messages, message)
		}
		s.mu.Unlock()
		s.changed.Broadcast()
		if err != nil {
			return
		}
	}
}

// read gives the next text message. A close frame is a closed.
func (s *socket) read() ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.messages) == 0 && s.err == nil {
		s.changed.Wait()
	}
	if len(s.messages) == 0 {
		return nil, s.err
	}
	message := s.messages[0]
	s.messages = s.messages[1:]
	return message, nil
}

// write sends one frame, masked as a client must.
func (s *socket) write(op byte, payload []byte) error {
	frame := []byte{0x80 | op}
	switch n := len(payload); {
	case n < 126:
		frame = append(frame, 0x80|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, 0x80|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, 0x80|127), uint64(n))
	}
	frame = append(append(frame, 0, 0, 0, 0), payload...) // the mask of zeros changes nothing
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.conn.Write(frame)
	return err
}

// closed is the code of a close frame.
type closed uint16

func (c closed) Error() string { return fmt.Sprintf("closed with %d", uint16(c)) }

// receive gives the next text message from the connection.
func (s *socket) receive() ([]byte, error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(s.in, head[:]); err != nil {
			return nil, err
		}
		size := uint64(head[1])
		switch size {
		case 126:
			var n [2]byte
			if _, err := io.ReadFull(s.in, n[:]); err != nil {
				return nil, err
			}
			size = uint64(binary.BigEndian.Uint16(n[:]))
		case 127:
			var n [8]byte
			if _, err := io.ReadFull(s.in, n[:]); err != nil {
				return nil, err
			}
			size = binary.BigEndian.Uint64(n[:])
		}
		payload := make([]byte, size)
		if _, err := io.ReadFull(s.in, payload); err != nil {
			return nil, err
		}
		switch head[0] {
		case 0x80 | opText:
			return payload, nil
		case 0x80 | opClose:
			return nil, closed(binary.BigEndian.Uint16(payload))
		case 0x80 | opPing:
			if !s.deaf {
				if err := s.write(opPong, payload); err != nil {
					return nil, err
				}
			}
		default:
			return nil, fmt.Errorf("a frame that begins with %x", head)
		}
	}
}

// frame is what the port sends.
type frame struct {
	Type     string          `json:"type"`
	StreamID string          `json:"streamId"`
	Value    json.RawMessage `json:"value"`
	Error    *refusal        `json:"error"`
}

type refusal struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func (r *refusal) Error() string { return r.Code + ": " + r.Message }
