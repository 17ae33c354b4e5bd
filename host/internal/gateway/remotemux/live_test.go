package remotemux_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

func delta(se *double.Session, text string) {
	se.Delta(dsh.Chunk{Type: "text-delta", Text: text}, false)
}

// lines reads n items and writes each as one line, without projections.
func lines(t *testing.T, s gateway.Stream, n int) []string {
	t.Helper()
	var got []string
	for len(got) < n {
		item, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		switch l := item.Live; {
		case item.Event != nil:
			got = append(got, fmt.Sprint(item.Event.Type, " ", item.Event.Seq))
		case l == nil:
		case l.Type == dsh.LiveChunk:
			got = append(got, fmt.Sprintf("%d.%d chunk %d %s", l.Turn, l.Step, l.Index, l.Chunk.Text))
		case l.Type == dsh.LiveEnd:
			got = append(got, fmt.Sprintf("%d.%d end %s %s %d", l.Turn, l.Step, l.Outcome.Kind, l.Outcome.EventType, l.Outcome.Seq))
		default:
			got = append(got, fmt.Sprintf("%d.%d start", l.Turn, l.Step))
		}
	}
	return got
}

// Deltas come live, each once and in order, with the turn and step they belong to,
// whatever happens to the stream meanwhile.
func TestLive(t *testing.T) {
	committed := []string{"1.1 start", "1.1 chunk 0 a", "1.1 chunk 1 b", "assistant/message 0", "1.1 end committed assistant/message 0"}
	tests := []struct {
		name string
		play func(b *bench, se *double.Session)
		want []string
	}{
		{"straight", func(_ *bench, se *double.Session) {
			delta(se, "b")
			se.Commit("ab")
		}, committed},
		{"cut between", func(b *bench, se *double.Session) {
			b.Cut(nil)
			delta(se, "b")
		}, []string{"1.1 start", "1.1 chunk 0 a", "1.1 chunk 1 b"}},
		{"the stream ends between", func(b *bench, se *double.Session) {
			b.End("session/follow", "")
			delta(se, "b")
		}, []string{"1.1 start", "1.1 chunk 0 a", "1.1 chunk 1 b"}},
		{"one is lost", func(_ *bench, se *double.Session) {
			se.Delta(dsh.Chunk{Type: "text-delta", Text: "b"}, true)
			delta(se, "c")
		}, []string{"1.1 start", "1.1 chunk 0 a", "1.1 chunk 1 b", "1.1 chunk 2 c"}},
		{"committed while away", func(b *bench, se *double.Session) {
			b.net.Refuse(true)
			b.Cut(nil)
			delta(se, "b")
			se.Commit("ab")
			se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1})
			b.net.Refuse(false)
		}, []string{"1.1 start", "1.1 chunk 0 a", "assistant/message 0", "1.1 end committed assistant/message 0", "turn/end 1"}},
		{"abandoned while away, and another begun", func(b *bench, se *double.Session) {
			b.net.Refuse(true)
			b.Cut(nil)
			se.Commit("")
			se.Append(dsh.TypeLLMRetry, dsh.Retry{Turn: 1})
			se.Start(1, 1)
			delta(se, "again")
			b.net.Refuse(false)
		}, []string{"1.1 start", "1.1 chunk 0 a", "llm/retry 0", "1.1 end abandoned  0", "1.1 start", "1.1 chunk 0 again"}},
		{"abandoned", func(_ *bench, se *double.Session) {
			se.Commit("")
		}, []string{"1.1 start", "1.1 chunk 0 a", "1.1 end abandoned  0"}},
		{"the Harness is started again", func(b *bench, se *double.Session) {
			b.Restart(token, true)
			se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1})
			se.Start(2, 1)
			delta(se, "new")
		}, []string{"1.1 start", "1.1 chunk 0 a", "turn/end 0", "1.1 end abandoned  0", "2.1 start", "2.1 chunk 0 new"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := connect(t)
				se := b.Create("s", "/repo")
				s := follow(t, b, "s", -1)
				se.Start(1, 1)
				delta(se, "a")
				got := lines(t, s, 2)
				tt.play(b, se)
				got = append(got, lines(t, s, len(tt.want)-2)...)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Who comes in the middle of an answer gets it from its start.
func TestLiveJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		se.Start(3, 2)
		delta(se, "a")
		se.Delta(dsh.Chunk{Type: "reasoning-delta", Text: "r"}, false)
		s := follow(t, b, "s", -1)
		synctest.Wait()
		delta(se, "b")
		want := []string{"3.2 start", "3.2 chunk 0 a", "3.2 chunk 1 r", "3.2 chunk 2 b"}
		if diff := cmp.Diff(want, lines(t, s, 4)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
