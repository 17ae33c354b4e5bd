package link

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
)

// What a list says of a session counts unless the socket said since whether it runs;
// that there is one says nothing of that.
func TestListedTellsWhatWasMissed(t *testing.T) {
	for name, said := range map[string]struct {
		since func(*Hub)
		want  []string
	}{
		"nothing":    {func(*Hub) {}, []string{"s running false"}},
		"it exists":  {func(h *Hub) { h.Added(gateway.Session{ID: "s"}) }, []string{"added s", "s running false"}},
		"it runs":    {func(h *Hub) { h.Status("s", true) }, []string{"s running true"}},
		"it is gone": {func(h *Hub) { h.Gone("s") }, []string{"gone s"}},
	} {
		t.Run(name, func(t *testing.T) {
			var h Hub
			h.Connected()
			h.Listed([]gateway.Session{{ID: "s", Running: true}}) // where we begin
			w := h.Watch()
			h.Connected()
			said.since(&h)
			h.Listed([]gateway.Session{{ID: "s"}})
			h.End(gateway.ErrClosed)
			var got []string
			for n, err := w.Next(t.Context()); err == nil; n, err = w.Next(t.Context()) {
				switch {
				case n.SessionAdded != nil:
					got = append(got, "added "+n.SessionAdded.ID)
				case n.SessionGone != "":
					got = append(got, "gone "+n.SessionGone)
				case n.SessionStatus != nil && n.SessionStatus.Running:
					got = append(got, n.SessionStatus.SessionID+" running true")
				case n.SessionStatus != nil:
					got = append(got, n.SessionStatus.SessionID+" running false")
				}
			}
			if diff := cmp.Diff(said.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
