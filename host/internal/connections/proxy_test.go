package connections

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// start gives a proxy before a server, and a client for it.
func start(t testing.TB, upstream http.Handler, change ...func(*Connection)) (*Proxy, *client, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	p, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server.URL + "/base/v9")
	if err != nil {
		t.Fatal(err)
	}
	c := Connection{ID: "strata", Upstream: u, Key: newKey(secret), Models: []Model{{ID: "m"}}}
	for _, f := range change {
		f(&c)
	}
	if err := p.SetConnections([]Connection{c}); err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return p, &client{t: t, base: p.BaseURL("strata"), token: p.Renew(), http: &http.Client{
		Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, server
}

type client struct {
	t     testing.TB
	base  string
	token string
	http  *http.Client
}

func (c *client) do(ctx context.Context, path, body string, header ...string) *http.Response {
	c.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// show gives the status and the body.
func show(t testing.TB, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", res.StatusCode, strings.TrimSpace(string(body)))
}

func TestForward(t *testing.T) {
	for _, tt := range []struct {
		name, path, base string
		key              Key
		url, auth        string // as the server sees them
	}{
		{"joined", "/chat/completions", "/base/v9", newKey(secret), "/base/v9/chat/completions", "Bearer " + secret},
		{"with a query", "/models?a=b&c=%20d", "/base/v9", newKey(secret), "/base/v9/models?a=b&c=%20d", "Bearer " + secret},
		{"an escaped slash stays one", "/models/a%2Fb", "/base/v9", newKey(secret), "/base/v9/models/a%2Fb", "Bearer " + secret},
		{"a base with an escaped slash", "/models", "/a%2Fb", newKey(secret), "/a%2Fb/models", "Bearer " + secret},
		{"no base path", "/models", "", newKey(secret), "/models", "Bearer " + secret},
		{"no key", "/models", "", Key{}, "/models", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got *http.Request
			var body []byte
			_, c, server := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got = r.Clone(context.WithoutCancel(r.Context()))
				body, _ = io.ReadAll(r.Body)
				w.Header().Set("Set-Cookie", "a=b")
				w.Header().Set("X-Request-Id", "7")
				w.WriteHeader(http.StatusAccepted)
				fmt.Fprint(w, "taken")
			}), func(c *Connection) {
				u, err := url.Parse("http://" + c.Upstream.Host + tt.base)
				if err != nil {
					t.Fatal(err)
				}
				c.Upstream, c.Key = u, tt.key
			})
			res := c.do(t.Context(), tt.path, `{"x":1}`, "Cookie", "s=1", "Origin", "http://evil", "X-Api-Key", "token", "Api-Key", "token",
				"Content-Type", "application/json", "X-Forwarded-For", "192.0.2.1", "Forwarded", "for=x", "Accept-Encoding", "gzip, br",
				"Connection", "keep-alive, X-Drop", "X-Drop", "1", "X-Stainless-Lang", "js", "User-Agent", "pi")
			if got := show(t, res); got != "202 taken" {
				t.Errorf("answer %q", got)
			}
			if res.Header.Get("Set-Cookie") != "" || res.Header.Get("X-Request-Id") != "7" {
				t.Errorf("answer's header %v", res.Header)
			}
			want := http.Header{"Accept-Encoding": {"identity"}, "Content-Length": {"7"}, "Content-Type": {"application/json"},
				"User-Agent": {"pi"}, "X-Stainless-Lang": {"js"}}
			if tt.auth != "" {
				want["Authorization"] = []string{tt.auth}
			}
			if diff := cmp.Diff(want, got.Header); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			if got.RequestURI != tt.url || "http://"+got.Host != server.URL || string(body) != `{"x":1}` {
				t.Errorf("the server saw %s %s %q", got.Host, got.RequestURI, body)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	asked := 0
	p, c, _ := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	old := c.token
	c.token = p.Renew()
	root := strings.TrimSuffix(c.base, "/strata/v1")
	for _, tt := range []struct {
		name, url, auth string
		want            int
		code            string
	}{
		{"an old token", c.base + "/models", "Bearer " + old, 401, "unauthorized"},
		{"no token", c.base + "/models", "", 401, "unauthorized"},
		{"a bare token", c.base + "/models", c.token, 401, "unauthorized"},
		{"half a token", c.base + "/models", "Bearer " + c.token[:63], 401, "unauthorized"},
		{"an empty token", c.base + "/models", "Bearer ", 401, "unauthorized"},
		{"another connection", root + "/other/v1/models", "Bearer " + c.token, 404, "not-found"},
		{"no connection", root + "/v1/models", "Bearer " + c.token, 404, "not-found"},
		{"the root", root + "/", "Bearer " + c.token, 404, "not-found"},
		{"out of the base", c.base + "/../../admin", "Bearer " + c.token, 400, "bad-request"},
		{"out of the base, escaped", c.base + "/%2e%2e/admin", "Bearer " + c.token, 400, "bad-request"},
		{"out of the base, escaped slash", c.base + "/x%2f..%2f..%2fadmin", "Bearer " + c.token, 400, "bad-request"},
		{"out of the base, backslash", c.base + "/..%5cadmin", "Bearer " + c.token, 400, "bad-request"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tt.auth != "" {
			req.Header.Set("Authorization", tt.auth)
		}
		res, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text := show(t, res)
		_ = res.Body.Close()
		if res.StatusCode != tt.want || !strings.Contains(text, `"code":"`+tt.code+`"`) || !strings.Contains(text, `"message":"This `) {
			t.Errorf("%s: %s, want %d %s", tt.name, text, tt.want, tt.code)
		}
		noKey(t, text)
	}
	if asked != 0 {
		t.Errorf("the server was asked %d times", asked)
	}
}

func TestNoTokenBeforeTheFirstLaunch(t *testing.T) {
	p, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, p.BaseURL("strata")+"/models", nil)
	req.Header.Set("Authorization", "Bearer ")
	req.Close = true
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("status %s", res.Status)
	}
}

// TestStreamsAtOnce exchanges pieces one by one: the next is written only after
// the one before has arrived, so buffering anywhere would hang.
func TestStreamsAtOnce(t *testing.T) {
	next := make(chan struct{})
	_, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 50 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
		}
	}))
	lines := bufio.NewScanner(c.do(t.Context(), "/chat/completions", "{}").Body)
	var got []string
	for lines.Scan() {
		if lines.Text() != "" {
			got = append(got, lines.Text())
			next <- struct{}{}
		}
	}
	var want []string
	for i := range 50 {
		want = append(want, fmt.Sprintf("data: %d", i))
	}
	if diff := cmp.Diff(want, got); diff != "" || lines.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", lines.Err(), diff)
	}
}

