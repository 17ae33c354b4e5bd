package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sample(n int) record {
	return record{ChatID: fmt.Sprintf("chat-%d", n), SessionID: fmt.Sprintf("session-%d", n), CWD: "/w", Title: "t \"é\"", Created: 1, Updated: int64(n), Requests: []string{"r"}}
}

func TestRecordsSurvive(t *testing.T) {
	dir := t.TempDir()
	r, err := openRecords(dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		if err := r.put(sample(n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.change("chat-1", func(c *record) {
		for n := range 2 * maxRequests {
			c.Requests = append(c.Requests, fmt.Sprint(n))
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := r.change("nope", func(*record) { t.Error("called") }); err != nil {
		t.Fatal(err)
	}
	again, err := openRecords(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r.chats, again.chats); d != "" {
		t.Errorf("(-written +read):\n%s", d)
	}
	c, _ := again.get("chat-1")
	if len(c.Requests) != maxRequests || c.Requests[maxRequests-1] != fmt.Sprint(2*maxRequests-1) {
		t.Errorf("requests: %v", c.Requests)
	}
	if got, ok := again.bySession("session-2"); !ok || got.ChatID != "chat-2" {
		t.Errorf("got %+v", got)
	}
}

// TestTornRecords: a file cut at any byte gives every chat that stands whole before
// the cut, keeps what is broken, and can be written again.
func TestTornRecords(t *testing.T) {
	dir := t.TempDir()
	r, err := openRecords(dir)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		if err := r.put(sample(n)); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, recordsFile)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for cut := range len(whole) {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		torn, err := openRecords(dir)
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		want := strings.Count(string(whole[:cut]), "\n    }") // records that are whole
		if len(torn.chats) != want {
			t.Fatalf("cut at %d: %d chats, want %d", cut, len(torn.chats), want)
		}
		seen[want] = true
		for id, c := range torn.chats {
			if d := cmp.Diff(r.chats[id], c); d != "" {
				t.Fatalf("cut at %d (-want +got):\n%s", cut, d)
			}
		}
		if kept, err := os.ReadFile(path + ".broken"); cut < len(whole)-1 && (err != nil || string(kept) != string(whole[:cut])) {
			t.Fatalf("cut at %d: the broken file is not kept: %v", cut, err)
		}
		if err := os.RemoveAll(path + ".broken"); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(map[int]bool{0: true, 1: true, 2: true}, seen); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestNewerRecords: a file of a version that is not known is left as it is, wherever it
// says so, and however it is cut.
func TestNewerRecords(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordsFile)
	whole := `{"version":99,"chats":{"a":1}}`
	texts := []string{`{"chats":[],"version":2}`, `{"chats":{"a":{"sessionId":"s"}},"version":2}`, `{"version":"two","chats":[]}`, `{"version":2.5}`}
	for cut := len(`{"version":99,`); cut <= len(whole); cut++ {
		texts = append(texts, whole[:cut])
	}
	for _, text := range texts {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openRecords(dir); !errors.Is(err, ErrNewer) {
			t.Errorf("%s: %v", text, err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%s: the file was changed", text)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside it there is %v, %v", entries, err)
	}
}

// TestRestOfRecords: what another host wrote besides stays through any change, and a
// file of the time before there was a version is read.
func TestRestOfRecords(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordsFile)
	text := `{"later":{"a":[1,2]},"chats":[{"chatId":"chat-1","sessionId":"s","cwd":"/w","createdAt":1,"updatedAt":1,"pinned":true,"tags":["x"]}],"more":1}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		r, err := openRecords(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.put(sample(2)); err != nil {
			t.Fatal(err)
		}
		if err := r.change("chat-1", func(c *record) { c.Updated = int64(n) }); err != nil {
			t.Fatal(err)
		}
	}
	var got map[string]any
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	first := map[string]any{"chatId": "chat-1", "sessionId": "s", "cwd": "/w", "createdAt": 1.0, "updatedAt": 2.0, "pinned": true, "tags": []any{"x"}}
	second := map[string]any{"chatId": "chat-2", "sessionId": "session-2", "cwd": "/w", "title": "t \"é\"", "createdAt": 1.0, "updatedAt": 2.0, "requests": []any{"r"}}
	want := map[string]any{"version": 1.0, "chats": []any{first, second}, "later": map[string]any{"a": []any{1.0, 2.0}}, "more": 1.0}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if !strings.HasPrefix(string(raw), "{\n  \"version\": 1,") {
		t.Errorf("the version is not the first: %s", raw)
	}
}

// TestBrokenTwice: what is broken is kept each time.
func TestBrokenTwice(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, recordsFile)
	for _, text := range []string{"one", "two", "one", "two", "three"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openRecords(dir); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, end := range []string{"", "-2", "-3"} {
		raw, err := os.ReadFile(path + ".broken" + end)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(raw))
	}
	if d := cmp.Diff([]string{"one", "two", "three"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestUnsavedRecord: what could not be written is not there.
func TestUnsavedRecord(t *testing.T) {
	dir := t.TempDir()
	r, err := openRecords(filepath.Join(dir, "file", "sub"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.put(sample(1)); err == nil {
		t.Fatal("no error")
	}
	if _, ok := r.get("chat-1"); ok {
		t.Error("the record is there")
	}
}

func FuzzParseRecords(f *testing.F) {
	f.Add([]byte(`{"version":1,"chats":[{"chatId":"a","sessionId":"s","requests":["r"]}]}`))
	f.Add([]byte(`{"other":[1,{"a":2}],"chats":[{"chatId":"a","sessionId":"s"},`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		chats, _, _ := parseRecords(raw)
		for _, c := range chats {
			if c.ChatID == "" || c.SessionID == "" {
				t.Fatalf("got %+v", c)
			}
		}
		again, _, _ := parseRecords(raw)
		if d := cmp.Diff(chats, again, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}
