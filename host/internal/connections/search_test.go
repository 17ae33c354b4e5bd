package connections

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// searching gives a proxy before a search service, and a client with the search token.
func searching(t *testing.T, service string, api http.HandlerFunc) (*Proxy, *client) {
	t.Helper()
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	p, c, _ := start(t, http.NotFoundHandler())
	origins[service] = server.URL
	t.Cleanup(func() { delete(origins, service) })
	if err := p.SetSearch(Search{Service: service, Key: newKey("search-" + secret)}); err != nil {
		t.Fatal(err)
	}
	return p, &client{t: t, base: p.SearchURL(), token: p.RenewSearch(), http: c.http}
}

// The service gets the key in both headers that one of them wants it in, and what it
// answers does not hold it.
func TestSearchForward(t *testing.T) {
	var seen []string
	_, c := searching(t, abi.ServiceExa, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, fmt.Sprint(r.Method, " ", r.URL, " ", r.Header.Get("Authorization"), " ", r.Header.Get("X-Api-Key")))
		fmt.Fprint(w, `{"results":[],"echo":"`+r.Header.Get("X-Api-Key")+`"}`)
	})
	if got := show(t, c.do(t.Context(), "/search", "{}", "X-Api-Key", c.token)); got != `200 {"results":[],"echo":"[key]"}` {
		t.Errorf("it answers %s", got)
	}
	if diff := cmp.Diff([]string{"POST /search Bearer search-" + secret + " search-" + secret}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Each token opens its own door, each service stands behind the one of them.
func TestSearchTokens(t *testing.T) {
	p, c := searching(t, abi.ServiceExa, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "found") })
	models := p.Renew()
	as := func(base, token, path string) string {
		return strings.Fields(show(t, (&client{t: t, base: base, token: token, http: c.http}).do(t.Context(), path, "{}")))[0]
	}
	old := c.token
	got := []string{
		as(c.base, c.token, "/search"), as(c.base, models, "/search"), as(p.BaseURL("strata"), c.token, "/chat/completions"),
		as(p.BaseURL("strata"), models, "/chat/completions"), as(c.base, c.token, "/../strata/v1/x"),
	}
	fresh := p.RenewSearch()
	got = append(got, as(c.base, old, "/search"), as(c.base, fresh, "/search"))
	if err := p.SetSearch(Search{Service: abi.ServiceExa}); err != nil {
		t.Fatal(err)
	}
	got = append(got, as(c.base, fresh, "/search"))
	if err := p.SetSearch(Search{Service: abi.ServiceDuckDuckGo, Key: newKey("k")}); err != nil {
		t.Fatal(err)
	}
	got = append(got, as(c.base, fresh, "/search"))
	if diff := cmp.Diff([]string{"200", "401", "401", "404", "400", "401", "200", "404", "404"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The Harness's own search by DeepSeek tells the person what a refusal says: our
// sentence. Our plugin has its own.
func TestStockRefusals(t *testing.T) {
	status, body, wait := 0, "", ""
	_, c := searching(t, abi.ServiceDeepSeek, func(w http.ResponseWriter, r *http.Request) {
		if wait != "" {
			w.Header().Set("Retry-After", wait)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body+r.Header.Get("X-Api-Key"))
	})
	for _, tt := range []struct {
		status     int
		body, wait string
		want       string
	}{
		{200, "fine ", "", "200 fine [key]"},
		{401, "no ", "", `401 {"error":{"message":"DeepSeek did not accept the search key. Check the key in Settings -\u003e Tools -\u003e Web search.","type":"strata_proxy","code":"key","details":"no [key]"}}`},
		{402, "", "", `402 {"error":{"message":"The DeepSeek account has no credit left. Add credit, or choose another search service in Settings -\u003e Tools -\u003e Web search.","type":"strata_proxy","code":"credit","details":"[key]"}}`},
		{429, "", "7", `429 {"error":{"message":"DeepSeek limits how many searches this key may make. Try again in 7 seconds.","type":"strata_proxy","code":"key-limited","details":"[key]"}}`},
		{502, "<html>", "x", `502 {"error":{"message":"DeepSeek is not available right now. Try again in a minute, or choose another search service in Settings -\u003e Tools -\u003e Web search.","type":"strata_proxy","code":"service-down","details":"\u003chtml\u003e[key]"}}`},
		{422, "", "", `422 {"error":{"message":"DeepSeek did not take this question. Ask it in other words.","type":"strata_proxy","code":"question","details":"[key]"}}`},
		{418, "", "", `418 {"error":{"message":"DeepSeek sent an answer that could not be read. Try again, or choose another search service in Settings -\u003e Tools -\u003e Web search.","type":"strata_proxy","code":"unreadable","details":"[key]"}}`},
	} {
		status, body, wait = tt.status, tt.body, tt.wait
		if got := show(t, c.do(t.Context(), stockPath, "{}")); got != tt.want {
			t.Errorf("%d:\n got %s\nwant %s", tt.status, got, tt.want)
		}
	}
	status, body, wait = 401, "no ", ""
	if got := show(t, c.do(t.Context(), "/v1/tools/search", "{}")); got != "401 no [key]" {
		t.Errorf("our own: %s", got)
	}
}
