package httpapi

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/models"
	"strata.dev/bridge/host/internal/redact"
	"strata.dev/bridge/proto/chat"
)

func TestModelRoutes(t *testing.T) {
	dir := t.TempDir()
	redactor := redact.New()
	registry, err := models.Open(t.Context(), models.Options{
		Dir: dir, Keys: connections.NewKeyStore(nil, filepath.Join(dir, "keys.json")), Secret: func(k connections.Key) { k.Register(redactor) },
	})
	if err != nil {
		t.Fatal(err)
	}
	addr := serve(t, Options{Agent: &agent{}, Models: registry, Redact: redactor})
	var made chat.ModelConnection
	status := body(t, ask(t, addr, "POST", "/api/models", `{"kind":"openai","name":"Mine","baseUrl":"http://127.0.0.1:9/v1","key":"the-key-of-the-service","models":[{"id":"m","contextWindow":9000}],"later":1}`), &made)
	want := chat.ModelConnection{
		ID: "mine", Kind: chat.KindOpenAI, Name: "Mine", BaseURL: "http://127.0.0.1:9/v1", Origin: chat.FromPerson, KeyIn: chat.KeyInFile, Ready: true,
		Said:   []chat.ModelSpec{{ID: "m", ContextWindow: 9000}},
		Models: []chat.ModelInfo{{ID: "m", Name: "m", Route: "mine/m", ContextWindow: 9000, Images: true}},
	}
	if diff := cmp.Diff(want, made); diff != "" || status != 200 {
		t.Errorf("%d (-want +got):\n%s", status, diff)
	}
	var all chat.ModelsAnswer
	if body(t, ask(t, addr, "GET", "/api/models", ""), &all); all.Default != "mine/m" || all.KeysIn != chat.KeyInFile || len(all.Connections) != 1 {
		t.Errorf("%+v", all)
	}
	if body(t, ask(t, addr, "PUT", "/api/models/mine", `{"kind":"openai","name":"the-key-of-the-service","baseUrl":"http://127.0.0.1:9/v1"}`), &made); made.Name != "[redacted]" || made.Ready {
		t.Errorf("changed: %+v", made)
	}
	var tested chat.ModelTest
	if body(t, ask(t, addr, "POST", "/api/models/mine/test", ""), &tested); tested.OK || tested.Text == "" {
		t.Errorf("tested: %+v", tested)
	}
	var lists int
	var offers chat.ModelOffers
	if body(t, ask(t, addr, "GET", "/api/models/mine/offers", ""), &offers); offers.Text == "" || offers.Models == nil {
		t.Errorf("offers: %+v", offers)
	}
	list := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lists++
		_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
	}))
	t.Cleanup(list.Close)
	body(t, ask(t, addr, "POST", "/api/models", `{"kind":"openai","name":"Lists","baseUrl":"`+list.URL+`"}`), &made)
	for _, query := range []string{"", "", "?again=0", "?again=1", "?again=true"} {
		if body(t, ask(t, addr, "GET", "/api/models/lists/offers"+query, ""), &offers); len(offers.Models) != 1 {
			t.Errorf("offers%s: %+v", query, offers)
		}
	}
	if lists != 3 {
		t.Errorf("the list was read %d times, want once and where that is asked", lists)
	}
	for body, want := range map[string]int{`{}`: 400, `{"route":""}`: 200} {
		if res := ask(t, addr, "PUT", "/api/models/default", body); res.StatusCode != want {
			t.Errorf("default %s: %s", body, res.Status)
		}
	}
	engine := httptest.NewServer(http.NotFoundHandler()) // which answers, whatever it says
	t.Cleanup(engine.Close)
	var local chat.ModelConnection
	if body(t, ask(t, addr, "PUT", "/api/models/local/7f", `{"baseUrl":"`+engine.URL+`","model":"m","contextWindow":9000,"slots":1}`), &local); local.ID != "app-7f" || !local.Ready {
		t.Errorf("an engine: %+v", local)
	}
	for _, path := range []string{"/api/models/local/7f", "/api/models/mine", "/api/models/lists"} {
		if res := ask(t, addr, "DELETE", path, ""); res.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	for _, tt := range []struct {
		method, path, body string
		status             int
		code               chat.Code
	}{
		{"POST", "/api/models", `{"kind":"none"}`, 400, chat.CodeBadRequest},
		{"POST", "/api/models", `{"kind":1}`, 400, chat.CodeBadRequest},
		{"POST", "/api/models/test", `{}`, 400, chat.CodeBadRequest},
		{"PUT", "/api/models/local/x", `{}`, 400, chat.CodeBadRequest},
		{"PUT", "/api/models/default", `{}`, 400, chat.CodeBadRequest},
		{"PUT", "/api/models/default", `{"route":null}`, 400, chat.CodeBadRequest},
		{"PUT", "/api/models/default", `{"route":"no/such"}`, 409, chat.CodeModelUnavailable},
		{"GET", "/api/models/mine", "", 404, chat.CodeUnknownConnection},
		{"PUT", "/api/models/mine", `{"kind":"openai"}`, 404, chat.CodeUnknownConnection},
		{"DELETE", "/api/models/mine", "", 404, chat.CodeUnknownConnection},
		{"DELETE", "/api/models/local/7f", "", 404, chat.CodeUnknownConnection},
		{"POST", "/api/models/mine/test", "", 404, chat.CodeUnknownConnection},
		{"GET", "/api/models/mine/offers?again=often", "", 400, chat.CodeBadRequest},
		{"GET", "/api/models/mine/offers", "", 404, chat.CodeUnknownConnection},
	} {
		res := ask(t, addr, tt.method, tt.path, tt.body)
		status := res.StatusCode
		if e := refusal(t, res); status != tt.status || e.Code != tt.code || !strings.HasSuffix(e.Text, ".") {
			t.Errorf("%s %s %s: %d %+v", tt.method, tt.path, tt.body, status, e)
		}
	}
	without := serve(t, Options{Agent: &agent{}})
	if e := refusal(t, ask(t, without, "GET", "/api/models", "")); e.Code != chat.CodeNotFound {
		t.Errorf("without connections: %+v", e)
	}
}
