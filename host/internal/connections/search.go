package connections

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// searchID stands where a connection's id does in the address of the search service;
// no connection can have it.
const searchID = "_search"

// Search is the search service that the person chose, with their key; the zero value
// is none.
type Search struct {
	Service string // one of the Service constants of proto/abi
	Key     Key
}

// Keyed tells whether the service is asked with a key.
func (s Search) Keyed() bool {
	service, ok := abi.FindSearchService(s.Service)
	return ok && service.Origin != "" && !s.Key.IsZero()
}

// searchRoute is what the proxy has of the search service: a token of its own, which
// opens no model, as the models' token opens no search.
type searchRoute struct {
	token launchToken
	route atomic.Pointer[route]
}

// origins are where the services' APIs stand, by service. A test build puts its own
// server there.
var origins = map[string]string{}

// SetSearch replaces the search service that is served. Requests under way go on.
func (p *Proxy) SetSearch(s Search) error {
	if !s.Keyed() {
		p.search.route.Store(nil)
		return nil
	}
	service, _ := abi.FindSearchService(s.Service)
	origin := service.Origin
	if o, ok := origins[s.Service]; ok {
		origin = o
	}
	upstream, err := url.Parse(origin)
	if err != nil {
		return fmt.Errorf("search service %q: %w", s.Service, err)
	}
	r, err := newRoute(Connection{ID: searchID, Name: service.Name, Kind: chat.KindOpenAI, Upstream: upstream, Key: s.Key}, p.upstream)
	if err != nil {
		return fmt.Errorf("search service %q: %w", s.Service, err)
	}
	r.searches = true
	p.search.route.Store(r)
	return nil
}

// RenewSearch makes a new token for the search service, for the next launch, and gives
// it. The one before does not count any more.
func (p *Proxy) RenewSearch() string { return p.search.token.renew() }

// SearchURL is the address that stands for the origin of the search service's API.
func (p *Proxy) SearchURL() string { return p.BaseURL(searchID) }

// stockPath ends the address that the Harness's own search by DeepSeek asks. It tells
// the person what an error of the service says, so that there it is our sentence, as our
// plugin has it where it asks.
const stockPath = "/anthropic/v1/messages"

// stockRefusal is a refusal of DeepSeek as its client reads it.
func stockRefusal(name string, res *http.Response, body []byte) []byte {
	code := abi.CodeUnreadable
	switch status := res.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		code = abi.CodeKey
	case status == http.StatusPaymentRequired:
		code = abi.CodeCredit
	case status == http.StatusTooManyRequests:
		code = abi.CodeKeyLimited
	case status >= 500:
		code = abi.CodeServiceDown
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		code = abi.CodeQuestion
	}
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		seconds = 60
	}
	var told refusal
	told.Error.Message = abi.Fill(abi.SearchSentences[code], "service", name, "seconds", strconv.Itoa(seconds))
	told.Error.Type, told.Error.Code, told.Error.Details = "strata_proxy", code, string(body)
	text, err := json.Marshal(told)
	if err != nil {
		panic(err) // strings only
	}
	res.Header.Set("Content-Type", "application/json")
	return text
}

// SearchKey takes a key as a person writes it. The error is a *chat.Error and does not
// hold it.
func SearchKey(text string) (Key, error) {
	secret, at := keyOf([]byte(text))
	switch {
	case secret == "":
		return Key{}, say.Error(chat.CodeBadRequest, "", say.KeyEmpty)
	case at >= 0 || len(secret) > maxSearchKey:
		return Key{}, say.Error(chat.CodeBadRequest, "", say.KeyWrong)
	}
	return newKey(secret), nil
}

// maxSearchKey is the longest key of a search service, in bytes; theirs have below 100.
const maxSearchKey = 4096
