package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/store"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "sk-live-0123456789abcdefghijklmnop"

func text(s string) *string { return &s }

func truth(b bool) *bool { return &b }

// world is a Registry and what its follower is told.
type world struct {
	*Registry
	dir  string
	mu   sync.Mutex
	told [][]string // routes
}

func open(t *testing.T, dir string, fixed ...connections.Connection) *world {
	t.Helper()
	return openEvery(t, dir, 10*time.Millisecond, fixed...)
}

// openEvery opens one that asks local servers that often.
func openEvery(t *testing.T, dir string, every time.Duration, fixed ...connections.Connection) *world {
	t.Helper()
	w := &world{dir: dir}
	transport := connections.Transport()
	r, err := Open(t.Context(), Options{
		Dir: dir, Keys: connections.NewKeyStore(nil, filepath.Join(dir, "keys.json")), Fixed: fixed, Transport: transport, Every: every,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Registry = r
	r.Start(t.Context())
	t.Cleanup(transport.CloseIdleConnections)
	t.Cleanup(r.Close)
	r.Follow(r.Connections(), func(all []connections.Connection) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, routes(all))
	})
	return w
}

func routes(all []connections.Connection) []string {
	var out []string
	for _, r := range connections.Routes(all) {
		out = append(out, r.ID)
	}
	return out
}

func (w *world) heard() [][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.told
}

// until waits for the routes that the follower was told last.
func (w *world) until(t *testing.T, want ...string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		heard := w.heard()
		if len(heard) > 0 && cmp.Equal(heard[len(heard)-1], want) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("routes %q, want %q", heard, want)
		}
	}
}

// provider is a server with a list, that wants the key.
func provider(t *testing.T, list string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			http.Error(w, "you sent "+r.Header.Get("Authorization"), http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, list)
	}))
	t.Cleanup(s.Close)
	return s
}

const openRouterList = `{"data":[{"id":"a/thinks","name":"Thinks","context_length":200000,"architecture":{"input_modalities":["text","image"]},
	"pricing":{"prompt":"0.000001","completion":"0.000002"},"supported_parameters":["reasoning"]},
	{"id":"b/plain","context_length":8192,"architecture":{"input_modalities":["text"]},"pricing":{"prompt":"0","completion":"0"},"supported_parameters":[]}]}`

