package project

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

var update = flag.Bool("update", false, "rewrite testdata/golden")

// recorded is an event of a recording and the session it belongs to.
type recorded struct {
	session string
	event   dsh.Event
}

func recordings(t testing.TB) map[string][]recorded {
	t.Helper()
	paths, err := filepath.Glob("../../../proto/dsh/testdata/frames-rc8/*-mux.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	out := map[string][]recorded{}
	for _, p := range paths {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var frames []struct {
			Payload struct {
				Type      string    `json:"type"`
				SessionID string    `json:"sessionId"`
				Event     dsh.Event `json:"event"`
			} `json:"payload"`
		}
		if err := json.Unmarshal(raw, &frames); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		name := strings.TrimSuffix(filepath.Base(p), "-mux.json")
		for _, f := range frames {
			if f.Payload.Type == "session/event" {
				out[name] = append(out[name], recorded{f.Payload.SessionID, f.Payload.Event})
			}
		}
		if len(out[name]) == 0 {
			t.Fatalf("%s holds no event", p)
		}
	}
	return out
}

// root is the session of a recording that is no helper's.
const root = "session-1"

// TestGolden compares the frames of every recorded session with what was reviewed.
func TestGolden(t *testing.T) {
	for name, events := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			enc := json.NewEncoder(&got)
			enc.SetEscapeHTML(false)
			f := New(Config{Root: root, Session: root, CWD: "/home/u/repo"})
			children := map[string]*Child{}
			for _, r := range events {
				var frames []chat.Frame
				if r.session == root {
					if m, ok := Person(r.event); ok {
						if err := enc.Encode(m); err != nil {
							t.Fatal(err)
						}
					}
					frames = f.Apply(r.event)
					if end, ok := TurnEnd(r.event); ok {
						frames = append(frames, End(end.Reason, f.Usage()))
					}
				} else {
					if children[r.session] == nil {
						children[r.session] = NewChild(Config{Root: root, Session: r.session})
					}
					frames = children[r.session].Apply(r.event)
				}
				for _, fr := range frames {
					if err := enc.Encode(fr); err != nil {
						t.Fatal(err)
					}
				}
			}
			if n := f.Undecoded(); n != 0 {
				t.Errorf("%d events could not be decoded", n)
			}
			path := filepath.Join("testdata", "golden", name+".ndjson")
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestLiveAndColdAgree makes messages of the frames as a page would get them and
// compares them with the history from the log.
func TestLiveAndColdAgree(t *testing.T) {
	for name, events := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Root: root, Session: root}
			var live Transcript
			f := New(cfg)
			var log []dsh.Event
			var early []chat.Frame
			for _, r := range events {
				if r.session != root {
					continue
				}
				log = append(log, r.event)
				if m, ok := Person(r.event); ok {
					live.User(m)
					for _, fr := range early {
						live.Frame(fr, r.event.Time)
					}
					early = nil
				}
				for _, fr := range f.Apply(r.event) {
					if fr = wire(t, fr); f.open && !f.stepped && fr.Own { // a page has shown the message since it was sent
						early = append(early, fr)
						continue
					}
					live.Frame(fr, r.event.Time)
				}
				if end, ok := TurnEnd(r.event); ok {
					live.Frame(End(end.Reason, chat.Usage{}), r.event.Time)
				}
			}
			if len(log) == 0 {
				t.Fatal("no event of the chat's session")
			}
			if d := cmp.Diff(History(cfg, log), live.Messages()); d != "" {
				t.Errorf("(-cold +live):\n%s", d)
			}
		})
	}
}

// TestWithoutChunks drops the chunks, as newer Harnesses do in their logs: what was
// answered must read the same.
func TestWithoutChunks(t *testing.T) {
	for name, events := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Root: root, Session: root}
			var all, bare []dsh.Event
			failed := false
			for _, r := range events {
				if r.session != root {
					continue
				}
				all = append(all, r.event)
				if r.event.Type != dsh.TypeAssistantChunk {
					bare = append(bare, r.event)
				} else if strings.Contains(string(r.event.Data), `"kind":"error"`) || strings.Contains(string(r.event.Data), `"kind": "error"`) {
					failed = true
				}
			}
			if failed { // the chunks of a failed try are all that is left of it
				return
			}
			want, got := History(cfg, all), History(cfg, bare)
			for _, ms := range [][]chat.Message{want, got} {
				for i := range ms {
					ms[i].Time = 0 // of the first chunk
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("(-with +without chunks):\n%s", d)
			}
		})
	}
}

// wire is the frame as a page reads it.
func wire(t *testing.T, f chat.Frame) chat.Frame {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var out chat.Frame
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
