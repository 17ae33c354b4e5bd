package faultproxy

import (
	"context"
	"net"
	"sync"
)

// link is one connection: the client's end and the server's.
type link struct {
	client, server *net.TCPConn // server is nil until dialled
	ctx            context.Context
	stop           context.CancelFunc

	mu   sync.Mutex
	shut map[Direction]bool
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
