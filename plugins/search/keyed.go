package search

import (
	"strconv"
	"strings"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/source"
	"strata.dev/bridge/plugins/search/webtext"
	"strata.dev/bridge/proto/abi"
)

// keyed asks the service that the person gave a key for. It has no line: the
// account's own limits hold, and what it refuses is told.
func (s *search) keyed(t *sdk.Task, q question) (abi.SearchAnswer, error) {
	service := source.Services[s.service]
	origin := s.config.Origin
	if origin == "" {
		origin = service.Origin
	}
	r, err := service.Ask(q.words, origin, s.config.Token)
	if err != nil {
		return abi.SearchAnswer{}, err
	}
	parsed, err := s.put(t, r, q)
	if err == nil && failing(parsed) && parsed.RetryAfterS == 0 && q.room(t.Now(), gapMin, 1) {
		if err = sdk.Sleep(t, gapMin); err == nil {
			parsed, err = s.put(t, r, q)
		}
	}
	if err != nil {
		return abi.SearchAnswer{}, err
	}
	if parsed.Outcome == abi.OutcomeResults || parsed.Outcome == abi.OutcomeNone {
		return s.found(t, q, service.Name, parsed)
	}
	t.Logf(sdk.Warn, "search: %s answered %s: %s", service.Name, parsed.ErrorKind, s.words(parsed.ErrorMessage))
	return abi.SearchAnswer{}, s.sentence(service.Name, parsed)
}

func (s *search) put(t *sdk.Task, r source.Request, q question) (abi.SearchParsed, error) {
	answer, body, err := q.fetch(t, r)
	return s.read(t, s.service, q.words, answer, body, err)
}

// sentence is what a service's refusal is to a person, with the service's own
// words behind it.
func (s *search) sentence(service string, parsed abi.SearchParsed) error {
	code := map[string]string{
		abi.ErrorAuth: abi.CodeKey, abi.ErrorQuota: abi.CodeCredit, abi.ErrorRateLimited: abi.CodeKeyLimited,
		abi.ErrorBadRequest: abi.CodeQuestion, abi.ErrorUpstream: abi.CodeServiceDown,
		hung: abi.CodeServiceDown, unreached: abi.CodeUnreachable,
	}[parsed.ErrorKind]
	if code == "" {
		code = abi.CodeUnreadable
	}
	seconds := parsed.RetryAfterS
	if seconds == 0 {
		seconds = 60
	}
	said := abi.Fill(abi.SearchSentences[code], "service", service, "seconds", strconv.Itoa(seconds))
	if words := s.words(parsed.ErrorMessage); words != "" {
		said += " (" + service + " says: " + words + ")"
	}
	return sdk.Errorf(code, "%s", said)
}

// words are a service's own, fit to be shown, without the token that it may have sent
// back.
func (s *search) words(message string) string {
	return webtext.Line(strings.ReplaceAll(webtext.Visible(message), s.config.Token, "[key]"), maxWords)
}
