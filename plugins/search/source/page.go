package source

import (
	"strconv"
	"time"

	"strata.dev/bridge/plugins/search/content"
	"strata.dev/bridge/proto/abi"
)

// reading is what a page's elements say.
type reading struct {
	rows
	challenge bool // an element of a page that asks for a proof of being human
	none      bool // the element that says there is nothing
}

// page makes a parser of one for the text of a page.
func page(read func(text string) reading) func(Response) abi.SearchParsed {
	return func(r Response) abi.SearchParsed {
		text, _, err := content.Text(r.Body, r.Headers)
		if err != nil {
			return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: abi.ErrorUpstream, ErrorMessage: err.Error()}
		}
		found := read(text)
		good := r.Status >= 200 && r.Status < 300
		switch {
		case good && len(found.list) > 0:
			return found.parsed()
		case found.challenge:
			return abi.SearchParsed{Outcome: abi.OutcomeBlocked, BlockKind: abi.BlockChallenge}
		case good && found.none:
			return found.parsed()
		}
		return refused(r.Status)
	}
}

// refused is the outcome of a page that told nothing, by its status.
func refused(status int) abi.SearchParsed {
	message := statusText(status)
	switch {
	case status == 429:
		return abi.SearchParsed{Outcome: abi.OutcomeBlocked, BlockKind: abi.BlockRateLimited, ErrorMessage: message}
	case status == 403, status == 418, status == 401:
		return abi.SearchParsed{Outcome: abi.OutcomeBlocked, BlockKind: abi.BlockForbidden, ErrorMessage: message}
	case status == 408, status >= 500:
		return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: abi.ErrorUpstream, ErrorMessage: message}
	case status == 400, status == 413, status == 414:
		return abi.SearchParsed{Outcome: abi.OutcomeError, ErrorKind: abi.ErrorBadRequest, ErrorMessage: message}
	}
	return abi.SearchParsed{Outcome: abi.OutcomeUnknown, ErrorMessage: message}
}

func statusText(status int) string { return "HTTP " + strconv.Itoa(status) }

// retryAfter is how many seconds the source wants to be left alone: seconds, or
// a date against the answer's own or else the clock.
func retryAfter(r Response) int {
	if ms, err := strconv.Atoi(r.header("retry-after-ms")); err == nil && ms > 0 {
		return (min(ms, maxRetryAfterS*1000) + 999) / 1000
	}
	text := r.header("retry-after")
	if s, err := strconv.Atoi(text); err == nil {
		return min(max(s, 0), maxRetryAfterS)
	}
	at, err := httpTime(text)
	if err != nil {
		return 0
	}
	now := r.Now
	if sent, err := httpTime(r.header("date")); err == nil {
		now = sent
	}
	return min(max(int(at.Sub(now)/time.Second), 0), maxRetryAfterS)
}

// maxRetryAfterS is a day: whoever asks for more is not understood.
const maxRetryAfterS = 24 * 3600

// httpTime reads a date of an HTTP header in its three forms. net/http can do
// that too, and would be a fifth of the module.
func httpTime(text string) (t time.Time, err error) {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return t, err
}
