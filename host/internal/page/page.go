// Package page is the chat page: plain ES modules, embedded, served as they are.
// It has no build step and loads nothing from elsewhere.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/say"
)

//go:embed static
var static embed.FS

// words are the translations of the page's own words, by language.
//
//go:embed languages
var words embed.FS

// Asset is one file of the page.
type Asset struct {
	Type string // its Content-Type
	ETag string // quoted, from its bytes
	Body []byte
}

// types are the kinds of file that the page has; the machine's own MIME table is
// not asked, because it differs from one to the next.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

// assets are made at the first request: a command that serves nothing needs none.
var assets = sync.OnceValue(load)

// Find gives the file at a URL path: "/" is the page, "/static/…" what it loads.
func Find(urlPath string) (Asset, bool) {
	a, ok := assets()[urlPath]
	return a, ok
}

func load() map[string]Asset {
	m := map[string]Asset{}
	err := fs.WalkDir(static, "static", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		t, ok := types[path.Ext(name)]
		if !ok {
			return nil
		}
		b, err := static.ReadFile(name)
		if err != nil {
			return err
		}
		a := asset(t, b)
		if strings.HasSuffix(name, "/index.html") {
			m["/"] = a
			return nil
		}
		m["/"+name] = a
		return nil
	})
	if err != nil { // embedded files are always there
		panic(err)
	}
	for _, tag := range say.Languages() {
		if c := say.Catalog(tag); c != nil {
			m["/static/languages/"+tag+".json"] = asset(types[".json"], catalogOf(tag, c))
		}
	}
	return m
}

func asset(t string, body []byte) Asset {
	sum := sha256.Sum256(body)
	return Asset{Type: t, ETag: `"` + hex.EncodeToString(sum[:8]) + `"`, Body: body}
}

// catalog is all that the page says in a language, by its English. The two are
// apart: what a card is called may be the same English as a word of the page.
type catalog struct {
	Sentences map[string]string `json:"sentences"` // of the host and the gate
	Words     map[string]string `json:"words"`     // the page's own
}

func catalogOf(tag string, sentences map[string]string) []byte {
	own, err := words.ReadFile("languages/" + tag + ".json")
	if err != nil {
		panic(err) // as above; a test looks at every language
	}
	c := catalog{Sentences: sentences}
	if err := json.Unmarshal(own, &c.Words); err != nil {
		panic(err)
	}
	b, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	return b
}
