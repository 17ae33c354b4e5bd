package page_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

const (
	ctrl = 2
	// waits are the messages above the composer, with their buttons.
	waits = `[...document.querySelectorAll('.waiting li')].map((li) =>
		[li.querySelector('.text').textContent, ...[...li.querySelectorAll('button')].filter((b) => !b.hidden).map((b) => b.innerText)].join(' | ')).join('\n')`
	entries = `[...document.querySelectorAll('.entry')].map((e) => e.innerText.trim()).join('\n')`
	focused = "document.activeElement.id || document.activeElement.innerText"
)

// paced is a run for each message that says its text once it may. One that is "quick" is
// over as it begins.
func paced() (begin func(*run), next chan struct{}) {
	next = make(chan struct{})
	return func(r *run) {
		if r.request.Text == "quick" {
			r.say("Quickly.")
			r.done(false)
			return
		}
		r.say("I begin " + r.request.Text + ".")
		for {
			r.agent.mu.Lock()
			stopped, changed := r.agent.stopped[r.chat.id], r.changed
			r.agent.mu.Unlock()
			if stopped {
				r.done(true)
				return
			}
			select {
			case <-next:
				r.say("I end " + r.request.Text + ".")
				r.done(false)
				return
			case <-changed:
			}
		}
	}, next
}

// writing opens a page on which the answer to "one" has begun, which next ends.
func writing(t *testing.T) (a *agent, b *browser, next chan struct{}) {
	t.Helper()
	begin, next := paced()
	a = newAgent(begin)
	_, url := a.serve(t)
	b = start(t)
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.write(t, "one\n")
	b.until(t, answer, "I begin one.")
	return a, b, next
}

// TestAMessageWaits: while a turn runs the next message waits behind it, can be taken
// back, and begins by itself with all that it says.
func TestAMessageWaits(t *testing.T) {
	t.Parallel()
	begin, next := paced()
	a := newAgent(begin)
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.until(t, "document.querySelector('.send').innerText", "Send")
	b.write(t, "one\n")
	b.until(t, answer, "I begin one.")
	b.until(t, "document.querySelector('.send').hidden && document.querySelector('.composer .now').hidden && !document.querySelector('.stop').hidden", true)
	b.write(t, "two")
	b.until(t, "document.querySelector('.send').innerText", "Send after this turn")
	b.until(t, "document.querySelector('.composer .now').hidden", false)
	b.write(t, "\n")
	b.until(t, waits, "two | Tell the assistant now | Take back")
	b.until(t, "document.querySelector('#message').value", "")
	b.write(t, "three\n")
	b.until(t, waits, "two | Tell the assistant now | Take back\nthree | Tell the assistant now | Take back")
	b.until(t, "document.querySelector('.waiting').getAttribute('aria-label')", "Messages that wait")
	b.shoot(t, "13-waiting")
	b.size(t, 380, 760, "dark")
	b.shoot(t, "14-waiting-narrow-dark")
	b.until(t, "document.documentElement.scrollWidth <= innerWidth", true)
	b.size(t, 1280, 860, "light")

	b.click(t, ".waiting li:first-child .back")
	b.until(t, "document.querySelector('#message').value", "two")
	b.until(t, waits, "three | Tell the assistant now | Take back")
	b.until(t, focused, "message")
	b.write(t, " and a half\n")
	b.until(t, waits, "three | Tell the assistant now | Take back\ntwo and a half | Tell the assistant now | Take back")

	// After a reload they are there, and begin one by one.
	b.open(t, url)
	b.until(t, waits, "three | Tell the assistant now | Take back\ntwo and a half | Tell the assistant now | Take back")
	next <- struct{}{}
	b.until(t, entries, "one\nI begin one.I end one.\nthree\nI begin three.")
	b.until(t, waits, "two and a half | Tell the assistant now | Take back")
	next <- struct{}{}
	b.until(t, entries, "one\nI begin one.I end one.\nthree\nI begin three.I end three.\ntwo and a half\nI begin two and a half.")
	b.until(t, "document.querySelector('.waiting').hidden", true)
	next <- struct{}{}
	b.until(t, "document.querySelector('.stop').hidden && document.querySelector('.send').innerText", "Send")
	b.clean(t)
}

