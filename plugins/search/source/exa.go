package source

import "strata.dev/bridge/proto/abi"

// exa reads a reply of POST /search. Anything but the URL may be null or absent.
func exa(body []byte) (abi.SearchParsed, error) {
	var reply struct {
		Results []struct {
			Title, URL    string
			PublishedDate string
			Highlights    []string
			Summary, Text string
		}
	}
	if err := decode(body, &reply); err != nil {
		return abi.SearchParsed{}, err
	}
	var found rows
	for _, r := range reply.Results {
		found.add(abi.SearchResult{
			Title: short(r.Title), URL: plain(r.URL), PublishedAt: date(r.PublishedDate),
			Snippet: first(append(r.Highlights, r.Summary, r.Text)...),
		})
	}
	return listed(&found, reply.Results != nil)
}
