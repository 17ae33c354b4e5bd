package gatewaytest

import (
	"net"
	"sync"
)

// Fault is what is wrong with a Network's connections, those that stand and those to
// come.
type Fault int

// The faults.
const (
	None      Fault = iota
	Stalled         // the server reads nothing
	Blackhole       // nothing arrives, in either direction, and nobody is told
)

// Break makes the fault, or with None repairs it: what a stalled server has not read
// is read then, what a black hole has swallowed is lost.
func (n *Network) Break(f Fault) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.fault = f
	if n.repaired != nil {
		close(n.repaired)
	}
	n.repaired = make(chan struct{})
}

// broken gives the fault, and a channel that is closed at the next change.
func (n *Network) broken() (Fault, <-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.repaired == nil {
		n.repaired = make(chan struct{})
	}
	return n.fault, n.repaired
}

// faulty is the server's end of a connection.
type faulty struct {
	net.Conn
	net  *Network
	once sync.Once
	gone chan struct{}
}

// Read waits while the server is stalled, and gives nothing of what comes while the
// network is a black hole.
func (c *faulty) Read(p []byte) (int, error) {
	for {
		f, changed := c.net.broken()
		if f != Stalled {
			n, err := c.Conn.Read(p)
			if now, _ := c.net.broken(); now != Blackhole || err != nil {
				return n, err
			}
			continue
		}
		select {
		case <-changed:
		case <-c.gone:
			return 0, net.ErrClosed
		}
	}
}

// Write is swallowed by a black hole.
func (c *faulty) Write(p []byte) (int, error) {
	if f, _ := c.net.broken(); f == Blackhole {
		return len(p), nil
	}
	return c.Conn.Write(p)
}

// Close is not noticed at the other end of a black hole.
func (c *faulty) Close() error {
	c.once.Do(func() { close(c.gone) })
	if f, _ := c.net.broken(); f == Blackhole {
		return nil
	}
	return c.Conn.Close()
}
