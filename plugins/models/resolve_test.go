package models

import (
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

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
	for _, query := range []string{"gpt-4o", "DeepSeek", "a/b", "пп", "\x00\xff", "☃", "(odd/a b)", "my gpt-4o via OpenAI", "Ｇｐｔ4Ｏ"} {
		f.Add(query, "gpt-4o")
	}
	for _, pair := range [][2]string{{"command-r+", "command-r"}, {"qwen3-8b", "qwen-38b"}, {"gpt-4.1", "gpt-41"}, {"a`b", "ab"}, {"r#1", "r1"}, {"x 1 2", "x-12"}} {
		f.Add(pair[0], pair[1])
		f.Add(pair[1], pair[0])
	}
	f.Fuzz(func(t *testing.T, query, id string) {
		check(t, query, Resolve(abi.ModelQuery{Query: query, Routes: some[:3]}))
		if strings.ContainsRune(query+id, utf8.RuneError) || spelled(id) == "" {
			return // no JSON has what is no UTF-8, and no model is named by points alone
		}
		for _, routes := range [][]abi.ModelRoute{some[:3], {{Provider: "p", ID: id}}} {
			a := Resolve(abi.ModelQuery{Query: query, Routes: routes})
			if a.Kind == abi.ModelMatch && !exactly(query, *a.Route) {
				t.Errorf("%q starts %+v", query, a.Route)
			}
		}
	})
}

// exactly says, with nothing of the resolver's own, that a query is a whole name of the
// route: the same letters, symbols and numbers in the same order, and at most words
// around a name besides.
func exactly(query string, r abi.ModelRoute) bool {
	models, groups := []string{r.ID, r.Name}, []string{r.Connection, r.Provider}
	names := append([]string{r.Provider + "/" + r.ID, r.Name + " " + r.Provider + "/" + r.ID}, groups...)
	if r.Local {
		names = append(names, "local", "lokal", "locale", "ローカル", "ローカルモデル", "本地", "本地模型")
	}
	for _, model := range models {
		names = append(names, model)
		for _, group := range groups {
			names = append(names, group+" "+model, model+" "+group)
		}
	}
	for _, name := range names {
		if spelled(name) != "" && slices.Contains(said(query), spelled(name)) {
			return true
		}
	}
	return false
}

// said gives what a query says, with and without the words around a name: those at
// either end may belong to it.
func said(query string) []string {
	out := []string{spelled(query)}
	words := strings.Fields(strings.ToLower(letterWise(query)))
	for ends := range 4 {
		var kept []string
		for i, w := range words {
			end := i == 0 && ends&1 > 0 || i == len(words)-1 && ends&2 > 0
			if end || !slices.Contains(strings.Fields("the a my model named called via on at from by through"), w) {
				kept = append(kept, w)
			}
		}
		out = append(out, spelled(strings.Join(kept, " ")))
	}
	return out
}

// spelled is a text without what parts its words, unless that is two numbers.
func spelled(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) {
			return -1
		}
		return r
	}, strings.ToLower(letterWise(strings.ToLower(s))))
	out := ""
	for _, word := range strings.FieldsFunc(s, func(r rune) bool {
		return strings.ContainsRune("`´−", r) || !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) && !strings.ContainsRune("#*&@%", r)
	}) {
		before, _ := utf8.DecodeLastRuneInString(out)
		if first, _ := utf8.DecodeRuneInString(word); unicode.IsNumber(before) && unicode.IsNumber(first) {
			out += " "
		}
		out += word
	}
	return out
}
