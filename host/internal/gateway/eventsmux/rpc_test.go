package eventsmux

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/proto/dsh"
)

// Answers that are none: each has its typed error.
func TestCarrierErrors(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		code   string // of a *gateway.Error; "" is ErrLost
	}{
		{"no secret", 401, "unauthorized", gateway.CodeUnauthorized},
		{"foreign host", 403, "forbidden", gateway.CodeUnauthorized},
		{"unknown method", 404, "not found", gateway.CodeUnknownMethod},
		{"no JSON sent", 400, "body is not JSON", gateway.CodeBadRequest},
		{"media type", 415, "content type must be application/json", gateway.CodeBadRequest},
		{"too large", 413, "", gateway.CodeTooLarge},
		{"handler failure", 500, "handler failure: secret text", gateway.CodeInternal},
		{"a proxy's", 502, "bad gateway", ""},
		{"a redirect", 302, "", ""},
		{"no JSON", 200, "<html>", gateway.CodeProtocol},
		{"no result", 200, `{"type":"server-response","rpcId":"r"}`, gateway.CodeProtocol},
		{"another's answer", 200, `{"rpcId":"other","result":{"ok":true}}`, gateway.CodeProtocol},
		{"a value of another shape", 200, `{"rpcId":"r","result":{"ok":true,"value":[1]}}`, gateway.CodeProtocol},
		{"a refusal", 200, `{"rpcId":"r","result":{"ok":false,"error":{"code":"agent-busy","message":"m"}}}`, gateway.CodeAgentBusy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "http://elsewhere.invalid/")
				w.WriteHeader(tt.status)
				fmt.Fprint(w, tt.body)
			}))
			defer web.Close()
			var v struct{ A string }
			err := unconnected(t, web.URL).callAs(t.Context(), "some.method", "r", struct{}{}, &v)
			var e *gateway.Error
			switch {
			case tt.code == "" && !errors.Is(err, gateway.ErrLost):
				t.Errorf("got %v, want ErrLost", err)
			case tt.code != "" && (!errors.As(err, &e) || e.Code != tt.code || e.Method != "some.method"):
				t.Errorf("got %v, want %s", err, tt.code)
			}
			if err != nil && strings.Contains(err.Error(), "secret text") {
				t.Errorf("the error repeats what the Harness wrote: %v", err)
			}
		})
	}
}

// A value with a strange field is used without it.
func TestValueTolerated(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `{"rpcId":"host-1-host.describe","result":{"ok":true,"value":{"version":7,"cwd":"/repo","new":{}}}}`)
	}))
	defer web.Close()
	g := unconnected(t, web.URL)
	info, err := g.Describe(t.Context())
	if err != nil || info != (gateway.Info{CWD: "/repo"}) {
		t.Errorf("got %+v, %v", info, err)
	}
	want := dsh.Skip{Kind: dsh.SkipWrong, Name: "host.describe.version", N: 1}
	if got := g.Skipped(); len(got) != 1 || got[0] != want {
		t.Errorf("skipped %+v, want %+v", got, want)
	}
}

func TestAnswerErrors(t *testing.T) {
	for body, code := range map[string]string{
		`{"accepted":false,"reason":"not-pending"}`:  gateway.CodeNotPending,
		`{"accepted":false,"reason":"bad-response"}`: gateway.CodeBadResponse,
		`{"accepted":false}`:                         gateway.CodeBadResponse,
		`{}`:                                         gateway.CodeProtocol,
		`nonsense`:                                   gateway.CodeProtocol,
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, body) }))
		err := unconnected(t, web.URL).Answer(t.Context(), gateway.Answer{ID: "a"})
		web.Close()
		if !gateway.IsCode(err, code) {
			t.Errorf("%s gives %v, want %s", body, err, code)
		}
	}
}

// An answer that ends in the middle, and nobody there.
func TestLost(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"rpcId":`)
	}))
	g := unconnected(t, web.URL)
	if _, err := g.Describe(t.Context()); !errors.Is(err, gateway.ErrLost) {
		t.Errorf("half an answer gives %v, want ErrLost", err)
	}
	web.Close()
	if _, err := g.Describe(t.Context()); !errors.Is(err, gateway.ErrLost) || strings.Contains(err.Error(), "http://") {
		t.Errorf("nobody there gives %v, want ErrLost without the address", err)
	}
}