func TestCancelReachesTheServer(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan struct{})
	_, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(begun)
		<-r.Context().Done()
		close(ended)
	}))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.do(ctx, "/chat/completions", "{}")
	<-begun
	cancel()
	<-ended
}

func TestCutStreamIsCut(t *testing.T) {
	_, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	body, err := io.ReadAll(c.do(t.Context(), "/chat/completions", "{}").Body)
	if string(body) != "data: 1\n\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %q, %v", body, err)
	}
}

func TestServersRefusals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		header string
		body   string
		want   string
	}{
		{"as it is", 429, "", `{"error":{"message":"slow down"}}`, `429 {"error":{"message":"slow down"}}`},
		{"with the key in it", 401, "Bearer " + secret, "Incorrect key " + secret + ", bye " + secret, "401 Incorrect key [key], bye [key]"},
		{"cut in the key", 400, "", strings.Repeat(".", maxErrorBody-9) + secret, "400 " + strings.Repeat(".", maxErrorBody-9) + "[key]"},
		{"cut before its end", 400, "", strings.Repeat(".", maxErrorBody-9) + secret[:8] + "?!", "400 " + strings.Repeat(".", maxErrorBody-9) + secret[:8] + "?"},
		{"empty", 500, "", "", "500 "},
		{"not an error", 200, "", "fine", "200 fine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "3")
				w.Header().Set("X-Echo", tt.header)
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			res := c.do(t.Context(), "/chat/completions", "{}")
			if got := show(t, res); got != tt.want || res.Header.Get("Retry-After") != "3" {
				t.Errorf("got %q, want %q (%v)", got, tt.want, res.Header)
			}
			noKey(t, fmt.Sprint(res.Header))
		})
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		_, c, _ := start(t, http.RedirectHandler(other.URL+"/steal?x="+secret, status))
		got := show(t, c.do(t.Context(), "/chat/completions", "{}"))
		if !strings.HasPrefix(got, "502 ") || !strings.Contains(got, `"code":"upstream-redirect"`) {
			t.Errorf("%d became %s", status, got)
		}
		noKey(t, got)
	}
	if asked != 0 {
		t.Errorf("the other server was asked %d times", asked)
	}
}

func TestServerDown(t *testing.T) {
	_, c, server := start(t, http.NotFoundHandler())
	server.Close()
	got := show(t, c.do(t.Context(), "/chat/completions", "{}"))
	if !strings.HasPrefix(got, `502 {"error":{"message":"The model server cannot be reached.`) ||
		!strings.Contains(got, `"code":"upstream-unreachable"`) || !strings.Contains(got, "connection refused") {
		t.Errorf("got %s", got)
	}
	noKey(t, got)
}

