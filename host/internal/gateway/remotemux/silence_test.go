package remotemux_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway/gatewaytest"
)

// A network that swallows everything is noticed by the pings that do not come, one that
// takes nothing any more by the deadline of a frame; what happened meanwhile is read.
func TestSilence(t *testing.T) {
	for _, tt := range []struct {
		name        string
		fault       gatewaytest.Fault
		least, most time.Duration // until it is noticed
	}{
		{"black hole", gatewaytest.Blackhole, 28 * time.Second, 31 * time.Second},
		{"stalled", gatewaytest.Stalled, 5 * time.Second, 8 * time.Second}, // the next ping's answer, and 5 s
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				s := follow(t, b, "s", -1)
				say(se, 1)
				gatewaytest.Events(t, s, 1)
				w := watch(t, b)
				synctest.Wait()
				begin := time.Now()
				b.net.Break(tt.fault)
				if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up {
					t.Errorf("the connection is %+v", c)
				}
				if took := time.Since(begin); took < tt.least || took > tt.most {
					t.Errorf("it was noticed after %v, want %v to %v", took, tt.least, tt.most)
				}
				say(se, 3)
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

// A frame that nobody reads ends the connection within its deadline, whoever is the
// caller that waits for it.
func TestStalledOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		b.Create("s", "/repo")
		w := watch(t, b)
		time.Sleep(500 * time.Millisecond) // between two pings
		synctest.Wait()
		b.net.Break(gatewaytest.Stalled)
		begin := time.Now()
		opened := make(chan error, 1)
		go func() {
			s, err := b.gw.Follow(t.Context(), "s", -1)
			if err == nil {
				s.Close()
			}
			opened <- err
		}()
		if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up {
			t.Errorf("the connection is %+v", c)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("the frame that nobody read was given up after %v, want 5 s", took)
		}
		b.net.Break(gatewaytest.None)
		if err := <-opened; err != nil {
			t.Errorf("who waited for it gets %v", err)
		}
	})
}

// What a client closes with: 4002 where the Harness's frame is none, 1000 where it is
// done (harness-wire.md §3.4).
func TestOurCloseCodes(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cause func(b *bench)
		want  []int
	}{
		{"no JSON", func(b *bench) { b.Send("garbage") }, []int{4002}},
		{"half a frame of JSON", func(b *bench) { b.Send(`{"type":"item"`) }, []int{4002}},
		{"a list", func(b *bench) { b.Send(`[1]`) }, []int{4002}},
		{"a binary message", func(b *bench) { b.SendBinary([]byte(`{"type":"item"}`)) }, []int{4002}},
		{"a frame of tomorrow", func(b *bench) { b.Send(`{"type":"tomorrow"}`) }, nil},
		{"closed", func(b *bench) { _ = b.gw.Close() }, []int{1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				synctest.Wait()
				tt.cause(b)
				synctest.Wait()
				if diff := cmp.Diff(tt.want, b.Closes()); diff != "" {
					t.Errorf("codes (-want +got):\n%s", diff)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				want := 1
				if tt.name == "closed" {
					want = 0
				}
				if n := b.Links(); n != want {
					t.Errorf("%d sockets stand then, want %d", n, want)
				}
			})
		})
	}
}
