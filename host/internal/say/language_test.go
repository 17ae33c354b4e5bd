package say

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// gateCatalog lists the sentences of the gate that a card shows. The host imports
// no plugin: what they have in common is this file.
var gateCatalog = filepath.Join("..", "..", "..", "plugins", "gate", "reason", "testdata", "catalog.json")

// translated are the keys that every language must have: the host's sentences and
// the gate's.
func translated(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(gateCatalog)
	if err != nil {
		t.Fatal(err)
	}
	var gate []entry
	if err := json.Unmarshal(text, &gate); err != nil {
		t.Fatal(err)
	}
	if len(gate) < 50 {
		t.Fatalf("found %d sentences of the gate, there are more", len(gate))
	}
	var keys []string
	for _, e := range append(catalog(t), gate...) {
		keys = append(keys, e.Key)
	}
	slices.Sort(keys)
	return keys
}

func TestLanguages(t *testing.T) {
	want := []string{"de", "en", "es", "fr", "it", "ja", "pt-BR", "zh-CN"}
	if d := cmp.Diff(want, Languages()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c := Catalog("en"); len(c) > 0 {
		t.Errorf("English is its own key, but has %d entries", len(c))
	}
}

// TestEveryLanguageIsCurrent fails for a sentence that a language lacks, one that
// nobody says any more, and one that is not what its key is.
func TestEveryLanguageIsCurrent(t *testing.T) {
	keys := translated(t)
	for _, tag := range Languages() {
		if tag == "en" {
			continue
		}
		t.Run(tag, func(t *testing.T) {
			c := Catalog(tag)
			if d := cmp.Diff(keys, slices.Sorted(maps.Keys(c))); d != "" {
				t.Errorf("languages/%s.json (-missing +stale):\n%s", tag, d)
			}
			for key, text := range c {
				if why := wrong(key, text); why != "" && !(why == "not translated" && same[tag] == key) {
					t.Errorf("%s: %q: %q", why, key, text)
				}
			}
		})
	}
}

// same are the sentences that a language says as English does.
var same = map[string]string{"de": DetailsAre}

// wrong says what makes text no translation of key, "" where nothing does.
func wrong(key, text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return "empty"
	case text != strings.TrimSpace(text):
		return "space around it"
	case text == key:
		return "not translated"
	case !cmp.Equal(sortedPlaces(key), sortedPlaces(text)):
		return "other places"
	case strings.ContainsAny(place.ReplaceAllString(text, ""), "{}"):
		return "a malformed place"
	}
	return ""
}

func sortedPlaces(s string) []string {
	return slices.Sorted(slices.Values(place.FindAllString(s, -1)))
}

func TestWrong(t *testing.T) {
	for _, tt := range []struct{ key, text, want string }{
		{"Use {model}.", "{model} verwenden.", ""},
		{"Use {model}.", "", "empty"},
		{"Use {model}.", " ", "empty"},
		{"Use {model}.", "{model} verwenden. ", "space around it"},
		{"Use {model}.", "Use {model}.", "not translated"},
		{"Use {model}.", "Verwenden.", "other places"},
		{"Use {model}.", "{modell} verwenden.", "other places"},
		{"Use {model}.", "{model} {model} verwenden.", "other places"},
		{"Use {model}.", "{model} verwenden {x", "a malformed place"},
	} {
		if got := wrong(tt.key, tt.text); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.key, tt.text, got, tt.want)
		}
	}
}

func TestTranslate(t *testing.T) {
	for _, tt := range []struct {
		tag, key string
		args     map[string]string
		want     string
	}{
		{"de", Stopped, nil, "Angehalten. Senden Sie eine Nachricht, um fortzufahren."},
		{"ja", TitleConnected, map[string]string{"tool": "t", "server": "{tool}"}, "{tool} の t を使う"},
		{"en", TitleRun, map[string]string{"what": "ls"}, "Run: ls"},
		{"de", "Nobody says {this}.", map[string]string{"this": "x"}, "Nobody says x."},
		{"xx", Stopped, nil, Stopped},
	} {
		if got := Translate(tt.tag, tt.key, tt.args); got != tt.want {
			t.Errorf("%s %q: %q, want %q", tt.tag, tt.key, got, tt.want)
		}
	}
}

func TestChoose(t *testing.T) {
	for want, wanted := range map[string][]string{
		"de":    {"de-AT", "en"},
		"en":    {"en-GB", "de"},
		"fr":    {"pl", "fr-CA", "en"},
		"pt-BR": {"pt-PT"},
		"zh-CN": {"zh-Hans-SG"},
		"ja":    {"zh-TW", "zh-Hant-HK", "ja"},
	} {
		if got := Choose(wanted...); got != want {
			t.Errorf("%v: %s, want %s", wanted, got, want)
		}
	}
	for _, wanted := range [][]string{nil, {""}, {"xx"}, {"C"}, {"zh-Hant"}} {
		if got := Choose(wanted...); got != "en" {
			t.Errorf("%v: %s, want en", wanted, got)
		}
	}
}
