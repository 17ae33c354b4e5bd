package faultproxy

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// echo serves a server that answers each line with itself, and says goodbye at
// the end of what it is sent.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				lines := bufio.NewReader(c)
				for {
					line, err := lines.ReadString('\n')
					if err != nil {
						if errors.Is(err, io.EOF) {
							_, _ = io.WriteString(c, "bye\n")
						}
						return
					}
					if _, err := io.WriteString(c, line); err != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

type client struct {
	*net.TCPConn
	*bufio.Reader
}

func (c client) Read(b []byte) (int, error) { return c.Reader.Read(b) }

func setup(t *testing.T) (*Proxy, func() client) {
	t.Helper()
	p, err := New(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p, func() client {
		c, err := net.Dial("tcp", p.Addr())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil { // a hang is a failure
			t.Fatal(err)
		}
		return client{c.(*net.TCPConn), bufio.NewReader(c)}
	}
}

func say(t *testing.T, c client, line string) {
	t.Helper()
	if _, err := io.WriteString(c.TCPConn, line); err != nil {
		t.Fatal(err)
	}
}

func hear(t *testing.T, c client, want string) {
	t.Helper()
	if got, err := c.ReadString('\n'); got != want || err != nil {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
}

func TestPassAndCut(t *testing.T) {
	p, dial := setup(t)
	c := dial()
	say(t, c, "one\n")
	hear(t, c, "one\n")
	if n := p.Open(); n != 1 {
		t.Errorf("%d connections", n)
	}
	p.Cut()
	if _, err := c.ReadString('\n'); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after Cut: %v", err)
	}
	d := dial()
	say(t, d, "two\n")
	hear(t, d, "two\n")
}

func TestClientEnds(t *testing.T) {
	_, dial := setup(t)
	c := dial()
	say(t, c, "one\n")
	if err := c.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	hear(t, c, "one\n")
	hear(t, c, "bye\n")
	if _, err := c.ReadByte(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestHalfClose(t *testing.T) {
	p, dial := setup(t)
	c := dial()
	say(t, c, "one\n")
	hear(t, c, "one\n")
	p.HalfClose(ToServer)
	hear(t, c, "bye\n")

	d := dial()
	say(t, d, "two\n")
	hear(t, d, "two\n")
	p.HalfClose(ToClient)
	if _, err := d.ReadByte(); err != io.EOF {
		t.Errorf("after HalfClose(ToClient): %v", err)
	}
	say(t, d, "still taken\n")
}

func TestRefuse(t *testing.T) {
	p, dial := setup(t)
	p.Set(Refuse)
	refused, err := net.Dial("tcp", p.Addr()) // the reset may come before the dial is over
	if err == nil {
		defer refused.Close()
		_, err = refused.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("got %v", err)
	}
	p.Set(Pass)
	c := dial()
	say(t, c, "one\n")
	hear(t, c, "one\n")
}

// What a hook holds up arrives once it returns; the test says when.
func TestHookHoldsUp(t *testing.T) {
	p, dial := setup(t)
	held, open := make(chan string, 1), make(chan struct{})
	p.OnData(func(ctx context.Context, way Direction, data []byte) {
		if way != ToServer {
			return
		}
		held <- string(data)
		select {
		case <-open:
		case <-ctx.Done():
		}
	})
	c := dial()
	say(t, c, "one\n")
	if got := <-held; got != "one\n" {
		t.Errorf("held %q", got)
	}
	close(open)
	hear(t, c, "one\n")

	p.OnData(func(ctx context.Context, _ Direction, data []byte) { held <- string(data); <-ctx.Done() })
	say(t, c, "never\n")
	<-held
	p.Cut() // ends the hook's context: Close does not hang
}

func TestBlackhole(t *testing.T) {
	p, dial := setup(t)
	c := dial()
	say(t, c, "one\n")
	hear(t, c, "one\n")
	p.Set(Blackhole)
	seen := make(chan Direction, 1)
	p.OnData(func(_ context.Context, way Direction, _ []byte) { seen <- way })
	say(t, c, "lost\n")
	if way := <-seen; way != ToServer {
		t.Errorf("seen %s", way)
	}
	p.OnData(nil)
	p.Set(Pass)
	say(t, c, "two\n")
	hear(t, c, "two\n") // and not "lost"
}
