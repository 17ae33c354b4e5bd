package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/proto/chat"
)

// failing fails each chat's first message with the actions that the message names; what
// follows is answered.
func failing() func(*run) {
	failed := map[string]bool{}
	return func(r *run) {
		text := r.request.Text
		r.agent.mu.Lock()
		first := !failed[r.chat.id] && !r.request.AsText && text != "/compact"
		failed[r.chat.id] = true
		r.agent.mu.Unlock()
		if !first {
			r.say("Answered.")
			r.done(false)
			return
		}
		r.put(chat.Frame{Type: chat.Failed, Code: chat.CodeModelFailed, Actions: strings.Fields(strings.TrimPrefix(text, "/")),
			Sentence: chat.Sentence{Text: "It did not work. Try something else."}, Details: "the cause"})
	}
}

// sentTexts are the messages that the host got.
func (a *agent) sentTexts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	for _, q := range a.sent {
		line := q.Text
		if q.AsText {
			line += " (as text)"
		}
		if n := len(q.Attachments); n > 0 {
			line += fmt.Sprintf(" (%d pictures)", n)
		}
		out = append(out, line)
	}
	return out
}

const buttons = "[...document.querySelectorAll('.failure:last-of-type > button')].map((b) => b.innerText).join(' | ')"

// pressAction presses a button of the failure by what stands on it.
func (b *browser) pressAction(t *testing.T, label string) {
	t.Helper()
	if b.eval(t, fmt.Sprintf("(() => { const b = [...document.querySelectorAll('.failure > button')].findLast((b) => b.innerText === %q); b?.focus(); return !!b })()", label)) != true {
		t.Fatalf("no button %q", label)
	}
	b.press(t, "Enter", 13, 0) // as a person without a mouse does
}

// TestButtonsOfAFailedRun do what they say.
func TestButtonsOfAFailedRun(t *testing.T) {
	t.Parallel()
	a := newAgent(failing())
	a.status.Routes = []chat.Route{{ID: "p/a", Name: "A", Default: true}, {ID: "p/b", Name: "B"}}
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.until(t, "document.querySelector('#model').hidden", false)
	for _, tt := range []struct {
		text    string // which fails with the buttons that it names
		buttons string
		press   string
		sent    []string // by the button
		then    string   // an expression that becomes true
	}{
		{project.ActionRetry, "Send again", "Send again", []string{project.ActionRetry}, answer + " === 'Answered.'"},
		{project.ActionSummarize + " " + project.ActionNewChat, "Summarize and continue | Start a new chat", "Summarize and continue",
			[]string{"/compact", "Go on."}, "document.querySelectorAll('.entry.user').length === 3 && " + answer + " === 'Answered.'"},
		{project.ActionNewChat, "Start a new chat", "Start a new chat", nil, "!!document.querySelector('.welcome') && document.activeElement.id === 'message' && document.querySelector('#message').value === ''"},
		{project.ActionModel, "Send again | Choose another model", "Choose another model", nil, "document.activeElement.id === 'model'"},
		{"/" + project.ActionAsText, "Send as text", "Send as text", []string{"/" + project.ActionAsText + " (as text)"}, answer + " === 'Answered.'"},
		{project.ActionAttach + " " + project.ActionPreview, "Attach as a file | Send a shortened preview", "Attach as a file",
			[]string{"as a file: " + project.ActionAttach + " " + project.ActionPreview}, answer + " === 'Answered.'"},
		{project.ActionPreview, "Send a shortened preview", "Send a shortened preview", []string{"as a preview: " + project.ActionPreview}, answer + " === 'Answered.'"},
		{"something-of-tomorrow", "Send again", "Send again", []string{"something-of-tomorrow"}, answer + " === 'Answered.'"},
	} {
		b.click(t, ".new")
		b.until(t, "!!document.querySelector('.welcome') && document.activeElement.id === 'message'", true)
		b.write(t, tt.text+"\n")
		b.until(t, buttons, tt.buttons)
		b.until(t, "document.querySelector('.failure p').innerText + document.querySelector('.failure pre').textContent", "It did not work. Try something else.the cause")
		before := len(a.sentTexts())
		b.pressAction(t, tt.press)
		b.until(t, "!!("+tt.then+")", true)
		if d := cmp.Diff(tt.sent, a.sentTexts()[before:], cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: sent (-want +got):\n%s", tt.press, d)
		}
	}
	b.clean(t)
}

// TestAPictureAloneIsSentAgain: with its picture, which stands for the text.
func TestAPictureAloneIsSentAgain(t *testing.T) {
	t.Parallel()
	a := newAgent(failing())
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.paste(t, "dot.png", 4)
	b.write(t, "\n")
	b.until(t, buttons, "Send again")
	b.until(t, "document.querySelector('.entry.user').innerText", "🖼 dot.png")
	b.until(t, "document.querySelector('h1').innerText", "🖼 dot.png")
	b.pressAction(t, "Send again")
	b.until(t, answer, "Answered.")
	if d := cmp.Diff([]string{" (1 pictures)", " (1 pictures)"}, a.sentTexts()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	b.clean(t)
}
