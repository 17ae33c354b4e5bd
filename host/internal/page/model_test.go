package page_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

const shownModel = "document.querySelector('#model').value"

// offer replaces the models that there are; the first one is the default.
func (a *agent) offer(ids ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.status.Routes = nil
	for i, id := range ids {
		a.status.Routes = append(a.status.Routes, chat.Route{ID: id, Name: id, Default: i == 0})
	}
}

// offers has the page ask what there is.
func (b *browser) offers(t *testing.T, ids string) {
	t.Helper()
	b.eval(t, "document.dispatchEvent(new Event('visibilitychange'))")
	b.until(t, "[...document.querySelector('#model').options].map((o) => o.value).join()", ids)
}

// TestAChatStaysOnItsModel: a chat whose person never chose a model does not move to
// another one when its own goes, nor after a reload; what is picked in one chat moves no
// other, and is where new ones begin.
func TestAChatStaysOnItsModel(t *testing.T) {
	t.Parallel()
	a := newAgent(func(r *run) {
		r.say("Answered.")
		r.done(false)
	})
	a.offer("p/own", "p/paid")
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.offers(t, "p/own,p/paid")
	n := 0
	send := func() {
		t.Helper()
		n++
		b.click(t, "#message")
		b.write(t, fmt.Sprintf("message %d\n", n))
		b.until(t, fmt.Sprintf("[...document.querySelectorAll('.entry')].slice(-2).map((e) => e.innerText.match(/message %d|Answered/)?.[0]).join()", n), fmt.Sprintf("message %d,Answered", n))
	}
	send()
	a.offer("p/paid", "p/else")
	b.offers(t, "p/own,p/paid,p/else")
	send()
	b.open(t, url)
	b.offers(t, "p/own,p/paid,p/else")
	b.until(t, shownModel, "p/own")
	send()

	b.click(t, ".new")
	b.offers(t, "p/paid,p/else")
	b.until(t, shownModel, "p/paid")
	b.eval(t, `(() => { const s = document.querySelector('#model'); s.value = 'p/else'; s.dispatchEvent(new Event('change')); })()`)
	send()
	b.click(t, ".new")
	b.until(t, shownModel, "p/else")
	a.mu.Lock()
	first := fmt.Sprintf("document.querySelector('[data-chat=\"%s\"]')", a.order[len(a.order)-1])
	a.mu.Unlock()
	b.until(t, "!!"+first, true)
	b.eval(t, first+".click()")
	b.until(t, shownModel, "p/own")
	send()
	a.mu.Lock()
	var got []string
	for _, q := range a.sent {
		got = append(got, q.Model)
	}
	a.mu.Unlock()
	if d := cmp.Diff([]string{"p/own", "p/own", "p/own", "p/else", "p/own"}, got); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	b.clean(t)
}
