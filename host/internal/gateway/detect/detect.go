// Package detect finds out which wire a Harness speaks: by what it prints and
// answers, never by its version.
package detect

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"strata.dev/bridge/host/internal/gateway"
)

// The wires.
const (
	EventsMux = "events.mux" // 0.1.0
	RemoteMux = "remote.mux" // from 0.1.5 on
)

// Ready is what a Harness prints when it is ready.
type Ready struct {
	BaseURL string // http://<loopback address>:<port>
	Token   string // launch token; "" where it prints none (0.1.0)
}

const readyPrefix = "dsh web: "

var (
	tokenQuery = regexp.MustCompile(`^token=([A-Za-z0-9_-]+)$`)
	anyToken   = regexp.MustCompile(`token=[^&\s#)]+`)
)

// ReadyLine reads a line of standard output: "dsh web: URL", where the URL is a bare
// loopback address (0.1.0), or one with /?token=T behind it, after which a line may go
// on with another address in parentheses (harness-wire.md §1.2). Found is false for any
// other line. A ready line with anything else in it is an error: nothing but a
// loopback address may get a secret. The error does not show the token.
func ReadyLine(line string) (r Ready, found bool, err error) {
	text, found := strings.CutPrefix(line, readyPrefix)
	if !found {
		return r, false, nil
	}
	shown := anyToken.ReplaceAllString(line, "token=[secret]")
	wrong := func(why string) (Ready, bool, error) {
		return Ready{}, true, fmt.Errorf("ready line %q: %s", shown, why)
	}
	text, rest, more := strings.Cut(text, " ")
	u, err := url.Parse(text)
	if err != nil {
		return wrong("not a URL")
	}
	addr, err := netip.ParseAddr(u.Hostname())
	if err != nil || !addr.IsLoopback() || addr.Zone() != "" {
		return wrong("not a loopback address")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return wrong("no port")
	}
	r.BaseURL = "http://" + netip.AddrPortFrom(addr, uint16(port)).String()
	if text == r.BaseURL && !more {
		return r, true, nil
	}
	token := tokenQuery.FindStringSubmatch(u.RawQuery)
	if token == nil || text != r.BaseURL+"/?"+u.RawQuery {
		return wrong("more than an address and a token")
	}
	if more && !strings.HasPrefix(rest, "(") {
		return wrong("more than an address and a token")
	}
	r.Token = token[1]
	return r, true, nil
}

// Evidence is how a Harness answers two calls that only one of the wires has each:
// the HTTP status, 0 where there was no answer.
type Evidence struct {
	Describe int // host.describe: 0.1.0
	List     int // session/list: from 0.1.5 on
}

// Decide names the wire. Where both calls are answered it is the newer one. A
// *gateway.Error says that the Harness lets us in by neither, or speaks neither; any
// other answer wraps gateway.ErrLost and may become another one.
func Decide(e Evidence) (wire string, err error) {
	refused := func(status int) bool { return status == http.StatusUnauthorized || status == http.StatusForbidden }
	switch {
	case e.List == http.StatusOK:
		return RemoteMux, nil
	case e.Describe == http.StatusOK:
		return EventsMux, nil
	case refused(e.List) || refused(e.Describe):
		return "", &gateway.Error{Method: "detect", Code: gateway.CodeUnauthorized, Message: "the Harness does not accept this host; restart the agent"}
	case e.List == http.StatusNotFound && e.Describe == http.StatusNotFound:
		return "", &gateway.Error{Method: "detect", Code: gateway.CodeUnknownMethod, Message: "this Harness speaks neither wire that this host knows; update one of them"}
	}
	return "", fmt.Errorf("which wire the Harness speaks is not known yet: %w: HTTP %d and %d", gateway.ErrLost, e.Describe, e.List)
}
