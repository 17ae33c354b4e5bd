package bridge

import (
	"errors"
	"strings"
	"testing"

	"strata.dev/bridge/proto/chat"
)

// TestFrameLogIsBoundedInBytes: whatever a frame carries counts, so that no kind of it
// can make the log grow past its limit; the newest frame always stays.
func TestFrameLogIsBoundedInBytes(t *testing.T) {
	const most, big = 1 << 20, 64 << 10
	long := strings.Repeat("x", big)
	for name, f := range map[string]chat.Frame{
		"delta":    {Type: chat.Delta, Sentence: chat.Sentence{Text: long}},
		"args":     {Type: chat.Status, Sentence: chat.Sentence{Args: map[string]string{"text": long}}},
		"details":  {Type: chat.Notice, Details: long},
		"draft":    {Type: chat.AgentDraft, ToolDraft: &chat.ToolDraft{Tail: long}},
		"helper":   {Type: chat.AgentRow, Agent: &chat.Helper{Description: long}},
		"plan":     {Type: chat.PlanReady, Plan: &chat.Plan{Text: long}},
		"input":    {Type: chat.AgentTool, Tool: &chat.Tool{Input: long}},
		"result":   {Type: chat.AgentTool, Tool: &chat.Tool{Result: long}},
		"pattern":  {Type: chat.AgentTool, Tool: &chat.Tool{Save: &chat.SaveOffer{Pattern: long}}},
		"snapshot": {Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: []chat.Message{{Text: long}}}},
	} {
		l := &frameLog{run: "r", max: most}
		for range 100 {
			l.append(f, 0)
			if l.size() > most {
				t.Fatalf("%s: %d bytes are kept, at most %d", name, l.size(), most)
			}
		}
		if n := len(l.frames); n != most/(big+frameSize) && n != most/weight(f) {
			t.Errorf("%s: %d frames are kept", name, n)
		}
	}
	l := &frameLog{run: "r", max: 10}
	l.append(chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: long}}, 0)
	if f, _, err := l.take(0); err != nil || f.Text != long {
		t.Errorf("the newest frame: %v", err)
	}
	l.append(chat.Frame{Type: chat.Delta}, 0)
	if _, _, err := l.take(0); !errors.Is(err, ErrSlow) {
		t.Errorf("a reader that lags: %v", err)
	}
}
