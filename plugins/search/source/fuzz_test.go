package source

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"strata.dev/bridge/proto/abi"
)

// ids of all sources, sorted.
func ids() (all []string) {
	for id := range parsers {
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// FuzzParse gives every source anything: no panic, results only under their
// outcome, http(s) addresses that are none of the engine's own, each once, text
// that is UTF-8.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("../testdata/pages/*-*")
	if err != nil || len(files) < 40 {
		f.Fatalf("%d files, %v", len(files), err)
	}
	all := ids()
	for i, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), 200, "text/html; charset=utf-8", b)
	}
	f.Fuzz(func(t *testing.T, pick uint8, status int, contentType string, body []byte) {
		id := all[int(pick)%len(all)]
		got, ok := Parse(id, Response{Query: "a question", Status: status, Headers: map[string]string{"Content-Type": contentType}, Body: body})
		if !ok {
			t.Fatal("no such source")
		}
		if (got.Outcome == abi.OutcomeResults) != (len(got.Results) > 0) {
			t.Errorf("%s with %d results", got.Outcome, len(got.Results))
		}
		if (got.Outcome == abi.OutcomeBlocked) != (got.BlockKind != "") || (got.Outcome == abi.OutcomeError) != (got.ErrorKind != "") {
			t.Errorf("kinds: %+v", got)
		}
		seen := map[string]bool{}
		for _, r := range got.Results {
			u, err := url.Parse(r.URL)
			if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || seen[r.URL] {
				t.Errorf("address %q", r.URL)
			} else if own := ownDomain(id); own != "" && of(u.Hostname(), own) {
				t.Errorf("the engine's own %q", r.URL)
			}
			seen[r.URL] = true
			if text := r.Title + r.Snippet; !utf8.ValidString(text) || len(text) > 4*maxTextBytes {
				t.Errorf("text %q", text)
			}
		}
		if _, err := json.Marshal(got); err != nil {
			t.Error(err)
		}
	})
}

func ownDomain(id string) string {
	switch {
	case strings.HasPrefix(id, "duckduckgo"):
		return "duckduckgo.com"
	case strings.HasPrefix(id, "bing"):
		return "bing.com"
	}
	return ""
}

// junk are pages that were made to be slow: size bytes of each.
func junk(size int) map[string]string {
	fill := func(one string) string { return strings.Repeat(one, size/len(one)) }
	return map[string]string{
		"text":            fill("junk "),
		"brackets":        fill("<"),
		"comments":        "<!--" + fill("- "),
		"divs":            fill("<div>"),
		"rows":            fill(`<div class="result">`),
		"closed rows":     fill(`<div class="result"><a class="result__a" href="https://a.example">t</a></div>`),
		"nested snippets": strings.Repeat(`<div class="result"><div class="result__snippet">`, 200) + fill("x <i></i>"),
		"algos":           fill(`<li class="b_algo"><h2><a href="https://a.example">t</a></h2>`),
		"anchors":         fill("<a href=x>"),
		"formatting":      fill("<b><i><u><p>"),
		"formatting kept": "<b a=1><i b=2><u c=3><s d=4><em e=5>" + fill("<p>x"),
		"attributes":      "<p " + fill("a b=c ") + ">",
		"one attribute":   "<p class='" + fill("result ") + "'>",
		"entities":        fill("&amp;&nosuch;&#x1F35C;"),
		"tables":          fill("<table><tr><td>"),
		"fostered":        "<table>" + fill("<a>x"),
		"selects":         fill("<select><option>"),
		"templates":       fill("<template>"),
		"items":           "<rss><channel>" + fill("<item><link>https://a.example</link></item>"),
		"json":            `{"results":[` + fill(`{"title":"t","url":"https://a.example"},`) + `{}]}`,
		"deep json":       fill("["),
		"bytes":           fill("\xff\xfe\x00\xe9"),
	}
}

// Junk of each kind is read, five megabytes of it: the test's own deadline is the
// only clock. Pages share what prunes them, so one source stands for its kind.
func TestJunk(t *testing.T) {
	for name, body := range junk(junkSize) {
		t.Run(name, func(t *testing.T) {
			if got := parseJunk(name, body); got.Outcome == "" {
				t.Error("it has no outcome")
			}
		})
	}
}

// parseJunk gives junk to the source that it was made for.
func parseJunk(name, body string) abi.SearchParsed {
	id := abi.SourceDuckDuckGo
	switch name {
	case "items":
		id = abi.SourceBingRSS
	case "json", "deep json":
		id = abi.SourceExa
	case "algos":
		id = abi.SourceBing
	case "tables":
		id = abi.SourceDuckDuckGoLite
	}
	got, _ := Parse(id, Response{Query: "q", Status: 200, Headers: map[string]string{"Content-Type": "text/html; charset=utf-8"}, Body: []byte(body)})
	return got
}

// Each kind has its size.
func TestJunkSize(t *testing.T) {
	for name, body := range junk(junkSize) {
		if n := len(body); n < junkSize*9/10 {
			t.Errorf("%s has only %d bytes", name, n)
		}
	}
}
