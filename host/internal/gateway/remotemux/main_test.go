package remotemux_test

import (
	"net/http"
	"strings"
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

// events reads until n events have come.
func events(t *testing.T, s gateway.Stream, n int) []dsh.Event {
	t.Helper()
	var list []dsh.Event
	for len(list) < n {
		item, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d of %d events: %v", len(list), n, err)
		}
		if item.Event != nil {
			list = append(list, *item.Event)
		}
	}
	return list
}

func seqs(list []dsh.Event) []int64 {
	out := make([]int64, len(list))
	for i, e := range list {
		out[i] = e.Seq
	}
	return out
}

func upTo(from, to int64) []int64 {
	var out []int64
	for i := from; i <= to; i++ {
		out = append(out, i)
	}
	return out
}

// next reads notices until one that match picks.
func next[T any](t *testing.T, w gateway.Watcher, match func(gateway.Notice) *T) T {
	t.Helper()
	for {
		n, err := w.Next(t.Context())
		if err != nil {
			t.Fatalf("waiting for a notice: %v", err)
		}
		if v := match(n); v != nil {
			return *v
		}
	}
}

func approval(n gateway.Notice) *gateway.Approval     { return n.Approval }
func resolved(n gateway.Notice) *gateway.Resolved     { return n.Resolved }
func connection(n gateway.Notice) *gateway.Connection { return n.Connection }

// say appends n messages of a person.
func say(se *double.Session, n int) {
	for range n {
		se.AppendMessage(dsh.TypeUserMessage, dsh.Message{ID: "m", Role: "user", Content: []dsh.Block{{Type: "text", Text: "x"}}})
	}
}

// path matches requests of one method.
func path(r *http.Request, method string) bool { return strings.HasSuffix(r.URL.Path, "/api/"+method) }
