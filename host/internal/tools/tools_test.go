package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const key = "exa-secret-0123"

// stored is the store of keys beside a settings file.
func stored(path string) *connections.KeyStore {
	return connections.NewKeyStore(nil, filepath.Join(filepath.Dir(path), "keys.json"))
}

func open(t *testing.T, path string) *Settings {
	t.Helper()
	s, err := Open(t.Context(), path, stored(path))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is what a redactor is told.
type heard []string

func (h *heard) Add(values ...string) { *h = append(*h, values...) }

// text is a key's own, as redactors know it.
func text(k connections.Key) string {
	var h heard
	k.Register(&h)
	return strings.Join(h, " ")
}

func service(id string) chat.ToolsPatch {
	return chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Service: &id}}
}

func withKey(text string) chat.ToolsPatch {
	return chat.ToolsPatch{WebSearch: &chat.WebSearchPatch{Key: &text}}
}

func change(t *testing.T, s *Settings, patches ...chat.ToolsPatch) {
	t.Helper()
	for _, p := range patches {
		if err := s.Change(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
}

// told is what a page is told, with the services that have a key.
func told(s *Settings) string {
	g := s.Get()
	out := fmt.Sprint(g.WebSearch.Service, " ", g.WebSearch.KeySet, " ", g.WebWithoutAsking)
	for _, s := range g.WebSearch.Services {
		if s.KeySet {
			out += " +" + s.ID
		}
	}
	return out
}

func TestChoice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := open(t, path)
	if got := told(s); got != "duckduckgo false false" {
		t.Errorf("at first %s", got)
	}
	yes := true
	change(t, s, service("exa"), withKey(" "+key+"\n"), service("perplexity"), chat.ToolsPatch{WebWithoutAsking: &yes})
	if got := told(s); got != "perplexity false true +exa" {
		t.Errorf("then %s", got)
	}
	if got := Engine(s.Choice().Search()); got != "DuckDuckGo/Bing" {
		t.Errorf("without a key the words go to %s", got)
	}
	again := open(t, path)
	change(t, again, service("exa"))
	if got := told(again); got != "exa true true +exa" {
		t.Errorf("read again %s", got)
	}
	search := again.Choice().Search()
	if text(search.Key) != key || !search.Keyed() || Engine(search) != "Exa" {
		t.Errorf("the search is %+v, by %s", search, Engine(search))
	}
	for what, shown := range map[string]any{"the choice": again.Choice(), "what a page is told": again.Get()} {
		text, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text)+fmt.Sprintf("%+v", shown), key) {
			t.Errorf("%s shows the key", what)
		}
	}
	if in := holding(t, filepath.Dir(path), key); in != "keys.json" {
		t.Errorf("the key is in %q", in)
	}
	change(t, again, withKey("another-key-4567"))
	change(t, again, withKey(""))
	if in := holding(t, filepath.Dir(path), key) + holding(t, filepath.Dir(path), "another-key-4567"); in != "" || told(again) != "exa false true" {
		t.Errorf("a key that was forgotten is in %s; told: %s", in, told(again))
	}
}

// holding lists the files of a folder with a text in them, all of which are for their
// user alone.
func holding(t *testing.T, dir, text string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v, %v", e.Name(), info.Mode(), err)
		}
		if strings.Contains(string(data), text) {
			out = append(out, e.Name())
		}
	}
	return strings.Join(out, " ")
}

