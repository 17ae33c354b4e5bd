package models

import (
	"encoding/json"
	"flag"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

var update = flag.Bool("update", false, "write testdata/names.txt anew")

const names = "testdata/names.txt"

// TestNames holds the table of names. The same table goes through strata-plugin in
// wasm/cmd/strata-plugin.
func TestNames(t *testing.T) {
	table, err := os.ReadFile(names)
	if err != nil {
		t.Fatal(err)
	}
	var routes []abi.ModelRoute
	var got strings.Builder
	total := 0
	for line := range strings.Lines(string(table)) {
		line = strings.TrimSuffix(line, "\n")
		text, rest, _ := strings.Cut(line, "\t")
		switch {
		case text == "routes":
			routes = nil
		case text == "route":
			var r abi.ModelRoute
			if err := json.Unmarshal([]byte(rest), &r); err != nil {
				t.Fatalf("%s: %v", rest, err)
			}
			routes = append(routes, r)
		case !strings.HasPrefix(line, "# "):
			query, err := strconv.Unquote(text)
			if err != nil {
				query = text
			}
			answer := Resolve(abi.ModelQuery{Query: query, Routes: routes})
			check(t, query, answer)
			line = text + "\t" + answer.Kind
			for _, r := range answer.Candidates {
				line += "\t" + r.Provider + "/" + r.ID
			}
			total++
		}
		got.WriteString(line + "\n")
	}
	if total < 150 {
		t.Errorf("the table has %d names", total)
	}
	if *update {
		if err := os.WriteFile(names, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(table), got.String()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

// check holds what is true of every answer.
func check(t *testing.T, query string, a abi.ModelAnswer) {
	t.Helper()
	if (a.Kind == abi.ModelMatch) != (a.Route != nil) {
		t.Errorf("%q is a %s with the route %+v", query, a.Kind, a.Route)
	}
	many := map[string]bool{
		abi.ModelMatch: len(a.Candidates) == 1, abi.ModelSuggest: len(a.Candidates) > 0,
		abi.ModelAmbiguous: len(a.Candidates) > 1, abi.ModelNone: len(a.Candidates) == 0,
	}
	if !many[a.Kind] {
		t.Errorf("%q is a %s with %d candidates", query, a.Kind, len(a.Candidates))
	}
	for _, r := range a.Candidates {
		if key := r.Provider + "/" + r.ID; !strings.Contains(a.Message, key) {
			t.Errorf("the message of %q does not name %s: %s", query, key, a.Message)
		}
	}
	if a.Kind != abi.ModelMatch && !strings.Contains(a.Message, notStarted) {
		t.Errorf("the message of %q does not say that nothing was started: %s", query, a.Message)
	}
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"gpt-4o", "DeepSeek", "a/b", "пп", "\x00\xff", "☃", "(odd/a b)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		a := Resolve(abi.ModelQuery{Query: query, Routes: some[:3]})
		check(t, query, a)
		if a.Kind == abi.ModelMatch && !exactly(query, *a.Route) {
			t.Errorf("%q starts %+v", query, a.Route)
		}
	})
}

// exactly says in another way that a query holds a whole name of the route.
func exactly(query string, r abi.ModelRoute) bool {
	rest := fold(query)[bare]
	for _, name := range []string{r.ID, r.Name, r.Provider, r.Connection, "local", "lokal", "locale"} {
		if n := fold(name)[bare]; n != "" && strings.Contains(rest, n) {
			return true
		}
	}
	return strings.Contains(rest, "ローカル") || strings.Contains(rest, "本地")
}
