package conformance

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const searchData = "../../plugins/search/testdata/"

// runSearch gives a host side every page of the search plugin's own golden file.
// The answers must be those bytes: what parse said natively. Then it gives it as
// many megabytes that were made to fill a plugin's memory, which must not.
func runSearch(t *testing.T, host Host, megabytes int) {
	t.Run("search", func(t *testing.T) {
		ask := asking(t, host, "search")
		answers := strings.Split(strings.TrimSpace(string(read(t, searchData+"parsed.jsonl"))), "\n")
		var expected struct{ Cases []searchCase }
		if err := json.Unmarshal(read(t, searchData+"pages/expected.json"), &expected); err != nil {
			t.Fatal(err)
		}
		if len(expected.Cases) < 49 || len(answers) != len(expected.Cases) {
			t.Fatalf("%d cases, %d answers", len(expected.Cases), len(answers))
		}
		for i, c := range expected.Cases {
			want := Event{On: "done", Call: c.File, Head: answers[i]}
			got := ask(Command{Do: "call", Instance: "search", Call: c.File, Op: "parse", Head: c.head(t), Body: read(t, searchData+"pages/"+c.File)})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.File, diff)
			}
		}
		for name, one := range map[string]string{
			"formatting": "<b><i><u><p>", "attributes": "a b=c ",
			"rows": `<div class="result"><a class="result__a" href="https://a.example">t</a></div>`,
			"json": `{"title":"t","url":"https://a.example"},`,
		} {
			body := strings.Repeat(one, megabytes*1_000_000/len(one))
			switch name {
			case "attributes":
				body = "<p " + body + ">"
			case "json":
				body = `{"results":[` + body + "{}]}"
			}
			engine := "duckduckgo-html"
			if name == "json" {
				engine = "exa"
			}
			head := searchCase{Engine: engine, HTTP: json.RawMessage(`{"status":200,"headers":{}}`)}.head(t)
			if got := ask(Command{Do: "call", Instance: "search", Call: name, Op: "parse", Head: head, Body: []byte(body)}); got.On != "done" {
				t.Errorf("%d MB of %s: %+v", megabytes, name, got)
			}
		}
	})
}

// searchCase is a page and how it came.
type searchCase struct {
	File   string          `json:"file,omitempty"`
	Engine string          `json:"engine"`
	Query  string          `json:"query"`
	HTTP   json.RawMessage `json:"http"`
}

// head is the head of op parse for it.
func (c searchCase) head(t *testing.T) string {
	c.File = ""
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func read(t *testing.T, name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
