package models

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// ofFlags is the connection of a command line.
func ofFlags(t *testing.T, f connections.Flags) connections.Connection {
	t.Helper()
	all, _, err := connections.FromFlags(f)
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

// A window that nobody knows is asked for, not guessed: a server of this machine may tell
// it, and where nobody does the command line's model cannot be chosen.
func TestFlagsWithoutWindow(t *testing.T) {
	w := open(t, t.TempDir(), ofFlags(t, connections.Flags{BaseURL: "https://api.example.com/v1", Model: "vendor/m", Name: "M"}))
	got, err := w.Get("strata")
	if err != nil {
		t.Fatal(err)
	}
	want := chat.ModelConnection{
		ID: "strata", Kind: chat.KindOpenAI, Name: "api.example.com", BaseURL: "https://api.example.com/v1", Origin: chat.FromFlags,
		Sentence: say.Sentence(say.WindowAskedOfFlags, "model", "M"), Asks: []chat.Ask{chat.AskWindow},
		Models: []chat.ModelInfo{{ID: "vendor/m", Name: "M", Images: true, Asks: []chat.Ask{chat.AskWindow}}},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(w.Connections()) > 0 {
		t.Errorf("a service, routes %v (-want +got):\n%s", w.Connections(), diff)
	}

	e := startEngine(t, `{"data":[{"id":"m"}]}`)
	w = open(t, t.TempDir(), ofFlags(t, connections.Flags{BaseURL: e.URL + "/v1", Model: "m"}))
	want = chat.ModelConnection{
		ID: "strata", Kind: chat.KindLocal, Name: strings.TrimPrefix(e.URL, "http://"), BaseURL: e.URL + "/v1", Origin: chat.FromFlags,
		Sentence: say.Sentence(say.WindowAskedOfFlags, "model", "m"), Asks: []chat.Ask{chat.AskWindow, chat.AskSlots},
		Models: []chat.ModelInfo{{ID: "m", Name: "m", Images: true, Asks: []chat.Ask{chat.AskWindow}, Thinking: []string{"off", "low", "medium", "high"}}},
	}
	w.untilShown(t, want)
	if all := w.Connections(); len(all) > 0 {
		t.Errorf("routes without a window: %v", all)
	}

	// llama.cpp tells it, and its slots.
	e.list.Store(`{"data":[{"id":"m","owned_by":"llamacpp"}]}`)
	w.until(t, "strata/m")
	if c := w.Connections()[0]; c.Slots != 6 || c.Models[0].ContextWindow != 32_768 {
		t.Errorf("%+v", c)
	}
	e.Close()
	w.until(t)
	if c, err := w.Get("strata"); err != nil || c.Ready || c.Key != say.LocalDown || c.Models[0].Route != "" {
		t.Errorf("gone: %+v, %v", c, err)
	}
}

// untilShown waits until a page shows a connection so.
func (w *world) untilShown(t *testing.T, want chat.ModelConnection) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		got, err := w.Get(want.ID)
		diff := cmp.Diff(want, got)
		if err == nil && diff == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// What the command line says is taken as it is, whether the server is there or not: it is
// not asked, and only its slots are asked for.
func TestFlagsWithWindow(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it is asked for %s", r.URL) }))
	t.Cleanup(server.Close)
	flags := connections.Flags{BaseURL: server.URL, Model: "m", ContextWindow: 9000, NoPictures: true}
	for slots, want := range map[int]chat.ModelConnection{
		0: {Asks: []chat.Ask{chat.AskSlots}, Sentence: say.Sentence(say.SlotsAskedOfFlags, "count", "4")},
		2: {},
	} {
		flags.Slots = slots
		w := open(t, t.TempDir(), ofFlags(t, flags))
		w.lookAround(t.Context())
		got, err := w.Get("strata")
		want.ID, want.Kind, want.Origin, want.Ready, want.Slots = "strata", chat.KindLocal, chat.FromFlags, true, slots
		want.Name, want.BaseURL = strings.TrimPrefix(server.URL, "http://"), server.URL
		want.Models = []chat.ModelInfo{{ID: "m", Name: "m", Route: "strata/m", ContextWindow: 9000, Thinking: []string{"off", "low", "medium", "high"}}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}
