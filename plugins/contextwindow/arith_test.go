package contextwindow

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// cases are those of context.md §3, which the arithmetic's own package keeps.
const cases = "../../proto/budget/testdata/arith-cases.json"

func TestArith(t *testing.T) {
	data, err := os.ReadFile(cases)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tolerance float64 `json:"number_tolerance"`
		Cases     []struct {
			ID, Fn   string
			Input    json.RawMessage
			Expected any
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 94 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	d := sdktest.New(t, Plugin, nil)
	for _, c := range file.Cases {
		var got abi.ContextArithAnswer
		if err := d.Do("arith", abi.ContextArith{Fn: c.Fn, Input: c.Input}, &got); err != nil {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		if diff := cmp.Diff(c.Expected, got.Value, cmpopts.EquateApprox(0, file.Tolerance)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
}

// TestArithBeyondTheCases: inputs that the file does not have, by hand.
func TestArithBeyondTheCases(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	for _, tt := range []struct {
		fn, input string
		want      any
	}{
		{"landing", `{"spans":[[40000,2000]],"tailAfterFirstCut":30000,"R":6,"cold":true}`,
			object{"reclaimed": 38000.0, "onceCost": 0.0, "saved": 22800.0, "net": 22800.0, "breakEvenRequests": 0.0}},
		{"landing", `{"spans":[],"tailAfterFirstCut":10,"R":6}`,
			object{"reclaimed": 0.0, "onceCost": 9.0, "saved": 0.0, "net": -9.0, "breakEvenRequests": nil}},
		{"landDecision", `{"total":600000,"window":1000000,"reclaimed":20000,"net":0}`, "defer:unprofitable"},
		{"landDecision", `{"total":750000,"window":1000000,"reclaimed":20000,"net":-1,"waited":3}`, "drop:unprofitable"},
		{"expectedRequests", `{"perTurn":[100,1,1,1,1,1]}`, 3.0},
		{"expectedRequests", `{"perTurn":[40,40,40]}`, 30.0},
		{"reminder", `{"foldable":60000,"atLast":0,"total":750000,"window":1000000}`, "growth"},
		{"l1Protected", `{"roundsNewestFirst":[]}`, object{"rounds": 0.0, "tokens": 0.0}},
		{"evict", `{"sessions":[["a",2,100],["b",1,200]],"capMB":0,"current":"b"}`, object{"removed": []any{"a"}, "bytesLeft": 200.0, "overCap": true}},
		{"terms", `{"s":"Naïve ログ,OK 한국어x"}`, []any{"naïve", "ログ", "ok", "한국", "국어", "x"}},
		{"terms", `{"s":"中"}`, []any{"中"}},
		{"bm25", `{"docs":[],"q":"a"}`, object{"scores": []any{}, "order": []any{}}},
		{"sharedPrefix", `{"a":"x","b":""}`, object{"identicalBytes": 0.0, "share": 1.0}},
		{"densityOf", `{"measured":null,"harness":null}`, 1.0},
		{"packPieces", `{"units":[],"first":1,"rest":1}`, object{"pieces": []any{}, "cutForRequest": []any{}}},
	} {
		var got abi.ContextArithAnswer
		if err := d.Do("arith", abi.ContextArith{Fn: tt.fn, Input: json.RawMessage(tt.input)}, &got); err != nil {
			t.Errorf("%s %s: %v", tt.fn, tt.input, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got.Value, cmpopts.EquateApprox(0, 1e-6)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.fn, tt.input, diff)
		}
	}
	for _, fn := range []string{"", "nothing"} {
		if err := d.Do("arith", abi.ContextArith{Fn: fn}, nil); err == nil {
			t.Errorf("%q is known", fn)
		}
	}
}
