package eventsmux_test

import (
	"crypto/sha1"
	"encoding/base64"
	"net/http"
	"testing"

	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/dsh"
)

func TestMain(m *testing.M) {
	gatewaytest.ServeChild(map[string]func() http.Handler{"crowd": crowded})
	goleak.VerifyTestMain(m)
}

const secret = "5ecre7-launch-token"

// bench is a double with a Gateway on it.
type bench struct {
	*replay.Server
	net *gatewaytest.Network
	gw  *eventsmux.Gateway
}

// start starts the double, with what setup gave it, and makes the options of a
// Gateway; all ends with the test.
func start(t *testing.T, setup ...func(*bench)) (*bench, eventsmux.Options) {
	t.Helper()
	b := &bench{Server: replay.New(secret), net: gatewaytest.NewNetwork()}
	for _, do := range setup {
		do(b)
	}
	stop := b.net.Serve(b.Server)
	t.Cleanup(func() {
		b.Cut(nil)
		stop()
	})
	return b, eventsmux.Options{BaseURL: "http://127.0.0.1:1", Secret: secret, DialContext: b.net.Dial}
}

// connect starts the double and dials it.
func connect(t *testing.T, setup ...func(*bench)) *bench {
	t.Helper()
	b, o := start(t, setup...)
	dial(t, b, o)
	return b
}

func dial(t *testing.T, b *bench, o eventsmux.Options) {
	t.Helper()
	gw, err := eventsmux.Dial(t.Context(), o)
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

// delta appends a piece of text.
func delta(se *replay.Session, text string) dsh.Event {
	return se.Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: 1, Step: 1, Chunk: dsh.Chunk{Type: "text-delta", Text: text}})
}

// acceptKey is the answer to a WebSocket key (RFC 6455 §4.2.2).
func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}
