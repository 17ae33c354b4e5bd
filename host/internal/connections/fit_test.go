package connections

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What the app's engine is sent through the proxy, and others are not.
func TestFitMaxTokens(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.ContentLength >= 0 && r.ContentLength != int64(len(body)) {
			t.Errorf("%d bytes announced, %d came, %v", r.ContentLength, len(body), err)
		}
		got = append(got, r.URL.Path+" "+string(body))
	}))
	t.Cleanup(server.Close)
	p, err := Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	app := Connection{ID: "app", Upstream: upstream(t, server.URL+"/v1"), FitMaxTokens: true}
	other := Connection{ID: "other", Upstream: app.Upstream}
	if err := p.SetConnections([]Connection{app, other}); err != nil {
		t.Fatal(err)
	}
	token := p.Renew()
	for _, tt := range []struct{ id, path, body string }{
		{"app", "/chat/completions", `{"model":"m","max_tokens":9}`},
		{"other", "/chat/completions", `{"model":"m"}`},
		{"app", "/chat/completions", `{}`},
		{"app", "/chat/completions", `[]`},
		{"app", "/chat/completions", ``},
		{"app", "/embeddings", `{"model":"m"}`},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(tt.body)
			if chunked {
				body = io.MultiReader(body) // whose length nobody knows
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.BaseURL(tt.id)+tt.path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("X-Api-Key", token) // as clients of Anthropic's API hand it over
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
				t.Fatal(res.Status, err)
			}
		}
	}
	var want []string
	for _, one := range []string{
		`/v1/chat/completions {"fit_max_tokens":true,"model":"m","max_tokens":9}`,
		`/v1/chat/completions {"model":"m"}`,
		`/v1/chat/completions {}`,
		`/v1/chat/completions []`,
		`/v1/chat/completions `,
		`/v1/embeddings {"model":"m"}`,
	} {
		want = append(want, one, one)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
