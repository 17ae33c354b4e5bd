package eventsmux_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
)

// Tries after a loss: at once, then further and further apart; a ready connection,
// and only that, begins anew.
func TestReconnectTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var halfReady atomic.Bool // requests are answered, sockets are not
		b, o := start(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if halfReady.Load() && gatewaytest.Asks(r, "events.host") {
					http.Error(w, "not yet", http.StatusServiceUnavailable)
					return true
				}
				return false
			}
		})
		o.Rand = func() float64 { return 0.5 }
		gw, err := eventsmux.Dial(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer gw.Close()
		s, err := gw.Follow(t.Context(), b.Create("s", "/repo").ID, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()

		tries := func(during time.Duration) []time.Duration {
			synctest.Wait()
			begin, before := time.Now(), len(b.net.Dials())
			time.Sleep(during)
			var at []time.Duration
			for _, d := range b.net.Dials()[before:] {
				if n := len(at); n == 0 || at[n-1] != d.Sub(begin) { // one try dials twice
					at = append(at, d.Sub(begin))
				}
			}
			return at
		}
		ms := time.Millisecond
		b.net.Refuse(true)
		b.Cut(nil)
		want := []time.Duration{50 * ms, 300 * ms, 800 * ms, 1800 * ms, 3800 * ms, 7800 * ms, 12800 * ms, 17800 * ms}
		if diff := cmp.Diff(want, tries(20*time.Second)); diff != "" {
			t.Errorf("tries while refused (-want +got):\n%s", diff)
		}
		b.net.Refuse(false)
		halfReady.Store(true)
		want = []time.Duration{2800 * ms, 7800 * ms, 12800 * ms, 17800 * ms}
		if diff := cmp.Diff(want, tries(20*time.Second)); diff != "" {
			t.Errorf("tries while half ready (-want +got):\n%s", diff)
		}
		halfReady.Store(false)
		delta(b.Session("s"), "while away")
		if got := gatewaytest.Events(t, s, 1)[0].Seq; got != 0 {
			t.Errorf("after it all came seq %d, want 0", got)
		}
		b.net.Refuse(true)
		b.Cut(nil)
		if diff := cmp.Diff([]time.Duration{50 * ms, 300 * ms, 800 * ms}, tries(time.Second)); diff != "" {
			t.Errorf("tries after it stood (-want +got):\n%s", diff)
		}
	})
}

// A refused secret is not tried again.
func TestUnauthorized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t)
		o.Secret = "another"
		_, err := eventsmux.Dial(t.Context(), o)
		var refused *gateway.Error
		want := &gateway.Error{
			Method: "host.describe", Code: gateway.CodeUnauthorized,
			Message: "the Harness does not accept this host's launch secret; restart the agent",
		}
		if !errors.As(err, &refused) || *refused != *want {
			t.Errorf("dialling with another secret gives %v, want %v", err, want)
		}
		if n := len(b.net.Dials()); n != 1 {
			t.Errorf("%d connections were tried, want 1", n)
		}
	})
}

// Nor is one that is refused later, such as by another process on the same port.
func TestUnauthorizedLater(t *testing.T) {
	for _, where := range []string{"host.describe", "events.mux"} {
		t.Run(where, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var strange atomic.Bool
				b := connect(t, func(b *bench) {
					b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
						if strange.Load() && gatewaytest.Asks(r, where) {
							http.Error(w, "forbidden", http.StatusForbidden)
							return true
						}
						return false
					}
				})
				s, err := b.gw.Follow(t.Context(), b.Create("s", "/repo").ID, -1)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				w := b.gw.Watch()
				defer w.Close()
				strange.Store(true)
				b.Cut(nil)
				_, err = s.Next(t.Context())
				if !errors.Is(err, gateway.ErrLost) || !gateway.IsCode(err, gateway.CodeUnauthorized) {
					t.Errorf("the stream ends with %v, want ErrLost and %s", err, gateway.CodeUnauthorized)
				}
				before := len(b.net.Dials())
				time.Sleep(time.Hour)
				if n := len(b.net.Dials()); n != before {
					t.Errorf("%d more connections were tried", n-before)
				}
				for err = nil; err == nil; {
					_, err = w.Next(t.Context())
				}
				if !gateway.IsCode(err, gateway.CodeUnauthorized) {
					t.Errorf("the watcher ends with %v", err)
				}
				if _, err := b.gw.Follow(t.Context(), "s", -1); !gateway.IsCode(err, gateway.CodeUnauthorized) {
					t.Errorf("following then gives %v", err)
				}
			})
		})
	}
}

// The peer may go away without a word: pings find out.
func TestSilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var silent atomic.Bool
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if !silent.Load() || !gatewaytest.Asks(r, "events.mux") {
					return false
				}
				// The upgrade is answered, then nothing is read or sent any more.
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return true
				}
				_, _ = rw.WriteString("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
					acceptKey(r.Header.Get("Sec-WebSocket-Key")) + "\r\n\r\n")
				_ = rw.Flush()
				silent.Store(false)
				t.Cleanup(func() { _ = conn.Close() })
				return true
			}
		})
		se := b.Create("s", "/repo")
		w := b.gw.Watch()
		defer w.Close()
		silent.Store(true)
		begin := time.Now()
		b.Cut(nil)
		for range 2 { // the cut, and the silence
			gatewaytest.Next(t, w, func(n gateway.Notice) *gateway.Connection {
				if n.Connection != nil && !n.Connection.Up {
					return n.Connection
				}
				return nil
			})
		}
		if took := time.Since(begin); took > 31*time.Second {
			t.Errorf("the silence was noticed after %v, want some 30 s at most", took)
		}
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		delta(se, "x")
		gatewaytest.Events(t, s, 1)
	})
}

