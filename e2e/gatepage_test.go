package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// A person says on the card how far their yes reaches, and what it covers.
func TestPageSaysHowFarAYesReaches(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	p := openPage(ctx, t, w)
	p.send(scriptmodel.Steps(scriptmodel.Bash("touch page-1.txt"), scriptmodel.Bash("touch page-2.txt"), scriptmodel.Say("both are there")))
	p.until(`document.querySelector('.reach:not([hidden])')`)
	if hidden := do(p, chromedp.Evaluate[bool](`document.querySelector('.pattern').hidden`)); !hidden {
		t.Error("a pattern is shown for a yes to one call")
	}
	p.reload() // what can be saved is of the chat as it stands
	p.until(`document.querySelector('.reach:not([hidden])')`)
	choose := func(pattern string) {
		do(p, chromedp.Evaluate[bool](`(() => {
			const scope = document.querySelector('.scope'), pattern = document.querySelector('.pattern')
			scope.value = 'chat'
			scope.dispatchEvent(new Event('change'))
			pattern.value = `+"`"+pattern+"`"+`
			return pattern.hidden
		})()`))
	}
	choose("rm *")
	// The card goes on asking, so it is clicked until it says why.
	p.until(`(() => {
		if (document.querySelector('.ask .problem:not([hidden])')?.textContent.includes('does not cover')) return true
		document.querySelector('button.approve').click()
		return false
	})()`)
	p.shot("reach-refused")
	choose("touch page-*")
	do(p, chromedp.Evaluate[bool](`(() => { document.querySelector('.expiry').value = 3600000; return true })()`))
	p.shot("reach")
	p.press("approve")
	p.until(`document.querySelectorAll('article.card[data-state="done"]').length === 2 && !document.querySelector('button.send').hidden`)
	if !w.exists(t, "page-1.txt") || !w.exists(t, "page-2.txt") {
		t.Error("the files are not there")
	}
	all, err := w.Permissions(ctx)
	must(t, err)
	if len(all) != 1 || all[0].Pattern != "touch page-*" || all[0].Scope != chat.ScopeChat || all[0].ExpiresAt-all[0].CreatedAt < 3_500_000 || all[0].ExpiresAt-all[0].CreatedAt > 3_600_000 {
		t.Errorf("saved: %+v", all)
	}

	// It is listed with what was decided, and taken back.
	do(p, chromedp.Click("button.permissions"))
	p.until(`document.querySelector('dialog[open] ul.rows code')?.textContent === 'bash touch page-*' && document.querySelectorAll('dialog[open] ol.rows li').length === 2`)
	if got := p.text("dialog[open] ol.rows"); !strings.Contains(got, "by you") || !strings.Contains(got, "allowed in advance") {
		t.Errorf("what was decided reads %q", got)
	}
	p.shot("permissions")
	do(p, chromedp.Click("dialog[open] ul.rows button"))
	p.until(`document.querySelector('dialog[open] ul.rows .none')`)
	p.shot("permissions-taken-back")
	all, err = w.Permissions(ctx)
	must(t, err)
	if len(all) != 0 {
		t.Errorf("after it was taken back: %+v", all)
	}
	do(p, chromedp.Click("dialog[open] .close"))
	p.until(`!document.querySelector('dialog[open]')`)
}
