package page_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestAPlanIsAnswered: it stands above the message box until it is answered, or something
// else is said.
func TestAPlanIsAnswered(t *testing.T) {
	t.Parallel()
	a := newAgent(func(r *run) {
		if r.request.Text == say.PlanApproved {
			r.say("Carried out.")
			r.done(false)
			return
		}
		r.say("1. look\n2. change")
		r.put(chat.Frame{Type: chat.PlanReady, Plan: &chat.Plan{Text: "1. look\n2. change", Caution: say.GuardPlan, CautionKey: say.GuardPlan}})
		r.done(false)
	})
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	bar := "document.querySelector('section.plan')"
	b.until(t, "document.activeElement.id === 'message' && "+bar+".hidden", true)

	b.write(t, "plan it\n")
	b.until(t, bar+".hidden", false)
	b.until(t, bar+".querySelector('.caution').innerText", say.GuardPlan)
	b.until(t, "[..."+bar+".querySelectorAll('option')].map((o) => o.value).join(' ')", "manual bypass")
	b.eval(t, bar+".querySelector('select').value = 'bypass'")
	b.click(t, "section.plan .approve")
	b.until(t, bar+".hidden && "+answer, "Carried out.")

	b.write(t, "plan more\n")
	b.until(t, bar+".hidden", false)
	b.click(t, "section.plan .deny")
	b.until(t, bar+".hidden", true)

	b.write(t, "and more\n")
	b.until(t, bar+".hidden", false)
	b.write(t, say.PlanApproved+"\n") // something else was said
	b.until(t, bar+".hidden && "+answer, "Carried out.")
	b.clean(t)

	a.mu.Lock()
	defer a.mu.Unlock()
	var got []string
	for _, p := range a.plans {
		got = append(got, p.Decision+" "+p.Mode)
	}
	if d := cmp.Diff([]string{"approve bypass", "deny manual"}, got); d != "" {
		t.Errorf("the answers (-want +got):\n%s", d)
	}
}
