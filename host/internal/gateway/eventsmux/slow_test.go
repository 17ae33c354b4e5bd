package eventsmux_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/replay"
)

// One of 200 followers does not read while its session writes 6 MiB: what is held for
// it stays within the bound, the others have all of theirs at once, and it loses
// nothing when it reads again.
func TestOneSlowOf200(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const followers, bound = 200, 4 << 20
		b := connect(t)
		streams := make([]gateway.Stream, followers)
		sessions := make([]*replay.Session, followers)
		for i := range streams {
			sessions[i] = b.Create(fmt.Sprint("s", i), "/repo")
			delta(sessions[i], "first")
			s, err := b.gw.Follow(t.Context(), sessions[i].ID, -1)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			gatewaytest.Events(t, s, 1)
			streams[i] = s
		}
		most, large := 0, strings.Repeat("x", 256<<10)
		const larges = 24
		for round := range followers - 1 {
			if round < larges {
				delta(sessions[0], large)
			}
			for _, i := range []int{1, 1 + round} {
				delta(sessions[i], "small")
				synctest.Wait()
				if got := gatewaytest.Events(t, streams[i], 1); len(got) != 1 { // nothing moves any more: it is there
					t.Fatalf("follower %d waits", i)
				}
			}
			most = max(most, b.gw.Held())
		}
		if most > bound || most < bound/2 {
			t.Errorf("%d bytes were held for the slow one, at most %d are allowed", most, bound)
		}
		got := gatewaytest.Events(t, streams[0], larges)
		if diff := cmp.Diff(gatewaytest.UpTo(1, larges), gatewaytest.Seqs(got)); diff != "" {
			t.Errorf("the slow one's seqs (-want +got):\n%s", diff)
		}
		delta(sessions[0], "small")
		gatewaytest.Events(t, streams[0], 1) // it is at the queue again
		for range 5000 {                     // many small ones: it is let go
			delta(sessions[0], "small")
		}
		synctest.Wait()
		if held := b.gw.Held(); held > bound {
			t.Errorf("%d bytes are held", held)
		}
		if _, err := streams[0].Next(t.Context()); !errors.Is(err, gateway.ErrSlow) {
			t.Errorf("the slow one gets %v, want ErrSlow", err)
		}
	})
}
