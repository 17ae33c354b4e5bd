package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// console answers one call.
type console struct {
	gateway.Gateway
	value json.RawMessage
	err   error
	asked []string
}

func (c *console) Console(context.Context) (gateway.Console, error) { return c, nil }
func (c *console) Skipped() []dsh.Skip                              { return nil }

func (c *console) Call(_ context.Context, method string, payload json.RawMessage) (json.RawMessage, error) {
	c.asked = append(c.asked, method+" "+string(payload))
	return c.value, c.err
}

func TestWireCall(t *testing.T) {
	const secret = "the-secret-of-a-launch"
	for _, tt := range []struct {
		name, body string
		console    console
		from       string
		status     int
		want       string
	}{
		{"a value", `{"method":"session/list","payload":{"a":1}}`, console{value: json.RawMessage(`{"x":"` + secret + `"}`)}, "", 200, `{"value":{"x":"[redacted]"}}`},
		{"no value", `{"method":"$events/result"}`, console{}, "", 200, `{}`},
		{"a refusal", `{"method":"x"}`, console{err: &gateway.Error{Method: "x", Code: "agent-busy", Message: "no " + secret}}, "", 200, `{"error":{"code":"agent-busy","message":"no [redacted]"}}`},
		{"no connection", `{"method":"x"}`, console{err: gateway.ErrLost}, "", 503, say.AgentLost},
		{"no method", `{"payload":{}}`, console{}, "", 400, "method"},
		{"a path", `{"method":"../livez"}`, console{}, "", 400, "method"},
		{"IPv6", `{"method":"x"}`, console{}, "[::1]:80", 200, `{}`},
		{"another computer", `{"method":"x"}`, console{}, "192.0.2.7:80", 403, "console works on the computer"},
		{"nobody", `{"method":"x"}`, console{}, "@", 403, "console works on the computer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(Options{Agent: &agent{}, Wire: &tt.console, Token: token, Hosts: []string{"h"}, Redact: redact.New(secret)})
			r := httptest.NewRequest("POST", "http://h/api/wire/call", strings.NewReader(tt.body))
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = "127.0.0.1:9"
			if tt.from != "" {
				r.RemoteAddr = tt.from
			}
			w := record(s, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%d %s, want %d with %s", w.Code, w.Body, tt.status, tt.want)
			}
			if tt.status != 200 && tt.status != 503 && len(tt.console.asked) > 0 {
				t.Errorf("it was called: %v", tt.console.asked)
			}
		})
	}
}

// Every route of the console wants the token, this computer, and a console.
func TestWireGuard(t *testing.T) {
	for _, path := range []string{"status", "call", "follow?sessionId=s", "events"} {
		method := "GET"
		if path == "call" {
			method = "POST"
		}
		ask := func(o Options, from, token string) chat.Code {
			r := httptest.NewRequest(method, "http://h/api/wire/"+path, strings.NewReader(`{"method":"x"}`))
			r.Header.Set("Authorization", "Bearer "+token)
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = from
			o.Agent, o.Token, o.Hosts = &agent{}, "the right token of the person", []string{"h"}
			return refusal(t, record(New(o), r).Result()).Code
		}
		got := []chat.Code{
			ask(Options{Wire: &console{}}, "127.0.0.1:9", "wrong"),
			ask(Options{Wire: &console{}}, "192.0.2.7:9", "the right token of the person"),
			ask(Options{}, "127.0.0.1:9", "the right token of the person"),
		}
		if d := cmp.Diff([]chat.Code{chat.CodeUnauthorized, chat.CodeForbidden, chat.CodeNotFound}, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

// Whatever is taken out, a line stays JSON.
func TestCleanJSON(t *testing.T) {
	s := New(Options{Agent: &agent{}, Redact: redact.New(`over","the-end":"x`)})
	for _, tt := range []struct{ in, want string }{
		{`{"a":"b"}`, `{"a":"b"}`},
		{`{"a":"over","the-end":"x"}`, `{"a":"[redacted]"}`},
		{`{"url":"http://127.0.0.1:1/?token=abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"}`, ``},
		{`{"a":"Bearer abcdefghijklmnopqrstuvwxyz012345\"}`, ``},
	} {
		got := string(s.cleanJSON(json.RawMessage(tt.in)))
		if !json.Valid([]byte(got)) || tt.want != "" && got != tt.want || strings.Contains(got, "abcdefgh") {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
	}
	if got := string(s.cleanJSON(func() {})); !strings.HasPrefix(got, `{"unreadable":`) {
		t.Errorf("what is no JSON became %s", got)
	}
}

var errBroken = errors.New("broken")

// A Harness that does not start is said as anywhere.
func TestWireWithoutHarness(t *testing.T) {
	s := New(Options{Agent: &agent{}, Wire: failing{say.Error(chat.CodeAgentUnavailable, errBroken.Error(), say.AgentMissing)}, Token: token, Hosts: []string{"h"}})
	for _, path := range []string{"follow?sessionId=s", "events"} {
		r := httptest.NewRequest("GET", "http://h/api/wire/"+path, nil)
		r.Header.Set("Authorization", "Bearer "+token)
		r.RemoteAddr = "127.0.0.1:9"
		w := record(s, r)
		if e := refusal(t, w.Result()); w.Code != 503 || e.Key != say.AgentMissing {
			t.Errorf("%s: %d %+v", path, w.Code, e)
		}
	}
}

type failing struct{ err error }

func (f failing) Console(context.Context) (gateway.Console, error) { return nil, f.err }
func (failing) Skipped() []dsh.Skip                                { return nil }
