package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// TestHelperLimit: as many helpers as may be, in every mode, and only where there is a
// limit are they counted.
func TestHelperLimit(t *testing.T) {
	four := abi.GateConfig{MaxHelpers: 4}
	each := abi.GateConfig{MaxHelpers: 4, HelpersBy: map[string]int64{"router": 8, "free": 0}}
	for _, c := range []struct {
		name     string
		tool     string
		mode     abi.Mode
		config   abi.GateConfig
		atWork   int64
		count    bool
		want     string
		provider string
	}{
		{"the fourth", "subagent", abi.Manual, four, 3, true, abi.Allow, ""},
		{"the fifth", "subagent", abi.Manual, four, 4, true, abi.Deny, ""},
		{"the fifth, a fork", "subagent_fork", abi.Manual, four, 4, true, abi.Deny, ""},
		{"in Plan", "subagent", abi.Plan, four, 4, true, abi.Deny, ""},
		{"in Bypass", "subagent", abi.Bypass, four, 4, true, abi.Deny, ""},
		{"without a limit", "subagent", abi.Manual, abi.GateConfig{}, 99, false, abi.Allow, ""},
		{"on a model of another provider", "subagent", abi.Manual, each, 7, true, abi.Allow, "router"},
		{"there, the ninth", "subagent", abi.Manual, each, 8, true, abi.Deny, "router"},
		{"on one without a limit", "subagent", abi.Manual, each, 99, true, abi.Allow, "free"},
		{"on one that is not named", "subagent", abi.Manual, each, 4, true, abi.Deny, "other"},
		{"another tool", "list_agents", abi.Manual, four, 4, false, abi.Allow, ""},
	} {
		call := abi.GateCall{
			Tool: c.tool, Arguments: []byte(`{"description":"d","prompt":"p"}`), Mode: c.mode, CWD: "/w", Workspace: "/w",
			Platform: "linux", Helpers: c.atWork, Provider: c.provider,
		}
		if c.tool == "list_agents" {
			call.Arguments = []byte(`{}`)
		}
		if got := Facts(call, c.config).Helpers; got != c.count {
			t.Errorf("%s: counted: %t", c.name, got)
		}
		if d := cmp.Diff(c.want, Decide(call, c.config).Decision); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}