// A network that swallows everything is noticed by the pongs that do not come, one that
// takes nothing any more by the deadline of a ping; what happened meanwhile is read.
func TestBrokenNetwork(t *testing.T) {
	for _, tt := range []struct {
		name        string
		fault       gatewaytest.Fault
		least, most time.Duration // until it is noticed
	}{
		{"black hole", gatewaytest.Blackhole, 25 * time.Second, 31 * time.Second},
		{"stalled", gatewaytest.Stalled, 9 * time.Second, 16 * time.Second}, // the ping after the next, and 5 s
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				s, err := b.gw.Follow(t.Context(), "s", -1)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				delta(se, "a")
				gatewaytest.Events(t, s, 1)
				w := b.gw.Watch()
				defer w.Close()
				synctest.Wait()
				begin := time.Now()
				b.net.Break(tt.fault)
				if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up {
					t.Errorf("the connection is %+v", c)
				}
				if took := time.Since(begin); took < tt.least || took > tt.most {
					t.Errorf("it was noticed after %v, want %v to %v", took, tt.least, tt.most)
				}
				for range 3 {
					delta(se, "b")
				}
				b.net.Break(gatewaytest.None)
				if c := gatewaytest.Next(t, w, gatewaytest.Connection); !c.Up {
					t.Errorf("then it is %+v", c)
				}
				if diff := cmp.Diff(gatewaytest.UpTo(1, 3), gatewaytest.Seqs(gatewaytest.Events(t, s, 3))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Whatever the Harness closes a socket with, the host comes back.
func TestCloseCodes(t *testing.T) {
	for _, code := range []int{1000, 1001, 1003, 1008, 1011, 4000} {
		synctest.Test(t, func(t *testing.T) {
			b := connect(t)
			se := b.Create("s", "/repo")
			s, err := b.gw.Follow(t.Context(), "s", -1)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			w := b.gw.Watch()
			defer w.Close()
			synctest.Wait()
			b.CloseAll(code)
			if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up {
				t.Errorf("%d: the connection is %+v", code, c)
			}
			if c := gatewaytest.Next(t, w, gatewaytest.Connection); !c.Up {
				t.Errorf("%d: then it is %+v", code, c)
			}
			delta(se, "a")
			gatewaytest.Events(t, s, 1)
		})
	}
}

// An idle connection stays: the peer answers pings.
func TestIdleStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		before := len(b.net.Dials())
		time.Sleep(24 * time.Hour)
		if n := len(b.net.Dials()); n != before {
			t.Errorf("%d connections were made in an idle day", n-before)
		}
	})
}

func TestDialWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t)
		b.net.Refuse(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := eventsmux.Dial(ctx, o); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, gatewaytest.ErrRefused) {
			t.Errorf("dialling a Harness that is not there gives %v, want the context's end and why", err)
		}
		time.AfterFunc(20*time.Second, func() { b.net.Refuse(false) })
		gw, err := eventsmux.Dial(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer gw.Close()
		if gw.Wire() != "events.mux" {
			t.Errorf("the wire is %q", gw.Wire())
		}
	})
	for _, bad := range []string{"", "127.0.0.1:1", "https://127.0.0.1:1", "http://", "http://[::1"} {
		if _, err := eventsmux.Dial(t.Context(), eventsmux.Options{BaseURL: bad}); err == nil {
			t.Errorf("%q was taken for an address", bad)
		}
	}
}

// Close ends whoever waits.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		b := connect(t, func(b *bench) {
			b.Intercept = func(_ http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "session.rename") {
					<-release
				}
				return false
			}
		})
		defer close(release)
		s, err := b.gw.Follow(t.Context(), b.Create("s", "/repo").ID, -1)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w := b.gw.Watch()
		ended := make(chan error, 3)
		go func() { _, err := s.Next(t.Context()); ended <- err }()
		go func() { _, err := w.Next(t.Context()); ended <- err }()
		go func() { ended <- b.gw.Rename(t.Context(), "s", "x") }()
		synctest.Wait()
		if err := b.gw.Close(); err != nil {
			t.Error(err)
		}
		for range 3 {
			if err := <-ended; !errors.Is(err, gateway.ErrClosed) {
				t.Errorf("whoever waited got %v, want ErrClosed", err)
			}
		}
		if _, err := b.gw.Follow(t.Context(), "s", -1); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("following a closed Gateway gives %v", err)
		}
		if _, err := b.gw.Watch().Next(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("watching a closed Gateway gives %v", err)
		}
		if _, err := b.gw.Describe(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("calling a closed Gateway gives %v", err)
		}
	})
}
