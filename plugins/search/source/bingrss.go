package source

import (
	"strings"

	"golang.org/x/net/html"

	"strata.dev/bridge/proto/abi"
)

// bingRSS reads the same results as a feed, which has dates and no redirects. The
// tokenizer of HTML does for it: its elements hold text alone. A feed has no element
// that says there are none, so one without items is of a layout that is not known:
// it may have been cut, or be what a refused client gets.
func bingRSS(page string) (found reading) {
	z := html.NewTokenizer(strings.NewReader(page))
	z.AllowCDATA(true)
	z.SetMaxBuf(1 << 20)
	var row abi.SearchResult
	var in string
	var item bool
	for {
		switch z.Next() {
		case html.ErrorToken:
			return found
		case html.TextToken:
			if !item || in == "" {
				continue
			}
			said := string(z.Text())
			switch in {
			case "title":
				row.Title += said
			case "link":
				row.URL += said
			case "description":
				row.Snippet += said
			case "pubdate":
				row.PublishedAt += said
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			switch in = string(name); in {
			case "item":
				item, row = true, abi.SearchResult{}
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			if in = ""; string(name) == "item" && item {
				item = false
				found.add(abi.SearchResult{
					Title: collapse(row.Title), URL: target(collapse(row.URL), bingPage, "bing.com", bingRedirect),
					Snippet: collapse(row.Snippet), PublishedAt: date(row.PublishedAt),
				})
			}
		}
	}
}
