// Package readable turns a web page into Markdown that a model can read: text,
// headings, links, lists, tables and code, without scripts, navigation and what a
// person does not see. It is a writer of our own over the parser of
// golang.org/x/net/html: github.com/JohannesKaufmann/html-to-markdown would be
// 0.7 MB of the module (0.2 MB zipped), this is a fiftieth of it.
package readable

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"strata.dev/bridge/plugins/search/markup"
)

// codeElement stands for code, which the parser would clone.
const codeElement = "x-code"

// view is what is looked at of a page.
var view = func() markup.View {
	v := markup.View{
		Attributes: map[string]bool{
			"href": true, "src": true, "alt": true, "hidden": true, "aria-hidden": true, "style": true, "class": true, "start": true, "role": true,
		},
		Formatting: markup.Formatting(),
		Unread:     markup.Unread(),
	}
	v.Formatting["code"], v.Formatting["tt"] = codeElement, codeElement
	delete(v.Unread, "title")
	return v
}()

// Page is what can be read of a page.
type Page struct {
	Title    string
	Markdown string
	Cut      bool // the page is longer than what was looked at
}

// Read makes Markdown of a page at an address.
func Read(page string, at *url.URL) Page {
	doc, cut := view.Parse(page)
	if doc == nil { // nested deeper than any page: its words alone
		pruned, cut := view.Prune(page)
		return Page{Markdown: plain(pruned), Cut: cut}
	}
	title := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Title })
	if base := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Base && attr(n, "href") != "" }); base != nil && at != nil {
		if u, err := at.Parse(attr(base, "href")); err == nil {
			at = u
		}
	}
	root := find(doc, func(n *html.Node) bool { return n.DataAtom == atom.Main || attr(n, "role") == "main" })
	aside := root == nil
	if root == nil {
		root = doc
	}
	w := writer{at: at, skipAside: aside}
	w.block(root)
	w.flush()
	p := Page{Markdown: strings.TrimSpace(w.out.String()), Cut: cut}
	if title != nil && title.FirstChild != nil {
		p.Title = strings.Join(strings.Fields(title.FirstChild.Data), " ")
	}
	return p
}

// plain is the text between a page's tags.
func plain(page string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return escape(strings.Join(strings.Fields(out.String()), " "))
		case html.TextToken:
			out.Write(z.Text())
		default:
			out.WriteByte(' ')
		}
	}
}

func find(n *html.Node, want func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && want(d) {
			return d
		}
	}
	return nil
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// unseen tells an element that a person does not see, or that is no content.
func (w *writer) unseen(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Head, atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Button, atom.Input, atom.Textarea, atom.Datalist, atom.Dialog:
		return true
	case atom.Nav, atom.Footer, atom.Aside:
		if w.skipAside {
			return true
		}
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "style":
			style := strings.ReplaceAll(strings.ToLower(a.Val), " ", "")
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}
