package eventsmux_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/replay"
)

// halfFrame is the beginning of a text message of 4,096 bytes.
var halfFrame = []byte("\x81\x7e\x10\x00{\"type\":\"server-req")

// Whatever goes wrong on the way, a follower gets every event once, in order.
func TestFollowThroughFaults(t *testing.T) {
	tests := []struct {
		name  string
		fault func(b *bench, se *replay.Session)
	}{
		{"nothing", func(*bench, *replay.Session) {}},
		{"a frame twice", func(_ *bench, se *replay.Session) { se.Replay(2); se.Replay(0) }},
		{"a frame lost", func(b *bench, se *replay.Session) {
			b.Mute(true)
			delta(se, "lost")
			b.Mute(false)
		}},
		{"a frame lost and the log behind", func(b *bench, se *replay.Session) {
			b.Mute(true)
			delta(se, "lost")
			b.Mute(false)
			b.HideNewest(2)
			time.AfterFunc(3*time.Second, func() { b.HideNewest(0) })
		}},
		{"socket cut", func(b *bench, se *replay.Session) {
			b.Cut(nil)
			delta(se, "while nobody listened")
		}},
		{"socket cut in a frame", func(b *bench, se *replay.Session) {
			b.Cut(halfFrame)
			delta(se, "while nobody listened")
		}},
		{"no JSON", func(b *bench, se *replay.Session) {
			b.Send([]byte(`{"type":"server-request","payl`))
			delta(se, "behind it")
		}},
		{"no JSON in place of the last frame", func(b *bench, se *replay.Session) {
			b.Mute(true)
			time.AfterFunc(time.Second, func() {
				b.Send([]byte("nonsense"))
				b.Mute(false)
			})
		}},
		{"unknown frames", func(b *bench, se *replay.Session) {
			b.Push([]byte(`{"type":"session/novelty","sessionId":"s","event":{"seq":99,"type":"x"}}`))
			b.Push([]byte(`{"type":"session/event","sessionId":"s","event":"not an object"}`))
			b.Push([]byte(`{"type":"host/novelty"}`))
			b.Send([]byte(`7`))
		}},
		{"process restarted", func(b *bench, _ *replay.Session) { b.Restart() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				for i := range 3 {
					delta(se, fmt.Sprint("early ", i))
				}
				s, err := b.gw.Follow(t.Context(), "s", -1)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				delta(se, "live")
				synctest.Wait()
				tt.fault(b, se)
				last := delta(se, "end").Seq
				got := gatewaytest.Events(t, s, int(last)+1)
				if diff := cmp.Diff(gatewaytest.UpTo(0, last), gatewaytest.Seqs(got)); diff != "" {
					t.Errorf("seqs (-want +got):\n%s", diff)
				}
				// Nothing comes again.
				time.Sleep(time.Minute)
				delta(se, "one more")
				if got := gatewaytest.Events(t, s, 1)[0].Seq; got != last+1 {
					t.Errorf("then came seq %d, want %d", got, last+1)
				}
			})
		})
	}
}

// The same with any mixture of faults, three followers of two sessions, one of
// which begins in the middle.
func TestFollowProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.SampledFrom([]string{
			"append", "append", "append", "twice", "mute", "unmute", "cut", "cut in a frame", "no JSON", "hide", "show", "wait", "restart", "refuse", "accept",
		}), 1, 60).Draw(rt, "steps")
		var failure string
		ok := t.Run("run", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { failure = followAll(t, steps) })
		})
		if failure != "" || !ok {
			rt.Fatalf("%s", failure)
		}
	})
}

