package source

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"strata.dev/bridge/proto/abi"
)

var duckDuckGoPage = mustURL("https://html.duckduckgo.com/html/")

// duckPage is page, but for the redirect that answers a form. To another site it is
// what a !word in the question asks for, which the other layout would do as well; to
// anywhere else it is how DuckDuckGo turns a client away.
func duckPage(read func(text string) reading) func(Response) abi.SearchParsed {
	rest := page(read)
	return func(r Response) abi.SearchParsed {
		if r.Status != http303 {
			return rest(r)
		}
		to, err := duckDuckGoPage.Parse(r.header("location"))
		if err == nil && !of(to.Hostname(), "duckduckgo.com") {
			return failed(abi.ErrorBadRequest, statusText(r.Status))
		}
		return abi.SearchParsed{Outcome: abi.OutcomeBlocked, BlockKind: abi.BlockForbidden, ErrorMessage: statusText(r.Status)}
	}
}

// http303 is See Other; net/http's name for it would bring its package into the module.
const http303 = 303

// duckDuckGo reads the HTML page: div.result holds a.result__a and mostly
// .result__snippet.
func duckDuckGo(text string) (found reading) {
	doc, _ := view.Parse(text)
	if doc == nil {
		return found
	}
	walk := duckWalk{reading: &found}
	walk.below(doc, nil)
	walk.flush()
	return found
}

// duckWalk goes through the page once and keeps the rows in its order.
type duckWalk struct {
	*reading
	list []*duckRow
}

// duckRow is a row in the making.
type duckRow struct {
	title, href, snippet, stamp string
	linked, quoted, ad          bool
}

func (w *duckWalk) below(n *html.Node, row *duckRow) {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			w.element(c, row)
		}
	}
}

func (w *duckWalk) element(n *html.Node, row *duckRow) {
	switch {
	case n.DataAtom == atom.Script || n.DataAtom == atom.Style:
		return
	case isDuckChallenge(n):
		w.challenge = true
	case hasClass(n, "no-results", "result--no-result"):
		w.none = true
	case hasClass(n, "result", "web-result"):
		row = &duckRow{}
		w.list = append(w.list, row)
	}
	if row != nil {
		switch {
		case hasClassPrefix(n, "result--ad"), hasClassPrefix(n, "badge--ad"):
			row.ad = true
		case n.DataAtom == atom.A && hasClass(n, "result__a"):
			if !row.linked {
				row.linked, row.title, row.href = true, text(n, nil), attr(n, "href")
			}
			return
		case hasClass(n, "result__snippet"):
			if !row.quoted {
				row.quoted, row.snippet = true, text(n, nil)
			}
			return
		case n.DataAtom == atom.Span && hasClass(n.Parent, "result__extras__url") && len(n.Attr) == 0:
			row.stamp = text(n, nil)
		}
	}
	w.below(n, row)
}

// flush makes results of the rows.
func (w *duckWalk) flush() {
	for _, row := range w.list {
		if !row.linked || row.ad {
			continue
		}
		if isEnd(row.title, row.href) {
			w.none = true
			continue
		}
		w.addDuck(row.title, row.href, row.snippet, row.stamp)
	}
}

func (found *reading) addDuck(title, href, snippet, stamp string) {
	if title == "" {
		return
	}
	found.add(abi.SearchResult{
		Title: title, URL: target(href, duckDuckGoPage, "duckduckgo.com", duckRedirect),
		Snippet: snippet, PublishedAt: date(stamp),
	})
}

// duckRedirect unwraps /l/?uddg=…, which is DuckDuckGo's on its own hosts only.
func duckRedirect(u *url.URL) (string, bool) {
	if u.Path != "/l/" && u.Path != "/l" {
		return "", false
	}
	value, _ := parameter(u, "uddg")
	link, err := url.QueryUnescape(value)
	return link, err == nil
}

// isEnd tells the row that stands past the end of a list.
func isEnd(title, href string) bool {
	return title == "EOF" && strings.Contains(href, "google.com/search")
}

// isDuckChallenge tells an element of the page that asks to pick ducks.
func isDuckChallenge(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Form:
		id := attr(n, "id")
		path, _, _ := strings.Cut(attr(n, "action"), "?")
		return id == "challenge-form" || id == "img-form" || strings.HasSuffix(path, "/anomaly.js")
	case atom.Div:
		return hasClassPrefix(n, "anomaly-modal__")
	}
	return false
}
