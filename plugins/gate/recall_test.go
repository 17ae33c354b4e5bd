package gate

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

func TestSameWordsLooksAtEveryField(t *testing.T) {
	for i := range reflect.TypeFor[abi.GateCall]().NumField() {
		if name := reflect.TypeFor[abi.GateCall]().Field(i).Name; slices.Contains([]string{"Helpers", "Provider", "Brief"}, name) {
			continue // facts, and how much is said of them
		}
		var a, b abi.GateCall
		field := reflect.ValueOf(&b).Elem().Field(i)
		switch field.Interface().(type) {
		case json.RawMessage:
			field.SetBytes([]byte("1"))
		case *abi.GitFacts, map[string]string:
			continue // facts
		default:
			switch {
			case field.CanInt():
				field.SetInt(1)
			case field.Kind() == reflect.Bool:
				field.SetBool(true)
			default:
				field.SetString("x")
			}
		}
		if sameWords(a, b) {
			t.Errorf("%s makes no difference", reflect.TypeFor[abi.GateCall]().Field(i).Name)
		}
	}
}

// An instance that has seen other calls says what one that has seen none says.
func TestRecallMakesNoDifference(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	ask := func(op string, call abi.GateCall) string {
		c := d.Start(op, call, nil)
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		return string(c.Head)
	}
	want := func(v any) string {
		head, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(head)
	}
	for _, call := range goldenCalls(t) {
		bare := call
		bare.Git, bare.RealPaths = nil, nil
		for _, one := range []abi.GateCall{bare, call} {
			if got, want := ask("facts", one), want(Facts(one, abi.GateConfig{})); got != want {
				t.Errorf("facts of %s: %s, want %s", one.Arguments, got, want)
			}
			if got, want := ask("decide", one), want(Decide(one, abi.GateConfig{})); got != want {
				t.Errorf("decide of %s: %s, want %s", one.Arguments, got, want)
			}
		}
	}
}

// Nobody looks at the parts of what runs unasked; all else is said as ever.
func TestBriefLeavesOutThePartsOfWhatIsAllowed(t *testing.T) {
	allowed := 0
	for _, call := range goldenCalls(t) {
		want := Decide(call, abi.GateConfig{})
		if want.Decision == abi.Allow && want.Parts != nil {
			allowed++
			want.Parts = nil
		}
		call.Brief = true
		if diff := cmp.Diff(want, Decide(call, abi.GateConfig{})); diff != "" {
			t.Error(diff)
		}
	}
	if allowed < 100 {
		t.Errorf("only %d calls have parts that are left out", allowed)
	}
}
