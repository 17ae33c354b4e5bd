package connections

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

// TestRealHarnessThroughTheProxy has the real Harness ask a model server through
// the proxy: the server gets the key, the Harness never has it, and a cancelled
// turn ends the request at the server.
func TestRealHarnessThroughTheProxy(t *testing.T) {
	hanging, gone := make(chan struct{}), make(chan struct{})
	var auth []string
	p, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		auth = append(auth, r.Header.Get("Authorization")) // one request at a time
		w.Header().Set("Content-Type", "text/event-stream")
		chunk := func(delta, finish string) {
			fmt.Fprintf(w, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":%s,"finish_reason":%s}]}`+"\n\n", delta, finish)
			w.(http.Flusher).Flush()
		}
		switch len(auth) {
		case 1: // a server that quotes the key
			http.Error(w, `{"error":{"message":"bad key `+secret+`"}}`, http.StatusUnauthorized)
		case 2:
			chunk(`{"role":"assistant","content":"done"}`, `"stop"`)
			fmt.Fprint(w, "data: [DONE]\n\n")
		default:
			chunk(`{"role":"assistant","content":"wait"}`, "null")
			close(hanging)
			<-r.Context().Done()
			close(gone)
		}
	}))
	home := filepath.Join(harnesstest.Dir(t), "home")
	harnesstest.Plain(t, home, c.base, "")
	h, err := harness.Start(t.Context(), harness.Config{
		Component: harnesstest.Component(t), Node: harnesstest.Node(t), Home: home, Profile: "strata", RouteKey: p.Renew(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	t.Cleanup(func() {
		if err := h.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	var session struct{ SessionID string }
	harnesstest.Call(t, h, "session.create", map[string]any{"cwd": harnesstest.Dir(t)}, &session)
	prompt := func() {
		harnesstest.Call(t, h, "session.prompt", map[string]any{"sessionId": session.SessionID, "mode": "queue",
			"content": []any{map[string]string{"type": "text", "text": "hello"}}}, nil)
	}
	ends := func() []string {
		var history struct {
			Events []struct {
				Event struct {
					Type string
					Data struct{ Reason json.RawMessage }
				}
			}
		}
		harnesstest.Call(t, h, "session.history", map[string]any{"sessionId": session.SessionID}, &history)
		var out []string
		for _, e := range history.Events {
			if e.Event.Type == "turn/end" {
				out = append(out, string(e.Event.Data.Reason))
			}
		}
		return out
	}
	after := func(n int, want string) {
		t.Helper()
		harnesstest.Until(t, "turn "+strconv.Itoa(n)+" ends", func() bool { return len(ends()) == n })
		if got := ends()[n-1]; !strings.Contains(got, want) {
			t.Errorf("turn %d ended with %s, want %s", n, got, want)
		}
	}
	prompt()
	after(1, "bad key [key]")
	prompt()
	after(2, `"kind":"completed"`)
	prompt()
	<-hanging
	harnesstest.Call(t, h, "session.cancel", map[string]any{"sessionId": session.SessionID}, nil)
	<-gone
	after(3, `"kind":"aborted"`)

	if want := slices.Repeat([]string{"Bearer " + secret}, 3); !slices.Equal(auth, want) {
		t.Errorf("the server got %q", auth)
	}
	var log json.RawMessage // the files hold it compressed
	harnesstest.Call(t, h, "session.history", map[string]any{"sessionId": session.SessionID}, &log)
	if !strings.Contains(string(log), hidden) {
		t.Error("the log does not hold the refusal")
	}
	noKey(t, string(log))
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(h.PID()), "environ"))
	if err != nil {
		t.Fatal(err)
	}
	noKey(t, string(environ))
	if err := h.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		noKey(t, string(data))
		return err
	})
	if err != nil || files < 5 {
		t.Errorf("%d files looked at, %v", files, err)
	}
}
