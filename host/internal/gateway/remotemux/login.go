package remotemux

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
)

// login holds where the Harness is and what it wants of a request (harness-wire.md
// §1.3). The cookie is for that authority alone.
type login struct {
	mu     sync.Mutex
	launch Launch
	base   *url.URL
	cookie string // name=value
}

func parseBase(address string) (*url.URL, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" || base.Host == "" {
		return nil, fmt.Errorf("the Harness's address is not an http URL")
	}
	return &url.URL{Scheme: base.Scheme, Host: base.Host}, nil
}

// set begins with another launch; it tells whether that is another one.
func (l *login) set(launch Launch) (changed bool, err error) {
	base, err := parseBase(launch.BaseURL)
	if err != nil {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	changed = launch != l.launch
	l.launch, l.base = launch, base
	if changed {
		l.cookie = ""
	}
	return changed, nil
}

// needed tells whether there is a token and no cookie yet.
func (l *login) needed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.launch.Token != "" && l.cookie == ""
}

// forget drops a cookie that was refused, unless there is a newer one.
func (l *login) forget(refused string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cookie == refused {
		l.cookie = ""
	}
}

func (l *login) current() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cookie
}

// target is where requests go; it adds what lets them in.
func (g *Gateway) target(h http.Header) *url.URL {
	l := &g.login
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cookie != "" {
		h.Set("Cookie", l.cookie)
	}
	if g.opts.Secret != "" {
		h.Set("Authorization", "Bearer "+g.opts.Secret)
	}
	return l.base
}

// exchange gives the token and gets the cookie, where one is needed.
func (g *Gateway) exchange(ctx context.Context) error {
	if !g.login.needed() {
		return nil
	}
	ctx, cancel := g.caller.During(ctx)
	defer cancel()
	g.login.mu.Lock()
	launch, base := g.login.launch, g.login.base
	g.login.mu.Unlock()
	header := http.Header{}
	g.target(header)
	cookie, err := Login(ctx, g.caller.Client, base, launch.Token, header)
	if err != nil {
		return err
	}
	g.login.mu.Lock()
	defer g.login.mu.Unlock()
	if g.login.launch == launch {
		g.login.cookie = cookie
	}
	return nil
}

// Login exchanges the launch token for a cookie (harness-wire.md §1.3) and gives it as
// it is sent back: name=value. Header is sent with the request, which must not follow
// redirects. A wrong token is a *gateway.Error with CodeUnauthorized, a Harness that
// does not do this one with another code.
func Login(ctx context.Context, client *http.Client, base *url.URL, token string, header http.Header) (cookie string, err error) {
	const what = "login"
	u := *base
	u.Path, u.RawQuery = "/", url.Values{"token": {token}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return "", fmt.Errorf("%s: the address cannot be asked", what) // the error would show the token
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		return "", link.Lost(ctx, what, err)
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 64<<10)) // so that the connection is used again
	if res.StatusCode >= http.StatusBadRequest {
		return "", link.StatusError(what, res.StatusCode)
	}
	if cookie := pick(res.Cookies()); res.StatusCode == http.StatusSeeOther && cookie != "" {
		return cookie, nil
	}
	return "", &gateway.Error{Method: what, Code: gateway.CodeProtocol, Message: "the Harness gave no cookie for its token"}
}

// pick gives the Harness's cookie as it is sent back.
func pick(cookies []*http.Cookie) string {
	for _, c := range cookies {
		if strings.HasPrefix(c.Name, "dsh-auth-") && c.Value != "" {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

// admit gets in after a refusal: by the token again, and where that is refused too,
// by the launch as it is now.
func (g *Gateway) admit(ctx context.Context, refused string) error {
	g.login.forget(refused)
	err := g.exchange(ctx)
	if !gateway.IsCode(err, gateway.CodeUnauthorized) || g.opts.Relearn == nil {
		return err
	}
	return g.relearn(ctx, err)
}

// relearn asks for the launch as it is now; refused is the error where it is the same.
func (g *Gateway) relearn(ctx context.Context, refused error) error {
	if g.opts.Relearn == nil {
		return refused
	}
	launch, err := g.opts.Relearn(ctx)
	if err != nil {
		return fmt.Errorf("learning the launch token again: %w: %w", gateway.ErrLost, err)
	}
	changed, err := g.login.set(launch)
	if err != nil {
		return err
	}
	if !changed {
		return refused
	}
	return g.exchange(ctx)
}
