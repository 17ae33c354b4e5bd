package source

import (
	"errors"

	"strata.dev/bridge/proto/abi"
)

// perplexityResult is a result in both of Perplexity's shapes.
type perplexityResult struct {
	Title, URL, Snippet string
	Date                string
	LastUpdated         string `json:"last_updated"`
}

func perplexityRows(results []perplexityResult) (found rows) {
	for _, r := range results {
		found.add(abi.SearchResult{
			Title: short(r.Title), URL: plain(r.URL), Snippet: short(r.Snippet), PublishedAt: first(date(r.Date), date(r.LastUpdated)),
		})
	}
	return found
}

// perplexity reads a reply of POST /search.
func perplexity(body []byte) (abi.SearchParsed, error) {
	var reply struct{ Results []perplexityResult }
	if err := decode(body, &reply); err != nil {
		return abi.SearchParsed{}, err
	}
	found := perplexityRows(reply.Results)
	return listed(&found, reply.Results != nil)
}

// perplexityChat reads a reply of POST /chat/completions: an answer and what it
// rests on. An answer that rests on nothing is from memory, which is no search.
func perplexityChat(body []byte) (abi.SearchParsed, error) {
	var reply struct {
		Choices []struct {
			Message struct{ Content string }
		}
		Results   []perplexityResult `json:"search_results"`
		Citations []string
	}
	if err := decode(body, &reply); err != nil {
		return abi.SearchParsed{}, err
	}
	if reply.Results == nil && reply.Citations == nil {
		return abi.SearchParsed{}, errors.New("the reply names no sources, so nothing was searched")
	}
	found := perplexityRows(reply.Results)
	if len(found.list) == 0 {
		for _, link := range reply.Citations {
			found.add(abi.SearchResult{URL: plain(link)})
		}
	}
	parsed := found.parsed()
	if len(reply.Choices) > 0 {
		parsed.Answer = reply.Choices[0].Message.Content
	}
	return parsed, nil
}
