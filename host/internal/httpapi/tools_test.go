package httpapi

import (
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/host/internal/tools"
)

func TestTools(t *testing.T) {
	dir := t.TempDir()
	chosen, err := tools.Open(t.Context(), filepath.Join(dir, "settings.json"), connections.NewKeyStore(nil, filepath.Join(dir, "keys.json")))
	if err != nil {
		t.Fatal(err)
	}
	addr := serve(t, Options{Agent: &agent{}, Tools: chosen})
	var got []string
	for _, r := range []struct{ method, path, body string }{
		{"GET", "", ""},
		{"PUT", "", `{"webSearch":{"service":"exa","key":"exa-secret-1"},"webWithoutAsking":true}`},
		{"PUT", "", `{"webSearch":{"service":"yahoo"}}`},
		{"PUT", "", `{"webSearch":{"key":"no key"}}`},
		{"GET", "", ""},
		{"POST", "/custom", `{"kind":"server","name":"web","url":"https://mcp.example.com","values":{"X-Key":"secret-1"}}`},
		{"POST", "/custom", `{"kind":"server","name":"Web","url":"https://mcp.example.com"}`},
		{"PATCH", "/custom/web", `{"on":false}`},
		{"PATCH", "/custom/none", `{"on":false}`},
		{"DELETE", "/custom/web", ""},
		{"DELETE", "/custom/web", ""},
	} {
		res := ask(t, addr, r.method, "/api/agent/tools"+r.path, r.body)
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, res.Status[:3]+" "+strings.TrimSpace(string(text)))
	}
	services := func(exa string) string {
		return `"services":[{"id":"duckduckgo","name":"DuckDuckGo","needsKey":false,"keySet":false},{"id":"exa","name":"Exa","needsKey":true,"keySet":` + exa +
			`},{"id":"perplexity","name":"Perplexity","needsKey":true,"keySet":false},{"id":"deepseek","name":"DeepSeek","needsKey":true,"keySet":false}]`
	}
	with := func(custom string) string {
		return `200 {"webSearch":{"service":"exa","keySet":true,` + services("true") + `},"webWithoutAsking":true,"custom":[` + custom + `]}`
	}
	web := func(on string) string {
		return `{"id":"web","kind":"server","on":` + on + `,"url":"https://mcp.example.com","values":["X-Key"]}`
	}
	refused := func(code, text string) string {
		return `{"error":{"code":"` + code + `","text":"` + text + `","key":"` + text + `"}}`
	}
	then, gone := with(""), "404 "+refused("unknown-tool", say.ServerUnknown)
	want := []string{
		`200 {"webSearch":{"service":"duckduckgo","keySet":false,` + services("false") + `},"webWithoutAsking":false,"custom":[]}`, then,
		`400 {"error":{"code":"bad-request","text":"There is no search service yahoo. Choose one of deepseek, duckduckgo, exa, perplexity.","key":"There is no search service {service}. Choose one of {services}.","args":{"service":"yahoo","services":"deepseek, duckduckgo, exa, perplexity"}}}`,
		`400 {"error":{"code":"bad-request","text":"This is no key: it is too long, or holds characters that no key has. Copy it again from the service's page.","key":"This is no key: it is too long, or holds characters that no key has. Copy it again from the service's page."}}`,
		then,
		with(web("true")), "400 " + refused("bad-request", say.ServerNameWrong), with(web("false")), gone, then, gone,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
