package source

import (
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"strata.dev/bridge/proto/abi"
)

var bingPage = mustURL("https://www.bing.com/search")

// bing reads the plain result page: li.b_algo (or a promoted div.b_wpt_bl) holds
// an h2 with the link and mostly a .b_caption.
func bing(text string) (found reading) {
	doc, _ := view.Parse(text)
	if doc == nil {
		return found
	}
	w := bingWalk{reading: &found}
	w.below(doc, nil, nil)
	for _, row := range w.list {
		if row.title != "" {
			found.add(abi.SearchResult{Title: row.title, URL: target(row.href, bingPage, "bing.com", bingRedirect), Snippet: row.snippet})
		}
	}
	return found
}

type bingWalk struct {
	*reading
	list []*bingRow
}

type bingRow struct {
	title, href, snippet string
	headed, quoted       bool
}

// below goes through the page; link is the anchor that n lies in.
func (w *bingWalk) below(n *html.Node, row *bingRow, link *html.Node) {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode {
			w.element(c, row, link)
		}
	}
}

func (w *bingWalk) element(n *html.Node, row *bingRow, link *html.Node) {
	switch {
	case isBingChallenge(n):
		w.challenge = true
	case n.DataAtom == atom.Script, n.DataAtom == atom.Style, hasClass(n, "b_ad", "b_deep", "b_rs"), hasClassPrefix(n, "b_ad"):
		return // an ad, links into a site, related searches
	case hasClass(n, "b_no"):
		w.none = true
	case hasClass(n, "b_algo") || hasClass(n, "b_wpt_bl"):
		row = &bingRow{}
		w.list = append(w.list, row)
	case hasClass(n, "b_ans"):
		row = nil
	}
	if n.DataAtom == atom.A {
		link = n
	}
	if row == nil {
		w.below(n, row, link)
		return
	}
	switch {
	case n.DataAtom == atom.H2:
		if a := find(n, isElement(atom.A)); a != nil {
			link = a
		}
		if link != nil && !row.headed {
			row.headed, row.title, row.href = true, text(n, nil), attr(link, "href")
		}
	case hasClass(n, "b_caption", "b_algoSlug"):
		if !row.quoted {
			row.quoted, row.snippet = true, bingSnippet(n)
		}
	case n.DataAtom == atom.P && row.headed && !row.quoted: // of a row without a caption
		row.quoted, row.snippet = true, bingSnippet(n)
	default:
		w.below(n, row, link)
	}
}

// bingSnippet is a caption's paragraph, its slug, or all of its text.
func bingSnippet(caption *html.Node) string {
	of := caption
	if p := find(caption, isElement(atom.P)); p != nil {
		of = p
	} else if slug := find(caption, func(n *html.Node) bool { return hasClass(n, "b_algoSlug") }); slug != nil {
		of = slug
	}
	return text(of, func(n *html.Node) bool {
		return hasClass(n, "algoSlug_icon", "b_attribution", "b_factrow", "b_deep", "b_vlist2col")
	})
}

// bingRedirect unwraps /ck/a?…&u=a1<base64url>.
func bingRedirect(u *url.URL) (string, bool) {
	if u.Path != "/ck/a" {
		return "", false
	}
	value, _ := parameter(u, "u")
	value, err := url.QueryUnescape(value)
	if err != nil || (!strings.HasPrefix(value, "a1") && !strings.HasPrefix(value, "a0")) {
		return "", false
	}
	link, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(value[2:], "="))
	return string(link), err == nil && utf8.Valid(link)
}

// isBingChallenge tells an element of the page that asks for a proof of being human.
func isBingChallenge(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Form:
		return strings.Contains(attr(n, "action"), "/turing/captcha/") || attr(n, "id") == "captchaform"
	case atom.Script, atom.Iframe:
		src := attr(n, "src")
		return strings.HasPrefix(src, "https://challenges.cloudflare.com/") || strings.Contains(src, "/turing/captcha/")
	}
	id := attr(n, "id")
	return id == "b_captcha" || id == "cf-turnstile" || hasClass(n, "captcha", "cf-turnstile")
}
