package gate

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

var update = flag.Bool("update", false, "write what the gate says into testdata")

// goldenCalls are the corpus and what it has none of: other modes, facts.
func goldenCalls(t *testing.T) []abi.GateCall {
	var calls []abi.GateCall
	for _, r := range corpus(t) {
		calls = append(calls, r.call())
	}
	with := func(call abi.GateCall, change func(*abi.GateCall)) {
		call.Root, call.Session, call.CallID = "session-1", "helper-2", "call-3"
		change(&call)
		calls = append(calls, call)
	}
	for _, one := range [][2]string{
		{"web_search", `{"queries":["a b","c"]}`}, {"web_fetch", `{"url":"https://a.invalid/?q=<x>"}`}, {"web_fetch", `{"url":"file:///x"}`},
		{"mcp__browser__browser_snapshot", `{}`}, {"mcp__browser__browser_click", `{"element":"Buy \"now\""}`}, {"mcp__browser__browser_tabs", `{"action":"list"}`},
		{"mcp__instructions__style", `{}`}, {"mcp__commands__deploy", `{}`}, {"mcp__custom-notes__add", `{}`}, {"mcp__x__y", `{}`},
		{"todo_write", `{"todos":[]}`}, {"workflow", `{"script":"x"}`}, {"report", `{"output":"x"}`}, {"decompress", `{"id":"a","toFile":"b"}`},
		{"bash", `{"command":"ls","sandbox_permissions":"workspace-write","justification":"I must."}`}, {"grep", `{"pattern":"x","include":"*"}`},
	} {
		for _, mode := range []abi.Mode{abi.Manual, abi.Plan} {
			with(called(one[0], one[1]), func(c *abi.GateCall) { c.Mode = mode })
		}
	}
	link := map[string]string{"/home/u/repo": "/home/u/repo", "/home/u/repo/x": "/home/u/.ssh/id_rsa"}
	for _, call := range []abi.GateCall{commanded("ls"), commanded("git status"), commanded("cat x"), commanded("rm x"), called("write", `{"file_path":"é \"x\".txt"}`)} {
		for _, mode := range []abi.Mode{abi.Plan, abi.Bypass, "other"} {
			with(call, func(c *abi.GateCall) { c.Mode = mode })
		}
		with(call, func(c *abi.GateCall) { c.Mode, c.StartMode = abi.Bypass, abi.Plan })
		with(call, func(c *abi.GateCall) { c.Git = nil })
		with(call, func(c *abi.GateCall) { c.Git = &abi.GitFacts{Programs: []string{"core.fsmonitor"}} })
		with(call, func(c *abi.GateCall) { c.RealPaths = link })
	}
	return calls
}

// The bytes that the gate takes and gives, for whoever runs it in another host:
// each line of calls.jsonl is a head of decide and facts, the line with the same
// number in decisions.jsonl and facts.jsonl the answer.
func TestGolden(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	files := map[string]*bytes.Buffer{"calls": {}, "decisions": {}, "facts": {}}
	for _, call := range goldenCalls(t) {
		head, err := json.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		files["calls"].Write(append(head, '\n'))
		for op, name := range map[string]string{"decide": "decisions", "facts": "facts"} {
			c := d.Start(op, head, nil)
			if c.Err != nil {
				t.Fatalf("%s: %v", head, c.Err)
			}
			files[name].Write(append(c.Head, '\n'))
		}
	}
	for name, got := range files {
		path := "testdata/" + name + ".jsonl"
		if *update {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
		if len(wantLines) != len(gotLines) {
			t.Fatalf("%s: %d lines, want %d (go test -update writes it anew)", path, len(gotLines), len(wantLines))
		}
		for i := range wantLines {
			if wantLines[i] != gotLines[i] {
				t.Errorf("%s:%d (go test -update writes it anew)\n got %s\nwant %s", path, i+1, gotLines[i], wantLines[i])
			}
		}
	}
}
