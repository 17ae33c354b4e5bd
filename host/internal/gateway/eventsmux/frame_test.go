package eventsmux

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// Every recorded frame is taken: events and projections reach the followers of
// their session, and nothing is left out but what is known to be.
func TestRecordedFrames(t *testing.T) {
	files, err := filepath.Glob("../../../../proto/dsh/testdata/frames-rc8/*.json")
	if err != nil || len(files) != 26 {
		t.Fatalf("want 26 recorded files, got %d (%v)", len(files), err)
	}
	g := unconnected(t, "http://127.0.0.1:1")
	seen := g.Watch()
	defer seen.Close()
	want, got := map[string]int{}, map[string]int{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var frames []json.RawMessage
		if err := json.Unmarshal(raw, &frames); err != nil {
			t.Fatal(err)
		}
		followers := map[string]*stream{}
		for _, raw := range frames {
			var f struct {
				Method  string
				Payload struct{ SessionID string }
			}
			if err := json.Unmarshal(raw, &f); err != nil {
				t.Fatal(err)
			}
			id := f.Payload.SessionID
			if followers[id] == nil {
				followers[id] = &stream{gw: g, session: id, wake: make(chan struct{}, 1), seen: 1 << 40}
				if err := g.streams.Add(followers[id].session, followers[id]); err != nil {
					t.Fatal(err)
				}
			}
			want[f.Method]++
			handle := g.onMux
			if f.Method[:5] == "host/" {
				handle = g.onHost
			}
			if err := handle(raw); err != nil {
				t.Errorf("%s: %v", filepath.Base(file), err)
			}
		}
		for _, s := range followers {
			for item, ok := s.queue.Take(); ok; item, ok = s.queue.Take() {
				if item.Event != nil {
					got["session/event"]++
				} else {
					got["session/projection"]++
				}
			}
			g.streams.Remove(s.session, s)
		}
	}
	for {
		kind, ok := kindOfNext(seen)
		if !ok {
			break
		}
		got[kind]++
	}
	for _, quiet := range []string{"session/subscribed", "question/resolved"} { // no notice is made of it
		got[quiet] = want[quiet]
	}
	skips := []dsh.Skip{
		{Kind: dsh.SkipType, Name: "frame host/remote-event", N: 3},
	}
	if diff := cmp.Diff(skips, g.Skipped()); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	for _, s := range skips {
		got[s.Name[len("frame "):]] = int(s.N)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("frames by kind (-sent +taken):\n%s", diff)
	}
}

// kindOfNext takes the next notice that is there.
func kindOfNext(w gateway.Watcher) (string, bool) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	n, err := w.Next(over) // what is queued comes first
	switch {
	case err != nil:
		return "", false
	case n.Approval != nil:
		return "approval/requested", true
	case n.Resolved != nil:
		return "approval/resolved", true
	case n.Question != nil:
		return "question/requested", true
	case n.Queue != nil:
		return "session/queue", true
	case n.SessionAdded != nil:
		return "host/session-added", true
	case n.SessionGone != "":
		return "host/session-removed", true
	default:
		return "host/session-status", true
	}
}

// Whatever a frame holds: no panic, nothing that blocks, and only what is no JSON
// breaks the socket.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		`{"type":"server-request","rpcId":"a","method":"session/event","payload":{"type":"session/event","sessionId":"s","event":{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}}}`,
		`{"rpcId":"a","method":"session/projection","payload":{"sessionId":"s","key":"title","value":"x","seq":1}}`,
		`{"method":"session/subscribed","payload":{"sessionId":"s","lastSeq":9}}`,
		`{"method":"session/queue","payload":{"sessionId":"s","items":[{"id":"m","placement":"queued","message":{"content":[{"type":"text"}]}}]}}`,
		`{"rpcId":"a","method":"approval/requested","payload":{"sessionId":"s","approvalId":"x","toolName":"bash"}}`,
		`{"method":"approval/resolved","payload":{"sessionId":"s","approvalId":"x","outcome":"rejected"}}`,
		`{"method":"host/session-added","payload":{"sessionId":"s","parentSessionId":"p"}}`,
		`{"method":"host/session-status","payload":{"sessionId":"s","running":true}}`,
		`{"method":"host/session-removed","payload":{"sessionId":"s"}}`,
		`{"method":"session/event","payload":{"sessionId":"s","event":"x"}}`, `[]`, `null`, `{"payload":7}`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		g := unconnected(t, "http://127.0.0.1:1")
		s := newStream(g, "s", -1)
		s.stale = false
		if err := g.streams.Add(s.session, s); err != nil {
			t.Fatal(err)
		}
		w := g.Watch()
		defer w.Close()
		for range 2 {
			for _, handle := range []func([]byte) error{g.onMux, g.onHost} {
				if err := handle(raw); (err == nil) != json.Valid(raw) {
					t.Errorf("%q gives %v", raw, err)
				}
			}
		}
	})
}
