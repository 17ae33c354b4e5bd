package connections

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/proto/chat"
)

func upstream(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := ParseUpstream(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestKindOf(t *testing.T) {
	for address, want := range map[string]chat.ModelKind{
		"https://api.openai.com/v1": chat.KindOpenAI, "https://api.anthropic.com": chat.KindAnthropic, "https://api.deepseek.com": chat.KindDeepSeek,
		"https://openrouter.ai/api/v1": chat.KindOpenRouter, "http://127.0.0.1:8080": chat.KindLocal, "http://localhost": chat.KindLocal, "http://[::1]:1": chat.KindLocal,
		"https://openrouter.ai.example.com": chat.KindOpenAI, "http://192.168.1.5:8080/v1": chat.KindOpenAI,
	} {
		if got := kindOf(upstream(t, address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// How each kind's server is asked, by the host and by the Harness through the proxy.
func TestHowEachKindIsAsked(t *testing.T) {
	type way struct {
		Base   string
		Header http.Header
		Provider
	}
	const proxy = "http://127.0.0.1:1/x/v1"
	got := map[chat.ModelKind]way{}
	for _, kind := range []chat.ModelKind{chat.KindOpenAI, chat.KindAnthropic, chat.KindDeepSeek, chat.KindOpenRouter, chat.KindLocal} {
		address := KindURL(kind)
		if address == "" {
			address = "http://127.0.0.1:8080"
		}
		c := Connection{ID: "x", Kind: kind, Upstream: upstream(t, address), Key: newKey("k"), Models: []Model{
			{ID: "anthropic/m", ContextWindow: 9000, MaxOutput: 100, Efforts: EffortsOf(kind, true), Price: &chat.Price{Input: 1}, NoPictures: true}}}
		w := way{Base: c.Base(), Header: http.Header{}, Provider: Provider(c.Provider(proxy))}
		c.Authorize(w.Header)
		got[kind] = w
	}
	bearer, model := http.Header{"Authorization": {"Bearer k"}}, profile.Model{ID: "anthropic/m", ContextWindow: 9000, MaxOutput: 100, Price: &profile.Price{Input: 1}}
	with := func(efforts []profile.Effort, marks bool) []profile.Model {
		m := model
		m.Efforts, m.CacheMarks = efforts, marks
		return []profile.Model{m}
	}
	want := map[chat.ModelKind]way{
		chat.KindOpenAI: {"https://api.openai.com/v1", bearer, Provider{ID: "x", BaseURL: proxy, KeyEnv: routeKey, MaxHelpers: 8, Models: with(nil, false)}},
		chat.KindAnthropic: {"https://api.anthropic.com/v1", http.Header{"X-Api-Key": {"k"}},
			Provider{ID: "x", BaseURL: "http://127.0.0.1:1/x", KeyEnv: routeKey, MaxHelpers: 8, API: profile.Messages, Models: with(nil, false)}},
		chat.KindDeepSeek: {"https://api.deepseek.com/v1", bearer,
			Provider{ID: "x", BaseURL: proxy, KeyEnv: routeKey, MaxHelpers: 8, MaxTokens: true, WantsReasoning: true, Models: with(nil, false)}},
		chat.KindOpenRouter: {"https://openrouter.ai/api/v1", bearer, Provider{ID: "x", BaseURL: proxy, KeyEnv: routeKey, MaxHelpers: 8, Thinking: profile.ThinkingOpenRouter,
			Models: with([]profile.Effort{{Level: "off", Wire: "none"}, {Level: "low", Wire: "low"}, {Level: "medium", Wire: "medium"}, {Level: "high", Wire: "high"}, {Level: "max", Wire: "xhigh"}}, true)}},
		chat.KindLocal: {"http://127.0.0.1:8080/v1", bearer, Provider{ID: "x", BaseURL: proxy, KeyEnv: routeKey, MaxHelpers: 4, Local: true, Thinking: profile.ThinkingTemplate, Effort: "medium",
			MaxTokens: true, Models: with([]profile.Effort{{Level: "off"}, {Level: "low", Wire: "low"}, {Level: "medium", Wire: "medium"}, {Level: "high", Wire: "high"}}, false)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Provider is profile.Provider, without its methods.
type Provider profile.Provider

func TestReason(t *testing.T) {
	type fields = map[string]any
	kwargs := func(f fields) fields { return fields{"chat_template_kwargs": f} }
	for _, tt := range []struct {
		kind   chat.ModelKind
		listed bool
		effort string
		want   fields
	}{
		{chat.KindLocal, false, "", kwargs(fields{"enable_thinking": true, "reasoning_effort": "medium"})},
		{chat.KindLocal, false, "off", kwargs(fields{"enable_thinking": false})},
		{chat.KindLocal, false, "high", kwargs(fields{"enable_thinking": true, "reasoning_effort": "high"})},
		{chat.KindLocal, false, "max", nil},
		{chat.KindOpenRouter, true, "off", fields{"reasoning": fields{"effort": "none"}}},
		{chat.KindOpenRouter, true, "max", fields{"reasoning": fields{"effort": "xhigh"}}},
		{chat.KindOpenRouter, true, "", nil},
		{chat.KindOpenRouter, false, "high", nil},
		{chat.KindOpenAI, true, "high", nil},
		{chat.KindDeepSeek, true, "high", nil},
	} {
		got := Connection{Kind: tt.kind}.Reason(Model{Efforts: EffortsOf(tt.kind, tt.listed)}, tt.effort)
		if diff := cmp.Diff(tt.want, fields(got)); diff != "" {
			t.Errorf("%s, listed %t, %q (-want +got):\n%s", tt.kind, tt.listed, tt.effort, diff)
		}
	}
}
