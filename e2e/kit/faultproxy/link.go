package faultproxy

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// link is one connection: the client's end and the server's.
type link struct {
	client, server *net.TCPConn // server is nil until dialled
	ctx            context.Context
	stop           context.CancelFunc

	mu   sync.Mutex
	shut map[Direction]bool
	left map[Direction]int // bytes that may still be sent before the reset
}

var errCut = errors.New("the fault proxy cut it")

// send writes data, or as much of it as may still go through before a reset.
func (l *link) send(way Direction, to *net.TCPConn, data []byte, pace time.Duration) error {
	l.mu.Lock()
	left, limited := l.left[way]
	cut := limited && left <= len(data)
	switch {
	case cut:
		data = data[:left]
	case limited:
		l.left[way] = left - len(data)
	}
	l.mu.Unlock()
	step := len(data)
	if pace > 0 {
		step = 1
	}
	for len(data) > 0 {
		if pace > 0 {
			select {
			case <-time.After(pace):
			case <-l.ctx.Done():
				return l.ctx.Err()
			}
		}
		if _, err := to.Write(data[:step]); err != nil {
			return err
		}
		data = data[step:]
	}
	if cut {
		return errCut
	}
	return nil
}

// reset closes both ends so that the peers see a reset.
func (l *link) reset() {
	l.stop()
	for _, c := range []*net.TCPConn{l.client, l.server} {
		if c != nil {
			_ = c.SetLinger(0) // of a closed one it fails, and that is what we want
			c.Close()
		}
	}
}

func (l *link) halfClose(way Direction) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.shut == nil {
		l.shut = map[Direction]bool{}
	}
	if l.shut[way] {
		return
	}
	l.shut[way] = true
	to := l.server
	if way == ToClient {
		to = l.client
	}
	_ = to.CloseWrite() // of a closed one it fails, and that is what we want
}

// closed tells whether a direction was half-closed, by a peer or by the test.
func (l *link) closed(way Direction) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shut[way]
}
