// Package page is the chat page: plain ES modules, embedded, served as they are.
// It has no build step and loads nothing from elsewhere.
package page

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"path"
	"strings"
)

//go:embed static
var static embed.FS

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
}

var assets = load()

// Find gives the file at a URL path: "/" is the page, "/static/…" what it loads.
func Find(urlPath string) (Asset, bool) {
	a, ok := assets[urlPath]
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
		sum := sha256.Sum256(b)
		a := Asset{Type: t, ETag: `"` + hex.EncodeToString(sum[:8]) + `"`, Body: b}
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
	return m
}
