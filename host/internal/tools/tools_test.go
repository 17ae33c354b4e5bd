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

func open(t *testing.T, path string) *Settings {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
		if err := s.Change(p); err != nil {
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
	if search.Key.Save() != key || !search.Keyed() || Engine(search) != "Exa" {
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
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has %v, %v", info.Mode(), err)
	}
	change(t, again, withKey(""))
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), key) || told(again) != "exa false true" {
		t.Errorf("a key that was forgotten: %s, %v", text, err)
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
		if err := s.Change(p); !errors.As(err, &refused) || refused.Text != want || refused.Code != chat.CodeBadRequest {
			t.Errorf("%v, want %s", err, want)
		}
	}
	change(t, s, service("exa"))
	for text, want := range map[string]string{" \n": say.KeyEmpty, "two words": say.KeyWrong, strings.Repeat("k", 5000): say.KeyWrong, "кey": say.KeyWrong} {
		var refused *chat.Error
		if err := s.Change(withKey(text)); !errors.As(err, &refused) || refused.Text != want {
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
	if err := s.Change(withKey(key)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if seen.Keys["exa"].Save() != key || told(s) != "exa false false" || told(open(t, path)) != "exa false false" {
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
	path := write("others.json", `{"version":1,"models":{"a":1},"tools":{"webSearch":{"service":"exa","keys":{"exa":"k","deepseek":"no key"}}}}`)
	s := open(t, path)
	if diff := cmp.Diff(connections.Search{Service: "exa", Key: s.Choice().Keys["exa"]}, s.Choice().Search(), cmp.Comparer(func(a, b connections.Key) bool { return a.Save() == b.Save() })); diff != "" || told(s) != "exa true false +exa" {
		t.Errorf("%s, %s", told(s), diff)
	}
	change(t, s, service("duckduckgo"))
	var parts map[string]json.RawMessage
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &parts)
	}
	var models map[string]int
	if err == nil {
		err = json.Unmarshal(parts["models"], &models)
	}
	if err != nil || models["a"] != 1 {
		t.Errorf("what others keep: %s, %v", text, err)
	}
	if _, err := Open(write("newer.json", `{"version":2}`)); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer one: %v", err)
	}
	if _, err := Open(write("broken.json", `{`)); err == nil {
		t.Error("a broken one is read")
	}
	if got := told(open(t, write("unknown.json", `{"tools":{"webSearch":{"service":"altavista"}}}`))); got != "duckduckgo false false" {
		t.Errorf("a service of another version: %s", got)
	}
}
