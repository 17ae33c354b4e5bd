package effects

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/wasm/engine"
)

// public is the address that every name of these tests has.
var public = netip.MustParseAddr("93.184.215.14")

// webOf is a web of one server: every public address leads to it, and what is
// admitted are public addresses only.
func webOf(t *testing.T, server *httptest.Server) (engine.Func, engine.Effect) {
	t.Helper()
	f := FetchWeb(WebOptions{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "none.example":
				return nil, nil
			case "mixed.example":
				return []netip.Addr{public, netip.MustParseAddr("192.168.0.9")}, nil
			}
			return []netip.Addr{public}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, public.String()+":") {
				t.Errorf("connected to %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	})[abi.EffectFetchWeb]
	return f, engine.Effect{Kind: abi.EffectFetchWeb, Ask: func(_ context.Context, op string, head []byte) ([]byte, error) {
		var q abi.AdmitAddress
		if err := json.Unmarshal(head, &q); err != nil || op != "admitAddress" {
			return nil, fmt.Errorf("%s %s: %w", op, head, err)
		}
		if q.Host == "fault.example" {
			return nil, errors.New("the plugin is gone")
		}
		return encode(abi.AddressAdmitted{Admitted: q.Address == public.String()})
	}}
}

// get is one request of a web.
func get(ctx context.Context, f engine.Func, e engine.Effect, q abi.WebRequest) (abi.WebAnswer, string, string) {
	e.Head, _ = json.Marshal(q)
	head, body, err := f(ctx, e)
	var a abi.WebAnswer
	if told := new(abi.EffectError); errors.As(err, &told) {
		return a, "", told.Code
	} else if err != nil {
		return a, "", err.Error()
	}
	if err := json.Unmarshal(head, &a); err != nil {
		return a, "", err.Error()
	}
	return a, string(body), ""
}

func TestFetchWeb(t *testing.T) {
	released := make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		fmt.Fprintf(w, "%s %s %s %q", r.Method, r.Host, r.URL, r.Header["Accept-Encoding"])
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, strings.Repeat("x", 4096)); err != nil {
				break
			}
		}
		close(released)
	})
	mux.HandleFunc("/drip", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "0123456789")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/huge", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000000000")
		io.WriteString(w, "begun")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789and more that was not announced")
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	f, e := webOf(t, server)

	for _, c := range []struct {
		q         abi.WebRequest
		status    int
		body      string // its beginning
		size      int    // 0: not looked at
		truncated bool
		code      string
	}{
		{abi.WebRequest{URL: "http://site.example/a?b"}, 200, `GET site.example /a?b ["identity"]`, 0, false, ""},
		{abi.WebRequest{URL: "http://site.example/endless", MaxBytes: 100_000}, 200, "xxx", 100_000, true, ""},
		{abi.WebRequest{URL: "http://site.example/drip", TimeoutMs: 100}, 0, "", 0, false, abi.CodeDeadline},
		{abi.WebRequest{URL: "http://site.example/silent", TimeoutMs: 100}, 0, "", 0, false, abi.CodeDeadline},
		{abi.WebRequest{URL: "http://site.example/short"}, 200, "0123456789", 10, true, ""},
		{abi.WebRequest{URL: "http://site.example/huge"}, 200, "begun", 5, true, ""},
		{abi.WebRequest{URL: "http://site.example/long"}, 200, "0123456789", 10, false, ""},
		{abi.WebRequest{URL: "http://site.example/redirect"}, 302, "", 0, false, ""},
		{abi.WebRequest{URL: "http://127.0.0.1/"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://[::1]/"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://mixed.example/"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://fault.example/"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://none.example/"}, 0, "", 0, false, abi.CodeFailed},
		{abi.WebRequest{URL: "file:///etc/passwd"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://a:b@site.example/"}, 0, "", 0, false, abi.CodeRefused},
		{abi.WebRequest{URL: "http://site.example/", Headers: map[string]string{"Cookie": "a=b"}}, 0, "", 0, false, abi.CodeRefused},
	} {
		a, body, code := get(t.Context(), f, e, c.q)
		if a.Status != c.status || !strings.HasPrefix(body, c.body) || a.Truncated != c.truncated || code != c.code || (c.size > 0 && len(body) != c.size) {
			t.Errorf("%+v: %+v %.60q (%d bytes) %s", c.q, a, body, len(body), code)
		}
		if a.Headers["set-cookie"] != "" {
			t.Errorf("%+v: a cookie came through", c.q)
		}
	}
	<-released // the endless answer's connection was closed

	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, _, code := get(ctx, f, e, abi.WebRequest{URL: "http://site.example/drip"}); code == "" {
		t.Error("a request outlived its call")
	}
}

// A certificate that nobody vouches for is an error.
func TestFetchWebSelfSigned(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "secret") }))
	server.Config.ErrorLog = nil
	defer server.Close()
	f, e := webOf(t, server)
	if _, body, code := get(t.Context(), f, e, abi.WebRequest{URL: "https://site.example/"}); code != abi.CodeFailed || body != "" {
		t.Errorf("%q %s", body, code)
	}
}