func followAll(t *testing.T, steps []string) string {
	b := connect(t)
	one, two := b.Create("one", "/repo"), b.Create("two", "/repo")
	delta(one, "a")
	delta(one, "b")
	follow := func(id string, after int64) gateway.Stream {
		s, err := b.gw.Follow(t.Context(), id, after)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	all, late, other := follow("one", -1), follow("one", 0), follow("two", -1)
	for i, step := range steps {
		switch step {
		case "append":
			delta(one, fmt.Sprint(i))
			delta(two, fmt.Sprint(i))
		case "twice":
			one.Replay(0)
		case "mute", "unmute":
			b.Mute(step == "mute")
		case "cut":
			b.Cut(nil)
		case "cut in a frame":
			b.Cut(halfFrame)
		case "no JSON":
			b.Send([]byte("nonsense"))
		case "hide":
			b.HideNewest(1)
		case "show":
			b.HideNewest(0)
		case "wait":
			time.Sleep(700 * time.Millisecond)
			synctest.Wait()
		case "restart":
			b.Restart()
		case "refuse", "accept":
			b.net.Refuse(step == "refuse")
		}
	}
	b.Mute(false)
	b.HideNewest(0)
	b.net.Refuse(false)
	lastOne, lastTwo := delta(one, "end").Seq, delta(two, "end").Seq
	for _, c := range []struct {
		s        gateway.Stream
		from, to int64
	}{{all, 0, lastOne}, {late, 1, lastOne}, {other, 0, lastTwo}} {
		got := gatewaytest.Events(t, c.s, int(c.to-c.from)+1)
		if diff := cmp.Diff(gatewaytest.UpTo(c.from, c.to), gatewaytest.Seqs(got)); diff != "" {
			return "seqs (-want +got):\n" + diff
		}
	}
	return ""
}

// Projections come in order with the events; after the log was read come the
// current ones, and an older one that waited in the queue is passed over.
func TestFollowProjections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		delta(se, "a")
		se.Project("title", "first")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		delta(se, "b")
		se.Project("title", "second")
		b.Cut(nil)
		synctest.Wait()
		delta(se, "c")
		se.Project("goal", nil)
		synctest.Wait()
		var got []string
		for range 6 {
			item, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, itemLine(item))
		}
		want := []string{
			"event 0", "title=\"first\" 0", // the log at the start
			"event 1", "event 2", // the log after the cut
			"goal=null 2", "title=\"second\" 2",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
	})
}

// What the log gave is not given again from the queue, where it waits when it came
// while the log was read.
func TestProjectionBothWays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var once sync.Once
		b := connect(t, func(b *bench) {
			b.Intercept = func(_ http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "session.history") {
					once.Do(func() {
						delta(b.Session("s"), "while the log is read")
						b.Session("s").Project("title", "new")
					})
				}
				return false
			}
		})
		se := b.Create("s", "/repo")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		synctest.Wait()
		delta(se, "after")
		se.Project("title", "newer")
		var got []string
		for range 4 {
			item, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, itemLine(item))
		}
		want := []string{"event 0", "title=\"new\" 0", "event 1", "title=\"newer\" 1"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("items (-want +got):\n%s", diff)
		}
	})
}

func itemLine(i gateway.Item) string {
	if i.Event != nil {
		return fmt.Sprintf("event %d", i.Event.Seq)
	}
	return fmt.Sprintf("%s=%s %d", i.Projection.Key, i.Projection.Value, i.Projection.Seq)
}

// A Harness that was killed may have sent what it had not written.
func TestRewound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		for range 5 {
			delta(se, "x")
		}
		follow := func() gateway.Stream {
			s, err := b.gw.Follow(t.Context(), "s", -1)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			gatewaytest.Events(t, s, 5)
			return s
		}
		shorter, other := follow(), follow()
		se.Truncate(3)
		b.Restart()
		if _, err := shorter.Next(t.Context()); !errors.Is(err, gateway.ErrRewound) {
			t.Errorf("a log that is shorter gives %v, want ErrRewound", err)
		}
		if _, err := b.gw.Follow(t.Context(), "s", 4); !errors.Is(err, gateway.ErrRewound) {
			t.Errorf("following from a seq that is not there gives %v, want ErrRewound", err)
		}
		time.Sleep(time.Second)
		for range 4 {
			delta(se, "another")
		}
		if _, err := other.Next(t.Context()); !errors.Is(err, gateway.ErrRewound) {
			t.Errorf("a log that goes on differently gives %v, want ErrRewound", err)
		}
	})
}

// So may one be that is killed while an event is waited for that got lost.
func TestRewoundInAHole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		delta(se, "0")
		delta(se, "1")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		gatewaytest.Events(t, s, 2)
		b.Mute(true)
		delta(se, "2, lost")
		b.Mute(false)
		b.HideNewest(2)
		delta(se, "3")
		time.AfterFunc(time.Minute, func() {
			se.Truncate(1)
			b.HideNewest(0)
			b.Restart()
		})
		if _, err := s.Next(t.Context()); !errors.Is(err, gateway.ErrRewound) {
			t.Errorf("got %v, want ErrRewound", err)
		}
	})
}

