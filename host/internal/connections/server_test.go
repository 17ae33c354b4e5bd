package connections

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/profile"
)

// The proxy stands for an MCP server at one address: it puts the person's headers on the
// requests, takes them out of the answers, and passes nothing on that goes elsewhere.
func TestServerThroughTheProxy(t *testing.T) {
	const token = "Bearer the-servers-own-secret"
	type seen struct{ Method, Path, Key, Session, Cookie string }
	var asked []seen
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, seen{r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Mcp-Session-Id"), r.Header.Get("Cookie")})
		w.Header().Set("Mcp-Session-Id", "s1")
		w.Header().Set("X-Quoted", r.Header.Get("Authorization"))
		w.Header().Set("Set-Cookie", "a=b")
		if r.Method == http.MethodDelete {
			http.Redirect(w, r, "http://127.0.0.1:9/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		fmt.Fprint(w, "event: message\ndata: you are "+r.Header.Get("Authorization")+"\n\n")
	}))
	t.Cleanup(upstream.Close)
	p, models, _ := start(t, http.NotFoundHandler())
	u, err := url.Parse(upstream.URL + "/mcp/")
	if err != nil {
		t.Fatal(err)
	}
	all := []Server{
		{Name: "web", URL: u, Values: map[string]Key{"authorization": newKey(token)}, Revision: 3},
		{Name: "off", Off: true, URL: u},
		{Name: "gone", URL: &url.URL{Scheme: "http", Host: "127.0.0.1:9"}},
	}
	p.SetServers(all)
	served, _ := ProfileServers(all, p.ServersURL())
	if diff := cmp.Diff([]profile.Server{
		{Name: "custom-web", URL: p.Origin() + "/_mcp/v1/web/3", KeyEnv: "STRATA_MCP_KEY"}, {Name: "custom-gone", URL: p.Origin() + "/_mcp/v1/gone/0", KeyEnv: "STRATA_MCP_KEY"},
	}, served); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	c := &client{t: t, base: p.ServersURL(), token: p.RenewServers(), http: models.http}
	ask := func(c *client, method, path string) string {
		req, err := http.NewRequestWithContext(t.Context(), method, c.base+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + c.token, "Mcp-Session-Id": "s1", "Cookie": "x=y"} {
			req.Header.Set(name, value)
		}
		res, err := c.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text := show(t, res)
		return fmt.Sprint(text, " ", res.Header.Get("Mcp-Session-Id"), " ", res.Header.Get("X-Quoted"), res.Header.Get("Set-Cookie"))
	}
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/web/3", "200 event: message\ndata: you are [key] s1 [key]"},
		{"GET", "/web/3", "200 event: message\ndata: you are [key] s1 [key]"},
		{"DELETE", "/web/3", "502"},
		{"POST", "/gone/0", "502"},
		{"POST", "/web/2", "404"},
		{"POST", "/web/3/more", "404"},
		{"POST", "/off/0", "404"},
	} {
		if got := ask(c, tt.method, tt.path); !strings.HasPrefix(got, tt.want) || strings.Contains(got, "own-secret") {
			t.Errorf("%s %s: %q, want %q", tt.method, tt.path, got, tt.want)
		}
	}
	want := []seen{{"POST", "/mcp/", token, "s1", ""}, {"GET", "/mcp/", token, "s1", ""}, {"DELETE", "/mcp/", token, "s1", ""}}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("the server was asked (-want +got):\n%s", diff)
	}
	// The tokens open nothing of each other's.
	if got := ask(&client{t: t, base: p.ServersURL(), token: models.token, http: models.http}, "POST", "/web/3"); !strings.HasPrefix(got, "401") {
		t.Errorf("with the models' token: %q", got)
	}
	if got := ask(&client{t: t, base: models.base, token: c.token, http: models.http}, "POST", "/chat/completions"); !strings.HasPrefix(got, "401") {
		t.Errorf("a model with the servers' token: %q", got)
	}
}

// What a program is given is in the Harness's environment, under names that it keeps out
// of the agent's shell and that are others after each change.
func TestServersOfTheProfile(t *testing.T) {
	all := []Server{
		{Name: "a", Command: "x", Args: []string{"-y"}, Values: map[string]Key{"TOKEN": newKey("1"), "DIR": newKey("2")}, Revision: 7},
		{Name: "b", Off: true, Command: "x", Values: map[string]Key{"T": newKey("3")}},
		{Name: "c", Command: "z", Values: map[string]Key{"T": newKey("4")}},
	}
	servers, environment := ProfileServers(all, "http://127.0.0.1:1/_mcp/v1")
	if diff := cmp.Diff([]profile.Server{
		{Name: "custom-a", Command: "x", Args: []string{"-y"}, Env: map[string]string{"DIR": "STRATA_MCP_KEY_1_7", "TOKEN": "STRATA_MCP_KEY_2_7"}},
		{Name: "custom-c", Command: "z", Env: map[string]string{"T": "STRATA_MCP_KEY_3_0"}},
	}, servers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"STRATA_MCP_KEY_1_7": "2", "STRATA_MCP_KEY_2_7": "1", "STRATA_MCP_KEY_3_0": "4"}, environment); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}
