package models

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

const (
	maxListed = 30 // routes that a message names
	maxName   = 80 // characters of a name in a message
)

const (
	notStarted = "Nothing was started."
	inModels   = "Others can be added in Models."
)

// shown is a text as it stands in a message: one line, and not endless. Names come
// from model servers.
func shown(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return text
}

// label names a route so that it can be asked for.
func label(r *known) string {
	if r.Name == r.ID {
		return shown(key(r))
	}
	return fmt.Sprintf("%q (%s)", shown(r.Name), shown(key(r)))
}

// among lists routes, the last one behind a word.
func among(routes []*known, word string) string {
	var b strings.Builder
	for i, r := range routes {
		switch {
		case i == maxListed:
			fmt.Fprintf(&b, " and %d more", len(routes)-i)
			return b.String()
		case i > 0 && i == len(routes)-1:
			b.WriteString(" " + word + " ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(label(r))
	}
	return b.String()
}

func suggest(fits []*known) string {
	return fmt.Sprintf("Did you mean %s? %s If that is what the person meant, call the tool again with model %q.",
		among(fits, "or"), notStarted, key(fits[0]))
}

func ambiguous(query string, fits []*known) string {
	return fmt.Sprintf("%q fits several models: %s. %s Call the tool again with the one that the person meant, such as model %q, or ask them.",
		shown(query), among(fits, "and"), notStarted, key(fits[0]))
}

func none(query string, routes []*known) string {
	if len(routes) == 0 {
		return notStarted + " No model can be used. " + inModels
	}
	return fmt.Sprintf("No model is named %q. %s The models that can be used are %s. %s",
		shown(query), notStarted, among(routes, "and"), inModels)
}

// List tells which models there are and what each one is good for.
func List(l abi.ModelList) string {
	routes := knownRoutes(l.Routes)
	if len(routes) == 0 {
		return "No model can be used. " + inModels
	}
	var b strings.Builder
	b.WriteString("Models that a helper agent can run on. Pass the name, or what stands in brackets, as `model`.\n")
	for _, r := range routes {
		fmt.Fprintf(&b, "- %s: %s\n", label(r), strings.Join(traits(r, key(r) == l.Current), ", "))
	}
	b.WriteString(inModels)
	return b.String()
}

func traits(r *known, current bool) []string {
	where := "hosted at " + shown(r.Connection)
	if r.Local {
		where = "local"
	}
	out := []string{where}
	if r.ContextWindow > 0 {
		out = append(out, "context of "+tokens(r.ContextWindow)+" tokens")
	}
	if r.Images {
		out = append(out, "reads pictures")
	}
	if len(r.Efforts) > 0 {
		out = append(out, "reasoning_effort "+strings.Join(r.Efforts, ", "))
	}
	switch {
	case r.Price != nil:
		out = append(out, fmt.Sprintf("costs $%s in and $%s out for a million tokens", dollars(r.Price.Input), dollars(r.Price.Output)))
	case r.Local:
		out = append(out, "costs nothing")
	}
	if current {
		out = append(out, "this chat's own model")
	}
	return out
}

func tokens(n int64) string {
	if n%1_000_000 == 0 {
		return strconv.FormatInt(n/1_000_000, 10) + "M"
	}
	return strconv.FormatInt(n/1000, 10) + "K"
}

func dollars(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// How a tool that starts helpers is to be used, behind the Harness's own words.
const startText = "Use this tool when the person asks for a subagent or helper, or to ask a model by its name (\"ask model X\", \"let X look at it\"): " +
	"pass the name as they say it in `model`. A name that is not exactly one model's starts nothing, and the answer says what may have been meant. " +
	"Do not look for models with shell commands or in files: list_subagent_models tells which there are. " +
	"Do not wait for a helper with sleep or by looking again and again: its result comes by itself."

const listText = "Lists the models that a helper agent can run on, by the names that the person knows, with what each one is good for: " +
	"context, pictures, reasoning, local or hosted, and cost where it is known. Use it when the person asks which models there are, " +
	"or to choose one for a task; not shell commands."

// DescribeTool words a tool. It fails for one that has nothing to do with models.
func DescribeTool(tool abi.ToolText) (abi.ToolText, error) {
	switch tool.Tool {
	case "subagent", "subagent_fork":
		tool.Description = strings.TrimSpace(tool.Description + "\n\n" + startText)
		tool.Properties = map[string]abi.ToolProperty{
			"model": {Type: "string", Description: "The model that the helper runs on: its name as the person says it, or provider/id. " +
				"Without it the helper runs on this chat's own model."},
			"reasoning_effort": {Type: "string", Description: "How much the helper's model reasons, where list_subagent_models says that it can be chosen. " +
				"Without it the model's own default holds."},
		}
		return tool, nil
	case "list_subagent_models":
		tool.Description, tool.Properties = listText, nil
		return tool, nil
	}
	return abi.ToolText{}, sdk.Errorf(abi.CodeBadInput, "The tool %q starts no helpers and lists no models.", tool.Tool)
}
