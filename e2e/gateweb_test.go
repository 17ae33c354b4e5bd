package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

func webOnce(ctx context.Context, t *testing.T, w *world) {
	c, other := w.NewChat(), w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(search("first words"), search("second", "third"), scriptmodel.Say("I know now")))
	proposed := card(ctx, t, run, "web_search", chat.ToolProposed)
	if want := "The assistant wants to search the web for: first words. Search words go to DuckDuckGo/Bing."; proposed.Reason != want {
		t.Errorf("the card says %q", proposed.Reason)
	}
	must(t, c.Approve(ctx, proposed))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff([]string{"web_search: running proposed running done", "web_search: running done"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	for _, f := range frames {
		if f.Type == chat.AgentTool && f.Tool.State == chat.ToolDone && !strings.Contains(f.Tool.Result, "found ") {
			t.Errorf("a search gave %q", f.Tool.Result)
		}
	}
	child := scriptmodel.Steps(search("by a helper"), scriptmodel.Say("the helper knows"))
	frames = play(ctx, t, c, scriptmodel.Steps(scriptmodel.Helper("search", child, false), scriptmodel.Say("so do I")))
	if cards := proposedCards(frames); len(cards) > 0 {
		t.Errorf("the next turn's helper asks: %v", cards)
	}
	// Another chat is asked on its own.
	run = send(ctx, t, other, scriptmodel.Steps(search("elsewhere"), scriptmodel.Say("ok")))
	must(t, other.Deny(ctx, card(ctx, t, run, "web_search", chat.ToolProposed), ""))
	ended(ctx, t, run)
	checkDecided(ctx, t, w, c, "web_search allow by person tool:web_search allowed-once chat", "web_search allow by permission web:chat",
		"subagent allow by rule tool:subagent", "web_search allow by permission web:chat")
}

// Two helpers that search at once share one card, and so does the chat itself.
func webWithHelpers(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	child := func(words string) string {
		return scriptmodel.Steps(scriptmodel.Step(scriptmodel.Hold("web-helpers"), search(words)), scriptmodel.Say("found "+words))
	}
	run := send(ctx, t, c, scriptmodel.Steps(
		scriptmodel.Step(scriptmodel.Helper("search one", child("one of two"), true), scriptmodel.Helper("search two", child("two of two"), true)),
		scriptmodel.Say("they are on it"),
	))
	for _, words := range []string{"one of two", "two of two"} {
		_, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.HeldAt("web-helpers"), scriptmodel.Asks(words)))
		must(t, err)
	}
	w.model.Release("web-helpers")
	proposed := card(ctx, t, run, "web_search", chat.ToolProposed)
	if !strings.Contains(proposed.ID, ":") {
		t.Errorf("the card is not a helper's: %s", proposed.ID)
	}
	must(t, c.Approve(ctx, proposed))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff(map[string]int{"web_search": 1}, proposedCards(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	for _, words := range []string{"one of two", "two of two"} {
		told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks(words), func(r scriptmodel.Request) bool { return r.Step == 1 }))
		must(t, err)
		if !strings.Contains(string(told.Body), "found "+words) {
			t.Errorf("a helper was told %s", told.Body)
		}
	}
}

func noToTheWeb(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(search("forbidden words"), scriptmodel.Say("I go on without")))
	must(t, c.Deny(ctx, card(ctx, t, run, "web_search", chat.ToolProposed), ""))
	frames := ended(ctx, t, run)
	if diff := cmp.Diff([]string{"web_search: running proposed denied"}, kit.States(frames)); diff != "" {
		t.Errorf("cards (-want +got):\n%s", diff)
	}
	told, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("forbidden words"), func(r scriptmodel.Request) bool { return r.Step == 1 }))
	must(t, err)
	if body := string(told.Body); !strings.Contains(body, "The person did not allow web access") || !strings.Contains(body, "Go on without it and say so.") {
		t.Errorf("the model was told %s", told.Body)
	}
}

func webUnasked(ctx context.Context, t *testing.T, w *world) {
	for _, mode := range []string{"plan", "bypass"} {
		frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(search("in "+mode), scriptmodel.Say("ok")), kit.Mode(mode))
		if diff := cmp.Diff([]string{"web_search: running done"}, kit.States(frames)); diff != "" {
			t.Errorf("%s: cards (-want +got):\n%s", mode, diff)
		}
	}
}

// guardSearches: a turn that searches and searches is ended, in Plan sooner.
func guardSearches(ctx context.Context, t *testing.T, w *world) {
	for _, c := range []struct {
		mode string
		most int
	}{{"plan", 10}, {"bypass", 25}} {
		var steps []string
		for i := range c.most + 1 {
			steps = append(steps, search(fmt.Sprintf("query %d in %s", i, c.mode)))
		}
		talk := w.NewChat()
		frames := play(ctx, t, talk, scriptmodel.Steps(append(steps, scriptmodel.Hold("never"))...), kit.Mode(c.mode))
		last := frames[len(frames)-1]
		if last.Finish != "guard" || *last.Cancelled {
			t.Errorf("%s: it ends with %+v", c.mode, last)
		}
		why := "I stopped after {times} web searches for one message. Ask me to answer with what I have found, or ask a narrower question."
		says(t, c.mode, frames, why)
	}
}