// TestEngineDown: a server of the person's own that does not run is told as that, in an
// answer that the Harness does not ask for again, and who watches it is told.
func TestEngineDown(t *testing.T) {
	p, c, server := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), func(c *Connection) { c.Kind = chat.KindLocal })
	var told atomic.Int32
	p.OnUnreached(func() { told.Add(1) })
	if got := show(t, c.do(t.Context(), "/chat/completions", "{}")); !strings.HasPrefix(got, "502 ") || told.Load() != 1 {
		t.Errorf("of one that hangs up: %s, told %d times", got, told.Load())
	}
	server.Close()
	got := show(t, c.do(t.Context(), "/chat/completions", "{}"))
	if !strings.HasPrefix(got, `400 {"error":{"message":"`+say.ModelNotRunning+`"`) || !strings.Contains(got, "connection refused") || told.Load() != 2 {
		t.Errorf("of one that is closed: %s, told %d times", got, told.Load())
	}
	noKey(t, got)
}

func TestBodyLimit(t *testing.T) {
	_, c, _ := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	}))
	post := func(length int64, body io.Reader) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.base+"/x", body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = length
		req.Header.Set("Authorization", "Bearer "+c.token)
		res, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return show(t, res)
	}
	zeros := func(n int64) io.Reader { return io.LimitReader(zero{}, n) }
	if got := post(MaxBody, zeros(MaxBody)); got != fmt.Sprint("200 ", MaxBody) {
		t.Errorf("the largest: %s", got)
	}
	if got := post(-1, zeros(MaxBody+1)); !strings.HasPrefix(got, "413 ") || !strings.Contains(got, "too large") {
		t.Errorf("one more, of unknown length: %s", got)
	}
}

type zero struct{}

func (zero) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestSetConnections(t *testing.T) {
	p, c, server := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.URL.Path) }))
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]Connection{
		{{ID: "", Upstream: u}}, {{ID: "A", Upstream: u}}, {{ID: "a/b", Upstream: u}}, {{ID: "a"}}, {{ID: "a", Upstream: u}, {ID: "a", Upstream: u}},
	} {
		if err := p.SetConnections(bad); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if got := show(t, c.do(t.Context(), "/models", "")); got != "200 /base/v9/models" {
		t.Errorf("a refused change took hold: %s", got)
	}
	if err := p.SetConnections([]Connection{{ID: "other", Upstream: u}}); err != nil {
		t.Fatal(err)
	}
	if got := show(t, c.do(t.Context(), "/models", "")); !strings.HasPrefix(got, "404 ") {
		t.Errorf("the removed connection: %s", got)
	}
	c.base = p.BaseURL("other")
	if got := show(t, c.do(t.Context(), "/models", "")); got != "200 /models" {
		t.Errorf("the new connection: %s", got)
	}
}

// BenchmarkDelta sends one delta at a time and waits for it, straight and through the proxy
// by turns: the figures are the medians, and what the proxy adds to that of a delta.
func BenchmarkDelta(b *testing.B) {
	const straight, proxied = "/chat/completions", "/base/v9/chat/completions"
	delta := []byte(`data: {"choices":[{"index":0,"delta":{"content":"word "}}]}` + "\n\n")
	next := map[string]chan struct{}{straight: make(chan struct{}), proxied: make(chan struct{})}
	_, c, server := start(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for {
			select {
			case <-next[r.URL.Path]:
			case <-r.Context().Done():
				return
			}
			_, _ = w.Write(delta)
			w.(http.Flusher).Flush()
		}
	}))
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	direct := *c
	direct.base = server.URL
	bodies := map[string]io.Reader{straight: direct.do(ctx, "/chat/completions", "{}").Body, proxied: c.do(ctx, "/chat/completions", "{}").Body}
	took, buf := map[string][]time.Duration{}, make([]byte, len(delta))
	for b.Loop() {
		for _, way := range []string{straight, proxied} {
			begun := time.Now()
			next[way] <- struct{}{}
			if _, err := io.ReadFull(bodies[way], buf); err != nil || !bytes.Equal(buf, delta) {
				b.Fatal(err)
			}
			took[way] = append(took[way], time.Since(begun))
		}
	}
	median := func(way string) float64 {
		slices.Sort(took[way])
		return float64(took[way][len(took[way])/2].Nanoseconds())
	}
	b.ReportMetric(median(straight), "straight-ns")
	b.ReportMetric(median(proxied), "proxy-ns")
	b.ReportMetric(median(proxied)-median(straight), "added-ns")
	b.ReportMetric(0, "ns/op") // of both together, which says nothing
}
