package detect_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/detect"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/host/internal/harness"
	"strata.dev/bridge/host/internal/harness/harnesstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestReadyLine(t *testing.T) {
	for _, tt := range []struct{ line, base, token string }{ // base "-": no ready line; "error"
		{"dsh web: http://127.0.0.1:34411", "http://127.0.0.1:34411", ""},
		{"dsh web: http://[::1]:65535", "http://[::1]:65535", ""},
		{"dsh web: http://127.0.0.1:41234/?token=a-B_9", "http://127.0.0.1:41234", "a-B_9"},
		{"dsh web: http://[::1]:1/?token=x", "http://[::1]:1", "x"},
		{"dsh web: http://127.0.0.1:41234/?token=abc (http://192.0.2.1:41234/?token=abc)", "http://127.0.0.1:41234", "abc"},
		{"dsh web: opened the browser", "error", ""},
		{"opened http://127.0.0.1:1/?token=x", "-", ""},
		{"", "-", ""},
		{"dsh web", "-", ""},
		{"dsh web: http://127.0.0.1:34411/", "error", ""},
		{"dsh web: http://127.0.0.1:34411 (http://192.0.2.1:34411)", "error", ""},
		{"dsh web: http://127.0.0.1:34411/?token=", "error", ""},
		{"dsh web: http://127.0.0.1:34411/?token=s3cret&x=1", "error", ""},
		{"dsh web: http://127.0.0.1:34411/x?token=s3cret", "error", ""},
		{"dsh web: http://127.0.0.1:34411/?token=s3cret#x", "error", ""},
		{"dsh web: http://127.0.0.1:34411/?token=s3cret and more", "error", ""},
		{"dsh web: http://u@127.0.0.1:34411/?token=s3cret", "error", ""},
		{"dsh web: https://127.0.0.1:34411/?token=s3cret", "error", ""},
		{"dsh web: http://0.0.0.0:34411/?token=s3cret", "error", ""},
		{"dsh web: http://192.0.2.1:34411/?token=s3cret", "error", ""},
		{"dsh web: http://example.invalid:34411/?token=s3cret", "error", ""},
		{"dsh web: http://127.0.0.1:0/?token=s3cret", "error", ""},
		{"dsh web: http://127.0.0.1:007/?token=s3cret", "error", ""},
		{"dsh web: http://127.0.0.1/?token=s3cret", "error", ""},
	} {
		r, found, err := detect.ReadyLine(tt.line)
		switch {
		case err != nil:
			if strings.Contains(err.Error(), "s3cret") {
				t.Errorf("the error shows the token: %v", err)
			}
			r.BaseURL = "error"
		case !found:
			r.BaseURL = "-"
		}
		if diff := cmp.Diff(detect.Ready{BaseURL: tt.base, Token: tt.token}, r); diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", tt.line, err, diff)
		}
	}
}

func FuzzReadyLine(f *testing.F) {
	f.Add("dsh web: http://127.0.0.1:34411")
	f.Add("dsh web: http://[::1]:1/?token=abc (x)")
	f.Fuzz(func(t *testing.T, line string) {
		r, found, err := detect.ReadyLine(line)
		if err != nil || !found {
			return
		}
		want := "dsh web: " + r.BaseURL
		if r.Token != "" {
			want += "/?token=" + r.Token
		}
		if line != want && !strings.HasPrefix(line, want+" (") {
			t.Errorf("%q became %+v", line, r)
		}
	})
}

