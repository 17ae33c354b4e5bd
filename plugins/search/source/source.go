// Package source reads what each search service answers, and says how each is
// asked. It does neither itself: requests and answers are values.
//
// A page is judged in this order: rows, then the elements of a challenge, then
// the element that says there are none, else the layout is unknown, which is an
// error and never an empty list. Words prove nothing: a page of results about
// challenges holds all of theirs.
package source

import (
	"strings"
	"time"

	"strata.dev/bridge/plugins/search/content"
	"strata.dev/bridge/proto/abi"
)

// Response is a source's answer.
type Response struct {
	Query   string
	Status  int
	Headers map[string]string
	Body    []byte
	// Now is when it came, for a Retry-After that is a date.
	Now time.Time
}

func (r Response) header(name string) string { return content.Header(r.Headers, name) }

// parsers by source.
var parsers = map[string]func(Response) abi.SearchParsed{
	abi.SourceDuckDuckGo:       duckPage(duckDuckGo),
	abi.SourceDuckDuckGoLite:   duckPage(duckDuckGoLite),
	abi.SourceBing:             page(bing),
	abi.SourceBingRSS:          page(bingRSS),
	abi.SourceExa:              service(exa),
	abi.SourcePerplexity:       service(perplexity),
	abi.SourcePerplexityChat:   service(perplexityChat),
	abi.SourceDeepSeek:         service(deepSeek),
	abi.SourceDeepSeekMessages: service(deepSeekMessages),
}

// Parse reads an answer of a source; ok is false when there is no such source.
func Parse(id string, r Response) (parsed abi.SearchParsed, ok bool) {
	parse, ok := parsers[id]
	if !ok {
		return abi.SearchParsed{}, false
	}
	parsed = parse(r)
	parsed.RetryAfterS = retryAfter(r)
	if parsed.Outcome == abi.OutcomeResults || parsed.Outcome == abi.OutcomeNone {
		parsed.RetryAfterS = 0
	}
	if parsed.Results == nil {
		parsed.Results = []abi.SearchResult{}
	}
	parsed.Suspect = (id == abi.SourceBing || id == abi.SourceBingRSS) && suspect(r.Query, parsed.Results)
	return parsed, true
}

// maxRows of one answer. No source gives more than 50.
const maxRows = 100

// rows collects results: http and https only, each URL once.
type rows struct {
	list []abi.SearchResult
	seen map[string]bool
}

// add appends a result unless its URL is none or was there before.
func (r *rows) add(one abi.SearchResult) {
	if one.URL == "" || r.seen[one.URL] || len(r.list) == maxRows {
		return
	}
	if r.seen == nil {
		r.seen = map[string]bool{}
	}
	r.seen[one.URL] = true
	r.list = append(r.list, one)
}

// parsed is the outcome of rows found, or none where the source said so.
func (r *rows) parsed() abi.SearchParsed {
	if len(r.list) == 0 {
		return abi.SearchParsed{Outcome: abi.OutcomeNone}
	}
	return abi.SearchParsed{Outcome: abi.OutcomeResults, Results: r.list}
}

// date gives a date or time in ISO 8601; "" for what is none.
func date(text string) string {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.DateOnly, time.RFC3339Nano} {
		if _, err := time.Parse(layout, text); err == nil {
			return text
		}
	}
	for _, layout := range []string{"2006-01-02T15:04:05.9999999", time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Format(time.RFC3339)
		}
	}
	for _, layout := range []string{"January 2, 2006", "Jan 2, 2006"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Format(time.DateOnly)
		}
	}
	return ""
}
