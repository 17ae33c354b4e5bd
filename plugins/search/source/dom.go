package source

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"strata.dev/bridge/plugins/search/markup"
)

// Limits of one title or snippet. Real ones are below a tenth of them; they keep
// a page that is one endless snippet from being read again for each row.
const (
	maxTextBytes = 8 << 10
	maxTextNodes = 4_000
)

// hasClass tells whether a node has a class by one of these names.
func hasClass(n *html.Node, names ...string) bool {
	for token := range strings.FieldsSeq(attr(n, "class")) {
		for _, name := range names {
			if token == name {
				return true
			}
		}
	}
	return false
}

// hasClassPrefix is hasClass for all names that begin so.
func hasClassPrefix(n *html.Node, prefix string) bool {
	for token := range strings.FieldsSeq(attr(n, "class")) {
		if strings.HasPrefix(token, prefix) {
			return true
		}
	}
	return false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

// find gives the first element below n, in the page's order, that is wanted;
// it looks at maxTextNodes at most.
func find(n *html.Node, want func(*html.Node) bool) *html.Node {
	seen := 0
	for d := range n.Descendants() {
		if seen++; seen > maxTextNodes {
			return nil
		}
		if d.Type == html.ElementNode && want(d) {
			return d
		}
	}
	return nil
}

// isElement is a want of find.
func isElement(a atom.Atom) func(*html.Node) bool {
	return func(n *html.Node) bool { return n.DataAtom == a }
}

// text is what a person reads of n: tags removed (inline ones without a space in
// their place), every run of white space one space. Elements of skip are left out.
func text(n *html.Node, skip func(*html.Node) bool) string {
	w := prose{}
	w.node(n, skip)
	return w.String()
}

// prose builds a text, one space between words.
type prose struct {
	strings.Builder
	space bool
	nodes int
}

func (w *prose) node(n *html.Node, skip func(*html.Node) bool) {
	if w.nodes++; w.nodes > maxTextNodes || w.Len() > maxTextBytes {
		return
	}
	switch n.Type {
	case html.TextNode:
		w.text(n.Data)
		return
	case html.ElementNode:
		switch n.DataAtom {
		case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe:
			return
		case atom.Br:
			w.space = true
			return
		case atom.P, atom.Div, atom.Li, atom.Ul, atom.Ol, atom.Tr, atom.Td, atom.H1, atom.H2, atom.H3:
			w.space = true
			defer func() { w.space = true }()
		}
		if skip != nil && skip(n) {
			return
		}
	}
	for c := range n.ChildNodes() {
		w.node(c, skip)
	}
}

func (w *prose) text(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) {
			w.space = true
			continue
		}
		if w.space && w.Len() > 0 {
			w.WriteByte(' ')
		}
		w.space = false
		w.WriteRune(r)
	}
}

// collapse is text of a string.
func collapse(s string) string {
	w := prose{}
	w.text(s)
	return w.String()
}

// view is what is looked at of a result page.
var view = markup.View{
	Attributes: map[string]bool{"class": true, "id": true, "href": true, "src": true, "action": true},
	Formatting: markup.Formatting(),
	Unread:     markup.Unread(),
}
