package kit

import (
	"path/filepath"
	"testing"

	"strata.dev/bridge/e2e/kit/transcript"
	"strata.dev/bridge/proto/chat"
)

func TestRecordFrames(t *testing.T) {
	home := NewHome(t)
	file := filepath.Join("testdata", "frames.txtar")
	tr := transcript.New(file, "Frames of two runs of one chat: text in pieces, ids, paths and times of their own.")
	tr.Name(home.Workspace, "WORKSPACE")
	for i, session := range []string{"session-0f6d2c1e-1111-4222-8333-444455556666", "session-0f6d2c1e-1111-4222-8333-444455556666"} {
		run := []string{"r-aaaa11", "r-bbbb22"}[i]
		RecordFrames(t, tr, "run "+run[2:3], []chat.Frame{
			{Run: run, Seq: 1, Type: chat.Started, Agent: true, Mode: "manual", SessionID: session},
			{Run: run, Seq: 2, Type: chat.Reasoning, Sentence: chat.Sentence{Text: "so "}},
			{Run: run, Seq: 3, Type: chat.Reasoning, Sentence: chat.Sentence{Text: "then"}},
			{Run: run, Seq: 4, Type: chat.ContextUse, Context: &chat.Context{Tokens: 9}},
			{Run: run, Seq: 5, Type: chat.AgentTool, Tool: &chat.Tool{ID: "call_0123456789_0", Name: "bash", State: chat.ToolDone,
				Result: "in " + home.Workspace + "\n", DurationMs: 12}},
			{Run: run, Seq: 6, Type: chat.Delta, Sentence: chat.Sentence{Text: "a"}},
			{Run: run, Seq: 7, Type: chat.Delta, Own: true, Sentence: chat.Sentence{Text: "Stopped.", Key: "Stopped."}},
			{Run: run, Seq: 8, Type: chat.Delta, Sentence: chat.Sentence{Text: "b"}},
			{Run: run, Seq: 9, Type: chat.Done, Usage: &chat.Usage{Prompt: 7, Completion: 3}},
		})
	}
	tr.Check(t)
}
