package double_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/gateway/remotemux/double"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raw is a client without any manners of its own.
type raw struct {
	t   *testing.T
	web *httptest.Server
	http.Client
}

func newRaw(t *testing.T, s *double.Server) *raw {
	t.Helper()
	web := httptest.NewServer(s)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &raw{t: t, web: web, Client: http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	t.Cleanup(func() {
		c.CloseIdleConnections()
		s.Cut(nil)
		web.Close()
	})
	return c
}

func (c *raw) do(method, path, body string, header ...string) (int, string) {
	c.t.Helper()
	req, err := http.NewRequest(method, c.web.URL+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := c.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// The carrier, as harness-wire.md §1.3-§2.3 and §9.2 have it.
func TestHTTP(t *testing.T) {
	s := double.New("t")
	c := newRaw(t, s)
	call := func(method, args string) string {
		return `{"type":"client-request","rpcId":"r-1","method":"` + method + `","payload":{"args":` + args + `}}`
	}
	list := call("session/list", `{"_request":{}}`)
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		has                      string
	}{
		{name: "no cookie", method: "POST", path: "/api/session/list", body: list, status: 401},
		{name: "no cookie at all", method: "GET", path: "/", status: 401},
		{name: "another token", method: "GET", path: "/?token=x", status: 401},
		{name: "the token twice", method: "GET", path: "/?token=t&token=t", status: 401},
		{name: "more than the token", method: "GET", path: "/?token=t&x=1", status: 401},
		{name: "the token", method: "GET", path: "/?token=t", status: 303},
		{name: "a page", method: "GET", path: "/", status: 200, has: "<html>"},
		{name: "another token with a cookie", method: "GET", path: "/?token=x", status: 303},
		{name: "a call", method: "POST", path: "/api/session/list", body: list, status: 200, has: `"rpcId":"r-1"`},
		{name: "foreign host", method: "POST", path: "/api/session/list", body: list, header: []string{"Host", "example.invalid"}, status: 403},
		{name: "foreign origin", method: "POST", path: "/api/session/list", body: list, header: []string{"Origin", "http://example.invalid"}, status: 403},
		{name: "null origin", method: "POST", path: "/api/session/list", body: list, header: []string{"Origin", "null"}, status: 403},
		{name: "cross site", method: "POST", path: "/api/session/list", body: list, header: []string{"Sec-Fetch-Site", "cross-site"}, status: 403},
		{name: "own origin", method: "POST", path: "/api/session/list", body: list, header: []string{"Origin", c.web.URL}, status: 200, has: `"ok":true`},
		{name: "no such method", method: "POST", path: "/api/session/nope", body: list, status: 404},
		{name: "GET", method: "GET", path: "/api/session/list", status: 404},
		{name: "no JSON", method: "POST", path: "/api/session/list", body: "{", status: 400},
		{name: "media type", method: "POST", path: "/api/session/list", body: list, header: []string{"Content-Type", "text/plain"}, status: 415},
		{name: "another method in it", method: "POST", path: "/api/session/list", body: call("session/create", `{}`), status: 200, has: "gateway/bad-request"},
		{name: "a spare key", method: "POST", path: "/api/session/list", body: `{"x":1,` + list[1:], status: 200, has: "gateway/bad-request"},
		{name: "no id", method: "POST", path: "/api/session/list", body: `{"type":"client-request"}`, status: 200, has: "invalid-request"},
		{name: "request without underscore", method: "POST", path: "/api/session/list", body: call("session/list", `{"request":{}}`), status: 200, has: "gateway/arguments-invalid"},
		{name: "a spare argument", method: "POST", path: "/api/session/cancel", body: call("session/cancel", `{"request":{"sessionId":"x","y":1}}`), status: 200, has: "gateway/input-invalid"},
		{name: "a stream", method: "POST", path: "/api/session/follow", body: call("session/follow", `{}`), status: 200, has: "gateway/signature-invalid"},
		{name: "an unknown client", method: "POST", path: "/api/$events/result", body: call("$events/result", `{"clientId":"x","eventId":"e","outcome":{"kind":"next"}}`), status: 200, has: "gateway/internal"},
	} {
		status, text := c.do(tt.method, tt.path, tt.body, tt.header...)
		if status != tt.status || !strings.Contains(text, tt.has) {
			t.Errorf("%s: %d %s, want %d with %q", tt.name, status, text, tt.status, tt.has)
		}
	}
}

func (c *raw) dial() *websocket.Conn {
	c.t.Helper()
	conn, _, err := (&websocket.Dialer{Jar: c.Jar}).Dial("ws"+strings.TrimPrefix(c.web.URL, "http")+"/api/remote.mux", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// Breaches of the socket's protocol end it, with their code (§3.4).
func TestBreaches(t *testing.T) {
	const open = `{"type":"open","streamId":"s1","endpoint":"session/control","payload":{"args":{}}}`
	for _, tt := range []struct {
		name string
		old  bool
		send []string
		code int // 0: it goes on
	}{
		{"duplicate id", false, []string{open, open}, 1008},
		{"an id again after cancel", false, []string{open, `{"type":"cancel","streamId":"s1"}`, open}, 0},
		{"a spare key", false, []string{open[:len(open)-1] + `,"x":1}`}, 1008},
		{"no args", false, []string{`{"type":"open","streamId":"s1","endpoint":"session/control","payload":{}}`}, 1008},
		{"no JSON", false, []string{"x"}, 1008},
		{"no id", false, []string{`{"type":"cancel","streamId":""}`}, 1008},
		{"uplink", false, []string{open, `{"type":"item","streamId":"s1","value":1}`, `{"type":"end","streamId":"s1"}`}, 0},
		{"uplink on 0.1.5", true, []string{open, `{"type":"item","streamId":"s1","value":1}`}, 1008},
		{"cancel of nothing", false, []string{`{"type":"cancel","streamId":"zz"}`}, 0},
		{"binary", false, []string{"\x00binary"}, 1003},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := double.New("t")
			s.Old = tt.old
			c := newRaw(t, s)
			c.do("GET", "/?token=t", "")
			conn := c.dial()
			for _, text := range tt.send {
				kind := websocket.TextMessage
				if strings.HasPrefix(text, "\x00") {
					kind = websocket.BinaryMessage
				}
				if err := conn.WriteMessage(kind, []byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			const last = `{"type":"open","streamId":"last","endpoint":"nope","payload":{"args":{}}}`
			_ = conn.WriteMessage(websocket.TextMessage, []byte(last)) // it may be closed
			_ = conn.SetReadDeadline(time.Now().Add(30 * time.Second))
			for {
				_, data, err := conn.ReadMessage()
				if err != nil {
					if tt.code == 0 || !websocket.IsCloseError(err, tt.code) {
						t.Errorf("the socket ended with %v, want code %d", err, tt.code)
					}
					return
				}
				var f struct {
					StreamID string
					Error    struct{ Code string }
				}
				if json.Unmarshal(data, &f) == nil && f.StreamID == "last" {
					if tt.code != 0 || f.Error.Code != "gateway/method-unavailable" {
						t.Errorf("it goes on: %s", data)
					}
					return
				}
			}
		})
	}
}
