package main

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/host/internal/httpapi"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// secret is one that the host knows and no console may print.
const secret = "0ne-0f-the-h0sts-secrets"

// wired is a host as far as the console needs one.
type wired struct {
	httpapi.Agent
	wire string
}

func (w wired) Status(context.Context) chat.AgentStatus {
	return chat.AgentStatus{State: "ready", Wire: w.wire, Detail: "started with " + secret}
}

// standin serves the console's routes on a data folder, over a double of that wire that
// has one session with a message, a secret and a question in it.
func standin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: standin wire data")
	}
	data := ts.MkAbs(args[1])
	var g gateway.Console
	var err error
	log := func(event func(string, any)) {
		event(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
		event(dsh.TypeUserMessage, dsh.Message{ID: "m", Role: "user", Content: []dsh.Block{{Type: "text", Text: "my key is " + secret}}})
		event(dsh.TypeUserMessage, dsh.Message{ID: "n", Role: "user", Content: []dsh.Block{{Type: "text", Text: "Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345"}}})
	}
	switch args[0] {
	case "events.mux":
		srv := replay.New("")
		web := httptest.NewServer(srv)
		ts.Defer(func() { srv.Cut(nil); web.Close() })
		se := srv.Create("s", "/repo")
		log(func(kind string, v any) { se.Append(kind, v) })
		se.Ask("a", "c", "bash", "why")
		g, err = eventsmux.Dial(context.Background(), eventsmux.Options{BaseURL: web.URL})
	default:
		srv := double.New("t0ken-of-the-launch")
		web := httptest.NewServer(srv)
		ts.Defer(func() { srv.Cut(nil); web.Close() })
		se := srv.Create("s", "/repo")
		log(func(kind string, v any) { se.Append(kind, v) })
		se.Ask("a", "c", "bash", "why")
		g, err = remotemux.Dial(context.Background(), remotemux.Options{Launch: remotemux.Launch{BaseURL: web.URL, Token: "t0ken-of-the-launch"}})
	}
	ts.Check(err)
	ts.Defer(func() { _ = g.Close() })

	host := httptest.NewUnstartedServer(nil)
	hosts, err := httpapi.Hosts(host.Listener.Addr().String(), nil)
	ts.Check(err)
	token := strings.Repeat("t0", 20)
	host.Config.Handler = httpapi.New(httpapi.Options{
		Agent: wired{wire: g.Wire()}, Wire: standing{g}, Token: token, Hosts: hosts, Redact: redact.New(secret),
	})
	host.Start()
	ts.Defer(host.Close)
	ts.Check(os.MkdirAll(data, 0o700))
	ts.Check(os.WriteFile(filepath.Join(data, "token"), []byte(token+"\n"), 0o600))
	lock, err := store.Acquire(hostLock(data))
	ts.Check(err)
	ts.Check(lock.SetNote([]byte(host.URL + "/\n")))
	ts.Defer(func() { _ = lock.Release() })
}

// standing is a connection that stands.
type standing struct{ g gateway.Console }

func (s standing) Console(context.Context) (gateway.Console, error) { return s.g, nil }
func (s standing) Skipped() []dsh.Skip                              { return s.g.Skipped() }
