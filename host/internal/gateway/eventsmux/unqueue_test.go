package eventsmux_test

import (
	"testing"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// A message that a cancel left behind is taken back, so that the next one is
// answered alone.
func testUnqueue(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	id, s := chat(t, r, gw)
	prompt(t, gw, id, "first", "#! hang")
	until(t, s, ofType(dsh.TypeAssistantChunk))
	prompt(t, gw, id, "parked", "#! say parked")
	var item string
	until(t, s, func(e dsh.Event) bool {
		m, ok := decoded[*dsh.Splice](e)
		if ok && len(m.Inserted) == 1 && m.Inserted[0].Source.RPCID == "parked" {
			item = m.Inserted[0].ID
		}
		return item != ""
	})
	if err := gw.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	until(t, s, ofType(dsh.TypeTurnEnd))
	if err := gw.Unqueue(t.Context(), id, item); err != nil {
		t.Fatal(err)
	}
	if err := gw.Unqueue(t.Context(), id, item); !gateway.IsCode(err, "queue-item-not-found") {
		t.Errorf("taking it back again gives %v", err)
	}
	prompt(t, gw, id, "next", "#! say next")
	for _, e := range until(t, s, ofType(dsh.TypeTurnEnd)) {
		if m, ok := decoded[*dsh.Message](e); ok && m.Source.Kind == "user" && m.Source.RPCID != "next" {
			t.Errorf("the turn answers %q", m.Source.RPCID)
		}
	}
}
