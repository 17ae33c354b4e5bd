package project

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// Some models count their calls from one in every answer, and some give no id:
// a call that was done must not turn into the one that was denied after it.
func TestEachCallHasACardOfItsOwn(t *testing.T) {
	type shown struct {
		ID     string
		Title  string
		State  chat.ToolState
		Digest string
	}
	const (
		secondLs = `tool/call {"turn":2,"step":1,"callId":"c","name":"bash","arguments":"{\"command\":\"rm x\"}"}`
		nameless = `tool/call {"turn":3,"step":1,"callId":"","name":"bash","arguments":"{\"command\":\"rm y\"}"}`
		done     = `tool/result {"message":{"role":"user","source":{"kind":"tool","callId":"c"},"content":[{"type":"tool-result","toolCallId":"c","content":[]}]}}`
		doneToo  = `tool/result {"message":{"role":"user","source":{"kind":"tool","callId":""},"content":[{"type":"tool-result","toolCallId":"","content":[]}]}}`
	)
	events := log(t,
		callLs, done,
		secondLs, `approval/asked {"id":"a2","toolName":"bash","callId":"c","reason":"why"}`, `approval/decided {"id":"a2","outcome":"rejected"}`, failed("Error: no", ""),
		nameless, `approval/asked {"id":"a3","toolName":"bash","reason":"why"}`, `approval/decided {"id":"a3","outcome":"allowed-once"}`, doneToo,
		`approval/asked {"id":"a4","toolName":"bash","reason":"a question of its own"}`,
	)
	rm := func(call, args string) string { return abi.Digest("r", "r", call, "bash", []byte(args)) }
	want := []shown{
		{"c", "Run: ls", chat.ToolRunning, ""}, {"c", "Run: ls", chat.ToolDone, ""},
		{"c@2", "Run: rm x", chat.ToolRunning, ""}, {"c@2", "Run: rm x", chat.ToolProposed, rm("c", `{"command":"rm x"}`)},
		{"c@2", "Run: rm x", chat.ToolDenied, ""},
		{"@6", "Run: rm y", chat.ToolRunning, ""}, {"@6", "Run: rm y", chat.ToolProposed, rm("", `{"command":"rm y"}`)},
		{"@6", "Run: rm y", chat.ToolRunning, ""}, {"@6", "Run: rm y", chat.ToolDone, ""},
		{"a4", "Run: …", chat.ToolProposed, ""},
	}
	f := New(Config{Root: "r", Session: "r"})
	var got []shown
	for _, e := range events {
		for _, fr := range f.Apply(e) {
			got = append(got, shown{fr.Tool.ID, fr.Tool.Title, fr.Tool.State, fr.Tool.Digest})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An id that looks like one that was made up is not taken for it.
func TestMadeUpNamesAreFree(t *testing.T) {
	f := New(Config{Root: "r", Session: "h"})
	got := []string{f.name("c@3", 1), f.name("c", 2), f.name("c", 3), f.name("c@3", 4), f.name("", 5)}
	if diff := cmp.Diff([]string{"h:c@3", "h:c", "h:c@4", "h:c@3@4", "h:@5"}, got); diff != "" {
		t.Error(diff)
	}
}
