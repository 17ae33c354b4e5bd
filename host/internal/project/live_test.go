package project

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// spoken is what frames show of an answer; "|" stands before a new beginning.
func spoken(frames []chat.Frame) string {
	var out strings.Builder
	for _, f := range frames {
		switch {
		case f.Own && f.Key == say.AnswerRestarted:
			out.WriteString("|")
		case f.Type == chat.Delta:
			out.WriteString(f.Text)
		}
	}
	return out.String()
}

func begun(id string) dsh.Live {
	return dsh.Live{Type: dsh.LiveStart, AttemptID: id, Turn: 1, Step: 1}
}

func piece(id string, index int, text string) dsh.Live {
	return dsh.Live{Type: dsh.LiveChunk, AttemptID: id, Turn: 1, Step: 1, Index: index, Chunk: &dsh.Chunk{Type: "text-delta", Text: text}}
}

func message(text string) dsh.Event {
	raw, err := json.Marshal(dsh.AssistantMessage{Turn: 1, Step: 1, Message: dsh.Message{Content: []dsh.Block{{Type: "text", Text: text}}}})
	if err != nil {
		panic(err)
	}
	return dsh.Event{Type: dsh.TypeAssistantMessage, Data: raw}
}

func attempt(text string) dsh.Event {
	raw, err := json.Marshal(dsh.AssistantAttempt{Turn: 1, Step: 1, Stream: []dsh.Record{{Type: "text-chunks", Texts: []string{text}}}})
	if err != nil {
		panic(err)
	}
	return dsh.Event{Type: dsh.TypeAssistantAttempt, Data: raw}
}

// Each text is shown once, however the pieces of an attempt and the log's word on it
// come together.
func TestLive(t *testing.T) {
	for _, tt := range []struct {
		name string
		come []any
		want string
	}{
		{"as it should", []any{begun("a"), piece("a", 0, "one "), piece("a", 1, "two"), message("one two")}, "one two"},
		{"given again from its start", []any{begun("a"), piece("a", 0, "one "), begun("a"), piece("a", 0, "one "), piece("a", 1, "two"), message("one two")}, "one two"},
		{"given again after its message", []any{begun("a"), piece("a", 0, "one "), message("one two"), begun("a"), piece("a", 0, "one "), piece("a", 1, "two")}, "one two"},
		{"joined in the middle", []any{begun("a"), piece("a", 0, "one "), message("one two")}, "one two"},
		{"no pieces", []any{message("one two")}, "one two"},
		{"another attempt says the same", []any{begun("a"), piece("a", 0, "one "), attempt("one "), begun("b"), piece("b", 0, "one two"), message("one two")}, "one two"},
		{"another attempt says more at once", []any{begun("a"), piece("a", 0, "one "), begun("b"), message("one two")}, "one two"},
		{"another attempt says something else", []any{begun("a"), piece("a", 0, "one "), begun("b"), piece("b", 0, "two"), message("two")}, "one |\n\ntwo"},
		{"another message without pieces", []any{begun("a"), piece("a", 0, "one "), begun("b"), message("two")}, "one |\n\ntwo"},
		{"the log alone", []any{attempt("one "), attempt("one tw"), message("one two")}, "one two"},
		{"the log alone, otherwise", []any{attempt("one "), message("two")}, "one |\n\ntwo"},
		{"the log knows more of a try that failed", []any{begun("a"), piece("a", 0, "one "), attempt("one two "), begun("b"), message("one two three")}, "one two three"},
		{"a try of which nothing came", []any{begun("a"), attempt(""), begun("b"), piece("b", 0, "one"), message("one")}, "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := New(Config{Root: "s", Session: "s"})
			var frames []chat.Frame
			for _, c := range tt.come {
				switch c := c.(type) {
				case dsh.Live:
					frames = append(frames, f.Live(c)...)
				case dsh.Event:
					frames = append(frames, f.Apply(c)...)
				}
			}
			if d := cmp.Diff(tt.want, spoken(frames)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// A text of which only the hash is kept is compared as well as one that is kept whole.
func TestLongAnswer(t *testing.T) {
	long := strings.Repeat("word ", maxHeard/4)
	other := "x" + long[1:]
	for _, tt := range []struct {
		name  string
		tries [][]string
		whole string
		again int // beginnings
		shown int // bytes
	}{
		{"once", [][]string{{long[:maxHeard/2], long[maxHeard/2:]}}, long + "end", 0, len(long) + 3},
		{"the same again", [][]string{{long}, {long[:10], long[10:], "end"}}, long + "end", 0, len(long) + 3},
		{"the same in a message", [][]string{{long}, {}}, long + "end", 0, len(long) + 3},
		{"something else", [][]string{{long}, {other}}, other + "end", 1, 2*len(long) + 2 + 3},
		{"a shorter one", [][]string{{long}, {"short"}}, "short", 1, len(long) + 2 + 5},
		{"a message that differs", [][]string{{long}}, other, 0, len(long)},
		{"short, then long", [][]string{{"word "}, {long}}, long + "end", 0, len(long) + 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c channel
			shown, begins := 0, 0
			take := func(s string, again bool) {
				shown += len(s)
				if again {
					begins++
				}
			}
			c.enter()
			for i, pieces := range tt.tries {
				if i > 0 {
					c.retry()
				}
				for _, p := range pieces {
					take(c.push(p))
				}
			}
			take(c.finish(tt.whole))
			if shown != tt.shown || begins != tt.again {
				t.Errorf("%d bytes shown in %d new beginnings, want %d in %d", shown, begins, tt.shown, tt.again)
			}
			if n := len(c.try.text) + len(c.old.text); n > 2*maxHeard {
				t.Errorf("%d bytes are kept", n)
			}
		})
	}
}

// No order of pieces and events makes the projection panic, or lose the
// message's text.
func TestLiveInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := New(Config{Root: "s", Session: "s"})
		text := rapid.StringMatching(`[ab]{0,6}`)
		var frames []chat.Frame
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				frames = append(frames, f.Live(begun("a"))...)
			case 1:
				frames = append(frames, f.Live(piece("a", 0, text.Draw(t, "piece")))...)
			case 2:
				frames = append(frames, f.Apply(attempt(text.Draw(t, "attempt")))...)
			case 3:
				frames = append(frames, f.Apply(dsh.Event{Type: dsh.TypeLLMRetry, Data: json.RawMessage(`{}`)})...)
			}
		}
		f.Live(begun("b"))
		whole := rapid.StringMatching(`[ab]{1,8}`).Draw(t, "whole")
		frames = append(frames, f.Apply(message(whole))...)
		if got := spoken(frames); !strings.HasSuffix(got, whole) {
			t.Fatalf("shown %q does not end in %q", got, whole)
		}
	})
}
