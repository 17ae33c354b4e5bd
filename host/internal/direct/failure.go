package direct

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// FailureKind is what went wrong with a request, in the person's terms.
type FailureKind string

// The kinds of Failure.
const (
	Unreachable FailureKind = "unreachable" // no connection came about
	NotRunning  FailureKind = "not-running" // nothing takes connections at a server of the person's own
	Redirected  FailureKind = "redirected"  // the server sends elsewhere
	KeyRefused  FailureKind = "key-refused"
	Unpaid      FailureKind = "unpaid" // no credit or quota left
	ModelGone   FailureKind = "model-gone"
	Limited     FailureKind = "limited" // too many requests
	ContextFull FailureKind = "context-full"
	TooLarge    FailureKind = "too-large" // the request, in bytes
	Flagged     FailureKind = "flagged"   // the server's moderation refused the message
	Overloaded  FailureKind = "overloaded"
	ServerFault FailureKind = "server-fault"
	TimedOut    FailureKind = "timed-out"
	BrokeOff    FailureKind = "broke-off" // the answer stopped coming in its middle
	Refused     FailureKind = "refused"   // for any other reason
	Unreadable  FailureKind = "unreadable"
)

// Failure is why a request gave no whole answer.
type Failure struct {
	Kind    FailureKind
	Details string        // technical text, with no key in it
	Wait    time.Duration // how long the server asks to wait; 0 where it does not say
}

// Error gives kind and details.
func (f *Failure) Error() string { return "direct: " + string(f.Kind) + ": " + f.Details }

// Chat is the failure as frames carry it. Model is the route that was asked.
func (f *Failure) Chat(model string) *chat.Error {
	e := &chat.Error{Code: chat.CodeModelFailed, Details: f.Details, Actions: []string{project.ActionRetry}}
	switch f.Kind {
	case Unreachable:
		e.Sentence = say.Sentence(say.ModelUnreachable)
	case NotRunning:
		e.Code, e.Sentence = chat.CodeModelUnavailable, say.Sentence(say.ModelNotRunning)
		e.Actions = []string{project.ActionRetry, project.ActionModel}
	case Redirected:
		e.Sentence = say.Sentence(say.ModelRedirects)
	case KeyRefused:
		e.Sentence, e.Actions = say.Sentence(say.ModelKeyRefused), []string{project.ActionModel}
	case Unpaid:
		e.Sentence, e.Actions = say.Sentence(say.ModelUnpaid), []string{project.ActionRetry, project.ActionModel}
	case ModelGone:
		e.Code, e.Sentence = chat.CodeModelUnavailable, say.Sentence(say.ModelUnavailable, "model", model)
		e.Actions = []string{project.ActionModel}
	case Limited:
		e.Sentence = say.Sentence(say.ModelLimited)
		if f.Wait > 0 {
			e.Sentence = say.Sentence(say.ModelWait, "seconds", strconv.FormatInt(int64((f.Wait+time.Second-1)/time.Second), 10))
		}
	case ContextFull:
		e.Code, e.Sentence, e.Actions = chat.CodeContextFull, say.Sentence(say.ContextFull), []string{project.ActionNewChat}
	case TooLarge:
		e.Sentence, e.Actions = say.Sentence(say.RequestTooLarge), []string{project.ActionNewChat}
	case Flagged:
		e.Sentence, e.Actions = say.Sentence(say.ModelFlagged), []string{project.ActionModel}
	case Overloaded:
		e.Sentence, e.Actions = say.Sentence(say.ModelOverloaded), []string{project.ActionRetry, project.ActionModel}
	case ServerFault:
		e.Sentence = say.Sentence(say.ModelDown)
	case TimedOut:
		e.Sentence = say.Sentence(say.ModelSlow)
	case BrokeOff:
		e.Sentence = say.Sentence(say.ModelBrokeOff)
	default:
		e.Sentence = say.Sentence(say.ModelFailed)
	}
	return e
}

// apiError is the error object of all four providers. Its code is a word (OpenAI), an
// HTTP status (OpenRouter) or null; Anthropic has type and message alone.
type apiError struct {
	Type    string
	Code    string
	Message string
}

// UnmarshalJSON takes an object, or the message alone, as some servers send it.
func (a *apiError) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &a.Message) == nil {
		return nil
	}
	var o struct {
		Type, Message string
		Code          json.RawMessage
		Metadata      struct{ Raw json.RawMessage } // what the provider behind OpenRouter said
	}
	if err := json.Unmarshal(data, &o); err != nil {
		return err
	}
	a.Type, a.Message, a.Code = o.Type, o.Message, word(o.Code)
	if raw := word(o.Metadata.Raw); raw != "" {
		a.Message += ": " + raw
	}
	return nil
}

