package bridge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// More answers of /strata-context.
const (
	outlineKept = `{"tokens":12000,"window":65536,"source":"measured","density":2,"fixed":9000,"outline":true}`
	outlineFile = `{"tokens":12000,"window":65536,"source":"measured","density":2,"fixed":9000,"outline":true,"kept":".strata/restore/a.md"}`
	givenUp     = `{"tokens":40000,"window":65536,"source":"measured","density":2,"fixed":9000,"stuck":"` + abi.SaidStuck + `"}`
	narrow      = `{"tokens":9500,"window":12288,"source":"measured","density":1,"fixed":9000,"stuck":"` + abi.SaidFixed + `"}`
)

// ownLines are the host's own sentences, by their keys.
func ownLines(frames []chat.Frame) []string {
	var out []string
	for _, f := range frames {
		if f.Own {
			out = append(out, f.Key)
		}
	}
	return out
}

// hostNotes are those of a chat's history.
func hostNotes(c chat.Chat) []string {
	var out []string
	for _, m := range c.Messages {
		for _, n := range m.Notes {
			out = append(out, n.Key)
		}
	}
	return out
}

// TestRoomWithoutASummary: whoever asked for the room, the chat says that what made it is
// none, and its history says so too.
func TestRoomWithoutASummary(t *testing.T) {
	made := gateway.CommandResult{Found: true, OK: true, Text: "Compacted 8 history items."}
	for name, tt := range map[string]struct {
		sizes   []string
		compact gateway.CommandResult
		text    string
		want    []string
	}{
		"by /compact":           {[]string{nearly, outlineKept}, made, "/compact", []string{say.Outlined, say.ChatFilled}},
		"with a file":           {[]string{nearly, outlineFile}, made, "/compact", []string{say.OutlinedFile, say.ChatFilled}},
		"nothing older":         {[]string{outlineKept}, gateway.CommandResult{Found: true, OK: true, Text: nothingYet}, "/compact", []string{say.NothingToSummarize}},
		"before a message":      {[]string{nearly, outlineKept}, made, "say " + strings.Repeat("x", 80_000), []string{say.Outlined}},
		"a summary":             {[]string{nearly, eased}, made, "say " + strings.Repeat("x", 80_000), nil},
		"no summary helps":      {[]string{narrow}, made, "say hi", []string{say.WindowTooSmall}},
		"after a refused one":   {[]string{fresh, outlineKept}, made, "fail CONTEXT_WINDOW_EXCEEDED", []string{say.Outlined}},
		"nobody knows the size": {nil, made, "/compact", []string{say.Compacted}},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(s *stage) {
				s.d.commands = map[string]gateway.CommandResult{"compact": tt.compact}
				s.b.o.Counter = &tokenizer{}
				s.run("c1", "say before")
				s.d.sizes = tt.sizes
				if d := cmp.Diff(tt.want, ownLines(s.run("c1", tt.text))); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				kept := hostNotes(s.history("c1"))
				for _, key := range tt.want {
					if !strings.Contains(strings.Join(kept, "\n"), key) {
						t.Errorf("the history lacks %q: %q", key, kept)
					}
				}
			})
		})
	}
}

// TestNoSummaryHelpsIsToldOnce in a chat, for each model.
func TestNoSummaryHelpsIsToldOnce(t *testing.T) {
	play(t, func(s *stage) {
		s.d.sizes = []string{narrow}
		var got []string
		for _, id := range []string{"c1", "c1", "c2"} {
			got = append(got, strings.Join(ownLines(s.run(id, "say hi")), ","))
		}
		if d := cmp.Diff([]string{say.WindowTooSmall, "", say.WindowTooSmall}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestGivingUpIsToldOnce each time: by the turn in which it was given up, or else with the
// next message.
func TestGivingUpIsToldOnce(t *testing.T) {
	play(t, func(s *stage) {
		var got []string
		for _, sizes := range []string{givenUp, givenUp, outlineKept, givenUp, givenUp} {
			s.d.sizes = []string{sizes}
			got = append(got, strings.Join(ownLines(s.run("c1", "say hi")), ","))
		}
		if d := cmp.Diff([]string{say.SummaryStuck, "", "", say.SummaryStuck, ""}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestNoRoomByCompact says that nothing was changed, and what to do.
func TestNoRoomByCompact(t *testing.T) {
	play(t, func(s *stage) {
		s.d.sizes = []string{nearly}
		s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, Text: "manual compaction could not produce a smaller summary"}}
		frames := s.run("c1", "/compact")
		last := frames[len(frames)-1]
		if last.Key != say.NotSummarized || last.Details == "" || cmp.Diff([]string{"choose-model", "retry"}, last.Actions) != "" {
			t.Errorf("it ends with %+v", last)
		}
	})
}
