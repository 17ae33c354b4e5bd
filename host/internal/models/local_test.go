package models

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// engine is a local server whose answers can be changed.
type engine struct {
	*httptest.Server
	status atomic.Int64
	list   atomic.Value
}

func startEngine(t *testing.T, list string) *engine {
	t.Helper()
	e := &engine{}
	e.status.Store(http.StatusOK)
	e.list.Store(list)
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/props" {
			fmt.Fprint(w, `{"default_generation_settings":{"n_ctx":32768},"total_slots":6}`)
			return
		}
		w.WriteHeader(int(e.status.Load()))
		fmt.Fprint(w, e.list.Load())
	}))
	t.Cleanup(e.Close)
	return e
}

// The base URL that the person saved: routes come and go with the server, which tells its
// window and slots.
func TestSavedLocalServer(t *testing.T) {
	e := startEngine(t, `{"data":[{"id":"gyro","owned_by":"llamacpp"}]}`)
	e.status.Store(http.StatusServiceUnavailable)
	w := open(t, t.TempDir())
	c, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindLocal, Name: "Desk", BaseURL: e.URL})
	if err != nil || c.Ready || c.Key != say.LocalLoading {
		t.Fatalf("%+v, %v", c, err)
	}
	e.status.Store(http.StatusOK)
	w.until(t, "desk/gyro")
	got := w.Connections()[0]
	want := connections.Connection{ID: "desk", Name: "Desk", Kind: chat.KindLocal, Upstream: got.Upstream, Slots: 6, Models: []connections.Model{
		{ID: "gyro", ContextWindow: 32_768, Efforts: connections.EffortsOf(chat.KindLocal, false)}}}
	if diff := cmp.Diff(want, got, cmp.Comparer(sameKey)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if helpers := connections.MaxHelpers(w.Connections()); helpers != 6 {
		t.Errorf("%d helpers at once, want as many as slots", helpers)
	}
	e.status.Store(http.StatusServiceUnavailable)
	w.until(t)
	e.status.Store(http.StatusOK)
	w.until(t, "desk/gyro")
	e.Close()
	w.until(t)
	if c, err := w.Get("desk"); err != nil || c.Ready || c.Key != say.LocalDown || c.Details == "" {
		t.Errorf("gone: %+v, %v", c, err)
	}
}

// What nobody tells is asked for, and then the person's word holds.
func TestUnknownFigures(t *testing.T) {
	e := startEngine(t, `{"data":[{"id":"m"},{"id":"n"}]}`)
	w := open(t, t.TempDir())
	c, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindLocal, BaseURL: e.URL})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]chat.Ask{chat.AskWindow, chat.AskSlots}, c.Asks); diff != "" || c.Ready || c.Key != say.WindowAsked || len(w.Connections()) > 0 {
		t.Errorf("asked for: %s %+v", diff, c)
	}
	spec := chat.ConnectionSpec{Kind: chat.KindLocal, BaseURL: e.URL, Models: []chat.ModelSpec{{ID: "n", ContextWindow: 8192, Images: truth(false)}}}
	if c, err = w.Replace(t.Context(), c.ID, spec); err != nil || !c.Ready || c.Key != say.SlotsAsked || !cmp.Equal(c.Asks, []chat.Ask{chat.AskSlots}) {
		t.Errorf("the window is told: %+v, %v", c, err)
	}
	spec.Slots = 2
	if c, err = w.Replace(t.Context(), c.ID, spec); err != nil || c.Text != "" || c.Asks != nil || c.Slots != 2 {
		t.Errorf("all is told: %+v, %v", c, err)
	}
	w.until(t, "local-2/n") // "local" stands for something else in the addresses
	if m := w.Connections()[0].Models[0]; m.ContextWindow != 8192 || m.ReadsPictures() {
		t.Errorf("%+v", m)
	}
	// The desktop's are asked for where the person can tell them: there.
	engine := chat.LocalSpec{BaseURL: e.URL, Model: "m"}
	if c, err = w.PutLocal(t.Context(), "7f", engine); err != nil || c.Ready || c.Key != say.WindowAskedOfApp || !cmp.Equal(c.Asks, []chat.Ask{chat.AskWindow, chat.AskSlots}) {
		t.Errorf("of the app: %+v, %v", c, err)
	}
	engine.ContextWindow = 8192
	if c, err = w.PutLocal(t.Context(), "7f", engine); err != nil || !c.Ready || c.Key != say.SlotsAskedOfApp || !cmp.Equal(c.Asks, []chat.Ask{chat.AskSlots}) {
		t.Errorf("of the app, with its window: %+v, %v", c, err)
	}
}

