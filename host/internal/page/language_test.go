package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/page"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// Every language of the host's has one catalog, which has its sentences and the
// page's words.
func TestEveryLanguageIsServed(t *testing.T) {
	served := 0
	for _, tag := range say.Languages() {
		a, ok := page.Find("/static/languages/" + tag + ".json")
		if !ok && tag == "en" {
			continue
		}
		if !ok || a.Type != "application/json" {
			t.Errorf("%s: %v %s", tag, ok, a.Type)
			continue
		}
		served++
		var got struct{ Sentences, Words map[string]string }
		if err := json.Unmarshal(a.Body, &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(say.Catalog(tag), got.Sentences); d != "" {
			t.Errorf("%s (-want +got):\n%s", tag, d)
		}
		if got.Words["Approve"] == "" {
			t.Errorf("%s lacks the page's words", tag)
		}
	}
	if served != 7 {
		t.Errorf("%d languages are served, want 7", served)
	}
}

// speaks makes the browser ask for a language.
func (b *browser) speaks(t *testing.T, tag string) {
	t.Helper()
	b.call(t, "Emulation.setUserAgentOverride", map[string]any{"userAgent": "test", "acceptLanguage": tag}, nil)
}

func TestAGermanBrowserShowsGerman(t *testing.T) {
	a := newAgent(func(r *run) {
		w := chat.Tool{ID: "w", Name: "bash", Title: "Run: touch hello.txt", TitleKey: say.TitleRun, TitleArgs: map[string]string{"what": "touch hello.txt"}, State: chat.ToolProposed, Digest: "d1",
			Reason: "This runs a program that can change things: touch.", Input: `{"command":"touch hello.txt"}`}
		r.tool(w)
		w.ReasonKey, w.ReasonArgs = "This runs a program that can change things: {program}.", map[string]string{"program": "touch"}
		w.Save = &chat.SaveOffer{Scopes: []string{chat.ScopeChat}, Scope: chat.ScopeOnce, Pattern: "touch hello.txt"}
		r.tool(w)
		if _, ok := r.answer("w"); !ok {
			r.done(true)
			return
		}
		w.State, w.Result, w.ResultKey = chat.ToolDenied, say.ToolDeniedByPerson, say.ToolDeniedByPerson
		r.tool(w)
		r.put(chat.Frame{Type: chat.Failed, Code: chat.CodeModelUnavailable, Sentence: say.Sentence(say.ModelUnavailable, "model", "p/m")})
	})
	_, url := a.serve(t)
	b := start(t)
	b.speaks(t, "de-AT")
	b.size(t, 1280, 860, "light")
	b.open(t, url)
	b.until(t, "document.querySelector('.banner')?.innerText", say.Translate("de", say.NoToken, nil))
	b.open(t, "about:blank")
	b.open(t, url+"#token="+token)
	b.until(t, "document.documentElement.lang", "de")
	b.until(t, "document.activeElement.id", "message")
	b.until(t, "document.querySelector('.send').innerText", "Senden")
	b.until(t, "document.querySelector('#message').placeholder", "Nachricht schreiben")
	b.until(t, "[...document.querySelectorAll('#mode option')].map((o) => o.innerText).join()", "Manuell,Plan,Bypass")

	b.write(t, "Schreibe hello.txt\n")
	b.until(t, card("w"), "proposed")
	b.until(t, "document.querySelector('.asks .reach')?.hidden", false)
	// All the words of the card and its question, so that no English is left.
	const words = `[...document.querySelectorAll('.asks .title, .asks .state, .asks .reason, .asks option, .asks button')].map((e) => e.innerText).join('|')`
	want := strings.Join([]string{
		"Ausführen: touch hello.txt", "Braucht Ihre Antwort", "Das startet ein Programm, das etwas ändern kann: touch.",
		"Nur dieses Mal", "In diesem Chat", "bis ich es zurücknehme", "für eine Stunde", "für einen Tag", "für eine Woche", "Erlauben", "Ablehnen",
	}, "|")
	b.until(t, words, want)
	b.shoot(t, "10-asks-german")
	b.decide(t, ".deny", "w", "denied")
	b.until(t, "document.querySelector('.card .reason').innerText", say.Translate("de", say.ToolDeniedByPerson, nil))
	b.until(t, "document.querySelector('.failure p')?.innerText", say.Translate("de", say.ModelUnavailable, map[string]string{"model": "p/m"}))
	b.until(t, "document.querySelector('.failure button').innerText", "Noch einmal senden")
	b.clean(t)
}

// A language that there is none of is English, which loads no catalog.
func TestAnotherBrowserShowsEnglish(t *testing.T) {
	a := newAgent(write)
	_, url := a.serve(t)
	b := start(t)
	b.speaks(t, "cy")
	b.open(t, url)
	b.until(t, "document.querySelector('.banner')?.innerText", say.NoToken)
	b.until(t, "document.documentElement.lang", "en")
	b.until(t, "performance.getEntriesByType('resource').filter((r) => r.name.includes('/languages/')).length", 0)
	b.clean(t)
}

// The longest words fit a narrow window too; German, French and Portuguese have them.
func TestEveryLanguageFits(t *testing.T) {
	a := newAgent(write)
	_, url := a.serve(t)
	for _, tag := range []string{"de", "fr", "pt-BR"} {
		t.Run(tag, func(t *testing.T) {
			b := start(t)
			b.speaks(t, tag)
			b.size(t, 380, 760, "light")
			b.open(t, url+"#token="+token)
			b.until(t, "document.documentElement.lang", tag)
			b.until(t, "document.activeElement.id", "message")
			b.write(t, "hello.txt\n")
			b.until(t, card("w"), "proposed")
			b.write(t, "one that waits\n")
			b.until(t, "document.querySelectorAll('.waiting .back:not([hidden])').length", 1)
			b.write(t, "one that may be told now")
			b.until(t, "['.send', '.stop', '.composer .now', '.waiting .now'].filter((s) => document.querySelector(s).hidden).join()", "")
			b.until(t, "document.documentElement.scrollWidth <= innerWidth", true)
			b.until(t, "[...document.querySelectorAll('.composer *, .waiting *')].filter((e) => e.getBoundingClientRect().right > innerWidth).length", 0)
			b.shoot(t, "11-narrow-"+tag)
			b.click(t, ".stop")
			b.until(t, card("w"), "denied")
			b.clean(t)
		})
	}
}
