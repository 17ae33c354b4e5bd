package bridge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

func TestDearer(t *testing.T) {
	routes := []chat.Route{
		{ID: "local/free", Name: "Mine", Local: true},
		{ID: "or/free", Name: "Free", Price: &chat.Price{}},
		{ID: "or/cheap", Name: "Cheap", Price: &chat.Price{Input: 0.1, Output: 0.4}},
		{ID: "or/big", Name: "Big", Price: &chat.Price{Input: 3, Output: 15}},
		{ID: "or/talks", Name: "Talks", Price: &chat.Price{Input: 0, Output: 100}},
		{ID: "api/unknown", Name: "Unknown"},
	}
	type pair struct{ helper, parent string }
	want := map[pair]string{
		{"or/big", "or/cheap"}:        "Big",
		{"or/cheap", "or/big"}:        "",
		{"or/big", "or/big"}:          "",
		{"or/talks", "or/big"}:        "Talks", // what it writes costs
		{"or/cheap", "local/free"}:    "Cheap",
		{"or/cheap", "or/free"}:       "Cheap",
		{"or/free", "local/free"}:     "",
		{"local/free", "or/big"}:      "",
		{"api/unknown", "local/free"}: "Unknown",
		{"api/unknown", "or/cheap"}:   "",
		{"or/big", "api/unknown"}:     "",
		{"or/gone", "local/free"}:     "",
		{"or/big", "or/gone"}:         "",
	}
	got := map[pair]string{}
	for p := range want {
		got[p] = dearer(routes, p.helper, p.parent)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("dearer (-want +got):\n%s", diff)
	}
}
