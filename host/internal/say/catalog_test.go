package say

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/catalog.json")

// entry is one line of the interface catalog, which translators work from.
type entry struct {
	Name   string   `json:"name"`
	Area   string   `json:"area"` // the file that holds it
	Key    string   `json:"key"`
	Places []string `json:"places,omitempty"`
	About  string   `json:"about"`
}

// catalog reads the package's own source, so that no constant can be left out.
func catalog(t *testing.T) []entry {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []entry
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				key, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatalf("%s: %v", v.Names[0].Name, err)
				}
				out = append(out, entry{
					Name: v.Names[0].Name, Area: strings.TrimSuffix(name, ".go"),
					Key: key, Places: Places(key), About: strings.TrimSpace(v.Doc.Text()),
				})
			}
		}
	}
	if len(out) < 50 {
		t.Fatalf("found %d sentences, there are more", len(out))
	}
	return out
}

func TestCatalogIsCurrent(t *testing.T) {
	got, err := json.MarshalIndent(catalog(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", "catalog.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("the catalog is stale, run go test ./internal/say -update (-want +got):\n%s", d)
	}
}

// technical words that a person who does not program need not know.
var technical = regexp.MustCompile(`(?i)\b(http|json|utf|null|nil|rpc|stdin|stderr|session id|exception|stack|websocket|ndjson|timeout|EOF|invalid|parameter)\b`)

// percentage is a place, and the sign of what is in percent.
var percentage = regexp.MustCompile(place.String() + "%?")

func TestSentencesArePlain(t *testing.T) {
	seen := map[string]string{}
	for _, e := range catalog(t) {
		if was, ok := seen[e.Key]; ok {
			t.Errorf("%s and %s are the same sentence", was, e.Name)
		}
		seen[e.Key] = e.Name
		if !strings.HasPrefix(e.About, e.Name+" ") {
			t.Errorf("%s has no doc comment that says when it is said", e.Name)
		}
		if w := technical.FindString(e.Key); w != "" {
			t.Errorf("%s uses the technical word %q", e.Name, w)
		}
		if len(e.Key) > 180 {
			t.Errorf("%s is %d long, at most 180", e.Name, len(e.Key))
		}
		if strings.ContainsAny(percentage.ReplaceAllString(e.Key, ""), "{}%") {
			t.Errorf("%s has a malformed place: %s", e.Name, e.Key)
		}
		if end := e.Key[len(e.Key)-1]; e.Area != "title" && !strings.HasSuffix(e.Key, "…") && end != '.' && end != '}' {
			t.Errorf("%s does not end like a sentence: %s", e.Name, e.Key)
		}
	}
}

// call is one use of say.Sentence or say.Error in the host's code.
type call struct {
	where string
	key   string // the constant's name, "" where it is no say constant
	args  []string
	open  bool // the arguments are not all literal
}

func calls(t *testing.T, root string) []call {
	t.Helper()
	var out []call
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return nil // the compiler says it better
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := sayCall(n); ok {
				c.where = fset.Position(n.Pos()).String()
				out = append(out, c)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sayCall(n ast.Node) (call, bool) {
	x, ok := n.(*ast.CallExpr)
	if !ok || x.Ellipsis.IsValid() {
		return call{}, false
	}
	fn, ok := x.Fun.(*ast.SelectorExpr)
	if !ok || !isIdent(fn.X, "say") {
		return call{}, false
	}
	at, ok := map[string]int{"Sentence": 0, "Error": 2}[fn.Sel.Name]
	if !ok || len(x.Args) <= at {
		return call{}, false
	}
	var c call
	if key, ok := x.Args[at].(*ast.SelectorExpr); ok && isIdent(key.X, "say") {
		c.key = key.Sel.Name
	}
	for i, a := range x.Args[at+1:] {
		if i%2 == 1 {
			continue
		}
		lit, ok := a.(*ast.BasicLit)
		if !ok {
			c.open = true
			continue
		}
		name, _ := strconv.Unquote(lit.Value)
		c.args = append(c.args, name)
	}
	if len(x.Args[at+1:])%2 == 1 {
		c.args = append(c.args, "(name without value)")
	}
	return c, true
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

func TestCallsFillTheirPlaces(t *testing.T) {
	places := map[string][]string{}
	for _, e := range catalog(t) {
		places[e.Name] = e.Places
	}
	checked := 0
	for _, c := range calls(t, filepath.Join("..", "..")) {
		if c.key == "" || c.open {
			continue // a key or name that is passed on; its caller is checked
		}
		checked++
		if d := cmp.Diff(set(places[c.key]), set(c.args)); d != "" {
			t.Errorf("%s: say.%s (-places +arguments):\n%s", c.where, c.key, d)
		}
	}
	if checked == 0 {
		t.Error("no call was checked")
	}
}

// TestEverySentenceIsSaid: one that nobody says is work for translators only.
func TestEverySentenceIsSaid(t *testing.T) {
	said := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`\bsay\.([A-Z]\w+)`).FindAllStringSubmatch(string(b), -1) {
			said[m[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range catalog(t) {
		if !said[e.Name] {
			t.Errorf("nobody says %s: %s", e.Name, e.Key)
		}
	}
}

func set(names []string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}
