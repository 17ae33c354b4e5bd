package source

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// duckDuckGoLite reads the lite page: rows of a table, a.result-link in one, its
// .result-snippet and .timestamp in those that follow, if at all.
func duckDuckGoLite(page string) (found reading) {
	doc, _ := view.Parse(page)
	if doc == nil {
		return found
	}
	var row *duckRow
	flush := func() {
		switch {
		case row == nil || row.ad:
		case isEnd(row.title, row.href):
			found.none = true
		default:
			found.addDuck(row.title, row.href, row.snippet, row.stamp)
		}
		row = nil
	}
	ad := false // the table row that is being read
	for n := range doc.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.DataAtom == atom.Tr:
			ad = hasClassPrefix(n, "result-sponsored")
		case isDuckChallenge(n):
			found.challenge = true
		case hasClass(n, "no-results"), n.DataAtom == atom.Td && isNoResults(n), n.DataAtom == atom.Span && isNoResults(n):
			found.none = true
		case n.DataAtom == atom.A && hasClass(n, "result-link"):
			flush()
			row = &duckRow{title: text(n, nil), href: attr(n, "href"), ad: ad}
		case row == nil || ad != row.ad:
		case hasClass(n, "result-snippet"):
			row.snippet = text(n, nil)
		case hasClass(n, "timestamp"):
			row.stamp = text(n, nil)
		}
	}
	flush()
	return found
}

// isNoResults tells the lite page's words for an empty list: it has no class of
// its own on every layout.
func isNoResults(n *html.Node) bool {
	c := n.FirstChild
	if c == nil || c.NextSibling != nil || c.Type != html.TextNode || len(c.Data) > 200 {
		return false
	}
	said := collapse(c.Data)
	return said == "No results." || said == "No more results."
}
