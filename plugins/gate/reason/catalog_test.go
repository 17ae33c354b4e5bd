package reason

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/catalog.json")

// entry is one line of the catalog that translators work from.
type entry struct {
	Name   string   `json:"name"`
	Key    string   `json:"key"`
	Places []string `json:"places,omitempty"`
}

var placeIn = regexp.MustCompile(`\{([a-z]+)\}`)

// The catalog is made from the source, so that no sentence can be left out.
func TestCatalog(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "sentences.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []entry
	keys := map[string]string{}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			key, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			e := entry{Name: v.Names[0].Name, Key: key}
			for _, m := range placeIn.FindAllStringSubmatch(key, -1) {
				e.Places = append(e.Places, m[1])
			}
			if other := keys[key]; other != "" {
				t.Errorf("%s and %s are one sentence", e.Name, other)
			}
			keys[key] = e.Name
			got = append(got, e)
		}
	}
	const golden = "testdata/catalog.json"
	if *update {
		text, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want []entry
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go test -update writes it anew: %s", diff)
	}
}
