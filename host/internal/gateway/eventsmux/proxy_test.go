package eventsmux_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands in front of a Harness and cuts each events.mux connection after
// some kilobytes, in the middle of whatever is under way.
type proxy struct {
	listener net.Listener
	target   string
	wg       sync.WaitGroup

	mu     sync.Mutex
	rand   *rand.Rand
	open   map[net.Conn]struct{} // by client connection
	cuts   int
	closed bool
	spare  bool // no more cuts
	held   bool // new connections are closed at once
}

// newProxy starts one; it ends with the test. The seed is printed.
func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("proxy seed %d", seed)
	p := &proxy{listener: l, target: u.Host, rand: rand.New(rand.NewPCG(seed, 0)), open: map[net.Conn]struct{}{}}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		_ = l.Close()
		p.mu.Lock()
		p.closed = true
		for c := range p.open {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

// URL is where it listens.
func (p *proxy) URL() string { return "http://" + p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.wg.Go(func() { p.serve(c) })
	}
}

func (p *proxy) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	first := make([]byte, 64<<10)
	n, err := client.Read(first)
	if err != nil {
		return
	}
	mux := bytes.HasPrefix(first[:n], []byte("GET /api/events.mux "))
	if !p.begin(client) {
		return
	}
	defer p.end(client)
	if _, err := server.Write(first[:n]); err != nil {
		return
	}
	p.wg.Go(func() {
		_, _ = io.Copy(server, client)
		_ = server.Close()
	})
	p.down(client, server, mux)
}

// down carries what the Harness sends, up to the cut.
func (p *proxy) down(client, server net.Conn, mux bool) {
	p.mu.Lock()
	left := 4<<10 + p.rand.IntN(8<<10)
	p.mu.Unlock()
	buf := make([]byte, 1500)
	for {
		n, err := server.Read(buf)
		if err != nil {
			return
		}
		p.mu.Lock()
		cut := mux && !p.spare && n >= left
		p.mu.Unlock()
		if cut {
			n = left
		}
		if _, err := client.Write(buf[:n]); err != nil {
			return
		}
		left -= n
		if cut {
			p.mu.Lock()
			p.cuts++
			p.mu.Unlock()
			if tcp, ok := client.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // a reset, not an end
			}
			return
		}
		left = max(left, 1)
	}
}

func (p *proxy) begin(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.held {
		return false
	}
	p.open[c] = struct{}{}
	return true
}

func (p *proxy) end(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, c)
}

// cutSoFar counts the cuts.
func (p *proxy) cutSoFar() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// spareAll lets what comes from now on pass whole.
func (p *proxy) spareAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = true
}

// cutAll cuts what is open.
func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.open {
		_ = c.Close()
	}
}

// hold keeps clients out until release.
func (p *proxy) hold() { p.setHeld(true) }

func (p *proxy) release() { p.setHeld(false) }

func (p *proxy) setHeld(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = on
}
