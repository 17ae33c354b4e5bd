package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/models"
	"strata.dev/bridge/proto/chat"
)

// listing is a service that knows one key and has two models.
func listing(t *testing.T, key string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no such key", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"a/big","name":"Big","context_length":200000,"supported_parameters":["reasoning"],"architecture":{"input_modalities":["text"]}},{"id":"b/small"}]}`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// fill writes into a field of the form.
func (b *browser) fill(t *testing.T, field, value string) {
	t.Helper()
	b.eval(t, fmt.Sprintf(`(() => {
		const field = document.querySelector('.connection [name=%s]');
		field.value = %q;
		field.dispatchEvent(new Event('input', { bubbles: true }));
		field.dispatchEvent(new Event('change', { bubbles: true }));
	})()`, field, value))
}

// TestModels sets a connection up on the page: its models are looked for and chosen, it is
// tried, the key never shows again, and the picker has what it can choose.
func TestModels(t *testing.T) {
	const key = "the-key-of-the-service"
	dir := t.TempDir()
	registry, err := models.Open(t.Context(), models.Options{Dir: dir, Keys: connections.NewKeyStore(nil, filepath.Join(dir, "keys.json"))})
	if err != nil {
		t.Fatal(err)
	}
	a := newAgent(func(r *run) { r.say("from the model") })
	a.models = registry
	registry.Follow(nil, func(all []connections.Connection) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.status.Routes = connections.Routes(all)
	})
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.click(t, "#sidebar .models")
	b.until(t, "document.querySelector('.models .none')?.innerText.startsWith('There is no model yet.')", true)
	b.until(t, "document.querySelector('.models > p').innerText.includes('keys.json, which only you can read. In Bypass the assistant can read it too.')", true)

	b.click(t, ".models .add")
	b.fill(t, "kind", "openrouter")
	b.fill(t, "name", "Router")
	b.fill(t, "baseUrl", listing(t, key))
	b.fill(t, "key", "another-key")
	b.click(t, ".connection .look")
	b.until(t, "document.querySelector('.connection .sentence p')?.innerText.startsWith('The model server did not accept the key.')", true)
	b.fill(t, "key", key)
	b.click(t, ".connection .look")
	b.until(t, "[...document.querySelectorAll('.connection .choose code')].map((e) => e.innerText).join()", "a/big,b/small")
	b.click(t, ".connection [value='a/big']")
	b.click(t, ".connection [value='b/small']")
	b.shoot(t, "models-form")
	b.click(t, ".connection .save")
	b.until(t, "document.querySelector('[data-connection=router]')?.innerText.includes('Nobody tells how many tokens b/small takes at once.')", true)
	b.until(t, "[...document.querySelectorAll('[data-connection=router] [data-model]')].map((e) => e.dataset.route).join()", "router/a/big,")
	b.until(t, "document.querySelector('[data-connection=router] small').innerText.endsWith(' · key in a file')", true)
	b.shoot(t, "models")

	// What nobody tells the person does, and the key stays.
	b.click(t, "[data-connection=router] [aria-label='Change: Router']")
	b.until(t, "document.querySelector('.connection [name=key]').value + document.querySelector('.connection [name=key]').placeholder", "the saved one stays")
	b.eval(t, `(() => {
		const field = document.querySelector('.connection [aria-label="Context window in tokens: b/small"]');
		field.value = '8192';
		field.dispatchEvent(new Event('input', { bubbles: true }));
	})()`)
	b.click(t, ".connection .save")
	b.until(t, "[...document.querySelectorAll('[data-connection=router] [data-model]')].map((e) => e.dataset.route).join()", "router/a/big,router/b/small")
	b.click(t, "[data-connection=router] [aria-label='Test: Router']")
	b.until(t, "document.querySelector('.models .told').innerText", "Router: The connection works. Models to choose from: 2.")
	if html := b.eval(t, "document.documentElement.outerHTML + [...document.querySelectorAll('input')].map((e) => e.value)").(string); strings.Contains(html, key) {
		t.Error("the page shows the key")
	}

	// The picker has both; what a model cannot do is not offered.
	b.click(t, ".models .close")
	b.until(t, "[...document.querySelector('#model').options].map((o) => o.value).join()", "router/a/big,router/b/small")
	b.until(t, "[...document.querySelector('#thinking').options].map((o) => o.value).join()", ",off,low,medium,high,max")
	b.eval(t, `(() => { const s = document.querySelector('#thinking'); s.value = 'max'; s.dispatchEvent(new Event('change')); })()`)
	b.eval(t, `(async () => {
		const data = new DataTransfer();
		data.items.add(new File(['x'], 'a.png', { type: 'image/png' }));
		document.querySelector('#message').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
	})()`)
	b.until(t, "document.querySelector('.composer .problem').innerText", "Big does not read pictures. Choose another model first.")
	b.click(t, "#message")
	b.write(t, "think\n")
	b.until(t, "document.querySelector('.entry.assistant .body')?.innerText.includes('from the model')", true)
	a.mu.Lock()
	got := [2]string{a.sent[0].Model, a.sent[0].Thinking}
	a.mu.Unlock()
	if diff := cmp.Diff([2]string{"router/a/big", "max"}, got); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}

	// It goes: a chat that was on it says so, and asks no other.
	b.click(t, "#sidebar .models")
	b.click(t, "[data-connection=router] [aria-label='Remove: Router']")
	b.until(t, "document.querySelectorAll('[data-connection]').length", 0)
	if all := registry.List(); len(all.Connections) != 0 || all.KeysIn != chat.KeyInFile {
		t.Errorf("left: %+v", all)
	}
	b.clean(t)
}

