package reason

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// decls is what the files declare that hold a person's sentences: all but those
// of model.go, and reason.go, which holds none.
func decls(t *testing.T) []ast.Decl {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []ast.Decl
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "model.go" || name == "reason.go" {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f.Decls...)
	}
	return out
}

// The catalog is made from the source, so that no sentence can be left out.
func TestCatalog(t *testing.T) {
	var got []entry
	keys := map[string]string{}
	for _, d := range decls(t) {
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
