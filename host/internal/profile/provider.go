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
	if p.Thinking != "" {
		out = append(out, field{"thinkingFormat", string(p.Thinking)})
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

func (p Provider) model(m Model) mapping {
	out := mapping{{"id", m.ID}}
	if m.Name != "" {
		out = append(out, field{"name", m.Name})
	}
	if m.ContextWindow > 0 {
		out = append(out, field{"contextWindow", m.ContextWindow})
	}
	if output := p.output(m); output > 0 {
		out = append(out, field{"maxTokens", output})
	}
	if m.Images {
		out = append(out, field{"input", list{"text", "image"}})
	}
	if m.Efforts != nil {
		efforts := make(mapping, 0, len(m.Efforts))
		for _, e := range m.Efforts {
			var wire any
			if e.Wire != "" {
				wire = e.Wire
			}
			efforts = append(efforts, field{e.Level, wire})
		}
		out = append(out, field{"reasoningEfforts", efforts})
	}
	if m.CacheMarks && p.API != Messages {
		out = append(out, field{"compat", mapping{{"cacheControlFormat", "anthropic"}}})
	}
	return out
}