// Keys that an earlier version has left in the settings file are moved to where keys are
// kept, by whoever changes the folder; until then they work where they are.
func TestKeysOfAnEarlierVersion(t *testing.T) {
	for name, settle := range map[string]func(*testing.T, *Settings){
		"at the start": func(t *testing.T, s *Settings) {
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
		"with a change": func(t *testing.T, s *Settings) { change(t, s, service("exa")) },
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "settings.json")
		earlier := `{"version":1,"tools":{"webSearch":{"service":"exa","keys":{"exa":"` + key + `","deepseek":"deep-key-4567"}}}}`
		if err := os.WriteFile(path, []byte(earlier), 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		if in := holding(t, dir, key); in != "settings.json" || text(s.Choice().Search().Key) != key {
			t.Errorf("%s, before: in %s, %s", name, in, told(s))
		}
		settle(t, s)
		again := open(t, path)
		if in := holding(t, dir, key) + " " + holding(t, dir, "deep-key-4567"); in != "keys.json keys.json" {
			t.Errorf("%s: in %s", name, in)
		}
		if got := told(again); got != "exa true false +exa +deepseek" || text(again.Choice().Search().Key) != key {
			t.Errorf("%s: told %s", name, got)
		}
	}
}

// A key that cannot be read now is asked for again, and is not lost by a change.
func TestKeyThatCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	change(t, open(t, path), service("exa"), withKey(key))
	away := filepath.Join(filepath.Dir(path), "away.json")
	if err := os.Rename(stored(path).Path(), away); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	if err := s.Unread(); err == nil || told(s) != "exa false false" {
		t.Errorf("%v, told %s", err, told(s))
	}
	change(t, s, service("exa"))
	if err := os.Rename(away, stored(path).Path()); err != nil {
		t.Fatal(err)
	}
	if got := told(open(t, path)); got != "exa true false +exa" {
		t.Errorf("then %s", got)
	}
	change(t, s, service("exa"))
	if got := told(s); got != "exa true false +exa" || s.Unread() != nil {
		t.Errorf("looked for again: %s, %v", got, s.Unread())
	}
}

func TestRefused(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "settings.json"))
	for want, p := range map[string]chat.ToolsPatch{
		say.Sentence(say.SearchServiceUnknown, "service", "google", "services", "deepseek, duckduckgo, exa, perplexity").Text: service("google"),
		say.Sentence(say.SearchServiceUnknown, "service", "", "services", "deepseek, duckduckgo, exa, perplexity").Text:       service(""),
		say.Sentence(say.SearchKeyless, "service", "DuckDuckGo").Text:                                                         withKey(key),
	} {
		var refused *chat.Error
		if err := s.Change(t.Context(), p); !errors.As(err, &refused) || refused.Text != want || refused.Code != chat.CodeBadRequest {
			t.Errorf("%v, want %s", err, want)
		}
	}
	change(t, s, service("exa"))
	for text, want := range map[string]string{" \n": say.KeyEmpty, "two words": say.KeyWrong, strings.Repeat("k", 5000): say.KeyWrong, "кey": say.KeyWrong} {
		var refused *chat.Error
		if err := s.Change(t.Context(), withKey(text)); !errors.As(err, &refused) || refused.Text != want {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
	if got := told(s); got != "exa false false" {
		t.Errorf("then %s", got)
	}
}

// What cannot be used is not kept, in the file either.
func TestNotTaken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	s := open(t, path)
	change(t, s, service("exa"))
	broken := errors.New("broken")
	var seen Choice
	s.OnChange(func(c Choice) error { seen = c; return broken })
	if err := s.Change(t.Context(), withKey(key)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if text(seen.Keys["exa"]) != key || told(s) != "exa false false" || told(open(t, path)) != "exa false false" {
		t.Errorf("seen %v, told %s, in the file %s", seen, told(s), told(open(t, path)))
	}
}

// The file holds what others keep in it; one of a newer version is left alone.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("others.json", `{"version":1,"models":{"a":1},"tools":{"later":[2],"webSearch":{"service":"exa","later":3,"keys":{"exa":"k","deepseek":"no key"}}}}`)
	s := open(t, path)
	if diff := cmp.Diff(connections.Search{Service: "exa", Key: s.Choice().Keys["exa"]}, s.Choice().Search(), cmp.Comparer(func(a, b connections.Key) bool { return text(a) == text(b) })); diff != "" || told(s) != "exa true false +exa" {
		t.Errorf("%s, %s", told(s), diff)
	}
	change(t, s, service("duckduckgo"))
	var parts map[string]json.RawMessage
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &parts)
	}
	var models map[string]int
	if err == nil {
		err = json.Unmarshal(parts["models"], &models)
	}
	if err != nil || models["a"] != 1 || !strings.Contains(string(parts["tools"]), `"later"`) || !strings.Contains(strings.Join(strings.Fields(string(parts["tools"])), ""), `"later":3`) {
		t.Errorf("what others keep: %s, %v", data, err)
	}
	if _, err := Open(t.Context(), write("newer.json", `{"version":2}`), stored(dir)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer one: %v", err)
	}
	if _, err := Open(t.Context(), write("broken.json", `{`), stored(dir)); err == nil {
		t.Error("a broken one is read")
	}
	if got := told(open(t, write("unknown.json", `{"tools":{"webSearch":{"service":"altavista"}}}`))); got != "duckduckgo false false" {
		t.Errorf("a service of another version: %s", got)
	}
}