func code(err error) chat.Code {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// The life of a provider's connection: added, changed, found again, removed.
func TestSavedConnection(t *testing.T) {
	server := provider(t, openRouterList)
	dir := t.TempDir()
	w := open(t, dir)
	spec := chat.ConnectionSpec{Kind: chat.KindOpenRouter, Name: "Open Router!", BaseURL: server.URL, Key: text(" " + secret + "\n"), Models: []chat.ModelSpec{
		{ID: "a/thinks"}, {ID: "b/plain", Name: "Plain", ContextWindow: 4096, Images: truth(true)}, {ID: "c/unknown"}}}
	got, err := w.Add(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	want := chat.ModelConnection{
		ID: "open-router", Kind: chat.KindOpenRouter, Name: "Open Router!", BaseURL: server.URL, Origin: chat.FromPerson, KeyIn: chat.KeyInFile, Ready: true,
		Sentence: say.Sentence(say.WindowAsked, "model", "c/unknown"), Asks: []chat.Ask{chat.AskWindow}, Said: spec.Models,
		Models: []chat.ModelInfo{
			{ID: "a/thinks", Name: "Thinks", Route: "open-router/a/thinks", ContextWindow: 200_000, Images: true, Thinking: []string{"off", "low", "medium", "high", "max"}, Price: &chat.Price{Input: 1, Output: 2}},
			// The server says that it reads none; the person's own window comes first.
			{ID: "b/plain", Name: "Plain", Route: "open-router/b/plain", ContextWindow: 4096, Price: &chat.Price{}},
			{ID: "c/unknown", Name: "c/unknown", Images: true, Asks: []chat.Ask{chat.AskWindow}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("added (-want +got):\n%s", diff)
	}
	w.until(t, "open-router/a/thinks", "open-router/b/plain")

	spec.Key, spec.Models = nil, []chat.ModelSpec{{ID: "a/thinks", Images: truth(false)}}
	if got, err = w.Replace(t.Context(), "open-router", spec); err != nil || got.Models[0].Images || got.KeyIn != chat.KeyInFile {
		t.Errorf("changed: %+v, %v", got, err)
	}
	w.until(t, "open-router/a/thinks")
	again := open(t, dir)
	if diff := cmp.Diff(w.Connections(), again.Connections(), cmp.Comparer(sameKey)); diff != "" {
		t.Errorf("opened again (-before +after):\n%s", diff)
	}
	test, err := again.Test(t.Context(), "open-router")
	if err != nil || !test.OK || len(test.Models) != 2 {
		t.Errorf("test: %+v, %v", test, err)
	}

	if err := w.Remove(t.Context(), "open-router"); err != nil {
		t.Fatal(err)
	}
	w.until(t)
	if err := w.Remove(t.Context(), "open-router"); code(err) != chat.CodeUnknownConnection {
		t.Errorf("removed twice: %v", err)
	}
	noSecret(t, dir)
	if diff := cmp.Diff([][]string{{"open-router/a/thinks", "open-router/b/plain"}, {"open-router/a/thinks"}, nil}, w.heard()); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// sameKey compares what two connections send.
func sameKey(a, b connections.Key) bool {
	var one, two http.Header = http.Header{}, http.Header{}
	connections.Connection{Kind: chat.KindOpenAI, Key: a}.Authorize(one)
	connections.Connection{Kind: chat.KindOpenAI, Key: b}.Authorize(two)
	return cmp.Equal(one, two)
}

// noSecret looks through all files.
func noSecret(t *testing.T, dir string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	w := open(t, t.TempDir(), connections.Connection{ID: "strata", Kind: chat.KindOpenAI, Upstream: mustParse(t, "http://127.0.0.1:9"), Models: []connections.Model{{ID: "m"}}})
	if _, err := w.PutLocal(t.Context(), "e1", chat.LocalSpec{BaseURL: "http://127.0.0.1:9", Model: "m"}); err != nil {
		t.Fatal(err)
	}
	add := func(s chat.ConnectionSpec) error { _, err := w.Add(t.Context(), s); return err }
	replace := func(id string) error {
		_, err := w.Replace(t.Context(), id, chat.ConnectionSpec{Kind: chat.KindOpenAI})
		return err
	}
	local := func(id string, s chat.LocalSpec) error { _, err := w.PutLocal(t.Context(), id, s); return err }
	for name, tt := range map[string]struct {
		err  error
		want chat.Code
	}{
		"no kind":              {add(chat.ConnectionSpec{}), chat.CodeBadRequest},
		"no address":           {add(chat.ConnectionSpec{Kind: chat.KindLocal}), chat.CodeBadRequest},
		"a password in it":     {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: "https://u:" + secret + "@x/v1"}), chat.CodeBadRequest},
		"a key with a space":   {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Key: text(secret + " " + secret)}), chat.CodeBadRequest},
		"a model twice":        {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Models: []chat.ModelSpec{{ID: "m"}, {ID: "m"}}}), chat.CodeBadRequest},
		"a model without id":   {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Models: []chat.ModelSpec{{ID: " "}}}), chat.CodeBadRequest},
		"a negative window":    {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Models: []chat.ModelSpec{{ID: "m", ContextWindow: -1}}}), chat.CodeBadRequest},
		"negative slots":       {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Slots: -1}), chat.CodeBadRequest},
		"a line in the name":   {add(chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "a\nb"}), chat.CodeBadRequest},
		"the command line's":   {replace("strata"), chat.CodeBadRequest},
		"the app's":            {replace("app-e1"), chat.CodeBadRequest},
		"nobody's":             {replace("x"), chat.CodeUnknownConnection},
		"an engine's odd id":   {local("../x", chat.LocalSpec{BaseURL: "http://127.0.0.1:9", Model: "m"}), chat.CodeBadRequest},
		"an engine at no URL":  {local("a", chat.LocalSpec{Model: "m"}), chat.CodeBadRequest},
		"an engine unnamed":    {local("a", chat.LocalSpec{BaseURL: "http://127.0.0.1:9"}), chat.CodeBadRequest},
		"no such engine":       {w.DropLocal("a"), chat.CodeUnknownConnection},
		"a default nobody has": {w.SetDefault("x/y"), chat.CodeModelUnavailable},
	} {
		if code(tt.err) != tt.want {
			t.Errorf("%s: %v, want %s", name, tt.err, tt.want)
		}
		if tt.err != nil && strings.Contains(fmt.Sprintf("%+v", tt.err), secret) {
			t.Errorf("%s: the refusal quotes the key: %+v", name, tt.err)
		}
	}
}

