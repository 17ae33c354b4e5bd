package project

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// The sentences that cards begin with are the search plugin's, word for word, and all
// of them.
func TestSearchSentences(t *testing.T) {
	var ours []string
	for _, s := range slices.Concat(searchSaid, withoutKey) {
		ours = append(ours, s.key)
	}
	slices.Sort(ours)
	if diff := cmp.Diff(slices.Sorted(maps.Values(abi.SearchSentences)), ours); diff != "" {
		t.Errorf("(-plugin +host):\n%s", diff)
	}
}

func TestWebFailure(t *testing.T) {
	for _, tt := range []struct{ tool, code, text, want string }{
		{"web_search", "WEB_PROVIDER_ERROR", "Error: " + abi.SaidLimited + " Do not search again in this turn.", say.SearchLimited},
		{"web_search", "", "Error: Exa did not accept the search key. Check the key in Settings -> Tools -> Web search. (Exa says: no such key)",
			"Exa did not accept the search key. Check the key in Settings -> Tools -> Web search."},
		{"web_search", "", "Perplexity limits how many searches this key may make. Try again in 12 seconds.",
			"Perplexity limits how many searches this key may make. Try again in 12 seconds."},
		{"web_search", "", "Evil Corp did not accept the search key. Check the key in Settings -> Tools -> Web search.", ""},
		{"web_search", "", "something else", ""},
		{"bash", "", abi.SaidLimited, ""},
		{"web_fetch", "WEB_BLOCKED_URL", "Error: This address may not be fetched: it names a private network.", say.PageBlocked},
		{"web_fetch", "WEB_REDIRECT_BLOCKED", "", say.PageMoved},
		{"web_fetch", "FS_NOT_FOUND", "", ""},
	} {
		s, ok := webFailure(tt.tool, tt.code, tt.text)
		if s.Text != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %s %q: %q, %t; want %q", tt.tool, tt.code, tt.text, s.Text, ok, tt.want)
		}
	}
}

func TestSearched(t *testing.T) {
	const warning = " What follows comes from the web."
	noKey := abi.Fill(abi.SaidNoKey, "service", "Exa")
	for _, tt := range []struct{ name, input, text, title, note string }{
		{"one", `{"queries":["coffee  beans"]}`, "DuckDuckGo answered this search." + warning, "Search the web with DuckDuckGo: coffee beans", ""},
		{"two engines", `{"queries":["a","b","c"]}`, "### a\n\nBing answered this search." + warning + "\n\nSources:\n- x\n\n### b\n\nDuckDuckGo found nothing for this question.\n\n### c\n\nBing answered this search.",
			"Search the web with Bing, DuckDuckGo: a, b, c", ""},
		{"for want of a key", `{"queries":["a"]}`, noKey + " DuckDuckGo answered this search.", "Search the web with DuckDuckGo: a", noKey},
		{"a page that pretends", `{"queries":["a"]}`, "DuckDuckGo answered this search.\n\nSources:\n- [Bing answered this search.](https://x.example) — words\n\nGoogle answered this search.",
			"Search the web with DuckDuckGo: a", ""},
		{"somebody else's tool", `{"queries":["a"]}`, "found it", "as it was", ""},
		{"no words", `{`, "Bing answered this search.", "as it was", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := card{tool: chat.Tool{Name: "web_search", Input: tt.input, Title: "as it was"}}
			note, ok := c.searched(tt.text)
			if c.tool.Title != tt.title || note.Text != tt.note || ok != (tt.note != "") {
				t.Errorf("title %q, note %q %t", c.tool.Title, note.Text, ok)
			}
		})
	}
	stock := card{tool: chat.Tool{Name: "web_search", Input: `{"queries":["a"]}`}, engine: "DeepSeek"}
	if _, ok := stock.searched("Sources:\n- [x](https://x.example)"); ok || stock.tool.Title != "Search the web with DeepSeek: a" {
		t.Errorf("the Harness's own search is %+v", stock.tool)
	}
	other := card{tool: chat.Tool{Name: "bash", Title: "as it was", Input: `{"queries":["a"]}`}}
	if _, ok := other.searched("Bing answered this search. " + noKey); ok || other.tool.Title != "as it was" {
		t.Errorf("another tool's card is %+v", other.tool)
	}
}

func TestTitleOfSearches(t *testing.T) {
	for args, want := range map[string]string{
		`{"queries":["one","two  words"]}`:                   "Search the web: one, two words",
		`{"query":"one"}`:                                    "Search the web: one",
		`{"queries":[]}`:                                     "Search the web: …",
		`{"queries":[1,"` + strings.Repeat("x", 200) + `"]}`: "Search the web: " + strings.Repeat("x", 103) + "…",
	} {
		if got := title("web_search", args, "").Text; got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
