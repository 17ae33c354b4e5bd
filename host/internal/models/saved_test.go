package models

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// What a newer host of the same version has written beside what this one knows is kept,
// whatever is changed.
func TestWhatANewerHostWroteStays(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "models.json")
	written := `{"version":1,"theme":{"a":[1]},"connections":[
		{"id":"one","kind":"openai","name":"One","baseUrl":"http://127.0.0.1:9/v1","region":"eu","models":[
			{"id":"m","contextWindow":9000,"temper":0.50,"listed":{"id":"m","name":"M","later":true}},{"id":"n","contextWindow":9000,"temper":2}]},
		{"id":"two","kind":"openai","baseUrl":"http://127.0.0.1:9/v1","region":"us"}]}`
	if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir)
	if _, err := w.Replace(t.Context(), "one", chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "Uno", BaseURL: "http://127.0.0.1:9/v1",
		Models: []chat.ModelSpec{{ID: "m", ContextWindow: 8000}, {ID: "o", ContextWindow: 9000}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.SetDefault("one/o"); err != nil {
		t.Fatal(err)
	}
	if err := w.Remove(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"version":1,"default":"one/o","theme":{"a":[1]},"connections":[
		{"id":"one","kind":"openai","name":"Uno","baseUrl":"http://127.0.0.1:9/v1","region":"eu","models":[
			{"id":"m","contextWindow":8000,"temper":0.50,"listed":{"id":"m","name":"M"}},{"id":"o","contextWindow":9000}]}]}`
	if diff := cmp.Diff(plain(t, want), plain(t, string(data))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func plain(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
