package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// The table of names that the plugin itself is tested with, through the command as a
// person calls it: one line of JSON a name.
func TestModelNames(t *testing.T) {
	modules, err := guests()
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("../../../plugins/models/testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	var in, out bytes.Buffer
	var want []string
	routes := []json.RawMessage{}
	for line := range strings.Lines(string(table)) {
		text, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case text == "routes":
			routes = []json.RawMessage{}
		case text == "route":
			routes = append(routes, json.RawMessage(rest))
		case !strings.HasPrefix(line, "# "):
			query, err := strconv.Unquote(text)
			if err != nil {
				query = text
			}
			if err := json.NewEncoder(&in).Encode(map[string]any{"query": query, "routes": routes}); err != nil {
				t.Fatal(err)
			}
			want = append(want, text+"\t"+rest)
		}
	}
	f := call{module: module{path: modules["models"]}, plugin: "models", op: "resolve"}
	if err := f.run(t.Context(), &in, &out); err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, line := range strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n") {
		var a abi.ModelAnswer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		text, _, _ := strings.Cut(want[i], "\t")
		fields := []string{text, a.Kind}
		for _, r := range a.Candidates {
			fields = append(fields, r.Provider+"/"+r.ID)
		}
		got = append(got, strings.Join(fields, "\t"))
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) < 150 {
		t.Errorf("%d names (-want +got):\n%s", len(got), diff)
	}
}
