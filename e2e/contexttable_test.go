package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/e2e/talks"
	"strata.dev/bridge/proto/chat"
)

// TestContextTable is what make context-e2e runs: the talks with the Harness's own
// figures and with ours, against the scripted model or the engine that is named.
func TestContextTable(t *testing.T) {
	if os.Getenv("CONTEXT_E2E") == "" {
		t.Skip("make context-e2e runs it")
	}
	var out [2][]talks.Outcome // before and after
	for i, side := range []struct{ title, rows string }{{"before: the Harness's own figures, engine and requests", stock}, {"after: with Strata's context plugin", ""}} {
		t.Run(side.title, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if base := os.Getenv("CONTEXT_BASE_URL"); base != "" {
				out[i] = engineTalks(ctx, t, base, side.rows)
			} else {
				all := matrix()
				w := sizedWorld(ctx, t, kit.HostOptions{}, scriptmodel.Config{Summaries: badSummaries()}, side.rows, modelsOf(all)...)
				out[i] = played(ctx, t, w, all)
			}
			t.Log("\n" + talks.Table(side.title, out[i]))
		})
	}
	before, after := talks.Sum(out[0]), talks.Sum(out[1])
	if after.Twice > 0 || len(after.Lost) > 0 {
		t.Errorf("%d requests were sent twice, and these messages have no answer: %q", after.Twice, after.Lost)
	}
	if os.Getenv("CONTEXT_BASE_URL") == "" && before.Refused*after.Requests < 10*after.Refused*before.Requests {
		t.Errorf("%d of %d requests are refused, %d of %d before: not a tenth of the share", after.Refused, after.Requests, before.Refused, before.Requests)
	}
}

// engineTalks holds the talks with a real engine, one after the other.
func engineTalks(ctx context.Context, t *testing.T, base, rows string) []talks.Outcome {
	t.Helper()
	seen := watchEngine(t, base)
	model, window := os.Getenv("CONTEXT_MODEL"), 262_144
	o := kit.HostOptions{BaseURL: seen.url + "/v1", ModelID: model}
	if set := os.Getenv("CONTEXT_WINDOW"); set != "" {
		n, err := strconv.Atoi(set)
		must(t, err)
		window, o.Args = n, []string{"--context-window", set}
	}
	if file := os.Getenv("CONTEXT_KEY_FILE"); file != "" {
		key, err := os.ReadFile(file)
		must(t, err)
		o.Key = strings.TrimSpace(string(key))
	}
	w := &world{home: kit.NewHome(t)}
	w.home.File(t, "README.md", "# A small project\n")
	if rows != "" {
		ownLayer(t, w.home, rows)
	}
	w.Host = kit.StartHost(ctx, t, w.home, o)
	status, err := w.Status(ctx)
	must(t, err)
	sees := slices.ContainsFunc(status.Routes, func(r chat.Route) bool { return r.Default && r.Images })
	var out []talks.Outcome
	for _, talk := range talks.All {
		if talk.Name == talks.Pictures.Name && !sees {
			t.Logf("left out, as the model reads none: %s", talk.Name)
			continue
		}
		seen.take()
		p := &talks.Person{Chat: w.NewChat(), Model: talks.Model{Window: window, PerTok: 2}}
		if err := talk.Play(ctx, p); err != nil {
			t.Errorf("%s: %v", talk.Name, err)
		}
		o := talks.Outcome{Talk: talk.Name, Model: model, Helped: p.Helped, Lost: p.Lost}
		o.Requests, o.Refused, o.Twice = seen.take()
		out = append(out, o)
	}
	return out
}

// watched counts what an engine was asked, and what it refused.
type watched struct {
	url string

	mu                       sync.Mutex
	requests, refused, twice int
	prompts                  map[string]bool // that were refused
}

// watchEngine stands before an engine.
func watchEngine(t *testing.T, base string) *watched {
	t.Helper()
	upstream, err := url.Parse(strings.TrimSuffix(strings.TrimSuffix(base, "/"), "/v1"))
	must(t, err)
	seen := &watched{prompts: map[string]bool{}}
	type bodyKey struct{}
	proxy := &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(upstream) },
		FlushInterval: -1,
		ModifyResponse: func(res *http.Response) error {
			if strings.HasSuffix(res.Request.URL.Path, "/chat/completions") {
				seen.note(res.Request.Context().Value(bodyKey{}).(string), res.StatusCode)
			}
			return nil
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), bodyKey{}, string(body))))
	}))
	t.Cleanup(server.Close)
	seen.url = server.URL
	return seen
}

func (w *watched) note(body string, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests++
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge {
		return
	}
	w.refused++
	prompt := talks.Prompt([]byte(body))
	if w.prompts[prompt] {
		w.twice++
	}
	w.prompts[prompt] = true
}

// take gives the counts and begins anew.
func (w *watched) take() (requests, refused, twice int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	requests, refused, twice = w.requests, w.refused, w.twice
	w.requests, w.refused, w.twice, w.prompts = 0, 0, 0, map[string]bool{}
	return requests, refused, twice
}
