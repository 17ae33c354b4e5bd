package conformance

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// runContext gives a host side every case of the window arithmetic through op arith.
func runContext(t *testing.T, host Host) {
	t.Run("context", func(t *testing.T) {
		ask := asking(t, host, "context")
		var file struct {
			Tolerance float64 `json:"number_tolerance"`
			Cases     []struct {
				ID, Fn   string
				Input    json.RawMessage
				Expected any
			}
		}
		if err := json.Unmarshal(read(t, "../../proto/budget/testdata/arith-cases.json"), &file); err != nil {
			t.Fatal(err)
		}
		if len(file.Cases) < 94 {
			t.Fatalf("%d cases", len(file.Cases))
		}
		for _, c := range file.Cases {
			head, err := json.Marshal(map[string]any{"fn": c.Fn, "input": c.Input})
			if err != nil {
				t.Fatal(err)
			}
			e := ask(Command{Do: "call", Instance: "context", Call: c.ID, Op: "arith", Head: string(head)})
			var got struct{ Value any }
			if err := json.Unmarshal([]byte(e.Head), &got); err != nil {
				t.Errorf("%s: %+v: %v", c.ID, e, err)
				continue
			}
			if diff := cmp.Diff(c.Expected, got.Value, cmpopts.EquateApprox(0, file.Tolerance)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.ID, diff)
			}
		}
	})
}
