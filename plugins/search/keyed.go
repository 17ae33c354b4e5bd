package search

import (
	"strconv"
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/source"
	"strata.dev/bridge/proto/abi"
)

// keyed asks the service that the person gave a key for. It has no line: the
// account's own limits hold, and what it refuses is told.
func (s *search) keyed(t *sdk.Task, query, key string) (abi.SearchAnswer, error) {
	service := source.Services[s.service]
	origin := s.config.Origin
	if origin == "" {
		origin = service.Origin
	}
	r, err := service.Ask(query, origin, s.config.Token)
	if err != nil {
		return abi.SearchAnswer{}, err
	}
	parsed, err := s.put(t, r, query)
	if err == nil && parsed.ErrorKind == abi.ErrorUpstream && parsed.RetryAfterS == 0 {
		if err = sdk.Sleep(t, gapMin); err == nil {
			parsed, err = s.put(t, r, query)
		}
	}
	if err != nil {
		return abi.SearchAnswer{}, err
	}
	if parsed.Outcome == abi.OutcomeResults || parsed.Outcome == abi.OutcomeNone {
		return s.found(t, key, service.Name, parsed, nil)
	}
	t.Logf(sdk.Warn, "search: %s answered %s: %s", service.Name, parsed.ErrorKind, s.redact(parsed.ErrorMessage))
	return abi.SearchAnswer{}, s.sentence(service.Name, parsed)
}

func (s *search) put(t *sdk.Task, r source.Request, query string) (abi.SearchParsed, error) {
	answer, body, err := sdk.Fetch(t, r.FetchRequest, r.Body)
	return s.read(t, s.service, query, answer, body, err)
}

// sentence is what a service's refusal is to a person, with the service's own
// words behind it.
func (s *search) sentence(service string, parsed abi.SearchParsed) error {
	code := map[string]string{
		abi.ErrorAuth: abi.CodeKey, abi.ErrorQuota: abi.CodeCredit, abi.ErrorRateLimited: abi.CodeKeyLimited,
		abi.ErrorBadRequest: abi.CodeQuestion, abi.ErrorUpstream: abi.CodeServiceDown,
		unreached: abi.CodeUnreachable,
	}[parsed.ErrorKind]
	if code == "" {
		code = abi.CodeUnreadable
	}
	seconds := parsed.RetryAfterS
	if seconds == 0 {
		seconds = 60
	}
	said := abi.Fill(abi.SearchSentences[code], "service", service, "seconds", strconv.Itoa(seconds))
	if words := s.redact(parsed.ErrorMessage); words != "" {
		said += " (" + service + " says: " + words + ")"
	}
	return sdk.Errorf(code, "%s", said)
}

// redact takes the token out of what a service sent back.
func (s *search) redact(words string) string {
	return strings.ReplaceAll(words, s.config.Token, "[key]")
}
