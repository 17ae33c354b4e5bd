package schema

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"testing"

	"strata.dev/bridge/proto/chat"
)

func TestFilesAreCurrent(t *testing.T) {
	src := os.DirFS("../chat")
	for name, make := range map[string]func(fs.FS) ([]byte, error){"chat.schema.json": JSON, "chat.d.ts": TypeScript} {
		want, err := make(src)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, got) {
			t.Errorf("%s is stale: run go run ./schema/gen in proto/", name)
		}
	}
}

// TestEveryTypeIsThere compares with the source: a type that no root reaches
// would be missing without a word.
func TestEveryTypeIsThere(t *testing.T) {
	src := os.DirFS("../chat")
	s, err := parse(src)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(src)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, o := range m.objects {
		have[o.name] = true
	}
	for _, e := range m.enums {
		have[e.name] = true
		if len(e.values) == 0 {
			t.Errorf("%s has no values", e.name)
		}
	}
	// Flattened into those that embed them.
	flat := []string{"Sentence", "ToolDraft", "Context"}
	for key := range s.docs {
		if !bytes.ContainsRune([]byte(key), '.') && !have[key] && !slices.Contains(flat, key) {
			t.Errorf("%s is not in the schema", key)
		}
	}
	if len(have) < 20 {
		t.Errorf("%d types, there are more", len(have))
	}
}

// TestSchemaFitsWhatGoWrites marshals a full frame and an empty one and looks at
// every key.
func TestSchemaFitsWhatGoWrites(t *testing.T) {
	b, err := JSON(os.DirFS("../chat"))
	if err != nil {
		t.Fatal(err)
	}
	var top node
	if err := json.Unmarshal(b, &top); err != nil {
		t.Fatal(err)
	}
	cancelled := false
	full := chat.Frame{
		Run: "r", Seq: 1, Type: chat.Done, Agent: true, Mode: "m", Model: "m", SessionID: "s",
		Sentence: chat.Sentence{Text: "t", Key: "k", Args: map[string]string{"a": "b"}}, Own: true, Code: "c", Details: "d",
		Actions: []string{"a"}, Tool: &chat.Tool{}, ToolDraft: &chat.ToolDraft{ID: "i"}, Context: &chat.Context{Source: "s"},
		Plan: &chat.Plan{}, Message: &chat.Message{}, Snapshot: &chat.Snapshot{}, Usage: &chat.Usage{}, Finish: "f", Cancelled: &cancelled,
	}
	def := top.Defs["Frame"]
	for _, f := range []chat.Frame{full, {}} {
		b, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(b, &keys); err != nil {
			t.Fatal(err)
		}
		for k := range keys {
			if def.Properties[k] == nil {
				t.Errorf("the schema has no %s", k)
			}
		}
		for _, k := range def.Required {
			if _, ok := keys[k]; !ok {
				t.Errorf("%s is required and was not written", k)
			}
		}
	}
	b, err = json.Marshal(full)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	if len(keys) != len(def.Properties) {
		t.Errorf("a full frame has %d keys, the schema %d", len(keys), len(def.Properties))
	}
}
