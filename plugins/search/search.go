package search

import (
	"strings"
	"time"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/plugins/search/content"
	"strata.dev/bridge/plugins/search/source"
	"strata.dev/bridge/proto/abi"
)

// limitedNote is for the model, after SaidLimited.
const limitedNote = "Do not search again in this turn: it would be refused as well. Go on without the web and say that it could not be searched."

// unreached is the kind of error of a server that gave no answer at all. It is not
// worth another try, as a timeout or a 5xx is.
const unreached = "unreached"

// engine is a search page that needs no key, with another layout of it.
type engine struct{ id, name, page, other string }

// engines in the order in which they are asked.
var engines = []engine{
	{"duckduckgo", "DuckDuckGo", abi.SourceDuckDuckGo, abi.SourceDuckDuckGoLite},
	{"bing", abi.SecondEngine, abi.SourceBing, abi.SourceBingRSS},
}

// search answers a question: from what was found lately, from the service with a
// key, or from the pages that need none.
func (s *search) search(t *sdk.Task, in abi.SearchRequest) (abi.SearchAnswer, error) {
	query := strings.Join(strings.Fields(in.Query), " ")
	if query == "" {
		return abi.SearchAnswer{}, sdk.Errorf(abi.CodeBadInput, "A search needs words to search for.")
	}
	if err := s.memory.load(t); err != nil {
		return abi.SearchAnswer{}, err
	}
	key := keyOf(s.service, query)
	if found, ok := s.memory.recall(key, t.Now()); ok {
		return found, nil
	}
	return s.ask(t, query, key)
}

func (s *search) ask(t *sdk.Task, query, key string) (abi.SearchAnswer, error) {
	if s.service != "" && s.config.Token != "" {
		return s.keyed(t, query, key)
	}
	var notes []string
	if s.service != "" {
		notes = append(notes, abi.Fill(abi.SaidNoKey, "service", source.Services[s.service].Name))
	}
	refused := false
	for _, e := range engines {
		line := s.memory.line(e.id)
		if line.closed(t.Now()) || line.expected(t.Now()) > maxWait {
			refused = true
			continue
		}
		leave, ok, err := line.enter(t)
		if err != nil {
			return abi.SearchAnswer{}, err
		}
		if !ok {
			refused = true
			continue
		}
		if found, ok := s.memory.recall(key, t.Now()); ok { // the call before this one asked the same
			leave()
			return found, nil
		}
		parsed, err := s.visit(t, e, line, query, leave)
		if err != nil {
			return abi.SearchAnswer{}, err
		}
		if parsed.Outcome == abi.OutcomeResults || parsed.Outcome == abi.OutcomeNone {
			return s.found(t, key, e.name, parsed, notes)
		}
		refused = refused || (parsed.ErrorKind != abi.ErrorUpstream && parsed.ErrorKind != unreached)
		if err := s.memory.save(t); err != nil {
			return abi.SearchAnswer{}, err
		}
	}
	if !refused {
		return abi.SearchAnswer{}, sdk.Errorf(abi.CodeUnreachable, "%s", abi.SaidUnreachable)
	}
	return abi.SearchAnswer{}, sdk.Errorf(abi.CodeLimited, "%s %s", abi.SaidLimited, limitedNote)
}

// found makes an answer and keeps it.
func (s *search) found(t *sdk.Task, key, engine string, parsed abi.SearchParsed, notes []string) (abi.SearchAnswer, error) {
	found := answerOf(engine, parsed, notes)
	if !parsed.Suspect {
		s.memory.keep(key, t.Now(), found)
	}
	return found, s.memory.save(t)
}

// visit asks one engine, whose turn it is. A page whose layout is not known is
// asked for once in its other layout; a refusal is not followed by anything.
func (s *search) visit(t *sdk.Task, e engine, l *line, query string, leave func()) (abi.SearchParsed, error) {
	defer leave()
	parsed, err := s.once(t, e.page, query)
	if err == nil && parsed.Outcome == abi.OutcomeUnknown {
		if err = s.pause(t, l); err == nil {
			parsed, err = s.once(t, e.other, query)
		}
	}
	if err == nil && parsed.ErrorKind == abi.ErrorUpstream && parsed.RetryAfterS == 0 {
		if err = s.pause(t, l); err == nil {
			parsed, err = s.once(t, e.page, query)
		}
	}
	if err != nil {
		return abi.SearchParsed{}, err
	}
	switch parsed.Outcome {
	case abi.OutcomeResults, abi.OutcomeNone:
		l.answered()
	case abi.OutcomeError:
		if parsed.RetryAfterS > 0 {
			l.refused(t.Now(), time.Duration(parsed.RetryAfterS)*time.Second)
		}
	default:
		l.refused(t.Now(), time.Duration(parsed.RetryAfterS)*time.Second)
	}
	return parsed, nil
}

// pause keeps the distance between two requests of one visit.
func (s *search) pause(t *sdk.Task, l *line) error {
	gap := gapMin + time.Duration(t.Random()%uint64(gapSpread/time.Millisecond+1))*time.Millisecond
	if err := sdk.Sleep(t, max(gap, l.free(t.Now()))); err != nil {
		return err
	}
	l.Recent = append(l.Recent, t.Now().UnixMilli())
	return nil
}

// once puts a question to a page.
func (s *search) once(t *sdk.Task, id, query string) (abi.SearchParsed, error) {
	r := source.Ask(id, query, s.config.Language)
	answer, body, err := sdk.Fetch(t, r.FetchRequest, r.Body)
	if err == nil && answer.Status/100 == 3 && id == abi.SourceBing {
		if to := content.Header(answer.Headers, "location"); strings.HasPrefix(to, "https://cn.bing.com/") { // where China is sent
			r.URL = to
			answer, body, err = sdk.Fetch(t, r.FetchRequest, r.Body)
		}
	}
	return s.read(t, id, query, answer, body, err)
}

// read makes of an answer, or of there being none, what it says.
func (s *search) read(t *sdk.Task, id, query string, answer abi.FetchAnswer, body []byte, err error) (abi.SearchParsed, error) {
	switch sdk.Code(err) {
	case "":
		parsed, _ := source.Parse(id, source.Response{Query: query, Status: answer.Status, Headers: answer.Headers, Body: body, Now: t.Now()})
		return parsed, nil
	case abi.CodeCancelled, abi.CodeNotGranted:
		return abi.SearchParsed{}, err
	}
	t.Logf(sdk.Warn, "search: asking %s: %v", id, err)
	kind := unreached
	if sdk.Code(err) == abi.CodeDeadline {
		kind = abi.ErrorUpstream
	}
	return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: kind}, nil
}
