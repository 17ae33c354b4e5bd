package sdk_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

func plugin(name string, table []abi.Op, ops sdk.Ops) sdk.Plugin {
	return sdk.Plugin{Name: name, Table: table, New: func() sdk.Instance { return sdk.Instance{Ops: ops} }}
}

var some = sdk.Op(func(*sdk.Task, struct{}) (struct{}, error) { return struct{}{}, nil })

// silent is a host side that takes no notice.
type silent struct{}

func (silent) Log(sdk.Level, string)                         {}
func (silent) Now() uint64                                   { return 0 }
func (silent) Random() uint64                                { return 0 }
func (silent) Done(uint32, []byte, []byte)                   {}
func (silent) Failed(uint32, string, string)                 {}
func (silent) Effect(uint32, uint32, string, []byte, []byte) {}

func TestHandlersAndTableMustAgree(t *testing.T) {
	tests := map[string]struct {
		plugin sdk.Plugin
		want   string
	}{
		"missing handler": {plugin("p", []abi.Op{{Name: "a"}, {Name: "b"}}, sdk.Ops{"a": some}), `sdk: plugin "p" has no handler for op "b" of its table`},
		"nil handler":     {plugin("p", []abi.Op{{Name: "a"}}, sdk.Ops{"a": nil}), `sdk: plugin "p" has no handler for op "a" of its table`},
		"extra handler":   {plugin("p", []abi.Op{{Name: "a"}}, sdk.Ops{"a": some, "c": some}), `sdk: plugin "p" has a handler for "c", which its table does not list`},
		"not in Tables":   {plugin("nobody", nil, sdk.Ops{"a": some}), `sdk: plugin "nobody" has a handler for "a", which its table does not list`},
		"no constructor":  {sdk.Plugin{Name: "p"}, `sdk: plugin "p" needs a name and a constructor`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := sdk.NewRuntime(silent{}, test.plugin); err == nil || err.Error() != test.want {
				t.Errorf("NewRuntime: %v", err)
			}
			defer func() {
				if err, ok := recover().(error); !ok || err.Error() != test.want {
					t.Errorf("Register: %v", err)
				}
			}()
			sdk.Register(test.plugin)
		})
	}
}

func TestRegisterTakesANameOnce(t *testing.T) {
	p := plugin("once", []abi.Op{{Name: "a"}}, sdk.Ops{"a": some})
	sdk.Register(p)
	defer func() {
		if got := recover(); got != `sdk: plugin "once" is registered twice` {
			t.Errorf("panic: %v", got)
		}
	}()
	sdk.Register(p)
}

// pushes notes what an instance says about call 0.
type pushes struct {
	silent
	said []string
}

func (p *pushes) Done(_ uint32, head, _ []byte)     { p.said = append(p.said, "done "+string(head)) }
func (p *pushes) Failed(_ uint32, code, msg string) { p.said = append(p.said, code+": "+msg) }

func TestDescribeAndInit(t *testing.T) {
	host := &pushes{}
	rt, err := sdk.NewRuntime(host,
		plugin("b", []abi.Op{{Name: "x", Sync: true, DeadlineMs: 5, Default: abi.GateDigest{Digest: "d"}}}, sdk.Ops{"x": some}),
		plugin("a", []abi.Op{{Name: "y", Effects: []string{"sleep"}, Worker: true}}, sdk.Ops{"y": some}))
	if err != nil {
		t.Fatal(err)
	}
	statuses := []sdk.Status{
		rt.Describe(), rt.Call(1, "x", nil, nil), rt.Init("c", nil), rt.Init("b", nil), rt.Init("a", nil), rt.Call(2, "y", nil, nil),
	}
	if diff := cmp.Diff([]sdk.Status{sdk.Done, sdk.Failed, sdk.Failed, sdk.Done, sdk.Failed, sdk.Failed}, statuses); diff != "" {
		t.Error(diff)
	}
	want := []string{
		`done {"abi":"` + abi.Version + `","plugins":[{"name":"a","ops":[{"name":"y","worker":true,"effects":["sleep"]}]},` +
			`{"name":"b","ops":[{"name":"x","sync":true,"deadlineMs":5,"default":{"digest":"d"}}]}]}`,
		"not-ready: No plugin was chosen for this instance yet.",
		"unknown-plugin: The module holds no plugin named c.",
		"done {}",
		"bad-input: This instance already serves the plugin b.",
		"unknown-op: The plugin b has no operation y.",
	}
	if diff := cmp.Diff(want, host.said); diff != "" {
		t.Error(diff)
	}
}

func TestACallNumberInUseTraps(t *testing.T) {
	waits := sdk.Op(func(t *sdk.Task, _ struct{}) (struct{}, error) { return struct{}{}, sdk.Sleep(t, 1) })
	rt, err := sdk.NewRuntime(silent{}, plugin("p", []abi.Op{{Name: "a"}}, sdk.Ops{"a": waits}))
	if err != nil {
		t.Fatal(err)
	}
	rt.Init("p", nil)
	rt.Call(7, "a", nil, nil)
	defer func() {
		if got := recover(); got != "sdk: call id 7 is in use" {
			t.Errorf("panic: %v", got)
		}
		rt.Cancel(7)
	}()
	rt.Call(7, "a", nil, nil)
}

func TestEachInstanceHasItsOwnState(t *testing.T) {
	p := sdk.Plugin{Name: "counter", Table: []abi.Op{{Name: "next", Sync: true}}, New: func() sdk.Instance {
		n := 0
		return sdk.Instance{
			Init: sdk.Config(func(c struct{ From int }) error { n = c.From; return nil }),
			Ops: sdk.Ops{"next": sdk.Op(func(*sdk.Task, struct{}) (int, error) {
				n++
				return n, nil
			})},
		}
	}}
	a, b := sdktest.New(t, p, json.RawMessage(`{"from":10}`)), sdktest.New(t, p, nil)
	var got [3]int
	for i, d := range []*sdktest.Driver{a, b, a} {
		if err := d.Do("next", nil, &got[i]); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([3]int{11, 1, 12}, got); diff != "" {
		t.Error(diff)
	}
}