// The engines of the desktop.
func TestEnginesOfTheApp(t *testing.T) {
	e := startEngine(t, `{"data":[{"id":"gyro"}]}`)
	w := open(t, t.TempDir())
	spec := chat.LocalSpec{BaseURL: e.URL + "/v1", Model: "gyro", Name: "Gyro S", ContextWindow: 65_536, Slots: 2}
	c, err := w.PutLocal(t.Context(), "7f", spec)
	if err != nil {
		t.Fatal(err)
	}
	want := chat.ModelConnection{
		ID: "app-7f", Kind: chat.KindLocal, Name: "This computer", BaseURL: e.URL + "/v1", Origin: chat.FromApp, Ready: true, Slots: 2, SaidSlots: 2,
		Models: []chat.ModelInfo{{ID: "gyro", Name: "Gyro S", Route: "app-7f/gyro", ContextWindow: 65_536, Images: true, Thinking: []string{"off", "low", "medium", "high"}}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	w.until(t, "app-7f/gyro")
	if !w.Connections()[0].FitMaxTokens {
		t.Error("the app's engine is not asked to fit the output's limit")
	}
	spec.Images, spec.External = truth(false), true
	if _, err := w.PutLocal(t.Context(), "7f", spec); err != nil {
		t.Fatal(err)
	}
	if c := w.Connections()[0]; c.FitMaxTokens || c.Models[0].ReadsPictures() {
		t.Errorf("another engine: %+v", c)
	}
	// One that has no list is there all the same: the desktop says so.
	e.status.Store(http.StatusNotFound)
	down := chat.LocalSpec{BaseURL: "http://127.0.0.1:9", Model: "down", ContextWindow: 9, Slots: 1}
	if c, err := w.PutLocal(t.Context(), "8a", down); err != nil || c.Ready || c.Key != say.LocalDown || c.Models[0].Route != "" {
		t.Errorf("nobody answers: %+v, %v", c, err)
	}
	loading := startEngine(t, `{}`)
	loading.status.Store(http.StatusServiceUnavailable)
	down.BaseURL = loading.URL
	if c, err := w.PutLocal(t.Context(), "8a", down); err != nil || c.Ready || c.Key != say.LocalLoading {
		t.Errorf("it is loading: %+v, %v", c, err)
	}
	loading.status.Store(http.StatusOK)
	loading.list.Store(`{"data":[{"id":"down"}]}`)
	w.until(t, "app-7f/gyro", "app-8a/down")
	loading.Close()
	w.until(t, "app-7f/gyro")
	for _, told := range w.heard() {
		if len(told) > 1 && told[1] != "app-8a/down" {
			t.Errorf("told of %v", told)
		}
	}
	e.Close()
	w.until(t)
	if err := w.DropLocal("7f"); err != nil {
		t.Error(err)
	}
	if n := len(w.List().Connections); n != 1 {
		t.Errorf("%d connections are left", n)
	}
}

// TestLook: an engine that somebody found dead is asked at once, not at the next look around.
func TestLook(t *testing.T) {
	e := startEngine(t, `{"data":[{"id":"gyro"}]}`)
	w := openEvery(t, t.TempDir(), time.Hour)
	if c, err := w.PutLocal(t.Context(), "7f", chat.LocalSpec{BaseURL: e.URL, Model: "gyro", ContextWindow: 9000, Slots: 1}); err != nil || !c.Ready {
		t.Fatalf("%+v, %v", c, err)
	}
	e.Close()
	for end := time.Now().Add(30 * time.Second); w.List().Connections[0].Ready; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not asked")
		}
		w.Look()
	}
	w.until(t)
}

