// Package faultproxy stands between two ends on loopback and does to their TCP
// connections what networks do: cuts, half-closes, holds up, swallows, refuses.
package faultproxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Direction is the way a piece of data goes.
type Direction string

// The two ways.
const (
	ToServer Direction = "to the server"
	ToClient Direction = "to the client"
)

// Mode is what happens to connections.
type Mode int

// The modes. A change of mode holds for new connections, Blackhole for old ones too.
const (
	Pass      Mode = iota // data goes through at once
	Refuse                // the connection is reset as soon as it is there
	Blackhole             // data is taken and goes nowhere; nothing is answered or closed
)

// Hook is called with each piece of data before it goes on. It may block: what
// it holds up and what comes after it waits, the other direction does not. Its ctx
// ends with the connection.
type Hook func(ctx context.Context, way Direction, data []byte)

// MessageHook is called with each whole message of one way of one WebSocket before it
// goes on, and gives what goes on in its place: the same twice, or none and two the
// next time.
type MessageHook func(message []byte) [][]byte

// Proxy is a listener whose connections go to one target.
type Proxy struct {
	target string
	listen net.Listener
	ctx    context.Context // of all connections; ended by Close
	stop   context.CancelFunc
	all    sync.WaitGroup

	mu       sync.Mutex
	mode     Mode
	hook     Hook
	messages func(Direction) MessageHook
	pace     time.Duration
	conns    map[*link]bool
}

// New listens on a free port of loopback for connections to target, host:port.
func New(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the fault proxy: %w", err)
	}
	p := &Proxy{target: target, listen: l, conns: map[*link]bool{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.all.Go(p.accept)
	return p, nil
}

// Addr is where to connect to, host:port.
func (p *Proxy) Addr() string { return p.listen.Addr().String() }

// Set changes the mode.
func (p *Proxy) Set(m Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mode = m
}

// OnData sets the hook; nil takes it away.
func (p *Proxy) OnData(h Hook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hook = h
}

// OnMessage makes a hook for whole messages, one for each way of the connections to
// come; a nil hook lets them pass. Data is held until its message is whole.
func (p *Proxy) OnMessage(hook func(Direction) MessageHook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.messages = hook
}

// Pace sends what comes a byte at a time with a pause before each; 0 sends it as it
// comes.
func (p *Proxy) Pace(pause time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pace = pause
}

// CutAfter resets every connection that stands once it has sent so many bytes more
// one way: in the middle of a message, wherever that is.
func (p *Proxy) CutAfter(way Direction, bytes int) {
	for _, l := range p.links() {
		l.mu.Lock()
		if l.left == nil {
			l.left = map[Direction]int{}
		}
		l.left[way] = bytes
		l.mu.Unlock()
	}
}

// Open is the number of connections.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// Cut resets every connection at both ends.
func (p *Proxy) Cut() {
	for _, l := range p.links() {
		l.reset()
	}
}

// HalfClose ends one direction of every connection: its receiver reads an end of
// file, and the other direction goes on.
func (p *Proxy) HalfClose(way Direction) {
	for _, l := range p.links() {
		l.halfClose(way)
	}
}

// Close resets all connections, stops listening and waits for its goroutines.
func (p *Proxy) Close() error {
	err := p.listen.Close()
	p.stop()
	p.Cut()
	p.all.Wait()
	return err
}

func (p *Proxy) links() []*link {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*link
	for l := range p.conns {
		out = append(out, l)
	}
	return out
}

func (p *Proxy) now() (Mode, Hook, time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mode, p.hook, p.pace
}

func (p *Proxy) accept() {
	for {
		client, err := p.listen.Accept()
		if err != nil {
			return // Close
		}
		p.all.Go(func() { p.serve(client.(*net.TCPConn)) })
	}
}

func (p *Proxy) serve(client *net.TCPConn) {
	l := &link{client: client}
	l.ctx, l.stop = context.WithCancel(p.ctx)
	defer l.reset()
	if mode, _, _ := p.now(); mode == Refuse {
		return
	}
	server, err := (&net.Dialer{}).DialContext(p.ctx, "tcp", p.target)
	if err != nil {
		return
	}
	l.server = server.(*net.TCPConn)
	if !p.add(l) {
		return
	}
	defer p.remove(l)
	var ways sync.WaitGroup
	ways.Go(func() { p.copy(l, ToServer, l.server, l.client) })
	ways.Go(func() { p.copy(l, ToClient, l.client, l.server) })
	ways.Wait()
}

// add keeps a connection where Cut and Close find it; false once Close has begun.
func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return false
	}
	p.conns[l] = true
	return true
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, l)
}

func (p *Proxy) copy(l *link, way Direction, to, from *net.TCPConn) {
	p.mu.Lock()
	hooks := p.messages
	p.mu.Unlock()
	var messages MessageHook
	if hooks != nil {
		messages = hooks(way)
	}
	var split splitter
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		mode, hook, pace := p.now()
		if hook != nil && n > 0 {
			hook(l.ctx, way, buf[:n])
		}
		if mode != Blackhole && n > 0 {
			for _, piece := range changed(buf[:n], &split, messages) {
				if werr := l.send(way, to, piece, pace); werr != nil && !l.closed(way) {
					l.reset()
					return
				}
			}
		}
		if err != nil {
			switch {
			case mode == Blackhole:
			case errors.Is(err, io.EOF):
				l.halfClose(way)
			default:
				l.reset()
			}
			return
		}
	}
}

// changed is what goes on of a piece of data.
func changed(data []byte, split *splitter, messages MessageHook) [][]byte {
	if messages == nil {
		return [][]byte{data}
	}
	var out [][]byte
	for _, piece := range split.take(data) {
		if !split.isMessage(piece) {
			out = append(out, piece)
			continue
		}
		out = append(out, messages(piece)...)
	}
	return out
}