// A saved key goes to the server that it was entered for, and to no other, whoever asks
// for it: who can reach the routes could have it sent to a server of their own.
func TestKeyStaysWithItsServer(t *testing.T) {
	for address, want := range map[string]string{
		"https://one.example/v1":           "",
		"https://one.example/another/v2":   "",
		"https://ONE.example/v1":           "",
		"http://one.example/v1":            say.KeyOfAnother,
		"https://one.example:8443/v1":      say.KeyOfAnother,
		"https://two.example/v1":           say.KeyOfAnother,
		"https://one.example.evil.test/v1": say.KeyOfAnother,
		"https://one.example@evil.test/v1": say.AddressWrong,
		"https://openrouter.ai/api/v1":     say.KeyOfAnother,
		"":                                 say.KeyOfAnother, // the kind's own
	} {
		w := open(t, t.TempDir())
		spec := chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "One", BaseURL: "https://one.example/v1", Key: text(secret)}
		if _, err := w.Add(t.Context(), spec); err != nil {
			t.Fatal(err)
		}
		spec.BaseURL, spec.Key = address, nil
		_, err := w.Replace(t.Context(), "one", spec)
		var refused *chat.Error
		if errors.As(err, &refused); err == nil && want != "" || err != nil && refused.Key != want {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
		if want != say.KeyOfAnother {
			continue
		}
		for _, key := range []string{"", "another-key-0123456789"} { // without one, and with its own
			spec.Key = &key
			if c, err := w.Replace(t.Context(), "one", spec); err != nil || (c.KeyIn == "") != (key == "") {
				t.Errorf("%s, with the key %q: %+v, %v", address, key, c, err)
			}
		}
	}
}

func TestNotReady(t *testing.T) {
	w := open(t, t.TempDir())
	for _, tt := range []struct {
		spec chat.ConnectionSpec
		want string
	}{
		{chat.ConnectionSpec{Kind: chat.KindAnthropic, BaseURL: "http://127.0.0.1:9", Models: []chat.ModelSpec{{ID: "m", ContextWindow: 1}}}, say.ConnectionNoKey},
		{chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: "http://127.0.0.1:9"}, say.ConnectionNoModel},
		{chat.ConnectionSpec{Kind: chat.KindLocal, BaseURL: "http://127.0.0.1:9"}, say.LocalDown},
	} {
		c, err := w.Add(t.Context(), tt.spec)
		if err != nil || c.Ready || c.Sentence.Key != tt.want || len(w.Connections()) != 0 {
			t.Errorf("%s: %+v, %v", tt.want, c, err)
		}
	}
	if c, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: "http://192.0.2.1", Key: text(secret), Models: []chat.ModelSpec{{ID: "m", ContextWindow: 9}}}); err != nil || !c.Ready || c.Sentence.Key != say.KeyInClear {
		t.Errorf("a key in the clear: %+v, %v", c, err)
	}
}

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := connections.ParseUpstream(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// The key is lost: the rest of the connections works, and a test looks for it again.
func TestLostKey(t *testing.T) {
	server := provider(t, `{"data":[{"id":"m"}]}`)
	dir := t.TempDir()
	w := open(t, dir)
	if _, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: server.URL, Key: text(secret), Models: []chat.ModelSpec{{ID: "m", ContextWindow: 9000}}}); err != nil {
		t.Fatal(err)
	}
	keys := filepath.Join(dir, "keys.json")
	data, err := os.ReadFile(keys)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(keys); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if c, err := again.Get("openai"); err != nil || c.Ready || c.Sentence.Key != say.ConnectionKeyLost {
		t.Errorf("lost: %+v, %v", c, err)
	}
	if test, err := again.Test(t.Context(), "openai"); err != nil || test.OK || test.Key != say.ConnectionKeyLost {
		t.Errorf("test: %+v, %v", test, err)
	}
	if err := os.WriteFile(keys, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if test, err := again.Test(t.Context(), "openai"); err != nil || !test.OK {
		t.Errorf("test: %+v, %v", test, err)
	}
	again.until(t, "openai/m")
}