// HTTP/2, whose server may end a connection under an answer, is not offered.
func TestFetchWebOneProtocol(t *testing.T) {
	offered := make(chan []string, 1)
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		offered <- hello.SupportedProtos
		return nil, nil
	}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	f, e := webOf(t, server)
	_, _, _ = get(t.Context(), f, e, abi.WebRequest{URL: "https://site.example/"})
	if protocols := <-offered; slices.Contains(protocols, "h2") {
		t.Errorf("it offers %q", protocols)
	}
}

// An address that never answers is given up before the whole time is over, and the
// next one gets its turn.
func TestFetchWebNeverAccepts(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "second") }))
	defer server.Close()
	silent, other := netip.MustParseAddr("93.184.215.15"), public
	all := []netip.Addr{silent, other}
	f := FetchWeb(WebOptions{
		ConnectTimeout: 20 * time.Millisecond,
		Lookup:         func(context.Context, string) ([]netip.Addr, error) { return all, nil },
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, silent.String()+":") {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	})[abi.EffectFetchWeb]
	e := engine.Effect{Kind: abi.EffectFetchWeb, Ask: func(context.Context, string, []byte) ([]byte, error) {
		return encode(abi.AddressAdmitted{Admitted: true})
	}}
	q := abi.WebRequest{URL: "http://site.example/", TimeoutMs: 60_000}
	if _, body, code := get(t.Context(), f, e, q); body != "second" || code != "" {
		t.Errorf("%q %s", body, code)
	}
	all = all[:1]
	if _, _, code := get(t.Context(), f, e, q); code != abi.CodeFailed {
		t.Errorf("nobody answers: %q", code)
	}
}

// A proxy that the environment names sees nothing: behind it the guard could not see
// where a name leads.
func TestFetchWebNoProxy(t *testing.T) {
	var seen atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") }))
	defer server.Close()
	f, e := webOf(t, server)
	if _, body, code := get(t.Context(), f, e, abi.WebRequest{URL: "http://site.example/"}); body != "direct" || code != "" || seen.Load() > 0 {
		t.Errorf("%q %s; the proxy saw %d requests", body, code, seen.Load())
	}
}

func TestTextDecode(t *testing.T) {
	all := TextDecode()
	expect(t, "gbk", outcome{Head: "{}", Body: "你好"}, perform(t, all, abi.EffectTextDecode, `{"charset":"gbk"}`, "\xc4\xe3\xba\xc3"))
	expect(t, "broken", outcome{Head: "{}", Body: "a\ufffd"}, perform(t, all, abi.EffectTextDecode, `{"charset":"Shift_JIS"}`, "a\x81"))
	expect(t, "unknown", outcome{Code: abi.CodeRefused, Message: "The charset x-nonsense is not known."},
		perform(t, all, abi.EffectTextDecode, `{"charset":"x-nonsense"}`, "x"))
	expect(t, "no charset", outcome{Code: abi.CodeBadInput, Message: "The head is not what the effect text.decode takes."},
		perform(t, all, abi.EffectTextDecode, `{}`, "x"))
}
