package catalog

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

const secret = "sk-live-0123456789abcdefghijklmnop"

func at(t *testing.T, kind chat.ModelKind, address string) connections.Connection {
	t.Helper()
	u, err := connections.ParseUpstream(address)
	if err != nil {
		t.Fatal(err)
	}
	k, err := connections.NewKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	return connections.Connection{ID: "x", Kind: kind, Upstream: u, Key: k}
}

func truth(b bool) *bool { return &b }

// lists are what the providers document, cut to a few models.
var lists = map[chat.ModelKind]struct {
	path, header, answer string
	want                 []chat.ModelOffer
}{
	chat.KindOpenAI: {"/v1/models", "Authorization", `{"object":"list","data":[{"id":"gpt-b","object":"model","owned_by":"openai"},{"id":"gpt-a"},{"id":"gpt-a"},{"id":""},"odd",{"id":7}]}`,
		[]chat.ModelOffer{{ID: "gpt-a"}, {ID: "gpt-b"}}},
	chat.KindDeepSeek: {"/v1/models", "Authorization", `{"object":"list","data":[{"id":"deepseek-chat","object":"model","owned_by":"deepseek"}]}`,
		[]chat.ModelOffer{{ID: "deepseek-chat"}}},
	chat.KindAnthropic: {"/v1/models?limit=1000", "X-Api-Key", `{"data":[{"type":"model","id":"claude-x","display_name":"Claude X","created_at":"2026-01-01T00:00:00Z",
		"max_input_tokens":200000,"max_tokens":64000,"capabilities":{"image_input":{"supported":true}}},{"type":"model","id":"claude-old","display_name":"Claude Old"}],"has_more":false}`,
		[]chat.ModelOffer{{ID: "claude-old", Name: "Claude Old"}, {ID: "claude-x", Name: "Claude X", ContextWindow: 200_000, MaxOutput: 64_000, Images: truth(true)}}},
	chat.KindOpenRouter: {"/v1/models", "Authorization", `{"data":[
		{"id":"a/thinks","name":"A: Thinks","context_length":1000000,"architecture":{"input_modalities":["text","image"],"output_modalities":["text"]},
		 "pricing":{"prompt":"0.000003","completion":"0.000015","input_cache_read":"0.0000003"},"top_provider":{"context_length":200000,"max_completion_tokens":64000},
		 "supported_parameters":["tools","reasoning","include_reasoning"]},
		{"id":"b/plain","context_length":8192,"architecture":{"input_modalities":["text"],"output_modalities":["text"]},"pricing":{"prompt":"0","completion":"0"},"supported_parameters":["tools"]},
		{"id":"openrouter/auto","context_length":2000000,"pricing":{"prompt":"-1","completion":"-1"}},
		{"id":"c/draws","architecture":{"output_modalities":["image"]}}]}`,
		[]chat.ModelOffer{
			{ID: "a/thinks", Name: "A: Thinks", ContextWindow: 200_000, MaxOutput: 64_000, Images: truth(true), Reasoning: true, Price: &chat.Price{Input: 3, Output: 15, CacheRead: 0.3}},
			{ID: "b/plain", ContextWindow: 8192, Images: truth(false), Price: &chat.Price{}},
			{ID: "openrouter/auto", ContextWindow: 2_000_000},
		}},
}

func TestFetch(t *testing.T) {
	for kind, tt := range lists {
		t.Run(string(kind), func(t *testing.T) {
			var asked []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, r.URL.String())
				if !strings.Contains(r.Header.Get(tt.header), secret) {
					t.Errorf("%s: no key in %v", r.URL, r.Header)
				}
				_, _ = w.Write([]byte(tt.answer))
			}))
			t.Cleanup(server.Close)
			got, err := Fetch(t.Context(), server.Client(), at(t, kind, server.URL+"/v1"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := []string{tt.path}
			if kind == chat.KindOpenRouter { // whose list says nothing of the key
				want = []string{"/v1/key", tt.path}
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// What goes wrong is told without the key, whatever the server quotes.
func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name    string
		status  int
		body    string
		refused bool
	}{
		{"the key is wrong", 401, "no such key: " + secret, true},
		{"no right to the list", 403, `{"error":"` + secret + `"}`, true},
		{"no list", 404, "not found", false},
		{"elsewhere", 302, secret, false},
		{"no JSON", 200, "<html>" + secret, false},
		{"no list in it", 200, `{"error":"` + secret + `"}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://192.0.2.1/")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			}))
			t.Cleanup(server.Close)
			client := server.Client()
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			_, err := Fetch(t.Context(), client, at(t, chat.KindOpenAI, server.URL))
			if err == nil || connections.KeyRefused(err) != tt.refused || strings.Contains(err.Error(), secret) {
				t.Errorf("%v, refused %t", err, connections.KeyRefused(err))
			}
		})
	}
	_, err := Fetch(t.Context(), &http.Client{Transport: quoting{}}, at(t, chat.KindOpenAI, "http://127.0.0.1:1"))
	if err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("no connection: %v", err)
	}
}

// Where a refusal is cut in the middle of the key, its begin does not stay.
func TestKeyAtTheCut(t *testing.T) {
	for _, before := range []int{maxRefusal - len(secret) - 1, maxRefusal - len(secret), maxRefusal - len(secret)/2, maxRefusal - 1} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(strings.Repeat(".", before) + secret + " is wrong"))
		}))
		_, err := Fetch(t.Context(), server.Client(), at(t, chat.KindOpenAI, server.URL))
		if err == nil || strings.Contains(err.Error(), secret[:5]) || len(err.Error()) < before {
			t.Errorf("behind %d: %d bytes, …%.80s", before, len(err.Error()), err.Error()[max(0, before-20):])
		}
		server.Close()
	}
}

// quoting fails with what it was asked.
type quoting struct{}

func (quoting) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, errors.New(fmt.Sprint(r.Header))
}

func FuzzParse(f *testing.F) {
	for _, tt := range lists {
		f.Add([]byte(tt.answer))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for kind := range lists {
			offers, err := parse(kind, data)
			if err != nil {
				continue
			}
			for i, o := range offers {
				if o.ID == "" || o.ContextWindow < 0 || o.MaxOutput < 0 || i > 0 && offers[i-1].ID >= o.ID {
					t.Errorf("%s: %+v", kind, offers)
				}
			}
		}
	})
}
