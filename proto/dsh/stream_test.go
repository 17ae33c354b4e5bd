package dsh

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnpack(t *testing.T) {
	end := Chunk{Type: "finish", Reason: &EndReason{Kind: "stop"}}
	got := Unpack([]Record{
		{Type: "text-chunks", Time0: 100, Index: 1, DT: []int64{5, 2}, Texts: []string{"a", "b", "c"}},
		{Type: "reasoning-chunks", Time0: 200, Texts: []string{"r", "no gap"}},
		{Type: "tool-call-chunks", Time0: 300, Index: 2, DT: []int64{9}, ID: "c", Name: "bash", Args: []string{`{"a"`, `:1}`}},
		{Type: "of-tomorrow", Texts: []string{"x"}},
		{Type: "chunk", Time: 400, Chunk: &end},
		{Type: "chunk", Time: 500},
	})
	want := []TimedChunk{
		{100, Chunk{Type: "text-delta", Index: 1, Text: "a"}},
		{105, Chunk{Type: "text-delta", Index: 1, Text: "b"}},
		{107, Chunk{Type: "text-delta", Index: 1, Text: "c"}},
		{200, Chunk{Type: "reasoning-delta", Text: "r"}},
		{200, Chunk{Type: "reasoning-delta", Text: "no gap"}},
		{300, Chunk{Type: "tool-call-delta", Index: 2, ID: "c", Name: "bash", ArgumentsDelta: `{"a"`}},
		{309, Chunk{Type: "tool-call-delta", Index: 2, ID: "c", Name: "bash", ArgumentsDelta: `:1}`}},
		{400, end},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("chunks (-want +got):\n%s", diff)
	}
}

// The exact texts: a key more and the Harness closes the socket.
func TestClientFrames(t *testing.T) {
	tests := []struct {
		name, want string
		args       any
		endpoint   string
	}{
		{"no arguments", `{"type":"open","streamId":"s1","endpoint":"$events","payload":{"args":{}}}`, nil, "$events"},
		{
			"arguments", `{"type":"open","streamId":"s1","endpoint":"session/follow","payload":{"args":{"request":{}}}}`,
			map[string]any{"request": struct{}{}}, "session/follow",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := OpenFrame("s1", tt.endpoint, tt.args)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v\nwant %s", got, err, tt.want)
			}
		})
	}
	if got, want := string(CancelFrame("s1")), `{"type":"cancel","streamId":"s1"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, args := range []any{[]int{1}, "text", func() {}} {
		if raw, err := OpenFrame("s1", "x", args); err == nil {
			t.Errorf("arguments %T were encoded as %s", args, raw)
		}
	}
	if _, err := OpenFrame("", "x", nil); err == nil {
		t.Error("a stream without an id was encoded")
	}
}

func TestInboxQueue(t *testing.T) {
	message := func(id, kind string) Message { return Message{ID: id, Source: Source{Kind: kind}} }
	got := Inbox{
		NextTurn: []Message{message("a", "user")},
		NextStep: []Message{message("b", "user"), message("c", "plugin")},
	}.Queue()
	want := []QueueItem{
		{ID: "a", Placement: "queued", Message: message("a", "user")},
		{ID: "b", Placement: "steering", Message: message("b", "user")},
		{ID: "c", Placement: "context", Message: message("c", "plugin")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("queue (-want +got):\n%s", diff)
	}
}
