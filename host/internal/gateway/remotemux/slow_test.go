package remotemux_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

// One of 200 followers does not read while its session writes 6 MiB: what is held for
// it stays within the bound, the others have all of theirs at once, and it loses
// nothing when it reads again.
func TestOneSlowOf200(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const followers, bound = 200, 4 << 20
		b := connect(t)
		streams := make([]gateway.Stream, followers)
		sessions := make([]*double.Session, followers)
		for i := range streams {
			sessions[i] = b.Create(fmt.Sprint("s", i), "/repo")
			say(sessions[i], 1)
			streams[i] = follow(t, b, sessions[i].ID, -1)
			gatewaytest.Events(t, streams[i], 1)
		}
		most, large := 0, strings.Repeat("x", 256<<10)
		const larges = 24
		for round := range followers - 1 {
			if round < larges {
				sessions[0].AppendMessage(dsh.TypeUserMessage, dsh.Message{ID: large})
			}
			for _, i := range []int{1, 1 + round} {
				say(sessions[i], 1)
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
		if n := b.Streams("session/follow"); n != followers-1 {
			t.Errorf("%d streams are open on the wire, want all but the slow one's", n)
		}
		got := gatewaytest.Events(t, streams[0], larges)
		if diff := cmp.Diff(gatewaytest.UpTo(1, larges), gatewaytest.Seqs(got)); diff != "" {
			t.Errorf("the slow one's seqs (-want +got):\n%s", diff)
		}
		say(sessions[0], 1)
		gatewaytest.Events(t, streams[0], 1) // it is at the queue again
		say(sessions[0], 5000)               // many small ones: it is let go
		synctest.Wait()
		if held := b.gw.Held(); held > bound {
			t.Errorf("%d bytes are held", held)
		}
		var err error
		for err == nil {
			_, err = streams[0].Next(t.Context())
		}
		if !errors.Is(err, gateway.ErrSlow) {
			t.Errorf("the slow one gets %v, want ErrSlow", err)
		}
	})
}
