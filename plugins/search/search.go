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

// hung is the kind of error of a server that was waited for in vain.
const hung = "hung"

// engine is a search page that needs no key, with another layout of it.
type engine struct{ id, name, page, other string }

// engines in the order in which they are asked.
var engines = []engine{
	{"duckduckgo", "DuckDuckGo", abi.SourceDuckDuckGo, abi.SourceDuckDuckGoLite},
	{"bing", abi.SecondEngine, abi.SourceBing, abi.SourceBingRSS},
}

// question is a call's: its words, what its answer is kept under, and until when it
// may be worked on.
type question struct {
	words, key string
	until      time.Time
}

// room tells whether n more answers may be waited for after a pause, each for as
// long as a source may take.
func (q question) room(now time.Time, pause time.Duration, n int) bool {
	return !now.Add(pause + time.Duration(n)*source.TimeoutMs*time.Millisecond).After(q.until)
}

// search answers a question: from what was found lately, from the service with a
// key, or from the pages that need none.
func (s *search) search(t *sdk.Task, in abi.SearchRequest) (abi.SearchAnswer, error) {
	words := strings.Join(strings.Fields(in.Query), " ")
	if words == "" {
		return abi.SearchAnswer{}, sdk.Errorf(abi.CodeBadInput, "A search needs words to search for.")
	}
	q := question{words: words, key: keyOf(s.asks(), words), until: t.Now().Add(budget)}
	if err := s.memory.load(t); err != nil {
		return abi.SearchAnswer{}, err
	}
	found, ok := s.memory.recall(q.key, t.Now())
	if !ok {
		var err error
		if found, err = s.ask(t, q); err != nil {
			return abi.SearchAnswer{}, err
		}
	}
	if s.service != "" && s.asks() == "" {
		found.Content = abi.Fill(abi.SaidNoKey, "service", source.Services[s.service].Name) + " " + found.Content
	}
	return found, nil
}

// asks is the service that is really asked: "" is none, and the pages are.
func (s *search) asks() string {
	if s.config.Token == "" {
		return ""
	}
	return s.service
}

func (s *search) ask(t *sdk.Task, q question) (abi.SearchAnswer, error) {
	if s.asks() != "" {
		return s.keyed(t, q)
	}
	refused := false
	for i, e := range engines {
		line := s.memory.line(e.id)
		leave, why, err := line.enter(t, q.until.Add(-minRequest*time.Duration(len(engines)-i)))
		if err != nil {
			return abi.SearchAnswer{}, err
		}
		if leave == nil {
			refused = refused || why == shut
			continue
		}
		if found, ok := s.memory.recall(q.key, t.Now()); ok { // the call before this one asked the same
			leave()
			return found, nil
		}
		parsed, err := s.visit(t, e, line, q, len(engines)-1-i, leave)
		if err != nil {
			return abi.SearchAnswer{}, err
		}
		if parsed.Outcome == abi.OutcomeResults || parsed.Outcome == abi.OutcomeNone {
			return s.found(t, q, e.name, parsed)
		}
		refused = refused || !failing(parsed) && parsed.ErrorKind != unreached
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
func (s *search) found(t *sdk.Task, q question, engine string, parsed abi.SearchParsed) (abi.SearchAnswer, error) {
	found := answerOf(engine, parsed)
	if !parsed.Suspect {
		s.memory.keep(q.key, t.Now(), found)
	}
	return found, s.memory.save(t)
}

// visit asks one engine, whose turn it is. A page whose layout is not known is
// asked for once in its other layout; a refusal is not followed by anything. Nothing
// is asked twice where that would leave no time for the engines that come next.
func (s *search) visit(t *sdk.Task, e engine, l *line, q question, next int, leave func()) (abi.SearchParsed, error) {
	defer leave()
	parsed, err := s.once(t, e.page, l, q)
	if err == nil && parsed.Outcome == abi.OutcomeUnknown {
		parsed, err = s.again(t, e.other, l, q, next, parsed)
	}
	if err == nil && failing(parsed) && parsed.RetryAfterS == 0 {
		parsed, err = s.again(t, e.page, l, q, next, parsed)
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

// failing tells a timeout or a 5xx: worth another try.
func failing(parsed abi.SearchParsed) bool {
	return parsed.ErrorKind == abi.ErrorUpstream || parsed.ErrorKind == hung
}

// again puts the question to a page after the distance that two requests keep, or
// gives what the first one said when there is no time for that.
func (s *search) again(t *sdk.Task, id string, l *line, q question, next int, parsed abi.SearchParsed) (abi.SearchParsed, error) {
	pause := max(gap(t), l.free(t.Now()))
	if !q.room(t.Now(), pause, 1+next) {
		return parsed, nil
	}
	if err := sdk.Sleep(t, pause); err != nil {
		return abi.SearchParsed{}, err
	}
	l.Recent = append(l.Recent, t.Now().UnixMilli())
	return s.once(t, id, l, q)
}

// once puts a question to a page. Whoever waits for the same source is told when it hangs.
func (s *search) once(t *sdk.Task, id string, l *line, q question) (abi.SearchParsed, error) {
	r := source.Ask(id, q.words, s.config.Language)
	answer, body, err := q.fetch(t, r)
	if err == nil && answer.Status/100 == 3 && id == abi.SourceBing {
		if to := content.Header(answer.Headers, "location"); strings.HasPrefix(to, "https://cn.bing.com/") { // where China is sent
			r.URL = to
			answer, body, err = q.fetch(t, r)
		}
	}
	parsed, err := s.read(t, id, q.words, answer, body, err)
	if l.hung = parsed.ErrorKind == hung; l.hung {
		l.hangs++
	}
	return parsed, err
}

// fetch makes a request that ends before the call does.
func (q question) fetch(t *sdk.Task, r source.Request) (abi.FetchAnswer, []byte, error) {
	left := max(q.until.Sub(t.Now()), time.Second)
	r.TimeoutMs = min(r.TimeoutMs, int(left.Milliseconds()))
	return sdk.Fetch(t, r.FetchRequest, r.Body)
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
		kind = hung
	}
	return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: kind}, nil
}
