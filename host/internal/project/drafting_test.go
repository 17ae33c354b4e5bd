package project

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

func argumentsOf(step, index int, id, name, delta string) dsh.Event {
	raw, err := json.Marshal(dsh.AssistantChunk{Turn: 1, Step: step, Chunk: dsh.Chunk{Type: "tool-call-delta", Index: index, ID: id, Name: name, ArgumentsDelta: delta}})
	if err != nil {
		panic(err)
	}
	return dsh.Event{Type: dsh.TypeAssistantChunk, Data: raw}
}

// A file shows while it is written, when it has begun and each time it has grown; no
// other tool's arguments do, nor a helper's, nor a call whose id a card has had.
func TestDrafting(t *testing.T) {
	called, err := json.Marshal(dsh.ToolCall{CallID: "old", Name: "bash", Arguments: "{}"})
	if err != nil {
		t.Fatal(err)
	}
	events := []dsh.Event{
		{Type: dsh.TypeToolCall, Seq: 1, Data: called},
		argumentsOf(1, 0, "c", "write", `{"file_path":"a","con`),
		argumentsOf(1, 0, "c", "", `tent":"one\ntw`),
		argumentsOf(1, 1, "e", "bash", `{"content":"no"}`),
		argumentsOf(1, 0, "c", "", `o`),
		argumentsOf(1, 0, "c", "", strings.Repeat("x", 300)),
		argumentsOf(1, 2, "old", "write", `{"content":"no"}`),
		argumentsOf(2, 0, "f", "edit", `{"old_string":"a","new_string":"b`),
	}
	draft := func(id, name string, size, lines int, tail string) chat.Frame {
		return chat.Frame{Type: chat.AgentDraft, ToolDraft: &chat.ToolDraft{ID: id, Name: name, Size: size, Lines: lines, Tail: tail}}
	}
	for session, want := range map[string][]chat.Frame{
		"root": {
			draft("c", "write", 6, 2, "one\ntw"),
			draft("c", "write", 307, 2, "one\ntwo"+strings.Repeat("x", 300)),
			draft("f", "edit", 1, 1, "b"),
		},
		"helper": nil,
	} {
		f := New(Config{Root: "root", Session: session})
		var got []chat.Frame
		for _, e := range events {
			for _, frame := range f.Apply(e) {
				if frame.Type == chat.AgentDraft {
					got = append(got, frame)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", session, diff)
		}
	}
}
