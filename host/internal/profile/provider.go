package profile

import (
	"cmp"

	"strata.dev/bridge/proto/budget"
)

// provider is an entry of the row llm-pi-ai.
func provider(p Provider) mapping {
	out := mapping{{"api", string(cmp.Or(p.API, Completions))}, {"baseURL", p.BaseURL}}
	if p.Name != "" {
		out = append(out, field{"displayName", p.Name})
	}
	if p.KeyEnv != "" {
		out = append(out, field{"apiKeyEnv", p.KeyEnv})
	}
	if p.Retry != (Retry{}) {
		out = append(out, field{"retryPolicy", mapping{{"mode", "normal"}, {"maxRetries", int64(p.Retry.Max)}, {"backoff", mapping{
			{"initialDelayMs", int64(p.Retry.InitialDelay)}, {"maxDelayMs", int64(p.Retry.MaxDelay)}, {"jitterRatio", int64(0)},
		}}}})
	}
	if p.Effort != "" {
		out = append(out, field{"reasoning", p.Effort})
	}
	if compat := p.compat(); compat != nil {
		out = append(out, field{"compat", compat})
	}
	models := make(list, 0, len(p.Models))
	for _, m := range p.Models {
		models = append(models, p.model(m))
	}
	return append(out, field{"models", models})
}

// compat is what the Harness would know of a server by its address, which is the key
// proxy's here.
func (p Provider) compat() mapping {
	if p.API == Messages {
		return nil // there is one server of it
	}
	// Servers other than OpenAI's refuse the role "developer" and the field "store".
	out := mapping{{"supportsStore", false}, {"supportsDeveloperRole", false}}
	if p.MaxTokens {
		out = append(out, field{"maxTokensField", "max_tokens"})
	}
	if p.WantsReasoning {
		out = append(out, field{"requiresReasoningContentOnAssistantMessages", true})
	}
	if p.Thinking != "" || p.WantsReasoning { // else it goes by the provider's name
		out = append(out, field{"thinkingFormat", string(cmp.Or(p.Thinking, "openai"))})
	}
	if p.Thinking == ThinkingTemplate {
		out = append(out, field{"chatTemplateKwargs", mapping{
			{"enable_thinking", mapping{{"$var", "thinking.enabled"}}},
			{"reasoning_effort", mapping{{"$var", "thinking.effort"}, {"omitWhenOff", true}}},
		}})
	}
	return out
}

// maxOutput is the Harness's own default for a model's output, in tokens.
const maxOutput = 32_768

// output is what a model's route declares: a reply's room in the window, and no more
// than the model can. The Harness's default would fill a small window alone. 0 leaves it
// to that.
func (p Provider) output(m Model) int64 {
	if m.ContextWindow <= 0 {
		return m.MaxOutput
	}
	room := min(maxOutput, m.ContextWindow/4)
	if p.Local {
		// Half of a window below 8K, which the least budget would fill.
		room = min(m.ContextWindow/2, int64(budget.LocalOutput(int(m.ContextWindow))))
	}
	if m.MaxOutput > 0 {
		room = min(room, m.MaxOutput)
	}
	return max(1, room)
}

// model says all that the Harness would else take from its own catalog, which knows
// models of the same names.
func (p Provider) model(m Model) mapping {
	out := mapping{{"id", m.ID}, {"name", cmp.Or(m.Name, m.ID)}}
	if m.ContextWindow > 0 {
		out = append(out, field{"contextWindow", m.ContextWindow})
	}
	if output := p.output(m); output > 0 {
		out = append(out, field{"maxTokens", output})
	}
	input := list{"text"}
	if m.Images {
		input = append(input, "image")
	}
	out = append(out, field{"input", input}, field{"reasoningEfforts", p.efforts(m)})
	if m.CacheMarks && p.API != Messages {
		out = append(out, field{"compat", mapping{{"cacheControlFormat", "anthropic"}}})
	}
	return out
}

// efforts are the model's thinking levels; false leaves the server's own behaviour.
func (p Provider) efforts(m Model) any {
	levels := m.Efforts
	if levels == nil && p.WantsReasoning {
		// Thinking is only given back to a model that can think, as the Harness sees it. A
		// level that nobody chooses is never sent.
		levels = []Effort{{"high", "high"}}
	}
	if levels == nil {
		return false
	}
	out := make(mapping, 0, len(levels))
	for _, e := range levels {
		var wire any
		if e.Wire != "" {
			wire = e.Wire
		}
		out = append(out, field{e.Level, wire})
	}
	return out
}
