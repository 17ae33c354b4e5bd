package remotemux_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/proto/dsh"
)

func TestMain(m *testing.M) {
	gatewaytest.ServeChild(map[string]func() http.Handler{"crowd": crowded})
	goleak.VerifyTestMain(m)
}

const token = "l4unch-t0ken"

// bench is a double with a Gateway on it.
type bench struct {
	*double.Server
	net *gatewaytest.Network
	gw  *remotemux.Gateway
}

// start starts the double, with what setup gave it, and makes the options of a
// Gateway; all ends with the test.
func start(t *testing.T, setup ...func(*bench)) (*bench, remotemux.Options) {
	t.Helper()
	b := &bench{Server: double.New(token), net: gatewaytest.NewNetwork()}
	for _, do := range setup {
		do(b)
	}
	stop := b.net.Serve(b.Server)
	t.Cleanup(func() {
		b.Cut(nil)
		stop()
	})
	return b, remotemux.Options{
		Launch: remotemux.Launch{BaseURL: "http://127.0.0.1:1", Token: token}, DialContext: b.net.Dial,
	}
}

// connect starts the double and dials it.
func connect(t *testing.T, setup ...func(*bench)) *bench {
	t.Helper()
	b, o := start(t, setup...)
	dial(t, b, o)
	return b
}

func old(b *bench) { b.Old = true }

func dial(t *testing.T, b *bench, o remotemux.Options) {
	t.Helper()
	gw, err := remotemux.Dial(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.gw = gw
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
}

func follow(t *testing.T, b *bench, id string, after int64) gateway.Stream {
	t.Helper()
	s, err := b.gw.Follow(t.Context(), id, after)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func watch(t *testing.T, b *bench) gateway.Watcher {
	t.Helper()
	w := b.gw.Watch()
	t.Cleanup(w.Close)
	return w
}

// say appends n messages of a person.
func say(se *double.Session, n int) {
	for range n {
		se.AppendMessage(dsh.TypeUserMessage, dsh.Message{ID: "m", Role: "user", Content: []dsh.Block{{Type: "text", Text: "x"}}})
	}
}
