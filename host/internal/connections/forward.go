package connections

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// What the Harness, and through it the person, reads of the proxy's own refusals.
const (
	tokenRefused = "This address answers only the agent that Strata started."
	noConnection = say.ConnectionGone
	badPath      = "This address holds no path that can be passed on."
	tooLarge     = say.RequestTooLarge
)

// maxErrorBody is how much of a refusal's body is passed on, in bytes.
const maxErrorBody = 1 << 20

// maxSearchBody is how much of a search service's answer is passed on, in bytes.
const maxSearchBody = 8 << 20

// own are request headers that are never passed on: the token, and what a browser
// or another client might add.
var own = []string{
	"Authorization", "X-Api-Key", "Api-Key", "Proxy-Authorization", "Cookie", "Origin", "Referer", "Connection", "Upgrade",
}

// restKey is the context key of the path behind the connection's base.
type restKey struct{}

// route passes requests on to one connection's server.
type route struct {
	httputil.ReverseProxy
	connection Connection
	base       *url.URL
	searches   bool   // it is a search service's: its answers are small, and not streamed
	unreached  func() // told when a server of the person's own fails; nil: nobody is
}

func newRoute(c Connection, transport http.RoundTripper) (*route, error) {
	base, err := url.Parse(c.Base())
	if err != nil {
		return nil, err
	}
	r := &route{connection: c, base: base}
	r.ReverseProxy = httputil.ReverseProxy{
		Rewrite:        r.rewrite,
		ModifyResponse: r.modify,
		ErrorHandler:   r.failed,
		Transport:      transport, // a RoundTripper follows no redirect
		FlushInterval:  -1,        // after every write
		ErrorLog:       log.New(discard{}, "", 0),
	}
	return r, nil
}

func (r *route) rewrite(p *httputil.ProxyRequest) {
	rest, _ := p.In.Context().Value(restKey{}).(string)
	out := *r.base
	out.RawPath = out.EscapedPath() + "/" + rest
	out.Path, _ = url.PathUnescape(out.RawPath) // checked by leaves
	out.RawQuery = p.In.URL.RawQuery
	p.Out.URL, p.Out.Host = &out, ""
	for _, name := range own {
		p.Out.Header.Del(name)
	}
	r.connection.Authorize(p.Out.Header)
	if r.connection.FitMaxTokens {
		fit(p.Out)
	}
	if r.searches { // Exa's own header, and one of the two that DeepSeek documents
		p.Out.Header.Set("X-Api-Key", r.connection.Key.reveal())
	}
	// What is compressed cannot be passed on at once, nor searched for the key.
	p.Out.Header.Set("Accept-Encoding", "identity")
}

// errRedirect says that the server wants the request sent elsewhere.
var errRedirect = errors.New("it answers with a redirect")

// modify refuses redirects, as the client would follow them with the whole
// conversation, and takes the key out of answers: some servers quote it.
func (r *route) modify(res *http.Response) error {
	res.Header.Del("Set-Cookie")
	if res.StatusCode >= 300 && res.StatusCode < 400 && res.Header.Get("Location") != "" {
		return fmt.Errorf("%w to %s", errRedirect, redirectHost(res))
	}
	if r.connection.Key.IsZero() {
		return nil
	}
	for name, values := range res.Header {
		for i := range values {
			res.Header[name][i] = r.connection.Key.Redact(values[i])
		}
	}
	r.connection.Key.Filter(res)
	if res.StatusCode < 400 && !r.searches {
		res.ContentLength = -1
		res.Header.Del("Content-Length")
		return nil
	}
	limit := int64(maxErrorBody)
	if res.StatusCode < 400 {
		limit = maxSearchBody
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, limit))
	if closeErr := res.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if r.searches && strings.HasSuffix(res.Request.URL.Path, stockPath) && res.StatusCode >= 400 {
		body = stockRefusal(r.connection.Name, res, body)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	res.ContentLength = int64(len(body))
	res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

func redirectHost(res *http.Response) string {
	to, err := res.Location()
	if err != nil {
		return "an unreadable address"
	}
	return to.Host
}

// failed answers where the server could not be asked, in the shape of OpenAI's
// errors.
func (r *route) failed(w http.ResponseWriter, in *http.Request, err error) {
	var large *http.MaxBytesError
	details := r.connection.Key.Redact(err.Error())
	if r.unreached != nil && r.connection.Kind == chat.KindLocal && in.Context().Err() == nil {
		r.unreached()
	}
	switch {
	case errors.As(err, &large):
		refuse(w, http.StatusRequestEntityTooLarge, "too-large", tooLarge, "")
	case errors.Is(in.Context().Err(), context.Canceled):
		return // nobody is there any more
	case errors.Is(err, errRedirect):
		refuse(w, http.StatusBadGateway, "upstream-redirect", say.ModelRedirects, details)
	case r.searches:
		refuse(w, http.StatusBadGateway, "upstream-unreachable", say.SearchUnreached, details)
	case r.connection.NotRunning(err):
		refuse(w, statusNotRunning, "server-not-running", say.ModelNotRunning, details)
	default:
		refuse(w, http.StatusBadGateway, "upstream-unreachable", say.ModelUnreachable, details)
	}
}

// statusNotRunning answers for a server of the person's own that does not run. The Harness
// takes a 400 for the answer, and quotes what is said; after a 5xx it tries again for a
// quarter of a minute, which starts no engine.
const statusNotRunning = http.StatusBadRequest

// refusal is OpenAI's error shape, with the technical text beside it.
type refusal struct {
	Error struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    string `json:"code"`
		Details string `json:"details,omitempty"`
	} `json:"error"`
}

func refuse(w http.ResponseWriter, status int, code, message, details string) {
	var body refusal
	body.Error.Message, body.Error.Type, body.Error.Code, body.Error.Details = message, "strata_proxy", code, details
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone
}

// leaves tells whether an escaped path behind the base would not stay below it.
func leaves(rest string) bool {
	plain, err := url.PathUnescape(rest)
	if err != nil || strings.Contains(plain, `\`) {
		return true
	}
	for segment := range strings.SplitSeq(plain, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}