func TestOffers(t *testing.T) {
	server := provider(t, openRouterList)
	w := open(t, t.TempDir())
	if _, err := w.Add(t.Context(), chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: server.URL, Key: text(secret)}); err != nil {
		t.Fatal(err)
	}
	first, err := w.Offers(t.Context(), "openai", false)
	if err != nil || len(first.Models) != 2 || first.Text != "" || first.ReadAt == 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	server.Close()
	if cached, err := w.Offers(t.Context(), "openai", false); err != nil || !cmp.Equal(first, cached) {
		t.Errorf("from the cache: %+v, %v", cached, err)
	}
	old, err := w.Offers(t.Context(), "openai", true)
	if err != nil || old.Key != say.ModelsUnread || !cmp.Equal(first.Models, old.Models) || old.ReadAt != first.ReadAt || old.Details == "" {
		t.Errorf("unreadable: %+v, %v", old, err)
	}
	wrong := provider(t, openRouterList)
	for key, want := range map[string]string{"sk-other-0123456789abcdefghijklmnop": say.ModelKeyRefused, secret: say.ConnectionWorks} {
		test, err := w.Try(t.Context(), chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: wrong.URL, Key: &key})
		if err != nil || test.Key != want || strings.Contains(test.Details, key) {
			t.Errorf("%s: %+v, %v", want, test, err)
		}
	}
	data, err := json.Marshal(w.List())
	if err != nil || strings.Contains(string(data), secret) {
		t.Errorf("%s, %v", data, err)
	}
}

// A list is read again when it is ten minutes old, and when the key is another one.
func TestOffersAge(t *testing.T) {
	var asked []string // keys that the list was asked with
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	w := open(t, dir)
	spec := chat.ConnectionSpec{Kind: chat.KindOpenAI, BaseURL: server.URL, Key: text(secret)}
	if _, err := w.Add(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	read := func() {
		t.Helper()
		if _, err := w.Offers(t.Context(), "openai", false); err != nil {
			t.Fatal(err)
		}
	}
	age := func(by time.Duration) {
		t.Helper()
		path := filepath.Join(dir, "model-lists", "openai.json")
		var o offers
		err := store.ReadJSON(path, &o)
		if o.ReadAt -= by.Milliseconds(); err == nil {
			err = store.WriteJSON(path, o)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	read()
	age(5 * time.Minute)
	read() // it is kept yet
	age(5 * time.Minute)
	read()
	const other = "sk-other-0123456789abcdefghijklmnop"
	spec.Key = text(other)
	if _, err := w.Replace(t.Context(), "openai", spec); err != nil {
		t.Fatal(err)
	}
	read()
	spec.Key, spec.Name = nil, "Named"
	if _, err := w.Replace(t.Context(), "openai", spec); err != nil {
		t.Fatal(err)
	}
	read() // with the same key
	if diff := cmp.Diff([]string{secret, secret, other}, asked); diff != "" {
		t.Errorf("asked with (-want +got):\n%s", diff)
	}
}
