package effects

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

var defaultPort = map[string]string{"http": "80", "https": "443"}

// Headers that the host side sets, or that would change how the answer is read.
var (
	ownHeaders = []string{
		"accept-encoding", "connection", "content-length", "cookie", "expect", "host", "keep-alive",
		"te", "trailer", "transfer-encoding", "upgrade",
	}
	droppedHeaders = []string{
		"connection", "keep-alive", "set-cookie", "trailer", "transfer-encoding", "upgrade",
	}
)

// fetcher makes requests to listed hosts only.
type fetcher struct {
	hosts  []string
	client *http.Client
}

// Fetch makes HTTP requests to the hosts on the list: "host" for the scheme's
// own port, "host:port" otherwise. Redirects are answers, not followed. No proxy
// is used, no cookie kept, no connection reused.
func Fetch(hosts []string) engine.Effects {
	f := &fetcher{hosts: hosts, client: &http.Client{
		Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}}
	return engine.Effects{abi.EffectFetch: typed(f.fetch, "url")}
}

func (f *fetcher) fetch(ctx context.Context, q abi.FetchRequest, body []byte) (abi.FetchAnswer, []byte, error) {
	req, err := f.request(q, body)
	if err != nil {
		return abi.FetchAnswer{}, nil, err
	}
	timeout := within(q.TimeoutMs, abi.FetchTimeoutMs, abi.MaxFetchTimeoutMs)
	limit := within(q.MaxBytes, abi.FetchBytes, abi.MaxFetchBytes)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(timeout)*time.Millisecond)
	defer cancel()

	resp, err := f.client.Do(req.WithContext(ctx))
	if err != nil {
		return abi.FetchAnswer{}, nil, fetchFailed(ctx, err, req.URL, timeout)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	switch {
	case err != nil:
		return abi.FetchAnswer{}, nil, fetchFailed(ctx, err, req.URL, timeout)
	case len(out) > limit:
		return abi.FetchAnswer{}, nil, refuse(abi.CodeRefused, abi.MsgFetchSize, "bytes", strconv.Itoa(limit))
	}
	return abi.FetchAnswer{Status: resp.StatusCode, Headers: answerHeaders(resp.Header)}, out, nil
}

// request checks q and makes a request of it.
func (f *fetcher) request(q abi.FetchRequest, body []byte) (*http.Request, error) {
	u, err := url.Parse(q.URL)
	if err != nil || defaultPort[u.Scheme] == "" || u.Hostname() == "" || u.User != nil {
		return nil, refuse(abi.CodeRefused, abi.MsgFetchURL)
	}
	if !f.listed(u) {
		return nil, refuse(abi.CodeRefused, abi.MsgFetchHost, "host", shownHost(u))
	}
	method := q.Method
	switch method {
	case "":
		method = http.MethodGet
	case http.MethodGet, http.MethodHead:
	case http.MethodPost:
	default:
		return nil, refuse(abi.CodeRefused, abi.MsgFetchMethod)
	}
	if method != http.MethodPost {
		body = nil
	}
	req, err := http.NewRequest(method, q.URL, bytes.NewReader(body))
	if err != nil {
		return nil, because(err, abi.CodeRefused, abi.MsgFetchURL)
	}
	if err := setHeaders(req, q.Headers); err != nil {
		return nil, err
	}
	return req, nil
}

// setHeaders sets the headers that a plugin may set.
func setHeaders(req *http.Request, headers map[string]string) error {
	for name, value := range headers {
		lower := strings.ToLower(name)
		if !isToken(lower) || slices.Contains(ownHeaders, lower) || strings.HasPrefix(lower, "proxy-") || strings.ContainsAny(value, "\r\n\x00") {
			return refuse(abi.CodeRefused, abi.MsgFetchHeader, "name", lower)
		}
		req.Header.Set(name, value)
	}
	req.Header.Set("Accept-Encoding", "identity")
	return nil
}

// listed tells whether u's host and port are on the list.
func (f *fetcher) listed(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		port = defaultPort[u.Scheme]
	}
	return slices.ContainsFunc(f.hosts, func(entry string) bool {
		host, want, err := net.SplitHostPort(entry)
		if err != nil {
			host, want = strings.Trim(entry, "[]"), defaultPort[u.Scheme]
		}
		return strings.EqualFold(host, u.Hostname()) && want == port
	})
}

// shownHost is the host as JavaScript's URL shows it: lower case, without the
// scheme's own port.
func shownHost(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Host), ":"+defaultPort[u.Scheme])
}

func fetchFailed(ctx context.Context, err error, u *url.URL, timeoutMs int) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return refuse(abi.CodeDeadline, abi.MsgFetchTimeout, "ms", strconv.Itoa(timeoutMs))
	}
	return because(err, abi.CodeFailed, abi.MsgFetchFailed, "host", shownHost(u))
}

func answerHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for name, values := range h {
		lower := strings.ToLower(name)
		if !slices.Contains(droppedHeaders, lower) {
			out[lower] = strings.Join(values, ", ")
		}
	}
	return out
}

// within is n, or standard when n is not positive, at most the highest.
func within(n, standard, highest int) int {
	if n <= 0 {
		return standard
	}
	return min(n, highest)
}

// isToken is RFC 9110's token, which a header's name must be.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}
