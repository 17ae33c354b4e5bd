package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Hosts gives the Host headers that name a server listening on addr ("ip:port").
// A loopback server is also reached as localhost. One that listens on every
// address is reached by the addresses that local names: literal addresses only,
// so that no foreign name that resolves to us is taken for ours.
func Hosts(addr string, local []net.IP) ([]string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	var names []string
	ip := net.ParseIP(host)
	switch {
	case ip == nil && host != "":
		names = []string{strings.ToLower(host)}
	case ip == nil || ip.IsUnspecified():
		names = []string{"localhost", "127.0.0.1", "::1"}
		for _, l := range local {
			names = append(names, l.String())
		}
	case ip.IsLoopback():
		names = []string{ip.String(), "localhost"}
	default:
		names = []string{ip.String()}
	}
	var out []string
	for _, n := range names {
		out = append(out, net.JoinHostPort(n, port))
		if port == "80" { // browsers leave the default port out
			out = append(out, strings.TrimSuffix(net.JoinHostPort(n, port), ":80"))
		}
	}
	return out, nil
}

// guard looks at Host and Origin before anything else of a request is looked at.
func (s *Server) guard(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		host := strings.ToLower(r.Host)
		if !s.host[host] {
			return say.Error(chat.CodeForbidden, "the Host header is not this server's", say.ForeignHost)
		}
		// A page of ours on the same host and port, or no browser at all. "null"
		// (a sandboxed frame, a file) equals nothing.
		for _, origin := range r.Header.Values("Origin") {
			if origin != "http://"+host {
				return say.Error(chat.CodeForbidden, "the Origin header is not this server's", say.ForeignOrigin)
			}
		}
		return next(c)
	}
}

// auth lets a request to /api through if it carries the token. There is no
// cookie: browsers send those to every port of a host.
func (s *Server) auth(next echo.HandlerFunc) echo.HandlerFunc {
	want := sha256.Sum256([]byte(s.o.Token))
	return func(c echo.Context) error {
		r := c.Request()
		// The decoded path: whatever spelling a route could match is covered.
		if p := r.URL.Path; p != "/api" && !strings.HasPrefix(p, "/api/") {
			return next(c)
		}
		got := sha256.Sum256([]byte(bearer(r.Header)))
		if s.o.Token == "" || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			c.Response().Header().Set("WWW-Authenticate", `Bearer realm="strata"`)
			return say.Error(chat.CodeUnauthorized, "", say.NoToken)
		}
		return next(c)
	}
}

// bearer gives the token of the one Authorization header, or "".
func bearer(h http.Header) string {
	v := h.Values("Authorization")
	if len(v) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(v[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// noPreflight refuses OPTIONS, which the router would answer by itself: no other
// origin is let in, so there is nothing to negotiate.
func noPreflight(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if c.Request().Method == http.MethodOptions {
			return echo.ErrMethodNotAllowed
		}
		return next(c)
	}
}

// policy lets the page load its own files and talk to its own host, nothing
// else; markup from strings is refused by the browser itself.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

func headers(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		return next(c)
	}
}
