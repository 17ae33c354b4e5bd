package connections

import (
	"net/http"
	"net/url"
	"strings"

	"strata.dev/bridge/host/internal/profile"
	"strata.dev/bridge/proto/chat"
)

// kinds are what is known of each kind of server.
var kinds = map[chat.ModelKind]struct {
	name    string // shown
	baseURL string // the provider's own
	host    string // by which an address is known for the kind's
}{
	chat.KindOpenAI:     {"OpenAI", "https://api.openai.com/v1", "api.openai.com"},
	chat.KindAnthropic:  {"Anthropic", "https://api.anthropic.com/v1", "api.anthropic.com"},
	chat.KindDeepSeek:   {"DeepSeek", "https://api.deepseek.com/v1", "api.deepseek.com"},
	chat.KindOpenRouter: {"OpenRouter", "https://openrouter.ai/api/v1", "openrouter.ai"},
	chat.KindLocal:      {name: "This computer"},
}

// Known tells whether there is such a kind.
func Known(kind chat.ModelKind) bool { _, ok := kinds[kind]; return ok }

// KindName is the kind's own name, which people know.
func KindName(kind chat.ModelKind) string { return kinds[kind].name }

// KindURL is the provider's own base URL, "" where there is none.
func KindURL(kind chat.ModelKind) string { return kinds[kind].baseURL }

// kindOf is the kind of a server that only its address is known of.
func kindOf(upstream *url.URL) chat.ModelKind {
	for kind, k := range kinds {
		if k.host != "" && upstream.Hostname() == k.host {
			return kind
		}
	}
	if isLoopback(upstream.Hostname()) {
		return chat.KindLocal
	}
	return chat.KindOpenAI
}

// API is a way to ask a model.
type API string

// The APIs.
const (
	OpenAI    API = "openai"    // chat completions, which nearly every server has
	Anthropic API = "anthropic" // messages
)

// Speaks is the API by which the server is asked, by the host itself and by the Harness
// through the key proxy.
func (c Connection) Speaks() API {
	switch {
	case c.API != "":
		return c.API
	case c.Kind == chat.KindAnthropic, c.Kind == "" && kindOf(c.Upstream) == chat.KindAnthropic:
		return Anthropic
	}
	return OpenAI
}

// AnthropicVersion is the version of the messages API that is spoken.
const AnthropicVersion = "2023-06-01"

// Base is the server's base URL with the version that its API has in its path; what is
// asked is below it.
func (c Connection) Base() string {
	base := c.Upstream.String()
	if c.Speaks() == Anthropic && !strings.HasSuffix(c.Upstream.Path, "/v1") || c.Kind == chat.KindLocal && c.Upstream.Path == "" {
		return base + "/v1"
	}
	return base
}

// Authorize puts the key on a request.
func (c Connection) Authorize(h http.Header) {
	switch {
	case c.Key.IsZero():
	case c.Speaks() == Anthropic:
		h.Set("X-Api-Key", c.Key.reveal())
	default:
		h.Set("Authorization", "Bearer "+c.Key.reveal())
	}
}

// The thinking levels of a route, by the Harness's names and as they go over the wire.
var (
	// localEfforts go to a local model's chat template. Off is enable_thinking: false.
	localEfforts = []profile.Effort{{Level: "off"}, {Level: "low", Wire: "low"}, {Level: "medium", Wire: "medium"}, {Level: "high", Wire: "high"}}
	// openRouterEfforts are OpenRouter's own (agent-bridge.txt, "Reasoning for API models").
	openRouterEfforts = []profile.Effort{
		{Level: "off", Wire: "none"}, {Level: "low", Wire: "low"}, {Level: "medium", Wire: "medium"}, {Level: "high", Wire: "high"}, {Level: "max", Wire: "xhigh"},
	}
)

// localEffort is what a local model's template is told where nobody chose a level: it
// has to be told something, and models that can think do so by themselves.
const localEffort = "medium"

// EffortsOf are the thinking levels that a model of that kind lets choose; nil is none:
// the provider's own behaviour stays. listed says that the provider's list names
// reasoning.
func EffortsOf(kind chat.ModelKind, listed bool) []profile.Effort {
	switch {
	case kind == chat.KindLocal:
		return localEfforts
	case kind == chat.KindOpenRouter && listed:
		return openRouterEfforts
	}
	return nil
}

// Reason is what of a request's body tells the model how much to think: effort is the
// level that was chosen, "" for none. A level that the model lacks is dropped. It is
// empty where nothing is to be told.
func (c Connection) Reason(m Model, effort string) map[string]any {
	if effort == "" && c.Kind == chat.KindLocal {
		effort = localEffort
	}
	for _, e := range m.Efforts {
		if e.Level != effort {
			continue
		}
		switch {
		case c.Kind == chat.KindLocal && e.Wire == "":
			return map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": false}}
		case c.Kind == chat.KindLocal:
			return map[string]any{"chat_template_kwargs": map[string]any{"enable_thinking": true, "reasoning_effort": e.Wire}}
		case e.Wire == "":
		case c.Kind == chat.KindOpenRouter:
			return map[string]any{"reasoning": map[string]any{"effort": e.Wire}}
		default:
			return map[string]any{"reasoning_effort": e.Wire}
		}
	}
	return nil
}

// Provider gives the connection as the profile needs it; baseURL is the proxy's
// (Proxy.BaseURL).
func (c Connection) Provider(baseURL string) profile.Provider {
	p := profile.Provider{ID: c.ID, Name: c.Name, BaseURL: baseURL, KeyEnv: routeKey, Retry: c.Retry, Local: c.Kind == chat.KindLocal, MaxHelpers: c.maxHelpers()}
	switch c.Kind {
	case chat.KindLocal:
		p.Thinking, p.Effort, p.MaxTokens = profile.ThinkingTemplate, localEffort, true
	case chat.KindOpenRouter:
		p.Thinking = profile.ThinkingOpenRouter
	case chat.KindDeepSeek:
		p.MaxTokens, p.WantsReasoning = true, true
	}
	if c.Speaks() == Anthropic {
		p.API, p.BaseURL = profile.Messages, strings.TrimSuffix(baseURL, "/v1") // which its client adds
	}
	for _, m := range c.Models {
		pm := profile.Model{
			ID: m.ID, Name: m.Name, ContextWindow: m.ContextWindow, MaxOutput: m.MaxOutput, Images: m.ReadsPictures(), Efforts: m.Efforts,
			CacheMarks: c.Kind == chat.KindOpenRouter && strings.HasPrefix(m.ID, "anthropic/"),
		}
		if m.Price != nil {
			price := profile.Price(*m.Price)
			pm.Price = &price
		}
		p.Models = append(p.Models, pm)
	}
	return p
}
