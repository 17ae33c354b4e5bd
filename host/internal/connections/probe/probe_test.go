package probe

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/connections"
	"strata.dev/bridge/proto/chat"
)

func truth(b bool) *bool { return &b }

// servers are what each kind of server answers at its paths (their own documentation,
// 2026), cut to what matters.
var servers = map[string]struct {
	answers map[string]string
	want    Found
}{
	"llama.cpp": {map[string]string{
		"/v1/models": `{"models":[{"name":"qwen"}],"object":"list","data":[{"id":"qwen","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":262144}}]}`,
		"/props":     `{"default_generation_settings":{"id":0,"n_ctx":65536},"total_slots":4,"model_path":"/m.gguf","modalities":{"vision":true,"audio":false},"chat_template":"…"}`,
	}, Found{Slots: 4, Models: []Model{{"qwen", 65_536, truth(true)}}}},
	"llama.cpp that keeps /props to itself": {map[string]string{
		"/v1/models": `{"data":[{"id":"qwen","owned_by":"llamacpp"}]}`,
	}, Found{Models: []Model{{ID: "qwen"}}}},
	"a router of llama.cpp": {map[string]string{
		"/v1/models": `{"data":[{"id":"a","owned_by":"llamacpp"},{"id":"b","owned_by":"llamacpp"}]}`,
		"/props":     `{"default_generation_settings":{"n_ctx":0},"total_slots":0}`,
	}, Found{Models: []Model{{ID: "a"}, {ID: "b"}}}},
	"vLLM": {map[string]string{
		"/v1/models": `{"object":"list","data":[{"id":"org/model","object":"model","owned_by":"vllm","max_model_len":32768}]}`,
	}, Found{Models: []Model{{ID: "org/model", ContextWindow: 32_768}}}},
	"LM Studio": {map[string]string{
		"/v1/models": `{"data":[{"id":"see","owned_by":"organization_owner"},{"id":"plain","owned_by":"organization_owner"},{"id":"embed","owned_by":"organization_owner"}]}`,
		"/api/v0/models": `{"data":[{"id":"see","type":"vlm","state":"loaded","max_context_length":131072,"loaded_context_length":16384},
			{"id":"plain","type":"llm","state":"not-loaded","max_context_length":32768},{"id":"embed","type":"embeddings"},{"id":"other","type":"llm"}]}`,
	}, Found{Models: []Model{{"see", 16_384, truth(true)}, {"plain", 0, truth(false)}}}},
	"Ollama": {map[string]string{
		"/v1/models": `{"data":[{"id":"gemma:4b","owned_by":"library"},{"id":"llama:8b","owned_by":"library"}]}`,
		"/api/ps":    `{"models":[{"name":"gemma:4b","model":"gemma:4b","context_length":4096}]}`,
	}, Found{Models: []Model{{ID: "gemma:4b", ContextWindow: 4096}, {ID: "llama:8b"}}}},
	"another one": {map[string]string{"/v1/models": `{"data":[{"id":"m"},{"id":"m"},{"id":""}]}`}, Found{Models: []Model{{ID: "m"}}}},
	"none loaded": {map[string]string{"/v1/models": `{"data":[]}`}, Found{}},
}

func at(t *testing.T, address string) connections.Connection {
	t.Helper()
	u, err := connections.ParseUpstream(address)
	if err != nil {
		t.Fatal(err)
	}
	return connections.Connection{ID: "x", Kind: chat.KindLocal, Upstream: u}
}

func TestAsk(t *testing.T) {
	for name, tt := range servers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				answer, ok := tt.answers[r.URL.Path]
				if !ok && r.URL.Path != "/props" { // which llama.cpp may have switched off
					t.Errorf("%s is asked for, which that server writes into its log", r.URL)
				}
				if !ok {
					w.WriteHeader(http.StatusNotFound)
				}
				fmt.Fprint(w, answer)
			}))
			t.Cleanup(server.Close)
			for _, base := range []string{"", "/v1"} {
				got, err := Ask(t.Context(), server.Client(), at(t, server.URL+base))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestNotReady(t *testing.T) {
	status, body := 0, ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	for _, tt := range []struct {
		status  int
		body    string
		loading bool
		want    string
	}{
		{503, `{"error":{"message":"Loading model"}}`, true, "loading"},
		{401, "", false, "HTTP 401"},
		{200, "<html>", false, "JSON"},
	} {
		status, body = tt.status, tt.body
		_, err := Ask(t.Context(), server.Client(), at(t, server.URL))
		if err == nil || errors.Is(err, ErrLoading) != tt.loading || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%d %s: %v", tt.status, tt.body, err)
		}
	}
	server.Close()
	if _, err := Ask(t.Context(), http.DefaultClient, at(t, server.URL)); err == nil {
		t.Error("nobody is there, and it is ready")
	}
}