// TestTheAssistantIsToldNow: with a button, with Ctrl+Enter, and with the button of a
// message that waits, reached by the keyboard.
func TestTheAssistantIsToldNow(t *testing.T) {
	t.Parallel()
	a, b, next := writing(t)
	b.write(t, "by button")
	b.click(t, ".composer .now")
	b.until(t, entries, "one\nI begin one.\nby button")
	b.until(t, focused, "message")
	b.write(t, "by key")
	b.press(t, "Enter", 13, ctrl)
	b.until(t, entries, "one\nI begin one.\nby button\nby key")
	b.write(t, "later\n")
	b.until(t, waits, "later | Tell the assistant now | Take back")
	for _, want := range []string{"Take back: later", "Tell the assistant now: later"} {
		b.press(t, "Tab", 9, shift)
		b.until(t, "document.activeElement.getAttribute('aria-labelledby')?.split(' ').map((id) => document.getElementById(id).textContent).join(': ')", want)
	}
	b.press(t, "Enter", 13, 0)
	b.until(t, entries, "one\nI begin one.\nby button\nby key\nlater")
	b.until(t, "document.querySelector('.waiting').hidden", true)
	b.until(t, focused, "message")

	// What is for another mode waits, and so do a command and a picture.
	b.write(t, "x")
	for _, mode := range []string{"plan", "manual"} {
		b.eval(t, fmt.Sprintf("document.querySelector('#mode').value = %q; document.querySelector('#mode').dispatchEvent(new Event('change'))", mode))
		b.until(t, "document.querySelector('.composer .now').hidden", mode == "plan")
	}
	b.press(t, "Backspace", 8, 0)
	b.until(t, "document.querySelector('#message').value", "")
	b.write(t, "/help")
	b.until(t, "!document.querySelector('.send').hidden && document.querySelector('.composer .now').hidden", true)
	b.press(t, "Enter", 13, ctrl)
	b.until(t, waits, "/help | Take back")
	next <- struct{}{}
	b.until(t, answer, "I begin /help.")
	next <- struct{}{}
	b.until(t, "document.querySelector('.stop').hidden", true)
	var steered []string
	a.mu.Lock()
	for _, q := range a.sent {
		steered = append(steered, fmt.Sprint(q.Text, " ", q.Steer))
	}
	a.mu.Unlock()
	if d := cmp.Diff([]string{"one false", "by button true", "by key true", "later false", "/help false"}, steered); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	b.clean(t)
}

// TestWhatIsOverBeforeItIsSeen: a message that waited and was answered between two looks
// is shown all the same.
func TestWhatIsOverBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	_, b, next := writing(t)
	b.write(t, "quick\nquick\n")
	b.until(t, "document.querySelectorAll('.waiting .back:not([hidden])').length", 2)
	next <- struct{}{}
	b.until(t, entries, "one\nI begin one.I end one.\nquick\nQuickly.\nquick\nQuickly.")
	b.until(t, "document.querySelector('.stop').hidden && document.querySelector('.waiting').hidden", true)
	b.clean(t)
}

// TestTwoPagesSeeTheSameQueue: and either takes a message back.
func TestTwoPagesSeeTheSameQueue(t *testing.T) {
	t.Parallel()
	begin, next := paced()
	a := newAgent(begin)
	_, url := a.serve(t)
	one, two := start(t), start(t)
	one.open(t, url+"#token="+token)
	one.until(t, "document.activeElement.id", "message")
	one.write(t, "one\n")
	one.until(t, answer, "I begin one.")
	two.open(t, url+"#token="+token)
	two.click(t, ".chats button")
	two.until(t, answer, "I begin one.")
	one.write(t, "two\nthree\n")
	const both = "two | Tell the assistant now | Take back\nthree | Tell the assistant now | Take back"
	one.until(t, waits, both)
	two.until(t, waits, both)
	two.click(t, ".waiting li:first-child .back")
	two.until(t, "document.querySelector('#message').value", "two")
	one.until(t, waits, "three | Tell the assistant now | Take back")
	next <- struct{}{}
	const then = "one\nI begin one.I end one.\nthree\nI begin three."
	one.until(t, entries, then)
	two.until(t, entries, then)
	two.until(t, "document.querySelector('#message').value", "two") // what is written stays
	next <- struct{}{}
	one.until(t, "document.querySelector('.stop').hidden", true)
	one.clean(t)
	two.clean(t)
}

// TestStopBringsBackWhatWaits: nothing of it begins by itself, and nothing is lost.
func TestStopBringsBackWhatWaits(t *testing.T) {
	t.Parallel()
	a, b, _ := writing(t)
	b.write(t, "two\nthree\n")
	b.until(t, "document.querySelectorAll('.waiting .back:not([hidden])').length", 2)
	b.write(t, "half a word")
	b.click(t, ".stop")
	b.until(t, "document.querySelector('#message').value", "half a word\n\ntwo\n\nthree")
	b.until(t, "document.querySelector('.stop').hidden && document.querySelector('.waiting').hidden", true)
	b.until(t, "document.querySelector('.send').innerText", "Send")
	if d := cmp.Diff([]string{"one", "two", "three"}, a.sentTexts()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	b.clean(t)
}

// TestAWaitingMessageIsRefused: it comes back to where it was written.
func TestAWaitingMessageIsRefused(t *testing.T) {
	t.Parallel()
	a, b, next := writing(t)
	a.mu.Lock()
	a.refuse = &chat.Error{Code: chat.CodeTooLarge, Sentence: chat.Sentence{Text: "Too much."}}
	a.mu.Unlock()
	b.write(t, "two\n")
	b.until(t, "document.querySelector('.composer .problem').innerText", "Too much.")
	b.until(t, "document.querySelector('#message').value", "two")
	b.until(t, entries, "one\nI begin one.")
	b.until(t, "document.querySelector('.waiting').hidden", true)
	next <- struct{}{}
	b.until(t, "document.querySelector('.stop').hidden", true)
	b.clean(t)
}
