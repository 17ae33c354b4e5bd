package bridge

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// TestHugeAnswer: of a long answer the run holds the text once, for a page that
// comes later, and beside it the newest frames.
func TestHugeAnswer(t *testing.T) {
	const size, piece = 6 << 20, 64 << 10
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	event := func(kind string, data any) dsh.Event {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return dsh.Event{Type: kind, Data: raw}
	}
	before := live()
	fold := project.New(project.Config{Root: "s", Session: "s"})
	log := &frameLog{run: "r", max: 4 << 20}
	for n := range size / piece {
		text := strings.Repeat(string(rune('a'+n%26)), piece)
		for _, f := range fold.Apply(event(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: 1, Step: 1, Chunk: dsh.Chunk{Type: "text-delta", Text: text}})) {
			log.append(f, 0)
		}
	}
	held := live() - before
	t.Logf("%d MiB of answer, %d MiB are held", size>>20, held>>20)
	if limit := int64(size*5/4 + 4<<20 + 4<<20); held > limit { // a slice grows by a quarter; the frames; the rest
		t.Errorf("%d MiB are held, want at most %d", held>>20, limit>>20)
	}
	messages, _, _ := log.view()
	if len(messages) != 1 || len(messages[0].Text) != size {
		t.Fatalf("%d messages", len(messages))
	}
	whole := messages[0].Text + "the end"
	var last chat.Frame
	for _, f := range fold.Apply(event(dsh.TypeAssistantMessage, dsh.AssistantMessage{Turn: 1, Step: 1, Message: dsh.Message{Content: []dsh.Block{{Type: "text", Text: whole}}}})) {
		last = f
	}
	if last.Text != "the end" {
		t.Errorf("the whole message adds %d bytes, want the end alone", len(last.Text))
	}
	runtime.KeepAlive(fold)
}
