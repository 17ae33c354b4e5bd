package httpapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const goodBody = `{"chatId":"c","requestId":"r","text":"hi"}`

func TestBadInput(t *testing.T) {
	a := &agent{}
	addr := serve(t, Options{Agent: a})
	_, port, _ := net.SplitHostPort(addr)
	json400 := func(details string) *chat.Error { return say.Error(chat.CodeBadRequest, details, say.BadJSON) }
	missing := func(field string) *chat.Error {
		return say.Error(chat.CodeBadRequest, field+" is missing", say.FieldMissing, "field", field)
	}
	foreignHost := say.Error(chat.CodeForbidden, "the Host header is not this server's", say.ForeignHost)
	foreignOrigin := say.Error(chat.CodeForbidden, "the Origin header is not this server's", say.ForeignOrigin)
	noToken := say.Error(chat.CodeUnauthorized, "", say.NoToken)
	noRoute := say.Error(chat.CodeNotFound, "", say.NoRoute)
	mediaType := func(ct string) *chat.Error {
		return say.Error(chat.CodeMediaType, fmt.Sprintf("Content-Type %q, want application/json", ct), say.NotJSONType)
	}
	method := func(m string) *chat.Error { return say.Error(chat.CodeMethod, "", say.NoMethod, "method", m) }

	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     *chat.Error
	}{
		{"foreign host", "GET", "/api/chats", "", []string{"Host", "evil.example:" + port}, 403, foreignHost},
		{"foreign host of the page", "GET", "/", "", []string{"Host", "evil.example:" + port}, 403, foreignHost},
		{"foreign host of health", "GET", "/livez", "", []string{"Host", "evil.example"}, 403, foreignHost},
		{"host without port", "GET", "/api/chats", "", []string{"Host", "127.0.0.1"}, 403, foreignHost},
		{"another port", "GET", "/api/chats", "", []string{"Host", "127.0.0.1:1"}, 403, foreignHost},
		{"host before token", "GET", "/api/chats", "", []string{"Host", "evil.example", "Authorization", ""}, 403, foreignHost},
		{"foreign origin", "GET", "/api/chats", "", []string{"Origin", "https://evil.example"}, 403, foreignOrigin},
		{"null origin", "GET", "/api/chats", "", []string{"Origin", "null"}, 403, foreignOrigin},
		{"origin of another port", "GET", "/api/chats", "", []string{"Origin", "http://127.0.0.1:1"}, 403, foreignOrigin},
		{"origin without port", "GET", "/api/chats", "", []string{"Origin", "http://127.0.0.1"}, 403, foreignOrigin},
		{"origin with https", "GET", "/api/chats", "", []string{"Origin", "https://" + addr}, 403, foreignOrigin},
		{"origin of another name", "GET", "/api/chats", "", []string{"Origin", "http://localhost:" + port}, 403, foreignOrigin},
		{"origin that begins like ours", "GET", "/api/chats", "", []string{"Origin", "http://" + addr + ".evil.example"}, 403, foreignOrigin},
		{"origin before token", "GET", "/api/chats", "", []string{"Origin", "null", "Authorization", ""}, 403, foreignOrigin},
		{"origin of the page", "GET", "/", "", []string{"Origin", "null"}, 403, foreignOrigin},
		{"no token", "GET", "/api/chats", "", []string{"Authorization", ""}, 401, noToken},
		{"wrong token", "GET", "/api/chats", "", []string{"Authorization", "Bearer " + strings.Repeat("0", 64)}, 401, noToken},
		{"shorter token", "GET", "/api/chats", "", []string{"Authorization", "Bearer " + token[:63]}, 401, noToken},
		{"empty token", "GET", "/api/chats", "", []string{"Authorization", "Bearer "}, 401, noToken},
		{"another scheme", "GET", "/api/chats", "", []string{"Authorization", "Basic " + token}, 401, noToken},
		{"token in the query", "GET", "/api/chats?token=" + token, "", []string{"Authorization", ""}, 401, noToken},
		{"token in a cookie", "GET", "/api/chats", "", []string{"Authorization", "", "Cookie", "token=" + token}, 401, noToken},
		{"no token, no such route", "GET", "/api/none", "", []string{"Authorization", ""}, 401, noToken},
		{"no token, encoded path", "GET", "/%61pi/chats", "", []string{"Authorization", ""}, 401, noToken},
		{"no token, preflight", "OPTIONS", "/api/chat/stream", "", []string{"Authorization", "", "Access-Control-Request-Method", "POST"}, 401, noToken},
		{"no such route", "GET", "/api/none", "", nil, 404, noRoute},
		{"no such page", "GET", "/none", "", nil, 404, noRoute},
		{"no such file", "GET", "/static/none.mjs", "", nil, 404, noRoute},
		{"path that climbs", "GET", "/static/../../page.go", "", nil, 404, noRoute},
		{"wrong method", "DELETE", "/api/chats", "", nil, 405, method("DELETE")},
		{"wrong method of the stream", "PUT", "/api/chat/stream", goodBody, nil, 405, method("PUT")},
		{"preflight with a token", "OPTIONS", "/api/chat/stream", "", nil, 405, method("OPTIONS")},
		{"no media type", "POST", "/api/chat/stream", goodBody, []string{"Content-Type", ""}, 415, mediaType("")},
		{"form", "POST", "/api/chat/stream", goodBody, []string{"Content-Type", "text/plain"}, 415, mediaType("text/plain")},
		{"another charset", "POST", "/api/chat/stream", goodBody, []string{"Content-Type", "application/json; charset=latin1"}, 415, mediaType("application/json; charset=latin1")},
		{"compressed", "POST", "/api/chat/stream", goodBody, []string{"Content-Encoding", "gzip"}, 415, mediaType("application/json")},
		{"no JSON", "POST", "/api/chat/stream", "{\"chatId\":\n  nope}", nil, 400, json400("line 2, column 4: invalid character 'o' in literal null (expecting 'u')")},
		{"cut JSON", "POST", "/api/chat/stop", `{"chatId":"c"`, nil, 400, json400("line 1, column 14: unexpected end of JSON input")},
		{"two values", "POST", "/api/chat/stop", `{} {}`, nil, 400, json400("line 1, column 4: invalid character '{' after top-level value")},
		{"wrong kind", "POST", "/api/chat/stream", `{"chatId":7}`, nil, 400, json400(`line 1, column 12: "chatId" is a JSON number, want string`)},
		{"array", "POST", "/api/chat/approval", ` []`, nil, 400, json400("line 1, column 2: want an object")},
		{"null", "POST", "/api/chat/approval", `null`, nil, 400, json400("line 1, column 1: want an object")},
		{"not UTF-8", "POST", "/api/chat/stream", "{\"text\":\"a\xff\"}", nil, 400, json400("line 1, column 11: not UTF-8")},
		{"no body", "POST", "/api/chat/stream", "", []string{"Content-Type", "application/json"}, 400, json400("line 1, column 1: unexpected end of JSON input")},
		{"no chat", "POST", "/api/chat/stream", `{"requestId":"r","text":"x"}`, nil, 400, missing("chatId")},
		{"no request", "POST", "/api/chat/stream", `{"chatId":"c","text":"x"}`, nil, 400, missing("requestId")},
		{"no text", "POST", "/api/chat/stream", `{"chatId":"c","requestId":"r","text":" \n"}`, nil, 400, say.Error(chat.CodeBadRequest, "text is missing", say.NoText)},
		{"attach without chat", "GET", "/api/chat/stream?run=r", "", nil, 400, missing("chatId")},
		{"attach after a word", "GET", "/api/chat/stream?chatId=c&after=x", "", nil, 400, say.Error(chat.CodeBadRequest, "after is no number from 0", say.FieldWrong, "field", "after")},
		{"attach before the beginning", "GET", "/api/chat/stream?chatId=c&after=-1", "", nil, 400, say.Error(chat.CodeBadRequest, "after is no number from 0", say.FieldWrong, "field", "after")},
		{"answer without session", "POST", "/api/chat/approval", `{"toolId":"t","decision":"deny"}`, nil, 400, missing("sessionId")},
		{"answer without tool", "POST", "/api/chat/approval", `{"sessionId":"s","decision":"deny"}`, nil, 400, missing("toolId")},
		{"answer without decision", "POST", "/api/chat/approval", `{"sessionId":"s","toolId":"t"}`, nil, 400, say.Error(chat.CodeBadRequest, "decision is neither approve nor deny", say.FieldWrong, "field", "decision")},
		{"answer that is no decision", "POST", "/api/chat/approval", `{"sessionId":"s","toolId":"t","decision":"yes"}`, nil, 400, say.Error(chat.CodeBadRequest, "decision is neither approve nor deny", say.FieldWrong, "field", "decision")},
		{"stop of nothing", "POST", "/api/chat/stop", `{}`, nil, 400, missing("sessionId")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := ask(t, addr, tt.method, tt.path, tt.body, tt.headers...)
			if res.StatusCode != tt.status {
				t.Errorf("status %d, want %d", res.StatusCode, tt.status)
			}
			if d := cmp.Diff(*tt.want, refusal(t, res)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	if got := a.seen(); len(got) != 0 {
		t.Errorf("a refused request reached the agent: %v", got)
	}
}

func TestTooLarge(t *testing.T) {
	a := &agent{}
	addr := serve(t, Options{Agent: a})
	want := *say.Error(chat.CodeTooLarge, "the body is over 8388608 bytes", say.TooLarge, "limit", "8 MB")
	for _, size := range []int{chat.MaxBody, 10 << 20} {
		text := `{"chatId":"c","requestId":"r","text":"` + strings.Repeat("a", size) + `"}`
		res := ask(t, addr, "POST", "/api/chat/stream", text)
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%d: status %d", size, res.StatusCode)
		}
		if d := cmp.Diff(want, refusal(t, res)); d != "" {
			t.Errorf("%d (-want +got):\n%s", size, d)
		}
	}
	if got := a.seen(); len(got) != 0 {
		t.Errorf("it reached the agent: %d calls", len(got))
	}
}

func TestAgentsErrors(t *testing.T) {
	secret := "sk-" + strings.Repeat("a1", 20)
	for _, tt := range []struct {
		name   string
		err    error
		status int
		want   *chat.Error
	}{
		{"unknown chat", say.Error(chat.CodeUnknownChat, "", say.UnknownChat), 404, say.Error(chat.CodeUnknownChat, "", say.UnknownChat)},
		{"unknown session", say.Error(chat.CodeUnknownSession, "", say.UnknownSession), 404, say.Error(chat.CodeUnknownSession, "", say.UnknownSession)},
		{"unknown tool", say.Error(chat.CodeUnknownTool, "", say.UnknownTool), 404, say.Error(chat.CodeUnknownTool, "", say.UnknownTool)},
		{"not pending", say.Error(chat.CodeNotPending, "", say.NotPending), 409, say.Error(chat.CodeNotPending, "", say.NotPending)},
		{"changed", say.Error(chat.CodeChanged, "", say.Changed), 409, say.Error(chat.CodeChanged, "", say.Changed)},
		{"not yours", fmt.Errorf("answering: %w", say.Error(chat.CodeNotYours, "", say.NotYours)), 409, say.Error(chat.CodeNotYours, "", say.NotYours)},
		{"unavailable", say.Error(chat.CodeAgentUnavailable, "spawn: "+secret, say.AgentFailed), 503, say.Error(chat.CodeAgentUnavailable, "spawn: [redacted]", say.AgentFailed)},
		{"a code of tomorrow", &chat.Error{Code: "new"}, 500, &chat.Error{Code: "new"}},
		{"any other", errors.New("disk of " + secret), 500, say.Error(chat.CodeInternal, "disk of [redacted]", say.Internal)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, Options{Agent: &agent{err: tt.err}})
			for _, r := range [][3]string{
				{"POST", "/api/chat/stream", goodBody},
				{"GET", "/api/chat/stream?chatId=c", ""},
				{"POST", "/api/chat/approval", `{"sessionId":"s","toolId":"t","decision":"approve"}`},
				{"POST", "/api/chat/stop", `{"sessionId":"s"}`},
				{"GET", "/api/chats", ""}, {"GET", "/api/chats/c", ""}, {"PATCH", "/api/chats/c", `{}`},
			} {
				res := ask(t, addr, r[0], r[1], r[2])
				if res.StatusCode != tt.status {
					t.Errorf("%s %s: status %d, want %d", r[0], r[1], res.StatusCode, tt.status)
				}
				if d := cmp.Diff(*tt.want, refusal(t, res)); d != "" {
					t.Errorf("%s %s (-want +got):\n%s", r[0], r[1], d)
				}
			}
		})
	}
}

