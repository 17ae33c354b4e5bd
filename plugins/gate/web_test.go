package gate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

func TestWebByMode(t *testing.T) {
	engine := abi.GateConfig{Web: abi.GateWeb{Engine: "DuckDuckGo"}}
	skips := abi.GateConfig{Web: abi.GateWeb{Engine: "DuckDuckGo", SkipAsk: true}}
	for tool, arguments := range map[string]string{"web_search": `{"queries":["a","b"]}`, "web_fetch": `{"url":"https://a.invalid/"}`} {
		ask, allow := "ask tool:"+tool, "allow tool:"+tool
		want := map[abi.Mode]string{abi.Manual: ask, abi.Plan: allow, abi.Bypass: "allow mode:bypass", "unknown": ask}
		if diff := cmp.Diff(want, in(called(tool, arguments), engine)); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
		allow = "allow web:skip-ask"
		want = map[abi.Mode]string{abi.Manual: allow, abi.Plan: allow, abi.Bypass: "allow mode:bypass", "unknown": allow}
		if diff := cmp.Diff(want, in(called(tool, arguments), skips)); diff != "" {
			t.Errorf("%s without asking: %s", tool, diff)
		}
	}
}

// Where nobody is there the web is a no in every mode, unless the person let it be
// used without a question; what else asks goes on to ask.
func TestWebWithNobody(t *testing.T) {
	alone := func(call abi.GateCall) abi.GateCall { call.Unattended = true; return call }
	skips := abi.GateConfig{Web: abi.GateWeb{SkipAsk: true}}
	for tool, arguments := range map[string]string{"web_search": `{"queries":["a"]}`, "web_fetch": `{"url":"https://a.invalid/"}`} {
		no := "deny web:unattended"
		never := map[abi.Mode]string{abi.Manual: no, abi.Plan: no, abi.Bypass: no, "unknown": no}
		if diff := cmp.Diff(never, in(alone(called(tool, arguments)), abi.GateConfig{})); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
		if diff := cmp.Diff(never, in(called(tool, arguments), abi.GateConfig{Unattended: true})); diff != "" {
			t.Errorf("%s, nobody anywhere: %s", tool, diff)
		}
		allow := "allow web:skip-ask"
		want := map[abi.Mode]string{abi.Manual: allow, abi.Plan: allow, abi.Bypass: "allow mode:bypass", "unknown": allow}
		if diff := cmp.Diff(want, in(alone(called(tool, arguments)), skips)); diff != "" {
			t.Errorf("%s without asking: %s", tool, diff)
		}
		if facts := Facts(alone(called(tool, arguments)), abi.GateConfig{}); len(facts.Paths)+len(facts.Files)+len(facts.Folders) > 0 || facts.Git {
			t.Errorf("%s: looks up %+v", tool, facts)
		}
	}
	if d := Decide(alone(writing("a")), abi.GateConfig{}); d.Decision != abi.Ask {
		t.Errorf("a write is decided %+v", d)
	}
}

func TestWebReasons(t *testing.T) {
	const bad = " was called in a way that cannot be read."
	for _, test := range []struct{ tool, arguments, engine, rule, want string }{
		{"web_search", `{"queries":["go 1.26","wasi"]}`, "DuckDuckGo", "tool:web_search", "The assistant wants to search the web for: go 1.26; wasi. Search words go to DuckDuckGo."},
		{"web_search", `{"query":"a"}`, "", "tool:web_search", "The assistant wants to search the web for: a. Search words go to the search service."},
		{"web_fetch", `{"url":"https://a.invalid/x?q=1"}`, "", "tool:web_fetch", "The assistant wants to open the web page https://a.invalid/x?q=1."},
		{"web_fetch", `{"url":"file:///etc/passwd"}`, "", "tool:arguments", "The tool web_fetch" + bad},
		{"web_fetch", `{}`, "", "tool:arguments", "The tool web_fetch" + bad},
		{"web_search", `{"queries":[]}`, "", "tool:arguments", "The tool web_search" + bad},
		{"web_search", `{"queries":["a"],"proxy":"x"}`, "", "tool:arguments", "The tool web_search was given something that it is not known to take: proxy."},
	} {
		d := Decide(called(test.tool, test.arguments), abi.GateConfig{Web: abi.GateWeb{Engine: test.engine}})
		if diff := cmp.Diff(verdictOf{abi.Ask, test.rule, test.want}, verdictOf{d.Decision, d.Rule, d.Reason}); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.arguments, diff)
		}
	}
}
