package e2e

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/e2e/talks"
)

// badSummaries answers a request for a summary as the model's name says: refuses it,
// writes far too much, breaks off, at first or always, or goes on with the conversation.
func badSummaries() func(scriptmodel.ChatRequest) []scriptmodel.Action {
	var cuts atomic.Int64
	return func(r scriptmodel.ChatRequest) []scriptmodel.Action {
		has := func(word string) bool { return strings.HasSuffix(r.Model, word) }
		switch {
		case has("-refuses"):
			return []scriptmodel.Action{{Op: scriptmodel.OpErr, N: http.StatusBadRequest, Text: "this kind of request is not served"}}
		case has("-rambles"):
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "## Current Work\n" + strings.Repeat("and so on ", 3000)}, {Op: scriptmodel.OpFinish, Text: "length"}}
		case has("-dies"), has("-stumbles") && cuts.Add(1) <= 2:
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "## Current"}, {Op: scriptmodel.OpCut}}
		case has("-continues") && len(r.Messages) > 2: // asked as a conversation it goes on with it
			return []scriptmodel.Action{{Op: scriptmodel.OpSay, Text: "Sure, I will look at that next."}}
		}
		return nil
	}
}

// TestContextFaults: summaries that are refused, too long, broken off or none at all.
// The chats go on, and what could not be done is said.
func TestContextFaults(t *testing.T) {
	ctx := kit.Context(t)
	faults := []string{"refuses", "rambles", "dies", "stumbles", "continues"}
	var models []string
	for _, f := range faults {
		models = append(models, sized(65_536, 1.8, 400, f))
	}
	w := sizedWorld(ctx, t, kit.HostOptions{}, scriptmodel.Config{Summaries: badSummaries()}, "", append(models, roomy)...)
	t.Run("chats", func(t *testing.T) {
		for _, m := range models {
			t.Run(m, func(t *testing.T) {
				t.Parallel()
				size, _ := sizeOf(m)
				p := &talks.Person{Chat: w.NewChat(), Model: talks.Model{Route: "strata/" + m, Window: size.Window, PerTok: size.CharsPerToken, Another: "strata/" + roomy}}
				must(t, talks.Crowd.Play(ctx, p))
				o := talks.Outcome{}
				count(&o, w.model.Requests(), m)
				if p.Stuck || o.Twice > 0 {
					t.Errorf("stuck %t, sent twice %d, offered %q, told %q", p.Stuck, o.Twice, p.Offered, p.Told)
				}
				t.Logf("%+v, offered %q, told %q, full %d", o, p.Offered, p.Told, p.Share)
			})
		}
	})
}