// A reader that stops is let go; the others, of that session too, miss nothing.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		noisy, quiet := b.Create("noisy", "/repo"), b.Create("quiet", "/repo")
		follow := func(id string) gateway.Stream {
			s, err := b.gw.Follow(t.Context(), id, -1)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			return s
		}
		delta(noisy, "first")
		slow, busy, other := follow("noisy"), follow("noisy"), follow("quiet")
		gatewaytest.Events(t, slow, 1)
		gatewaytest.Events(t, busy, 1)
		delta(noisy, "second")
		gatewaytest.Events(t, slow, 1) // it is at the queue now
		const flood = 5000
		for i := range flood {
			delta(noisy, "flood")
			if i%100 == 99 {
				synctest.Wait()
				gatewaytest.Events(t, busy, 100)
			}
		}
		delta(quiet, "one")
		synctest.Wait()
		if got := gatewaytest.Events(t, other, 1); got[0].Seq != 0 {
			t.Errorf("the other session's follower got %v", got)
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, gateway.ErrSlow) {
			t.Errorf("the reader that stopped gets %v, want ErrSlow", err)
		}
		if _, err := b.gw.Follow(t.Context(), "noisy", 1); err != nil {
			t.Errorf("following again after ErrSlow: %v", err)
		}
	})
}

// A reader that is still at the log is not slow: what came meanwhile is read from
// the log.
func TestFloodWhileAtTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		delta(se, "first")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range 4999 {
			delta(se, "flood")
		}
		synctest.Wait()
		if diff := cmp.Diff(gatewaytest.UpTo(0, 4999), gatewaytest.Seqs(gatewaytest.Events(t, s, 5000))); diff != "" {
			t.Errorf("seqs (-want +got):\n%s", diff)
		}
	})
}

// One event of 60 MB passes.
func TestLargeFrame(t *testing.T) {
	srv := replay.New(secret)
	web := httptest.NewServer(srv)
	defer web.Close()
	defer srv.Cut(nil)
	gw, err := eventsmux.Dial(t.Context(), eventsmux.Options{BaseURL: web.URL, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	defer gw.Close()
	srv.Create("s", "/repo")
	s, err := gw.Follow(t.Context(), "s", -1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	text := strings.Repeat("0123456789abcdef", 60<<20/16)
	srv.Send([]byte(`{"method":"session/event","payload":{"sessionId":"s","event":{"type":"large","seq":0,"data":"` + text + `"}}}`))
	if e := gatewaytest.Events(t, s, 1)[0]; e.Seq != 0 || len(e.Data) != len(text)+2 {
		t.Errorf("got seq %d of %d bytes, want 0 of %d", e.Seq, len(e.Data), len(text)+2)
	}
	srv.Send([]byte(`{"method":"session/event","payload":{"sessionId":"s","event":{"type":"small","seq":1,"data":{}}}}`))
	if e := gatewaytest.Events(t, s, 1)[0]; e.Seq != 1 {
		t.Errorf("behind it came seq %d, want 1", e.Seq)
	}
}

// Large events behind each other do not make a reader slow.
func TestLargeEventsInARow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		delta(se, "first")
		gatewaytest.Events(t, s, 1) // it is at the queue now
		text := strings.Repeat("x", 2<<20)
		for range 3 {
			delta(se, text)
		}
		synctest.Wait()
		got := gatewaytest.Events(t, s, 3)
		if diff := cmp.Diff(gatewaytest.UpTo(1, 3), gatewaytest.Seqs(got)); diff != "" || len(got[2].Data) < len(text) {
			t.Errorf("seqs (-want +got):\n%s", diff)
		}
	})
}

func TestFollowErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var broken atomic.Bool
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if broken.Load() && gatewaytest.Asks(r, "session.history") {
					http.Error(w, "handler failure", http.StatusInternalServerError)
					return true
				}
				return false
			}
		})
		if _, err := b.gw.Follow(t.Context(), "nope", -1); !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			t.Errorf("an unknown session gives %v, want %s", err, gateway.CodeSessionNotFound)
		}
		b.Create("s", "/repo")
		s, err := b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a context that ends gives %v", err)
		}
		delta(b.Session("s"), "still there")
		gatewaytest.Events(t, s, 1)
		s.Close()
		if _, err := s.Next(t.Context()); !errors.Is(err, gateway.ErrClosed) {
			t.Errorf("a closed stream gives %v, want ErrClosed", err)
		}

		// A Harness that is away: Follow waits as long as its context.
		b.net.Refuse(true)
		b.Cut(nil)
		synctest.Wait()
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, err := b.gw.Follow(ctx, "s", -1); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, gateway.ErrLost) {
			t.Errorf("without a Harness: %v, want the context's end and ErrLost", err)
		}
		// A log that cannot be read ends the stream.
		b.net.Refuse(false)
		s, err = b.gw.Follow(t.Context(), "s", -1)
		if err != nil {
			t.Fatal(err)
		}
		gatewaytest.Events(t, s, 1)
		broken.Store(true)
		b.Cut(nil)
		if _, err := s.Next(t.Context()); !gateway.IsCode(err, gateway.CodeInternal) {
			t.Errorf("a log that cannot be read gives %v, want %s", err, gateway.CodeInternal)
		}
	})
}
