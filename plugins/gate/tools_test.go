package gate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/proto/abi"
)

var allModes = []abi.Mode{abi.Manual, abi.Plan, abi.Bypass, "unknown"}

// in is what is decided of a call in each mode: decision and rule.
func in(call abi.GateCall, config abi.GateConfig) map[abi.Mode]string {
	out := map[abi.Mode]string{}
	for _, mode := range allModes {
		call.Mode = mode
		d := Decide(call, config)
		out[mode] = d.Decision + " " + d.Rule
	}
	return out
}

func TestBookkeepingNeverAsks(t *testing.T) {
	names := []string{
		"todo_write", "get_goal", "create_goal", "update_goal", "list_agents", "list_subagent_models", "send_message",
		"interrupt_agent", "skill", "strata_status", "compress", "search_context", "decompress",
		"subagent", "subagent_fork", "ralph",
	}
	for _, name := range names {
		allow := "allow tool:" + name
		want := map[abi.Mode]string{abi.Manual: allow, abi.Plan: allow, abi.Bypass: "allow mode:bypass", "unknown": allow}
		if diff := cmp.Diff(want, in(called(name, `{"anything":1}`), abi.GateConfig{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := decided(called(name, `[1]`)); got.Decision != abi.Allow && name != "decompress" {
			t.Errorf("%s that cannot be read: %+v", name, got)
		}
		escalates := in(called(name, `{"justification":"x"}`), abi.GateConfig{})
		if escalates[abi.Manual] != "ask tool:escalation" || escalates[abi.Plan] != "deny tool:escalation" {
			t.Errorf("%s: %v", name, escalates)
		}
	}
	if got := slices.Sorted(maps.Keys(bookkeeping)); len(got)+len(delegation) != len(names) {
		t.Errorf("the table has other tools than this test: %q", got)
	}
}

// A helper's report is bookkeeping; the same name in a chat of its own is a tool
// that nobody knows.
func TestOnlyAHelperReports(t *testing.T) {
	for _, name := range []string{"report", "structured_output"} {
		call := called(name, `{"output":"x"}`)
		if got := decided(call); got.Rule != "tool:unknown" {
			t.Errorf("%s of nobody: %+v", name, got)
		}
		call.Root, call.Session = "r", "r"
		if got := decided(call); got.Rule != "tool:unknown" {
			t.Errorf("%s of a chat: %+v", name, got)
		}
		call.Session = "h"
		if got := in(call, abi.GateConfig{}); got[abi.Manual] != "allow tool:"+name || got[abi.Plan] != "allow tool:"+name {
			t.Errorf("%s of a helper: %v", name, got)
		}
	}
}

func TestAnEscalationIsNeverLookOnly(t *testing.T) {
	for _, call := range []abi.GateCall{
		called("bash", `{"command":"ls","sandbox_permissions":"workspace-write"}`),
		called("read", `{"file_path":"a","justification":"because"}`),
		called("mcp__instructions__style", `{"justification":"because"}`),
		called("web_search", `{"queries":["a"],"sandbox_permissions":null}`),
	} {
		want := map[abi.Mode]string{
			abi.Manual: "ask tool:escalation", abi.Plan: "deny tool:escalation", abi.Bypass: "allow mode:bypass", "unknown": "ask tool:escalation",
		}
		if diff := cmp.Diff(want, in(call, abi.GateConfig{Web: abi.GateWeb{SkipAsk: true}})); diff != "" {
			t.Errorf("%s %s: %s", call.Tool, call.Arguments, diff)
		}
	}
}

func TestConnectedTools(t *testing.T) {
	allow := func(rule string) verdictOf { return verdictOf{abi.Allow, rule, ""} }
	ask := func(rule, reason string) verdictOf { return verdictOf{abi.Ask, rule, reason} }
	const b = "mcp__browser__browser_"
	tests := []struct {
		tool, arguments string
		want            verdictOf
	}{
		{"mcp__instructions__house_style", `{"x":1}`, allow("tool:instructions")},
		{"mcp__instructions__", `{}`, ask("tool:mcp", "This uses the connected tool  of instructions, which can change things.")},
		{"mcp__instructions_x__y", `{}`, ask("tool:mcp", "This uses the connected tool y of instructions_x, which can change things.")},
		{"mcp__commands__deploy", `{}`, ask("tool:commands", "This runs your own command deploy.")},
		{"mcp__custom-notes__add", `{}`, ask("tool:custom", "This uses the connected tool add of notes, which can change things.")},
		{"mcp__github__list_issues", `{}`, ask("tool:mcp", "This uses the connected tool list_issues of github, which can change things.")},

		{b + "snapshot", `{}`, allow("tool:browser")},
		{b + "take_screenshot", `{"type":"png","fullPage":true}`, allow("tool:browser")},
		{b + "take_screenshot", `{"filename":"../x.png"}`, ask("tool:browser", "Save what the browser shows in the file ../x.png.")},
		{b + "console_messages", `{"onlyErrors":true}`, allow("tool:browser")},
		{b + "console_messages", `{"level":"error","all":true}`, allow("tool:browser")},
		{b + "network_requests", `{"includeStatic":false}`, allow("tool:browser")},
		{b + "wait_for", `{"time":3}`, allow("tool:browser")},
		{b + "wait_for", `{"text":"Done","script":"x"}`, ask("tool:arguments", "The tool browser_wait_for was given something that it is not known to take: script.")},
		{b + "wait_for", `{"time":"3"}`, ask("tool:arguments", "The tool browser_wait_for was given something that it is not known to take: time.")},
		{b + "tabs", `{"action":"list"}`, allow("tool:browser")},
		{b + "tabs", `{"action":"list","url":"https://a.invalid/"}`, ask("tool:browser", "This uses the connected tool browser_tabs of browser, which can change things.")},
		{b + "tabs", `{"action":"new","url":"https://a.invalid/"}`, ask("tool:browser", "Open a browser tab: https://a.invalid/.")},
		{b + "tabs", `{"action":"close","index":1}`, ask("tool:browser", "Close a browser tab.")},
		{b + "tabs", `{}`, ask("tool:browser", "This uses the connected tool browser_tabs of browser, which can change things.")},
		{b + "navigate", `{"url":"https://a.invalid/x"}`, ask("tool:browser", "Open the web page https://a.invalid/x.")},
		{b + "click", `{"element":"Buy now","ref":"e3"}`, ask("tool:browser", "Click on the page: Buy now.")},
		{b + "click", `{}`, ask("tool:browser", "Click on the page: something that it does not name.")},
		{b + "type", `{"element":"Name","text":"Ada","submit":true}`, ask("tool:browser", "Type into the page: Ada.")},
		{b + "file_upload", `{"paths":["/home/u/a.png","b.png"]}`, ask("tool:browser", "Upload to the page: /home/u/a.png; b.png.")},
		{b + "evaluate", `{"function":"() => 1"}`, ask("tool:browser", "Run a script in the page: () => 1.")},
		{b + "close", `{}`, ask("tool:browser", "Close the web page.")},
		{b + "mouse_click_xy", `{}`, ask("tool:browser", "This uses the connected tool browser_mouse_click_xy of browser, which can change things.")},
		{"mcp__browser__other", `{}`, ask("tool:mcp", "This uses the connected tool other of browser, which can change things.")},
	}
	for _, test := range tests {
		call := called(test.tool, test.arguments)
		if diff := cmp.Diff(test.want, decided(call)); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.arguments, diff)
		}
		call.Mode = abi.Plan
		if got, mine := decided(call), test.want.Rule == "tool:instructions"; (got.Decision == abi.Allow) != mine {
			t.Errorf("%s %s in Plan: %+v", test.tool, test.arguments, got)
		}
	}
	for name, does := range browserActs {
		if strings.Contains(does.key, "{what}") != (does.what != nil) {
			t.Errorf("%s: %q does not fit %q", name, does.key, does.what)
		}
		if _, looks := browserLooks[name]; looks {
			t.Errorf("%s both looks and acts", name)
		}
	}
}

func TestAPatternThatFitsSecretsAsks(t *testing.T) {
	for include, want := range map[string]string{
		"*.go": "allow", "*.{ts,tsx}": "allow", "src/**/*.md": "allow", "Makefile": "allow", "*_test.go": "allow", "*.json": "allow", "*.yml": "allow", "cred*": "ask",
		"*": "ask", "**": "ask", ".*": "ask", ".env": "ask", ".env*": "ask", "*env*": "ask", "*.{ts,env}": "ask", "id_*": "ask", "*.pem": "ask",
		"*.local": "ask", "[.]env": "ask", "*rc": "ask", "{a,{b,c}}": "ask", "[": "ask", ".ssh/*": "ask", "*.ENV": "ask",
	} {
		call := called("grep", `{"pattern":"x","include":`+quoted(include)+`}`)
		if got := decided(call); got.Decision != want {
			t.Errorf("%s: %+v", include, got)
		}
	}
	windows := called("glob", `{"pattern":"C:\\x\\*"}`)
	windows.Platform = "win32"
	if got := decided(windows); got.Rule != "tool:arguments" {
		t.Errorf("a drive: %+v", got)
	}
}

// Every sentence ends as one, and its key and arguments make its text.
func TestReasonsCarryTheirKey(t *testing.T) {
	for _, call := range goldenCalls(t) {
		d := Decide(call, abi.GateConfig{})
		if (d.Decision == abi.Allow) != (d.Key == "") {
			t.Fatalf("%s %s: %+v", call.Tool, call.Arguments, d)
		}
		if d.Key == "" {
			continue
		}
		var pairs []string
		for name, value := range d.Args {
			pairs = append(pairs, name, value)
		}
		if text := reason.Long(d.Key, pairs...); !strings.Contains(d.Reason, text) || strings.Contains(text, "{}") {
			t.Errorf("%q does not make %q", text, d.Reason)
		}
	}
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A workflow's script leaves its vm in one line, so it is judged like any script,
// and no yes in advance covers it.
func TestAWorkflowIsAScript(t *testing.T) {
	call := called("workflow", `{"meta":{"name":"n","description":"d"},"script":"agent.constructor('return process')()"}`)
	want := map[abi.Mode]string{
		abi.Manual: "ask tool:workflow", abi.Plan: "deny tool:workflow", abi.Bypass: "allow mode:bypass", "unknown": "ask tool:workflow",
	}
	if diff := cmp.Diff(want, in(call, abi.GateConfig{})); diff != "" {
		t.Error(diff)
	}
	if f := judge(call, abi.GateConfig{}); len(f) != 1 || f[0].named || f[0].file != "" || len(f[0].words) > 0 {
		t.Errorf("a permission can cover it: %+v", f)
	}
}
