package catalog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// entry is a model of any provider's list. What one of them does not tell is missing.
type entry struct {
	ID          string `json:"id"`
	Name        string `json:"name"`           // OpenRouter
	DisplayName string `json:"display_name"`   // Anthropic
	Window      int64  `json:"context_length"` // OpenRouter, and servers that follow it
	MaxModelLen int64  `json:"max_model_len"`  // vLLM, SGLang
	MaxInput    int64  `json:"max_input_tokens"`
	MaxTokens   int64  `json:"max_tokens"`
	Top         struct {
		Window int64 `json:"context_length"`
		Output int64 `json:"max_completion_tokens"`
	} `json:"top_provider"`
	Architecture struct {
		Input  []string `json:"input_modalities"`
		Output []string `json:"output_modalities"`
	} `json:"architecture"`
	Parameters   []string `json:"supported_parameters"`
	Pricing      pricing  `json:"pricing"`
	Capabilities struct {
		Images struct {
			Supported *bool `json:"supported"`
		} `json:"image_input"`
	} `json:"capabilities"`
}

// pricing is OpenRouter's: dollars for one token, as decimal text.
type pricing struct {
	Prompt     string `json:"prompt"`
	Completion string `json:"completion"`
	CacheRead  string `json:"input_cache_read"`
}

// parse reads a list. Entries that are no models for a chat are left out.
func parse(kind chat.ModelKind, data []byte) ([]chat.ModelOffer, error) {
	var list struct {
		Data []json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("the list is no JSON: %w", err)
	}
	if list.Data == nil {
		return nil, errors.New("the answer holds no list of models")
	}
	out := make([]chat.ModelOffer, 0, len(list.Data))
	for _, raw := range list.Data {
		var e entry
		if json.Unmarshal(raw, &e) != nil || e.ID == "" { // one that is odd takes no others away
			continue
		}
		if kind == chat.KindOpenRouter && e.Architecture.Output != nil && !slices.Contains(e.Architecture.Output, "text") {
			continue
		}
		out = append(out, e.offer(kind))
	}
	slices.SortFunc(out, func(a, b chat.ModelOffer) int { return strings.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b chat.ModelOffer) bool { return a.ID == b.ID }), nil
}

func (e entry) offer(kind chat.ModelKind) chat.ModelOffer {
	o := chat.ModelOffer{
		ID: e.ID, Name: cmp.Or(e.Name, e.DisplayName),
		ContextWindow: max(0, cmp.Or(e.Top.Window, e.Window, e.MaxModelLen, e.MaxInput)), MaxOutput: max(0, e.Top.Output),
		Images: e.Capabilities.Images.Supported,
	}
	if kind == chat.KindAnthropic {
		o.MaxOutput = max(0, e.MaxTokens)
	}
	if e.Architecture.Input != nil {
		reads := slices.Contains(e.Architecture.Input, "image")
		o.Images = &reads
	}
	if kind == chat.KindOpenRouter {
		o.Reasoning = slices.Contains(e.Parameters, "reasoning")
		o.Price = e.Pricing.price()
	}
	return o
}

// price is for a million tokens; nil where it is not told. A negative one is told of
// models that choose another.
func (p pricing) price() *chat.Price {
	in, inErr := perMillion(p.Prompt)
	out, outErr := perMillion(p.Completion)
	if inErr != nil || outErr != nil || in < 0 || out < 0 {
		return nil
	}
	cached, err := perMillion(p.CacheRead)
	if err != nil || cached < 0 {
		cached = 0
	}
	return &chat.Price{Input: in, Output: out, CacheRead: cached}
}

func perMillion(text string) (float64, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	// The decimal text of the product, not the nearest sums of binary fractions.
	return strconv.ParseFloat(strconv.FormatFloat(f*1e6, 'g', 12, 64), 64)
}
