package remotemux_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

var update = flag.Bool("update", false, "write down what the transcripts give, for a person to read")

// Conversations: what the Harness does (lines with "<") and what the host does (lines
// with ">"), and what the host's reader and watcher get of it, in order.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) != 3 {
		t.Fatalf("want 3 transcripts, got %d (%v)", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil || len(a.Files) != 2 {
			t.Fatalf("%s: %d sections, %v", file, len(a.Files), err)
		}
		for name, setup := range map[string]func(*bench){"0.2": func(*bench) {}, "0.1.5": old} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					got := converse(t, connect(t, setup), string(a.Files[0].Data))
					if *update {
						a.Files[1].Data = []byte(strings.Join(got, "\n") + "\n")
						if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
							t.Fatal(err)
						}
					}
					want := strings.Split(string(bytes.TrimSpace(a.Files[1].Data)), "\n")
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// converse does the steps; after each it waits until nothing moves any more.
func converse(t *testing.T, b *bench, steps string) (got []string) {
	se := b.Create("s", "/repo")
	s, w := follow(t, b, "s", -1), watch(t, b)
	items, notices := make(chan string, 100), make(chan string, 100)
	var last gateway.Approval
	go func() {
		for {
			item, err := s.Next(t.Context())
			if err != nil {
				return
			}
			if line := itemLine(item); line != "" {
				items <- line
			}
		}
	}()
	go func() {
		for {
			n, err := w.Next(t.Context())
			if err != nil {
				return
			}
			if n.Approval != nil {
				last = *n.Approval
			}
			if n.Queue == nil && n.SessionAdded == nil { // they come beside, at no fixed place
				notices <- noticeLine(n)
			}
		}
	}()
	for line := range strings.Lines(steps) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		got = append(got, line)
		verb, rest, _ := strings.Cut(line[2:], " ")
		turn := 1
		var err error
		switch line[:2] + verb {
		case "> prompt":
			err = b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "s", RequestID: rest, Text: "hello"})
		case "> allow", "> reject":
			err = b.gw.Answer(t.Context(), answer(last, verb == "allow"))
		case "> cancel":
			err = b.gw.Cancel(t.Context(), "s")
		case "< turn":
			se.Running(true)
			se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: turn})
			se.Dequeue()
		case "< start":
			se.Start(turn, 1)
		case "< delta":
			delta(se, rest)
		case "< commit":
			se.Commit(rest)
		case "< ask":
			se.Ask(rest, "call-"+rest, "bash", "writes")
		case "< other":
			b.AnswerAs(last.ID, map[string]any{"kind": "result", "value": rest})
		case "< withdraw":
			se.Withdraw()
		case "< end":
			se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: turn, Reason: dsh.EndReason{Kind: rest}})
			se.Running(false)
		case "< cut":
			b.Cut(nil)
		case "< away":
			b.net.Refuse(true)
			b.Cut(nil)
		case "< back":
			b.net.Refuse(false)
		case "< restart":
			b.Restart(token, true)
		default:
			t.Fatalf("no step is called %q", line)
		}
		if err != nil {
			got = append(got, "  "+err.Error())
		}
		time.Sleep(15 * time.Second) // longer than any pause between two tries
		synctest.Wait()
		for _, from := range []chan string{items, notices} {
			for n := len(from); n > 0; n-- {
				got = append(got, "  "+<-from)
			}
		}
	}
	s.Close()
	w.Close()
	synctest.Wait()
	return got
}

func itemLine(item gateway.Item) string {
	switch l := item.Live; {
	case item.Event != nil:
		return fmt.Sprint(item.Event.Seq, " ", item.Event.Type)
	case l == nil:
		return ""
	case l.Type == dsh.LiveChunk:
		return "live " + l.Chunk.Text
	case l.Type == dsh.LiveEnd:
		return "live end " + l.Outcome.Kind
	default:
		return "live start"
	}
}
