package project

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// The row of a helper on a dearer model says so; that of one on the same, or on one
// whose price nobody knows, does not.
func TestDearerHelper(t *testing.T) {
	for route, want := range map[string]string{
		"openai/big":   "On Big One, which costs more than the model that started it: sum up the log",
		"openai/small": "sum up the log",
	} {
		c := NewChild(Config{Root: "root", Session: "h"})
		c.Dearer = func(r string) string {
			return map[string]string{"openai/big": "Big One"}[r]
		}
		event := func(seq int64, kind string, data any) dsh.Event {
			text, err := json.Marshal(data)
			if err != nil {
				t.Fatal(err)
			}
			return dsh.Event{Type: kind, Seq: seq, Time: 1000 + seq, Data: text}
		}
		var rows []string
		for _, e := range []dsh.Event{
			event(1, dsh.TypeTurnStart, map[string]any{"turn": 1}),
			event(2, dsh.TypeUserMessage, map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "sum up\nthe log"}}, "source": map[string]any{"kind": "user"}}),
			event(3, dsh.TypeRequestContext, map[string]any{"provider": "openai", "model": route[len("openai/"):], "contextWindow": 1000}),
		} {
			for _, f := range c.Apply(e) {
				rows = append(rows, f.Agent.(*chat.Helper).Description)
			}
		}
		if diff := cmp.Diff(want, rows[len(rows)-1]); diff != "" || c.Route() != route {
			t.Errorf("%s (-want +got):\n%s", c.Route(), diff)
		}
	}
}
