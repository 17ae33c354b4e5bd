package source

import (
	"encoding/json"
	"errors"
	"strings"

	"strata.dev/bridge/plugins/search/content"
	"strata.dev/bridge/proto/abi"
)

// maxSnippet is how much of a service's excerpt is kept, in characters: some give
// a whole page, and eight of those are a context window.
const maxSnippet = 1_000

// service makes a parser of one for a reply that went well. What went wrong is
// told by the status, as all of them document; the body, if it is theirs, says
// it in words.
func service(read func(body []byte) (abi.SearchParsed, error)) func(Response) abi.SearchParsed {
	return func(r Response) abi.SearchParsed {
		body, cut, err := content.Unpack(r.Body, r.header("content-encoding"))
		if kind := errorKind(r.Status); kind != "" {
			return failed(kind, said(body, r.Status))
		}
		if err == nil && cut {
			err = errors.New("the reply broke off")
		}
		var parsed abi.SearchParsed
		if err == nil {
			parsed, err = read(body)
		}
		if err != nil {
			return failed(abi.ErrorProvider, err.Error())
		}
		return parsed
	}
}

func failed(kind, message string) abi.SearchParsed {
	return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: kind, ErrorMessage: message}
}

// errorKind is what a status means; "" for one that is good.
func errorKind(status int) string {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status == 401, status == 403:
		return abi.ErrorAuth
	case status == 402:
		return abi.ErrorQuota
	case status == 429:
		return abi.ErrorRateLimited
	case status == 408, status >= 500:
		return abi.ErrorUpstream
	case status >= 400:
		return abi.ErrorBadRequest
	}
	return abi.ErrorUpstream // a redirect, which is not followed: it would carry the key away
}

// said is a service's own message, or the status where the body is not its own
// (a gateway's page).
func said(body []byte, status int) string {
	var reply struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
	}
	if json.Unmarshal(body, &reply) == nil {
		var text string
		var object struct {
			Message string `json:"message"`
		}
		switch {
		case json.Unmarshal(reply.Error, &text) == nil && text != "":
			return short(text)
		case json.Unmarshal(reply.Error, &object) == nil && object.Message != "":
			return short(object.Message)
		case reply.Message != "":
			return short(reply.Message)
		}
	}
	return statusText(status)
}

// short is a message or an excerpt on one line, cut to maxSnippet characters.
func short(text string) string {
	text = strings.ToValidUTF8(collapse(text), "\uFFFD")
	n := 0
	for i := range text {
		if n++; n > maxSnippet {
			return strings.TrimSpace(text[:i]) + "…"
		}
	}
	return text
}

// decode reads a reply.
func decode(body []byte, into any) error {
	if err := json.Unmarshal(body, into); err != nil {
		return errors.New("the reply is not the JSON that the service documents")
	}
	return nil
}

// first is the first of texts that is not blank.
func first(texts ...string) string {
	for _, t := range texts {
		if t = short(t); t != "" {
			return t
		}
	}
	return ""
}

// listed is the outcome of a reply's list; a reply without one is none of the
// service's.
func listed(list *rows, there bool) (abi.SearchParsed, error) {
	if !there {
		return abi.SearchParsed{}, errors.New("the reply holds no list of results")
	}
	return list.parsed(), nil
}
