package eventsmux

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// pair is a recorded request of the real Harness with its answer.
type pair struct {
	Label   string
	Request *struct {
		Path string
		Body struct {
			Method  string
			Payload json.RawMessage
			Result  json.RawMessage
		}
	}
	Response struct {
		Status int
		Body   json.RawMessage
	}
}

// calls makes the requests that the Gateway has a method for; the others go
// through call.
var calls = map[string]func(context.Context, *Gateway) (any, error){
	"host.describe": func(ctx context.Context, g *Gateway) (any, error) { return g.Describe(ctx) },
	"session.create": func(ctx context.Context, g *Gateway) (any, error) {
		return g.CreateSession(ctx, "/home/u/repo", "")
	},
	"session.list": func(ctx context.Context, g *Gateway) (any, error) { return g.Sessions(ctx) },
	"session.selectModel": func(ctx context.Context, g *Gateway) (any, error) {
		return nil, g.SelectModel(ctx, "session-1", gateway.Model{Provider: "scripted", ID: "scripted-1", Effort: "high"})
	},
	"commands/execute /strata-gate":        execute("/strata-gate on"),
	"commands/execute /permission":         execute("/permission strata-manual"),
	"commands/execute /permission unknown": execute("/permission nope"),
	"commands/execute unknown command":     execute("/nope"),
	"commands/execute /compact (nothing)":  execute("/compact"),
	"/goal without goal":                   execute("/goal"),
	"respond approval":                     allow,
	"respond twice":                        allow,
	"session.cancel": func(ctx context.Context, g *Gateway) (any, error) {
		return nil, g.Cancel(ctx, "session-1")
	},
	"session.rename": func(ctx context.Context, g *Gateway) (any, error) {
		return nil, g.Rename(ctx, "session-1", "My title")
	},
	"error session-not-found": func(ctx context.Context, g *Gateway) (any, error) {
		return nil, g.Prompt(ctx, gateway.Prompt{SessionID: "session-nope", RequestID: "r", Text: "x"})
	},
	"error model-unavailable": func(ctx context.Context, g *Gateway) (any, error) {
		return nil, g.SelectModel(ctx, "session-1", gateway.Model{Provider: "nope", ID: "x"})
	},
	"error preset": func(ctx context.Context, g *Gateway) (any, error) {
		return g.CreateSession(ctx, "/tmp", "zzz")
	},
}

func execute(line string) func(context.Context, *Gateway) (any, error) {
	return func(ctx context.Context, g *Gateway) (any, error) { return g.Execute(ctx, "session-1", line) }
}

func allow(ctx context.Context, g *Gateway) (any, error) {
	return nil, g.Answer(ctx, gateway.Answer{ID: "uuid-1", SessionID: "session-1", ApprovalID: "uuid-2", Allow: true})
}

// What the real Harness was sent is what we send, and what it answered becomes
// what stands in testdata/pairs.txt.
func TestRecordedPairs(t *testing.T) {
	raw, err := os.ReadFile("testdata/rpc-pairs.json")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	if err := json.Unmarshal(raw, &pairs); err != nil || len(pairs) != 36 {
		t.Fatalf("want the 36 recorded entries, got %d (%v)", len(pairs), err)
	}
	var out bytes.Buffer
	used := map[string]bool{}
	for _, p := range pairs {
		if p.Request == nil {
			continue // a frame beside the answer to it
		}
		g, sent := answering(t, p)
		call := calls[p.Label]
		used[p.Label] = true
		if call == nil {
			call = func(ctx context.Context, g *Gateway) (any, error) {
				var v json.RawMessage
				err := g.call(ctx, p.Request.Body.Method, p.Request.Body.Payload, &v)
				return cut(v), err
			}
		}
		v, err := call(t.Context(), g)
		got := sent()
		if got.path != p.Request.Path {
			t.Errorf("%s went to %s, want %s", p.Label, got.path, p.Request.Path)
		}
		want := p.Request.Body.Payload
		if want == nil {
			want = p.Request.Body.Result
		}
		if diff := cmp.Diff(object(t, want), object(t, got.payload)); diff != "" {
			t.Errorf("%s (-recorded +sent):\n%s", p.Label, diff)
		}
		fmt.Fprintf(&out, "%s: ", p.Label)
		if err != nil {
			fmt.Fprintf(&out, "error %v\n", err)
		} else {
			fmt.Fprintf(&out, "%+v\n", v)
		}
	}
	for label := range calls {
		if !used[label] {
			t.Errorf("no recorded pair is called %q", label)
		}
	}
	if *update {
		if err := os.WriteFile("testdata/pairs.txt", out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
		t.Errorf("answers (-want +got; -update rewrites them):\n%s", diff)
	}
}

func cut(v json.RawMessage) string {
	const most = 160
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "…"
	}
	return string(v)
}

func object(t *testing.T, raw json.RawMessage) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	return v
}

type sentRequest struct {
	path    string
	payload json.RawMessage
}

// answering makes a Gateway whose every request gets the recorded answer, under
// the id that it was asked with.
func answering(t *testing.T, p pair) (*Gateway, func() sentRequest) {
	t.Helper()
	var mu sync.Mutex
	var got sentRequest
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var m struct {
			RPCID           string
			Payload, Result json.RawMessage
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Errorf("sent %q: %v", raw, err)
		}
		mu.Lock()
		got = sentRequest{r.URL.Path, m.Payload}
		if m.Payload == nil {
			got.payload = m.Result
		}
		mu.Unlock()
		w.WriteHeader(p.Response.Status)
		var body map[string]any
		if json.Unmarshal(p.Response.Body, &body) != nil {
			_, _ = w.Write(p.Response.Body)
			return
		}
		if _, envelope := body["rpcId"]; envelope {
			body["rpcId"] = m.RPCID
		}
		_ = json.NewEncoder(w).Encode(body)
	}))
	t.Cleanup(web.Close)
	return unconnected(t, web.URL), func() sentRequest {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// unconnected makes a Gateway for calls alone.
func unconnected(t *testing.T, address string) *Gateway {
	t.Helper()
	base, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	life, stop := context.WithCancel(context.Background())
	g := newGateway(Options{}.withDefaults(), base, life, stop)
	t.Cleanup(func() {
		stop()
		g.tasks.Wait()
		g.caller.Client.CloseIdleConnections()
	})
	return g
}