// What a local server answers instead of its list is told in plain words, where it is
// saved, tried, tested and loaded by the desktop; only an engine without a list has a route.
func TestUnreadLocalServers(t *testing.T) {
	const list = `{"data":[{"id":"m"}]}`
	for _, tt := range []struct {
		name   string
		status int
		list   string
		saved  string // sentence; "" is ready
		engine string // the same
	}{
		{"ready", 200, list, say.SlotsAsked, say.SlotsAskedOfApp},
		{"a key is wanted", 401, "", say.ModelKeyRefused, say.ModelKeyRefused},
		{"another key is wanted", 403, "", say.ModelKeyRefused, say.ModelKeyRefused},
		{"no list", 404, "", say.LocalOdd, say.SlotsAskedOfApp},
		{"no such method", 405, "", say.LocalOdd, say.SlotsAskedOfApp},
		{"too many", 429, "", say.LocalOdd, say.LocalOdd},
		{"broken", 500, "", say.LocalOdd, say.LocalOdd},
		{"a gateway", 502, "", say.LocalOdd, say.LocalOdd},
		{"loading", 503, "", say.LocalLoading, say.LocalLoading},
		{"another program", 200, "<html>", say.LocalOdd, say.LocalOdd},
		{"another model", 200, `{"data":[{"id":"n"}]}`, say.LocalEmpty, say.EngineLacks},
		{"none told", 200, `{"data":[]}`, say.LocalEmpty, say.SlotsAskedOfApp},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := startEngine(t, tt.list)
			e.status.Store(int64(tt.status))
			w := open(t, t.TempDir())
			spec := chat.ConnectionSpec{Kind: chat.KindLocal, Name: "Desk", BaseURL: e.URL, Models: []chat.ModelSpec{{ID: "m", ContextWindow: 9000}}}
			c, err := w.Add(t.Context(), spec)
			if ready := tt.saved == say.SlotsAsked; err != nil || c.Key != tt.saved || c.Ready != ready {
				t.Errorf("saved: %+v, %v, want %q", c, err, tt.saved)
			}
			tried, err := w.Try(t.Context(), spec)
			if err != nil || tried.OK != (tt.status == 200 && tt.list != "<html>") || !tried.OK && tried.Key != tt.saved {
				t.Errorf("tried: %+v, %v, want %q", tried, err, tt.saved)
			}
			tested, err := w.Test(t.Context(), "desk")
			if diff := cmp.Diff(tried, tested); err != nil || diff != "" {
				t.Errorf("%v (-tried +tested):\n%s", err, diff)
			}
			c, err = w.PutLocal(t.Context(), "7f", chat.LocalSpec{BaseURL: e.URL, Model: "m", ContextWindow: 9000})
			if ready := tt.engine == say.SlotsAskedOfApp; err != nil || c.Key != tt.engine || c.Ready != ready || (c.Models[0].Route != "") != ready {
				t.Errorf("of the app: %+v, %v, want %q", c, err, tt.engine)
			}
		})
	}
}

func TestDefault(t *testing.T) {
	e := startEngine(t, `{"data":[{"id":"a"},{"id":"b"}]}`)
	fixed := connections.Connection{ID: "strata", Kind: chat.KindOpenAI, Upstream: mustParse(t, "http://127.0.0.1:9"), Models: []connections.Model{{ID: "m", ContextWindow: 9000}}}
	w := open(t, t.TempDir(), fixed)
	for _, id := range []string{"a", "b"} {
		if _, err := w.PutLocal(t.Context(), id, chat.LocalSpec{BaseURL: e.URL, Model: id, ContextWindow: 9000, Slots: 1}); err != nil {
			t.Fatal(err)
		}
	}
	if d := w.List().Default; d != "strata/m" {
		t.Errorf("default %q", d)
	}
	if err := w.SetDefault("app-b/b"); err != nil {
		t.Fatal(err)
	}
	w.until(t, "app-b/b", "strata/m", "app-a/a")
	if err := w.DropLocal("b"); err != nil { // the choice stays, for when it is back
		t.Fatal(err)
	}
	w.until(t, "strata/m", "app-a/a")
	if _, err := w.PutLocal(t.Context(), "b", chat.LocalSpec{BaseURL: e.URL, Model: "b", ContextWindow: 9000, Slots: 1}); err != nil {
		t.Fatal(err)
	}
	w.until(t, "app-b/b", "strata/m", "app-a/a")
}
