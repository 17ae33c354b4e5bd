package dsh_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata.dev/bridge/proto/dsh"
)

var update = flag.Bool("update", false, "rewrite the golden renderings")

// frame is as much of the older wire's frame as holds vocabulary of this package.
type frame struct {
	Method  string `json:"method"`
	Payload struct {
		SessionID string          `json:"sessionId"`
		Event     json.RawMessage `json:"event"` // an object, or a name in host/remote-event
		Key       string          `json:"key"`
		Value     json.RawMessage `json:"value"`
		Seq       int64           `json:"seq"`
		Items     []dsh.QueueItem `json:"items"`
	} `json:"payload"`
}

// Every recorded frame is decoded; what became of it stands in a file that a
// reviewer reads: what is kept of each value, and what is not read.
func TestGoldenFrames(t *testing.T) {
	files, err := filepath.Glob("testdata/frames-rc8/*.json")
	if err != nil || len(files) != 26 {
		t.Fatalf("want the 26 recorded files of frames, got %d (%v)", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var frames []json.RawMessage
			if err := json.Unmarshal(raw, &frames); err != nil {
				t.Fatal(err)
			}
			got := render(t, frames)
			golden := filepath.Join("testdata/golden", name+".txt")
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if line, ok := firstDiff(want, got); !ok {
				t.Errorf("%s differs from what is decoded (go test ./dsh -update rewrites it); first line:\n%s", golden, line)
			}
		})
	}
}

func render(t *testing.T, frames []json.RawMessage) []byte {
	var d dsh.Decoder
	var out bytes.Buffer
	for _, raw := range frames {
		var f frame
		if err := json.Unmarshal(raw, &f); err != nil {
			t.Fatal(err)
		}
		p := f.Payload
		switch f.Method {
		case "session/event":
			var e dsh.Event
			if err := json.Unmarshal(p.Event, &e); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s %d %s %s", p.SessionID, e.Seq, e.Type, value(t, d.Event(e)))
			if e.Surface != nil {
				fmt.Fprintf(&out, " surface=%s", value(t, e.Surface))
			}
			out.WriteByte('\n')
		case "session/projection":
			fmt.Fprintf(&out, "%s %d =%s %s\n", p.SessionID, p.Seq, p.Key, value(t, d.Projection(p.Key, p.Value)))
		case "session/queue":
			fmt.Fprintf(&out, "%s queue %s\n", p.SessionID, value(t, p.Items))
		default:
			fmt.Fprintf(&out, "%s %s\n", p.SessionID, f.Method)
		}
	}
	out.WriteString("\nnot read:\n")
	for _, s := range d.List() {
		fmt.Fprintf(&out, "%4d %s %s\n", s.N, s.Kind, s.Name)
	}
	return out.Bytes()
}

func value(t *testing.T, v any) string {
	if v == nil {
		return "-"
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func firstDiff(want, got []byte) (string, bool) {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(w), len(g)) {
		switch {
		case i >= len(w):
			return "+ " + g[i], false
		case i >= len(g):
			return "- " + w[i], false
		case w[i] != g[i]:
			return "- " + w[i] + "\n+ " + g[i], false
		}
	}
	return "", true
}