// TestModelsAskForFigures: what no server tells of a model of one's own the page asks for,
// one after the other, and until then it cannot be chosen; what is no figure is refused in
// plain words.
func TestModelsAskForFigures(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, `{"data":[{"id":"gyro"}]}`)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	registry, err := models.Open(t.Context(), models.Options{Dir: dir, Keys: connections.NewKeyStore(nil, filepath.Join(dir, "keys.json")), Every: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	registry.Start(t.Context())
	t.Cleanup(registry.Close)
	a := newAgent(func(r *run) { r.say("from the model") })
	a.models = registry
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.click(t, "#sidebar .models")
	b.click(t, ".models .add")
	b.fill(t, "kind", "local")
	b.fill(t, "name", "Desk")
	b.fill(t, "baseUrl", server.URL+"/?key=x")
	b.click(t, ".connection .save")
	b.until(t, "document.querySelector('.connection .sentence p')?.innerText", "The address cannot be used: it must end before ? and #. Correct it and save again.")
	b.fill(t, "baseUrl", server.URL)
	b.click(t, ".connection .save")
	const says = "document.querySelector('[data-connection=desk] .sentence p')?.innerText ?? ''"
	b.until(t, says, "Nobody tells how many tokens gyro takes at once. Enter its context window; then it can be chosen.")
	b.until(t, "document.querySelector('[data-connection=desk] [data-model]').dataset.route", "")

	b.click(t, "[data-connection=desk] [aria-label='Change: Desk']")
	b.click(t, ".connection [value='gyro']")
	b.eval(t, `(() => {
		const field = document.querySelector('.connection [aria-label="Context window in tokens: gyro"]');
		field.value = '8192';
		field.dispatchEvent(new Event('input', { bubbles: true }));
	})()`)
	b.click(t, ".connection .save")
	b.until(t, says, "Nobody tells how many requests this server works on at once. Enter how many; until then 4 helpers work at once at most.")
	b.until(t, "document.querySelector('[data-connection=desk] [data-model]').dataset.route", "desk/gyro")

	b.click(t, "[data-connection=desk] [aria-label='Change: Desk']")
	b.fill(t, "slots", "99999999")
	b.click(t, ".connection .save")
	b.until(t, "document.querySelector('.connection .sentence p')?.innerText", "The number of requests at once cannot be right. Enter one from 0 to 65536 and save again.")
	b.fill(t, "slots", "2")
	b.click(t, ".connection .save")
	b.until(t, says, "")
	if c, err := registry.Get("desk"); err != nil || !c.Ready || c.Slots != 2 || c.Models[0].ContextWindow != 8192 {
		t.Errorf("%+v, %v", c, err)
	}

	// The screen shows by itself that the server goes, and an engine of the app comes.
	server.Close()
	b.until(t, says, "No model server answers at "+strings.TrimPrefix(server.URL, "http://")+". Start it, or correct the address.")
	b.until(t, "document.querySelectorAll('[data-route]:not([data-route=\"\"])').length", 0)
	engine := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(engine.Close)
	if _, err := registry.PutLocal(t.Context(), "7f", chat.LocalSpec{BaseURL: engine.URL, Model: "gyro-l", Slots: 1}); err != nil {
		t.Fatal(err)
	}
	b.until(t, "document.querySelector('[data-connection=app-7f] .sentence p')?.innerText", "Nobody tells how many tokens gyro-l takes at once. Set its context window in the app that loaded it; then it can be chosen.")
	b.clean(t)
}
