package effects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// admitOp is the plugin's own op that judges addresses.
const admitOp = "admitAddress"

// connectTimeout is how long one address may take to answer: less than the whole,
// so that the next one gets its turn.
const connectTimeout = 10 * time.Second

// WebOptions stand in for the system's network where a test has one of its own.
type WebOptions struct {
	// Lookup gives a host's addresses; nil is the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an admitted address; nil is the system's network.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// ConnectTimeout is how long one address may take to answer; 0 is 10 s.
	ConnectTimeout time.Duration
}

// web makes requests to any host whose every address the plugin admits.
type web struct{ WebOptions }

// FetchWeb makes GET requests to any host on the web. What a host's name is looked
// up to for the connection itself is put before the plugin's op admitAddress; a
// host with an address that is not admitted is not connected to at all. Redirects
// are answers, not followed. No proxy is used, no cookie kept, no connection reused.
func FetchWeb(o WebOptions) engine.Effects {
	w := &web{o}
	if w.Lookup == nil {
		w.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if w.Dial == nil {
		w.Dial = new(net.Dialer).DialContext
	}
	if w.ConnectTimeout == 0 {
		w.ConnectTimeout = connectTimeout
	}
	return engine.Effects{abi.EffectFetchWeb: func(ctx context.Context, e engine.Effect) ([]byte, []byte, error) {
		return typed(func(ctx context.Context, q abi.WebRequest, _ []byte) (abi.WebAnswer, []byte, error) {
			return w.fetch(ctx, e, q)
		}, "url")(ctx, e)
	}}
}

func (w *web) fetch(ctx context.Context, e engine.Effect, q abi.WebRequest) (abi.WebAnswer, []byte, error) {
	u, err := url.Parse(q.URL)
	if err != nil || defaultPort[u.Scheme] == "" || u.Hostname() == "" || u.User != nil {
		return abi.WebAnswer{}, nil, refuse(abi.CodeRefused, abi.MsgFetchURL)
	}
	req, err := http.NewRequest(http.MethodGet, q.URL, nil)
	if err != nil {
		return abi.WebAnswer{}, nil, because(err, abi.CodeRefused, abi.MsgFetchURL)
	}
	if err := setHeaders(req, q.Headers); err != nil {
		return abi.WebAnswer{}, nil, err
	}
	timeout := within(q.TimeoutMs, abi.FetchTimeoutMs, abi.MaxFetchTimeoutMs)
	limit := within(q.MaxBytes, abi.FetchBytes, abi.MaxFetchBytes)
	ctx, cancel := context.WithTimeout(ctx, time.Duration(timeout)*time.Millisecond)
	defer cancel()

	client := &http.Client{
		Transport: &http.Transport{
			DisableCompression: true, DisableKeepAlives: true,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				return w.dial(ctx, e, network, address)
			},
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req.WithContext(ctx))
	if told := new(abi.EffectError); errors.As(err, &told) {
		return abi.WebAnswer{}, nil, told
	}
	if err != nil {
		return abi.WebAnswer{}, nil, fetchFailed(ctx, err, u, timeout)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil && (ctx.Err() != nil || len(body) == 0) {
		return abi.WebAnswer{}, nil, fetchFailed(ctx, err, u, timeout)
	}
	answer := abi.WebAnswer{Status: resp.StatusCode, Headers: answerHeaders(resp.Header), Truncated: err != nil || len(body) > limit}
	return answer, body[:min(len(body), limit)], nil
}

// dial looks a host up, has every address admitted and connects to one of them.
func (w *web) dial(ctx context.Context, e engine.Effect, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", address, err)
	}
	addresses := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		addresses = append(addresses, ip)
	} else if addresses, err = w.Lookup(ctx, host); err != nil {
		return nil, fmt.Errorf("looking %s up: %w", host, err)
	}
	for _, ip := range addresses {
		if err := admitted(ctx, e, host, ip); err != nil {
			return nil, err
		}
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("reading port %s: %w", port, err)
	}
	failed := fmt.Errorf("%s has no address", host)
	for _, ip := range addresses {
		conn, err := w.connect(ctx, network, netip.AddrPortFrom(ip, uint16(number)).String())
		if err == nil {
			return conn, nil
		}
		failed = err
	}
	return nil, failed
}

// connect gives up on an address that does not answer before the whole time is over.
func (w *web) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, w.ConnectTimeout)
	defer cancel()
	return w.Dial(ctx, network, address)
}

// admitted puts an address before the plugin; whatever is no yes is a no.
func admitted(ctx context.Context, e engine.Effect, host string, ip netip.Addr) error {
	head, err := encode(abi.AdmitAddress{Host: host, Address: ip.String()})
	if err != nil {
		return err
	}
	var answer abi.AddressAdmitted
	if head, err = e.Ask(ctx, admitOp, head); err == nil {
		err = json.Unmarshal(head, &answer)
	}
	if err != nil || !answer.Admitted {
		return refuse(abi.CodeRefused, abi.MsgWebAddress, "host", host)
	}
	return nil
}
