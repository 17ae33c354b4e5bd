package source

import (
	"encoding/json"
	"errors"

	"strata.dev/bridge/proto/abi"
)

// deepSeek reads a reply of the direct API, POST /v1/tools/search.
func deepSeek(body []byte) (abi.SearchParsed, error) {
	var reply struct {
		Results []struct {
			Title, URL, Snippet, Summary string
			Date                         string
		}
	}
	if err := decode(body, &reply); err != nil {
		return abi.SearchParsed{}, err
	}
	var found rows
	for _, r := range reply.Results {
		found.add(abi.SearchResult{
			Title: short(r.Title), URL: plain(r.URL), Snippet: first(r.Snippet, r.Summary), PublishedAt: date(r.Date),
		})
	}
	return listed(&found, reply.Results != nil)
}

// deepSeekBlock is a block of a message.
type deepSeekBlock struct {
	Type      string
	Content   json.RawMessage // of a web_search_tool_result: a list of results, or an object that is an error
	Citations []struct {
		URL  string
		Text string `json:"cited_text"`
	}
}

// deepSeekMessages reads a reply of POST /anthropic/v1/messages with the server's
// own search tool. A message without a result block is the model's memory.
func deepSeekMessages(body []byte) (abi.SearchParsed, error) {
	var reply struct{ Content []deepSeekBlock }
	if err := decode(body, &reply); err != nil {
		return abi.SearchParsed{}, err
	}
	var found rows
	var searched bool
	var refusal *abi.SearchParsed
	quotes := map[string]string{}
	for _, block := range reply.Content {
		for _, c := range block.Citations {
			if url := plain(c.URL); url != "" && quotes[url] == "" {
				quotes[url] = short(c.Text)
			}
		}
		if block.Type != "web_search_tool_result" {
			continue
		}
		var results []struct {
			Title, URL string
			PageAge    string `json:"page_age"`
		}
		if json.Unmarshal(block.Content, &results) != nil {
			if refusal == nil {
				refused := deepSeekRefusal(block.Content)
				refusal = &refused
			}
			continue
		}
		searched = true
		for _, r := range results {
			found.add(abi.SearchResult{Title: short(r.Title), URL: plain(r.URL), PublishedAt: date(r.PageAge)})
		}
	}
	switch {
	case len(found.list) == 0 && refusal != nil:
		return *refusal, nil
	case !searched:
		return abi.SearchParsed{}, errors.New("the model answered without searching")
	}
	for i := range found.list {
		found.list[i].Snippet = quotes[found.list[i].URL]
	}
	return found.parsed(), nil
}

// deepSeekRefusal is what the search tool's own error means; it comes with status 200.
func deepSeekRefusal(content []byte) abi.SearchParsed {
	var told struct {
		Code string `json:"error_code"`
	}
	if json.Unmarshal(content, &told) != nil {
		told.Code = "unreadable"
	}
	kind := abi.ErrorProvider
	switch told.Code {
	case "too_many_requests", "max_uses_exceeded":
		kind = abi.ErrorRateLimited
	case "unavailable":
		kind = abi.ErrorUpstream
	case "invalid_tool_input", "query_too_long":
		kind = abi.ErrorBadRequest
	}
	return failed(kind, "the search tool answered "+short(told.Code))
}