func TestPanicIsRefused(t *testing.T) {
	log := &logBuffer{}
	addr := serve(t, Options{Agent: &agent{panics: true}, Log: log.logger(), Redact: redact.New("the fake")})
	res := ask(t, addr, "GET", "/api/chats", "")
	want := *say.Error(chat.CodeInternal, "the handler panicked; the log has more", say.Internal)
	if d := cmp.Diff(want, refusal(t, res)); d != "" || res.StatusCode != 500 {
		t.Errorf("status %d (-want +got):\n%s", res.StatusCode, d)
	}
	if s := log.String(); !strings.Contains(s, "the fake panics") || !strings.Contains(s, "fake_test.go") {
		t.Errorf("the log does not say where: %s", s)
	}
}

// TestSlowClients: a header or a body that does not arrive ends the connection.
func TestSlowClients(t *testing.T) {
	h := HTTPServer(http.NotFoundHandler(), (&logBuffer{}).logger())
	if h.ReadHeaderTimeout == 0 || h.ReadHeaderTimeout > 10*time.Second || h.WriteTimeout != 0 || h.ReadTimeout != 0 {
		t.Errorf("timeouts: header %v, read %v, write %v", h.ReadHeaderTimeout, h.ReadTimeout, h.WriteTimeout)
	}
	addr := serve(t, Options{Agent: &agent{}, BodyTimeout: 20 * time.Millisecond})
	for _, tt := range []struct {
		bearer string
		want   chat.Code
	}{{token, chat.CodeBadRequest}, {"wrong", chat.CodeUnauthorized}} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /api/chat/stop HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", addr, tt.bearer)
		answer := bufio.NewReader(conn)
		res, err := http.ReadResponse(answer, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e := refusal(t, res); e.Code != tt.want {
			t.Errorf("got %+v, want %s", e, tt.want)
		}
		res.Body.Close()
		if _, err := io.Copy(io.Discard, answer); err != nil {
			t.Errorf("the connection was not closed in order: %v", err)
		}
	}
}

