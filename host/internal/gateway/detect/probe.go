package detect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/link"
	"strata.dev/bridge/host/internal/gateway/remotemux"
)

// Options says which Harness to ask.
type Options struct {
	Ready
	Secret string      // what a fence wants as Bearer token; "" for none
	Dial   link.Dialer // nil takes a net.Dialer
}

// Wire asks the Harness and names its wire; see Decide for the errors.
func Wire(ctx context.Context, o Options) (string, error) {
	e, err := Probe(ctx, o)
	if err != nil {
		return "", err
	}
	return Decide(e)
}

// Probe makes the two calls, after a login where there is a token. They change
// nothing. Errors are the context's, or of the address.
func Probe(ctx context.Context, o Options) (Evidence, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || base.Scheme != "http" || base.Host == "" {
		return Evidence{}, fmt.Errorf("the Harness's address is not an http URL")
	}
	if o.Dial == nil {
		o.Dial = (&net.Dialer{}).DialContext
	}
	client := link.NewClient(o.Dial)
	defer client.CloseIdleConnections()
	header := http.Header{"Content-Type": {"application/json"}}
	if o.Secret != "" {
		header.Set("Authorization", "Bearer "+o.Secret)
	}
	var e Evidence
	if e.Describe, err = ask(ctx, client, base, header, "host.describe", `{}`); err != nil {
		return e, err
	}
	if o.Token != "" && e.Describe != http.StatusOK {
		cookie, err := remotemux.Login(ctx, client, base, o.Token, header.Clone())
		switch refused := (*gateway.Error)(nil); {
		case err == nil:
			header.Set("Cookie", cookie)
		case ctx.Err() != nil:
			return e, context.Cause(ctx)
		case errors.As(err, &refused) && refused.Code == gateway.CodeUnauthorized:
			e.List = http.StatusUnauthorized
			return e, nil
		}
	}
	e.List, err = ask(ctx, client, base, header, "session/list", `{"args":{"_request":{}}}`)
	return e, err
}

// ask makes one call and gives the status of its answer: 200 for an envelope alone, 0
// for no answer.
func ask(ctx context.Context, client *http.Client, base *url.URL, header http.Header, method, payload string) (int, error) {
	body := `{"type":"client-request","rpcId":"detect","method":"` + method + `","payload":` + payload + `}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.JoinPath("api", method).String(), strings.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("asking the Harness: %w", err)
	}
	req.Header = header.Clone()
	res, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return 0, nil
	}
	defer res.Body.Close()
	const most = 1 << 20 // a list may be long; its beginning tells
	start, _ := io.ReadAll(io.LimitReader(res.Body, most))
	if res.StatusCode == http.StatusOK && !envelope(start) {
		return http.StatusNotFound, nil // some page: no such call
	}
	return res.StatusCode, nil
}

// envelope tells whether an answer begins like one to our call. It may be cut.
func envelope(start []byte) bool {
	text := string(start)
	return strings.HasPrefix(text, "{") && strings.Contains(text, `"server-response"`) && strings.Contains(text, `"ok":true`)
}
