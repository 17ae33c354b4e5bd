package say

import (
	"embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed languages/*.json
var languages embed.FS

// catalogs are by language tag; the gate's reasons on cards are in them too.
var catalogs = sync.OnceValue(func() map[string]map[string]string {
	out := map[string]map[string]string{}
	files, err := languages.ReadDir("languages")
	for _, f := range files {
		var text []byte
		if text, err = languages.ReadFile("languages/" + f.Name()); err != nil {
			break
		}
		var c map[string]string
		if err = json.Unmarshal(text, &c); err != nil {
			break
		}
		out[strings.TrimSuffix(f.Name(), ".json")] = c
	}
	if err != nil { // embedded, and a test reads them all
		panic("reading languages: " + err.Error())
	}
	return out
})

// Languages are the tags (BCP 47) of what sentences can be said in, in order. "en"
// is one of them, which needs no catalog: it is what the keys are written in.
func Languages() []string {
	return slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(catalogs())), "en")))
}

// Catalog gives the translations into one of Languages by key, as a copy; none
// for English and for a language that there is none of.
func Catalog(tag string) map[string]string { return maps.Clone(catalogs()[tag]) }

// Translate says key in a language, its places filled from args. English stands
// where there is no such language or sentence.
func Translate(tag, key string, args map[string]string) string {
	if t, ok := catalogs()[tag][key]; ok {
		return fill(t, args)
	}
	return fill(key, args)
}

// Choose gives the first of the wanted languages (BCP 47) that there is, or that
// is another region's: "pt-PT" gets "pt-BR". Chinese in the other script is none of
// ours. It is "en" where nothing fits. The page's language.mjs does the same.
func Choose(wanted ...string) string {
	for _, want := range wanted {
		want = strings.ToLower(want)
		base, more, _ := strings.Cut(want, "-")
		if base == "zh" && traditional.MatchString(more) {
			continue
		}
		near := ""
		for _, tag := range Languages() {
			have := strings.ToLower(tag)
			if have == want {
				return tag
			}
			if b, _, _ := strings.Cut(have, "-"); b == base && near == "" {
				near = tag
			}
		}
		if near != "" {
			return near
		}
	}
	return "en"
}

var traditional = regexp.MustCompile(`\b(hant|tw|hk|mo)\b`)