func TestHosts(t *testing.T) {
	for _, tt := range []struct {
		addr string
		want []string
	}{
		{"127.0.0.1:8080", []string{"127.0.0.1:8080", "localhost:8080"}},
		{"[::1]:8080", []string{"[::1]:8080", "localhost:8080"}},
		{"192.168.1.5:9", []string{"192.168.1.5:9"}},
		{"Box.lan:9", []string{"box.lan:9"}},
		{"0.0.0.0:9", []string{"localhost:9", "127.0.0.1:9", "[::1]:9", "10.0.0.7:9"}},
		{"[::]:9", []string{"localhost:9", "127.0.0.1:9", "[::1]:9", "10.0.0.7:9"}},
		{":9", []string{"localhost:9", "127.0.0.1:9", "[::1]:9", "10.0.0.7:9"}},
		{"127.0.0.1:80", []string{"127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost"}},
	} {
		got, err := Hosts(tt.addr, []net.IP{net.IPv4(10, 0, 0, 7)})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", tt.addr, d)
		}
	}
	if _, err := Hosts("nowhere", nil); err == nil {
		t.Error("an address without a port was taken")
	}
}

func TestWithoutATokenNothingGetsIn(t *testing.T) {
	s := New(Options{Agent: &agent{}, Hosts: []string{"h:1"}})
	for _, auth := range []string{"", "Bearer ", "Bearer x"} {
		req, _ := http.NewRequest("GET", "http://h:1/api/chats", nil)
		req.Header.Set("Authorization", auth)
		if code := record(s, req).Code; code != http.StatusUnauthorized {
			t.Errorf("%q: status %d", auth, code)
		}
	}
}
