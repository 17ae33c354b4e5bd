package remotemux_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/proto/dsh"
)

// Whatever the Harness closes the socket with, the host comes back.
func TestCloseCodes(t *testing.T) {
	for _, code := range []int{0, 1000, 1001, 1003, 1008, 1011, 4000, 4002} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				s := follow(t, b, "s", -1)
				w := watch(t, b)
				synctest.Wait()
				begin := time.Now()
				b.CloseAll(code)
				if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up || !errors.Is(c.Err, gateway.ErrLost) {
					t.Errorf("after the close the connection is %+v", c)
				}
				if c := gatewaytest.Next(t, w, gatewaytest.Connection); !c.Up {
					t.Errorf("then it is %+v", c)
				}
				if took := time.Since(begin); took > 100*time.Millisecond {
					t.Errorf("it stands again after %v", took)
				}
				say(se, 1)
				gatewaytest.Events(t, s, 1)
			})
		})
	}
}

// A Harness that takes what we send for misuse every time is not ours to talk to.
func TestMisuseEnds(t *testing.T) {
	for _, code := range []int{1008, 1003} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				w := watch(t, b)
				for range 2 {
					synctest.Wait()
					b.CloseAll(code)
					time.Sleep(time.Minute)
				}
				if n := b.Links(); n != 1 {
					t.Fatalf("%d sockets after two misuses, want 1", n)
				}
				b.CloseAll(1001) // another end between begins anew
				time.Sleep(time.Minute)
				for range 3 {
					b.CloseAll(code)
					time.Sleep(time.Minute)
				}
				endsWith(t, b, w, gateway.CodeProtocol)
			})
		})
	}
}

// endsWith waits until the gateway gives up, and for why.
func endsWith(t *testing.T, b *bench, w gateway.Watcher, code string) {
	t.Helper()
	var err error
	for err == nil {
		_, err = w.Next(t.Context())
	}
	synctest.Wait() // the socket is closed beside it
	if !gateway.IsCode(err, code) || b.Links() != 0 {
		t.Errorf("it ends with %v, and %d sockets", err, b.Links())
	}
}

// TestEventsBeginOtherwise: what does not begin with a ready frame is another wire, at the
// first connection and at a later one.
func TestEventsBeginOtherwise(t *testing.T) {
	for name, frame := range map[string]any{
		"another frame": map[string]any{"type": "emit", "event": "x", "args": []any{}},
		"no client id":  map[string]any{"type": "ready", "host": map[string]any{"home": "/home/u"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				w := watch(t, b)
				b.BeginWith(frame)
				b.Cut(nil)
				endsWith(t, b, w, gateway.CodeProtocol)
			})
			synctest.Test(t, func(t *testing.T) {
				b, o := start(t)
				b.BeginWith(frame)
				if _, err := remotemux.Dial(t.Context(), o); !gateway.IsCode(err, gateway.CodeProtocol) {
					t.Errorf("dialed: %v", err)
				}
			})
		})
	}
}

// Tries after a loss; only a ready connection begins anew.
func TestReconnectTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t)
		o.Rand = func() float64 { return 0.5 }
		dial(t, b, o)
		tries := func(during time.Duration) []time.Duration {
			synctest.Wait()
			begin, before := time.Now(), len(b.net.Dials())
			time.Sleep(during)
			var at []time.Duration
			for _, d := range b.net.Dials()[before:] {
				if n := len(at); n == 0 || at[n-1] != d.Sub(begin) {
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
		b.Silence(true) // upgrades are answered, ready does not come: 15 s, then 5 s
		want = []time.Duration{2800 * ms, 22800 * ms, 42800 * ms}
		if diff := cmp.Diff(want, tries(60*time.Second)); diff != "" {
			t.Errorf("tries while not ready (-want +got):\n%s", diff)
		}
		b.Silence(false)
		time.Sleep(time.Minute)
		b.net.Refuse(true)
		b.Cut(nil)
		if diff := cmp.Diff([]time.Duration{50 * ms, 300 * ms, 800 * ms}, tries(time.Second)); diff != "" {
			t.Errorf("tries after it stood (-want +got):\n%s", diff)
		}
	})
}

// Pings are answered while reading: an idle day breaks nothing.
func TestIdleStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		if n := len(b.net.Dials()); n > 4 || b.Links() != 1 { // login, calls, one socket
			t.Errorf("%d connections were made in an idle day, %d sockets stand", n, b.Links())
		}
		b.Deafen(true) // the Harness's own watch: two pings without an answer
		before := len(b.net.Dials())
		time.Sleep(7 * time.Second)
		b.Deafen(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(b.net.Dials()) - before; n == 0 || b.Links() != 1 {
			t.Errorf("%d connections were made after the Harness gave the socket up, %d stand", n, b.Links())
		}
	})
}

// The token gets a cookie; a cookie that is not good any more is replaced, also for a
// call; a token that is not good any more is learned again, once.
func TestLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t, old) // Location "/"
		launches := 0
		o.Relearn = func(context.Context) (remotemux.Launch, error) {
			launches++
			return remotemux.Launch{BaseURL: "http://127.0.0.1:1", Token: "n3w"}, nil
		}
		dial(t, b, o)
		b.Create("s", "/repo")
		s := follow(t, b, "s", -1)

		b.Expire()
		if _, err := b.gw.Sessions(t.Context()); err != nil {
			t.Errorf("a call after the cookie ended: %v", err)
		}
		b.Expire()
		b.Cut(nil)
		say(b.Session("s"), 1)
		gatewaytest.Events(t, s, 1)
		if launches != 0 {
			t.Errorf("the launch was learned %d times for a cookie", launches)
		}
		b.Restart("n3w", false)
		say(b.Session("s"), 1)
		gatewaytest.Events(t, s, 1)
		if launches != 1 {
			t.Errorf("the launch was learned %d times after a start", launches)
		}
		b.Restart("n3wer", false) // which nobody tells
		if _, err := s.Next(t.Context()); !gateway.IsCode(err, gateway.CodeUnauthorized) {
			t.Errorf("a launch that is refused for good gives %v", err)
		}
	})
}

func TestLoginRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*bench, *remotemux.Options)
		code   string
	}{
		{"another token", func(_ *bench, o *remotemux.Options) { o.Token = "another" }, gateway.CodeUnauthorized},
		{"no token", func(_ *bench, o *remotemux.Options) { o.Token = "" }, gateway.CodeUnauthorized},
		{"a foreign host", func(_ *bench, o *remotemux.Options) { o.BaseURL = "http://example.invalid:1" }, gateway.CodeUnauthorized},
		{"no such wire", func(b *bench, _ *remotemux.Options) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "remote.mux") {
					http.NotFound(w, r)
				}
				return gatewaytest.Asks(r, "remote.mux")
			}
		}, gateway.CodeUnknownMethod},
		{"no cookie", func(b *bench, _ *remotemux.Options) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				w.WriteHeader(http.StatusSeeOther)
				return true
			}
		}, gateway.CodeProtocol},
		{"a page", func(b *bench, _ *remotemux.Options) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool { return true }
		}, gateway.CodeProtocol},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := &bench{}
				var o remotemux.Options
				b, o = start(t, func(b *bench) { tt.change(b, &o) })
				tt.change(b, &o)
				_, err := remotemux.Dial(t.Context(), o)
				if !gateway.IsCode(err, tt.code) {
					t.Errorf("got %v, want %s", err, tt.code)
				}
				if err != nil && (contains(err, token) || contains(err, "another token")) {
					t.Errorf("the error shows the token: %v", err)
				}
			})
		})
	}
}

func TestDialWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t)
		b.net.Refuse(true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := remotemux.Dial(ctx, o); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, gatewaytest.ErrRefused) {
			t.Errorf("dialling a Harness that is not there gives %v, want the context's end and why", err)
		}
		time.AfterFunc(20*time.Second, func() { b.net.Refuse(false) })
		dial(t, b, o)
		if b.gw.Wire() != "remote.mux" {
			t.Errorf("the wire is %q", b.gw.Wire())
		}
	})
	for _, bad := range []string{"", "127.0.0.1:1", "https://127.0.0.1:1", "http://", "http://[::1"} {
		if _, err := remotemux.Dial(t.Context(), remotemux.Options{Launch: remotemux.Launch{BaseURL: bad}}); err == nil {
			t.Errorf("%q was taken for an address", bad)
		}
	}
}

// Close ends whoever waits.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var held atomic.Bool
		b := connect(t, func(b *bench) {
			b.Intercept = func(_ http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "session/rename") {
					held.Store(true)
					<-release
				}
				return false
			}
		})
		defer close(release)
		s := follow(t, b, b.Create("s", "/repo").ID, -1)
		w := watch(t, b)
		ended := make(chan error, 3)
		go func() { _, err := s.Next(t.Context()); ended <- err }()
		go func() {
			var err error
			for err == nil {
				_, err = w.Next(t.Context())
			}
			ended <- err
		}()
		go func() { ended <- b.gw.Rename(t.Context(), "s", "x") }()
		synctest.Wait()
		if !held.Load() {
			t.Fatal("the call is not under way")
		}
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
		if _, err := b.gw.Describe(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("calling a closed Gateway gives %v", err)
		}
		if err := b.gw.Answer(t.Context(), gateway.Answer{ID: "x"}); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("answering on a closed Gateway gives %v", err)
		}
	})
}

// What the wire says of sessions and queues, in both versions.
func TestWatched(t *testing.T) {
	for name, setup := range map[string]func(*bench){"0.2": func(*bench) {}, "0.1.5": old} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, o := start(t, setup)
				b.Create("old", "/repo").Running(true) // there before we came: no news
				dial(t, b, o)
				synctest.Wait()
				w := watch(t, b)
				b.Create("s", "/repo").Running(true)
				b.Session("s").Running(false)
				if err := b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "s", RequestID: "r", Text: "later"}); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // what is on its way would be lost
				b.net.Refuse(true)
				b.Cut(nil)
				synctest.Wait()
				b.Create("new", "/other")
				b.Session("old").Running(false)
				b.net.Refuse(false)
				time.Sleep(20 * time.Second)
				b.Emit("api-session/removed", "new")
				b.Emit("api-session/activity", "s", 5)
				b.Emit("api-session/error", "s", "chain of messages")
				b.Emit("of/tomorrow", 1)
				synctest.Wait()
				w.Close()
				var got []string
				for {
					n, err := w.Next(t.Context())
					if err != nil {
						break
					}
					if line := noticeLine(n); line != "queue old:" && line != "queue new:" { // the baseline's
						got = append(got, line)
					}
				}
				want := []string{
					"added {s   /repo}", "s running true", "s running false", "queue s: queued later",
					"connected false", "connected true", "queue s: queued later",
					"added {new   /other}", "old running false", "gone new",
				}
				if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
				skips := []dsh.Skip{{Kind: dsh.SkipType, Name: "emit of/tomorrow", N: 1}}
				if diff := cmp.Diff(skips, b.gw.Skipped()); diff != "" {
					t.Errorf("skipped (-want +got):\n%s", diff)
				}
			})
		})
	}
}
