// Package search is web search and web pages: it reads what search services
// answer, minds its manners towards them, and fetches pages without letting an
// address lead into the person's own network.
package search

import (
	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/source"
	"strata.dev/bridge/proto/abi"
)

// Plugin is web search and web pages.
var Plugin = sdk.Plugin{Name: "search", New: func() sdk.Instance {
	s := &search{}
	return sdk.Instance{
		Init: sdk.Config(s.configure),
		Ops: sdk.Ops{
			"parse":  sdk.OpBody(parse),
			"search": sdk.Op(s.search),

			"fetch":        sdk.OpBody(fetch),
			"admitAddress": sdk.Op(admit),
			"mark":         sdk.Op(mark),
		},
	}
}}

// search is one instance's state; all chats of the process share it.
type search struct {
	config  abi.SearchConfig
	service string // source of the service with a key; "" is none
	memory  memory
}

// configure takes the person's choice.
func (s *search) configure(c abi.SearchConfig) error {
	id, known := map[string]string{
		"": "", abi.ServiceDuckDuckGo: "", abi.ServiceExa: abi.SourceExa,
		abi.ServicePerplexity: abi.SourcePerplexity, abi.ServiceDeepSeek: abi.SourceDeepSeek,
	}[c.Service]
	if !known {
		return sdk.Errorf(abi.CodeBadInput, "There is no search service named %q.", c.Service)
	}
	switch c.Shape + " " + id {
	case " " + id:
	case "chat " + abi.SourcePerplexity:
		id = abi.SourcePerplexityChat
	case "messages " + abi.SourceDeepSeek:
		id = abi.SourceDeepSeekMessages
	default:
		return sdk.Errorf(abi.CodeBadInput, "The search service %q has no API named %q.", c.Service, c.Shape)
	}
	s.config, s.service = c, id
	return nil
}

// parse reads one answer of a source.
func parse(t *sdk.Task, head abi.SearchResponse, body []byte) (abi.SearchParsed, []byte, error) {
	if len(body) == 0 {
		body = head.Body
	}
	parsed, ok := source.Parse(head.Engine, source.Response{
		Query: head.Query, Status: head.HTTP.Status, Headers: head.HTTP.Headers, Body: body, Now: t.Now(),
	})
	if !ok {
		return abi.SearchParsed{}, nil, sdk.Errorf(abi.CodeBadInput, "There is no search source named %q.", head.Engine)
	}
	return parsed, nil, nil
}
