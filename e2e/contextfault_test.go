package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"

	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/e2e/talks"
)

// badSummaries answers a request for a summary as the model's name says: refuses it,
// writes far too much, breaks off, at first or always, goes on with the conversation, or
// waits at first, under the model's name.
func badSummaries() func(scriptmodel.ChatRequest) []scriptmodel.Action {
	var cuts, holds atomic.Int64
	return func(r scriptmodel.ChatRequest) []scriptmodel.Action {
		has := func(word string) bool { return strings.HasSuffix(r.Model, word) }
		switch {
		case has("-refuses"):
			return []scriptmodel.Action{{Op: scriptmodel.OpErr, N: http.StatusBadRequest, Text: "this kind of request is not served"}}
		case has("-rambles"):
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "## Current Work\n" + strings.Repeat("and so on ", 3000)}, {Op: scriptmodel.OpFinish, Text: "length"}}
		case has("-dies"), has("-stumbles") && cuts.Add(1) <= 2:
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "## Current"}, {Op: scriptmodel.OpCut}}
		case has("-holds") && holds.Add(1) == 1:
			return []scriptmodel.Action{{Op: scriptmodel.OpHold, Text: r.Model}, {Op: scriptmodel.OpSay, Text: "## Current Work\n- all"}}
		case has("-continues") && len(r.Messages) > 2: // asked as a conversation it goes on with it
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "Sure, I will look at that next."}}
		}
		return nil
	}
}

// badTalks have summaries that are refused, too long, broken off, broken off at first, or
// none at all, each with a model of its own.
func badTalks(models ...string) []pair {
	var out []pair
	for _, model := range models {
		for _, word := range []string{"refuses", "rambles", "dies", "stumbles", "continues"} {
			out = append(out, pair{talks.Crowd, model + "-" + word})
		}
	}
	return out
}
