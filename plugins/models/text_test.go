package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

var some = []abi.ModelRoute{
	{Provider: "openai", ID: "gpt-4o", Name: "GPT-4o", Connection: "OpenAI", ContextWindow: 128_000, Images: true, Price: &abi.ModelPrice{Input: 2.5, Output: 10}},
	{Provider: "openrouter", ID: "deepseek/deepseek-r1", Name: "DeepSeek R1", Connection: "OpenRouter", ContextWindow: 163_840, Efforts: []string{"off", "low", "high"}},
	{Provider: "local-1", ID: "Qwen3 8B", Local: true, ContextWindow: 1_000_000},
	{Provider: "odd", ID: "a\nb\u202e", Name: strings.Repeat("long ", 40)},
}

func TestMessages(t *testing.T) {
	long := strings.Repeat("long ", 15) + "long…"
	for query, want := range map[string]string{
		"gpt4o":      `"GPT-4o" (openai/gpt-4o)`,
		"qwen3-8b":   `local-1/Qwen3 8B`,
		"gpt-4":      `Did you mean "GPT-4o" (openai/gpt-4o)? Nothing was started. If that is what the person meant, call the tool again with model "openai/gpt-4o".`,
		"zz\ny\"c\"": `No model is named "zz y\"c\"". Nothing was started. The models that can be used are "GPT-4o" (openai/gpt-4o), "DeepSeek R1" (openrouter/deepseek/deepseek-r1), local-1/Qwen3 8B and "` + long + `" (odd/a b). Others can be added in Models.`,
	} {
		if diff := cmp.Diff(want, Resolve(abi.ModelQuery{Query: query, Routes: some}).Message); diff != "" {
			t.Errorf("%q (-want +got):\n%s", query, diff)
		}
	}
	twice := []abi.ModelRoute{some[0], {Provider: "azure", ID: "gpt-4o", Name: "GPT-4o", Connection: "Azure"}, some[0]}
	want := `"GPT 4O" fits several models: "GPT-4o" (openai/gpt-4o) and "GPT-4o" (azure/gpt-4o). Nothing was started. ` +
		`Call the tool again with the one that the person meant, such as model "openai/gpt-4o", or ask them.`
	if diff := cmp.Diff(want, Resolve(abi.ModelQuery{Query: "GPT 4O", Routes: twice}).Message); diff != "" {
		t.Errorf("several (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("Nothing was started. No model can be used. Others can be added in Models.", Resolve(abi.ModelQuery{Query: "x"}).Message); diff != "" {
		t.Errorf("none at all (-want +got):\n%s", diff)
	}
}

// A level that the model does not have is left out; it is no reason to start nothing.
func TestEffort(t *testing.T) {
	got := map[string]string{}
	for _, effort := range []string{"", "low", "HIGH", " Off ", "max", "l.o.w"} {
		got[effort] = Resolve(abi.ModelQuery{Query: "DeepSeek R1", Effort: effort, Routes: some}).Effort
	}
	want := map[string]string{"": "", "low": "low", "HIGH": "high", " Off ": "off", "max": "", "l.o.w": "low"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestList(t *testing.T) {
	want := "Models that a helper agent can run on. Pass the name, or what stands in brackets, as `model`.\n" +
		`- "GPT-4o" (openai/gpt-4o): hosted at OpenAI, context of 128K tokens, reads pictures, costs $2.5 in and $10 out for a million tokens` + "\n" +
		`- "DeepSeek R1" (openrouter/deepseek/deepseek-r1): hosted at OpenRouter, context of 163K tokens, reasoning_effort off, low, high, this chat's own model` + "\n" +
		"- local-1/Qwen3 8B: local, context of 1M tokens, costs nothing\n" +
		"Others can be added in Models."
	if diff := cmp.Diff(want, List(abi.ModelList{Routes: some[:3], Current: "openrouter/deepseek/deepseek-r1"})); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("No model can be used. Others can be added in Models.", List(abi.ModelList{})); diff != "" {
		t.Errorf("the empty list (-want +got):\n%s", diff)
	}
}

func TestDescribeTool(t *testing.T) {
	for _, name := range []string{"subagent", "subagent_fork"} {
		got, err := DescribeTool(abi.ToolText{Tool: name, Description: "Delegate a task."})
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"ask model X", "shell commands", "sleep", "list_subagent_models"} {
			if !strings.HasPrefix(got.Description, "Delegate a task.\n\n") || !strings.Contains(got.Description, words) {
				t.Errorf("%s does not say %q: %s", name, words, got.Description)
			}
		}
		for _, p := range []string{"model", "reasoning_effort"} {
			if got.Properties[p].Type != "string" || got.Properties[p].Description == "" {
				t.Errorf("%s takes no %s: %+v", name, p, got.Properties)
			}
		}
	}
	list, err := DescribeTool(abi.ToolText{Tool: "list_subagent_models", Description: "Lists provider route keys."})
	if err != nil || list.Description != listText || list.Properties != nil {
		t.Errorf("the list is %+v, %v", list, err)
	}
	if _, err := DescribeTool(abi.ToolText{Tool: "bash"}); sdk.Code(err) != abi.CodeBadInput {
		t.Errorf("another tool gives %v", err)
	}
}
