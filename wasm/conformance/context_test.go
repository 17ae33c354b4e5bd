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
		r := &Runner{Host: host, Modules: modules}
		open, err := r.command(`{"do":"open","instance":"context","plugin":"context"}`, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		ask := func(c Command) Event {
			if err := host.Send(c); err != nil {
				t.Fatal(err)
			}
			e, err := r.next(r.patience())
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		if e := ask(open); e.On != "opened" {
			t.Fatalf("opening context: %+v", e)
		}
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
		if e := ask(Command{Do: "close", Instance: "context"}); e.On != "closed" {
			t.Errorf("closing context: %+v", e)
		}
	})
}
