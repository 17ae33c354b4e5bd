package source

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"strata.dev/bridge/proto/abi"
)

// Request is how a question is put to a source.
type Request struct {
	abi.FetchRequest
	Body []byte
}

// userAgent is a browser's: the plain pages are for browsers, and refuse names of
// programs. One for all requests, since what a page hands out is bound to it. It
// is of a release with extended support, so that it does not look stale.
const userAgent = "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"

// maxPage is the most of a result page, in bytes: real ones have below a quarter of it.
// They are read in the main thread.
const maxPage = 1 << 20

// TimeoutMs is how long a source may take for one answer.
const TimeoutMs = 15_000

// Limits of a question, in characters: DuckDuckGo refuses 500, DeepSeek's direct
// search takes 128. Bing's is not documented; a longer one finds nothing.
const (
	maxQuestion         = 499
	maxDeepSeekQuestion = 128
)

// Results asked of a service: what the Harness shows of one search.
const results = 8

// Hosts are those that the pages of the sources without a key stand on.
var Hosts = []string{"html.duckduckgo.com", "lite.duckduckgo.com", "www.bing.com", "cn.bing.com"}

// Ask is the request that puts a question to a page. language is a tag such as
// "de-DE"; "" is en-US.
func Ask(id, question, language string) Request {
	if language == "" {
		language = "en-US"
	}
	switch id {
	case abi.SourceDuckDuckGo:
		return form("https://html.duckduckgo.com", "/html/", url.Values{"q": {unbang(cut(question, maxQuestion))}, "b": {""}, "kl": {"wt-wt"}}, language)
	case abi.SourceDuckDuckGoLite:
		return form("https://lite.duckduckgo.com", "/lite/", url.Values{"q": {unbang(cut(question, maxQuestion))}, "kl": {"wt-wt"}, "df": {""}}, language)
	}
	short, _, _ := strings.Cut(language, "-")
	values := url.Values{"q": {cut(question, maxQuestion)}, "mkt": {language}, "setlang": {short}, "count": {"10"}}
	if id == abi.SourceBingRSS {
		values.Set("format", "rss")
	}
	r := browse("https://www.bing.com/search?"+values.Encode(), language)
	r.Headers["Sec-Fetch-Site"] = "none"
	return r
}

// browse is a browser's request for a page.
func browse(address, language string) Request {
	short, _, _ := strings.Cut(language, "-")
	accept := language + "," + short + ";q=0.9"
	if short != "en" {
		accept += ",en;q=0.5"
	}
	return Request{FetchRequest: abi.FetchRequest{URL: address, TimeoutMs: TimeoutMs, MaxBytes: maxPage, Headers: map[string]string{
		"User-Agent":                userAgent,
		"Accept":                    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
		"Accept-Language":           accept,
		"Sec-Fetch-Dest":            "document",
		"Sec-Fetch-Mode":            "navigate",
		"Sec-Fetch-Site":            "same-origin",
		"Sec-Fetch-User":            "?1",
		"Upgrade-Insecure-Requests": "1",
	}}}
}

// form is what the page's own form sends.
func form(origin, path string, values url.Values, language string) Request {
	r := browse(origin+path, language)
	r.Method = "POST"
	r.Headers["Content-Type"] = "application/x-www-form-urlencoded"
	r.Headers["Origin"] = origin
	r.Headers["Referer"] = origin + "/"
	r.Body = []byte(values.Encode())
	return r
}

// unbang keeps a question from being sent elsewhere: !words name other engines,
// and a backslash in front means the first hit.
func unbang(question string) string {
	words := strings.Fields(strings.TrimLeft(question, "\\ "))
	for i, w := range words {
		if strings.HasPrefix(w, "!") && len(w) > 1 && !strings.Contains(w, `"`) {
			words[i] = `"` + w + `"`
		}
	}
	return strings.Join(words, " ")
}

// cut shortens a question to max characters, at a word where there is one.
func cut(question string, max int) string {
	question = strings.Join(strings.Fields(question), " ")
	if utf8.RuneCountInString(question) <= max {
		return question
	}
	head := string([]rune(question)[:max])
	if at := strings.LastIndexByte(head, ' '); at > 0 {
		return head[:at]
	}
	return head
}

// Service is how a service with a key is asked. A host's key proxy may stand in for
// its Origin.
type Service struct {
	abi.SearchService
	path   string
	body   func(question string) any
	header string // that carries the token; "" is Authorization: Bearer
}

// Services with a key, by source.
var Services = map[string]Service{
	abi.SourceExa: {known(abi.ServiceExa), "/search", func(q string) any {
		return map[string]any{"query": q, "type": "auto", "numResults": results, "contents": map[string]any{"highlights": true}}
	}, "x-api-key"},
	abi.SourcePerplexity: {known(abi.ServicePerplexity), "/search", func(q string) any {
		return map[string]any{"query": q, "max_results": results}
	}, ""},
	abi.SourcePerplexityChat: {known(abi.ServicePerplexity), "/chat/completions", func(q string) any {
		return map[string]any{"model": "sonar", "max_tokens": 1024, "messages": []any{map[string]any{"role": "user", "content": q}}}
	}, ""},
	abi.SourceDeepSeek: {known(abi.ServiceDeepSeek), "/v1/tools/search", func(q string) any {
		return map[string]any{"query": cut(q, maxDeepSeekQuestion), "count": results}
	}, ""},
	abi.SourceDeepSeekMessages: {known(abi.ServiceDeepSeek), "/anthropic/v1/messages", func(q string) any {
		return map[string]any{
			"model": "deepseek-v4-flash", "max_tokens": 4096,
			"messages": []any{map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "text", "text": "Perform a web search for the query: " + q},
			}}},
			"tools": []any{map[string]any{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}},
		}
	}, "x-api-key"},
}

func known(id string) abi.SearchService {
	s, _ := abi.FindSearchService(id)
	return s
}

// Ask is the request that puts a question to a service at an origin, with a token.
func (s Service) Ask(question, origin, token string) (Request, error) {
	body, err := json.Marshal(s.body(question))
	headers := map[string]string{"Content-Type": "application/json", "Accept": "application/json", "Authorization": "Bearer " + token}
	if s.header != "" {
		headers[s.header] = token
	}
	if s.path == "/anthropic/v1/messages" {
		headers["anthropic-version"] = "2023-06-01"
	}
	return Request{abi.FetchRequest{
		Method: "POST", URL: strings.TrimSuffix(origin, "/") + s.path, Headers: headers, TimeoutMs: TimeoutMs,
	}, body}, err
}
