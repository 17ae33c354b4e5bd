// Package gatewaytest is what the tests of both wires use.
package gatewaytest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// Network is a listener whose connections are pipes, so that a test in a synctest
// bubble waits for nothing outside of it.
type Network struct {
	conns chan net.Conn

	mu     sync.Mutex
	closed chan struct{}
	refuse bool
	dials  []time.Time

	fault    Fault
	repaired chan struct{} // closed when the fault changes
}

// NewNetwork gives one that takes dials.
func NewNetwork() *Network {
	return &Network{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept implements net.Listener.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *Network) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	select {
	case <-n.closed:
	default:
		close(n.closed)
	}
	return nil
}

// Addr implements net.Listener.
func (n *Network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Refuse answers dials with an error while it is on.
func (n *Network) Refuse(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = on
}

// Dials tells when connections were tried.
func (n *Network) Dials() []time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]time.Time(nil), n.dials...)
}

// ErrRefused is the error of a dial that is refused.
var ErrRefused = errors.New("connection refused")

// Dial is a DialContext to the listener, whatever the address.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.mu.Lock()
	n.dials = append(n.dials, time.Now())
	refuse := n.refuse
	n.mu.Unlock()
	if refuse {
		return nil, ErrRefused
	}
	ours, theirs := net.Pipe()
	select {
	case n.conns <- &faulty{Conn: theirs, net: n, gone: make(chan struct{})}:
		return ours, nil
	case <-n.closed:
		return nil, ErrRefused
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Serve runs a double on the network and gives what stops it.
func (n *Network) Serve(h http.Handler) (stop func()) {
	srv := &http.Server{Handler: h}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(n)
	}()
	return func() {
		_ = srv.Close()
		<-ended
	}
}