func TestDecide(t *testing.T) {
	for _, tt := range []struct {
		e          detect.Evidence
		wire, code string // neither: ErrLost
	}{
		{detect.Evidence{Describe: 200, List: 404}, detect.EventsMux, ""},
		{detect.Evidence{Describe: 404, List: 200}, detect.RemoteMux, ""},
		{detect.Evidence{Describe: 200, List: 200}, detect.RemoteMux, ""},
		{detect.Evidence{Describe: 200}, detect.EventsMux, ""},
		{detect.Evidence{Describe: 401, List: 401}, "", gateway.CodeUnauthorized},
		{detect.Evidence{Describe: 404, List: 403}, "", gateway.CodeUnauthorized},
		{detect.Evidence{Describe: 404, List: 404}, "", gateway.CodeUnknownMethod},
		{detect.Evidence{Describe: 404, List: 503}, "", ""},
		{detect.Evidence{}, "", ""},
	} {
		wire, err := detect.Decide(tt.e)
		switch {
		case wire != tt.wire:
		case tt.wire != "" && err == nil:
			continue
		case tt.code != "" && gateway.IsCode(err, tt.code):
			continue
		case tt.wire == "" && tt.code == "" && errors.Is(err, gateway.ErrLost):
			continue
		}
		t.Errorf("%+v is %q, %v; want %q %q", tt.e, wire, err, tt.wire, tt.code)
	}
}

// The doubles of both wires, strangers, and nobody.
func TestWire(t *testing.T) {
	older := replay.New("s3cret")
	modern := double.New("t0ken")
	status := func(code int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "x", code) })
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("<html>")) })
	for _, tt := range []struct {
		name          string
		handler       http.Handler
		secret, token string
		wire, code    string
	}{
		{"0.1.0", older, "s3cret", "", detect.EventsMux, ""},
		{"0.1.0, another secret", older, "x", "", "", gateway.CodeUnauthorized},
		{"newer", modern, "", "t0ken", detect.RemoteMux, ""},
		{"newer, another token", modern, "", "x", "", gateway.CodeUnauthorized},
		{"newer, no token", modern, "", "", "", gateway.CodeUnauthorized},
		{"of tomorrow", status(404), "", "", "", gateway.CodeUnknownMethod},
		{"a page", page, "", "t", "", gateway.CodeUnknownMethod},
		{"starting", status(503), "", "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			web := httptest.NewServer(tt.handler)
			defer web.Close()
			wire, err := detect.Wire(t.Context(), detect.Options{Ready: detect.Ready{BaseURL: web.URL, Token: tt.token}, Secret: tt.secret})
			switch {
			case wire != tt.wire:
			case tt.wire != "" && err == nil:
				return
			case tt.code != "" && gateway.IsCode(err, tt.code):
				return
			case tt.wire == "" && tt.code == "" && errors.Is(err, gateway.ErrLost):
				return
			}
			t.Errorf("got %q, %v; want %q %q", wire, err, tt.wire, tt.code)
		})
	}
	web := httptest.NewServer(older)
	web.Close()
	if _, err := detect.Wire(t.Context(), detect.Options{Ready: detect.Ready{BaseURL: web.URL}}); !errors.Is(err, gateway.ErrLost) {
		t.Errorf("nobody there gives %v", err)
	}
	if _, err := detect.Wire(t.Context(), detect.Options{Ready: detect.Ready{BaseURL: "ftp://x"}}); err == nil {
		t.Error("ftp://x was taken for an address")
	}
}

// The Harness that is installed.
func TestReal(t *testing.T) {
	dir := harnesstest.Dir(t)
	home := filepath.Join(dir, "home")
	fence := filepath.Join(harnesstest.Root(t), "shim", "fence.mjs")
	harnesstest.Plain(t, home, "http://127.0.0.1:1/v1", "- insert: [{id: strata-fence, name: \""+fence+"\"}]\n")
	p, err := harness.Start(t.Context(), harness.Config{
		Component: harnesstest.Component(t), Node: harnesstest.Node(t), Home: home, Profile: "strata", RouteKey: "k",
		Timeout: 3 * time.Minute, // it needs 1.2 s, but not beside all other tests
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	e, err := detect.Probe(t.Context(), detect.Options{Ready: detect.Ready{BaseURL: p.URL()}, Secret: p.Secret()})
	if diff := cmp.Diff(detect.Evidence{Describe: 200, List: 404}, e); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
