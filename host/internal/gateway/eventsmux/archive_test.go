package eventsmux_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"strata.dev/bridge/host/internal/gateway"
)

// A session that was put away is hidden, once, and can still be read.
func testArchive(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	id, _ := chat(t, r, gw)
	for range 2 {
		if err := gw.Archive(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := gw.Call(t.Context(), "workspace.list", json.RawMessage("{}"))
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Archived []string `json:"archivedSessionIds"`
	}
	if err := json.Unmarshal(answer, &list); err != nil || !slices.Contains(list.Archived, id) {
		t.Errorf("not hidden: %v, %s", err, answer)
	}
	if snap, err := gw.Snapshot(t.Context(), id, 0); err != nil || len(snap.Events) == 0 {
		t.Errorf("its log: %d events, %v", len(snap.Events), err)
	}
	var refused *gateway.Error
	if err := gw.Archive(t.Context(), "nobody"); !errors.As(err, &refused) {
		t.Errorf("nobody's: %v", err)
	}
}