// word is a JSON string's text, another value as it stands, "" for null.
func word(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// Words by which a refusal is known where status and code do not tell enough.
var (
	fullWords    = regexp.MustCompile(`(?i)context_length_exceeded|maximum context length|prompt is too long|exceeds? the (available )?context|context (window|size|length) (is )?exceeded|input is too long`)
	flaggedWords = regexp.MustCompile(`(?i)\bflagged\b|\bmoderation\b|content_policy|content policy`)
	goneWords    = regexp.MustCompile(`(?i)model_not_found|not a valid model|no such model|model .{0,100}(does not exist|not found)`)
)

// failure says what an error means. Status is HTTP's, or 0 inside a stream, where the
// code may be one.
func (a *apiError) failure(status int) *Failure {
	if n, err := strconv.Atoi(a.Code); err == nil && (status == 0 || status == 200) {
		status = n
	}
	f := &Failure{Kind: a.kind(status)}
	for _, part := range []string{a.Type, a.Code, a.Message} {
		if part = strings.TrimSpace(part); part != "" {
			f.Details += ": " + part
		}
	}
	f.Details = strings.TrimPrefix(f.Details, ": ")
	if status != 0 && a.Code != strconv.Itoa(status) {
		f.Details = strings.TrimSuffix(fmt.Sprintf("HTTP %d: %s", status, f.Details), ": ")
	}
	f.Details = clip(f.Details)
	return f
}

func (a *apiError) kind(status int) FailureKind {
	is := func(words ...string) bool {
		for _, w := range words {
			if a.Type == w || a.Code == w {
				return true
			}
		}
		return false
	}
	switch {
	case status < 500 && fullWords.MatchString(a.Code+" "+a.Message):
		return ContextFull
	case status == 402, is("insufficient_quota", "billing_error", "insufficient_credits", "insufficient_balance"):
		return Unpaid
	case (status == 0 || status == 400 || status == 403) && flaggedWords.MatchString(a.Code+" "+a.Message):
		return Flagged
	case status == 401, status == 403, is("authentication_error", "permission_error", "invalid_api_key"):
		return KeyRefused
	case status == 404, is("not_found_error", "model_not_found"), status == 400 && goneWords.MatchString(a.Code+" "+a.Message):
		return ModelGone
	case status == 413, is("request_too_large"):
		return TooLarge
	case status == 429, is("rate_limit_error", "rate_limit_exceeded"):
		return Limited
	case status == 408, status == 504, is("timeout_error", "timeout"):
		return TimedOut
	case status == 503, status == 529, is("overloaded_error", "overloaded"):
		return Overloaded
	case status >= 500, is("api_error", "server_error", "internal_error", "internal_server_error"):
		return ServerFault
	}
	return Refused
}

// refusal reads what a server answers instead of a stream. RetryAfter is that header's
// text, a number of seconds or a date.
func refusal(status int, body []byte, retryAfter string, now time.Time) *Failure {
	var o struct {
		Error   *apiError
		Message string
		Detail  json.RawMessage // FastAPI's, which many local servers are made with
	}
	if json.Unmarshal(body, &o) != nil || o.Error == nil {
		o.Error = &apiError{Message: o.Message}
		if o.Error.Message == "" {
			o.Error.Message = word(o.Detail)
		}
		if o.Error.Message == "" {
			o.Error.Message = strings.TrimSpace(string(body))
		}
	}
	f := o.Error.failure(status)
	if status >= 300 && status < 400 {
		f.Kind = Redirected
	}
	f.Wait = wait(retryAfter, now)
	return f
}

// wait reads Retry-After. More than a day is no answer to wait for.
func wait(text string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	d := time.Duration(0)
	if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil && n < most.Seconds() {
		d = time.Duration(n * float64(time.Second))
	} else if at, err := time.Parse(time.RFC1123, text); err == nil {
		d = at.Sub(now)
	}
	if d < 0 || d > most {
		return 0
	}
	return d
}

// unreadable is an event that is no JSON of the documented shape.
func unreadable(data string, err error) *Failure {
	return &Failure{Kind: Unreadable, Details: clip(fmt.Sprintf("%v in %s", err, data))}
}
