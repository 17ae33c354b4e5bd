package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/page"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

const (
	shown  = `(document.querySelector('#transcript .list')?.innerText ?? '')`
	answer = `(document.querySelector('.entry.assistant:last-of-type .body')?.innerText ?? '')`
)

// card reads a card's state, or "" while it is not there.
func card(id string) string {
	return fmt.Sprintf(`document.querySelector('[data-tool=%q]')?.dataset.state ?? ''`, id)
}

func TestAssets(t *testing.T) {
	index, ok := page.Find("/")
	if !ok || index.Type != "text/html; charset=utf-8" {
		t.Fatalf("%v %s", ok, index.Type)
	}
	for _, path := range []string{"/static/main.mjs", "/static/ui/tool.mjs", "/static/style.css", "/static/answer.css", "/static/allowed.css", "/static/ui/allowed.mjs", "/static/ui/waiting.mjs", "/static/outbox.mjs", "/static/icon.svg"} {
		if _, ok := page.Find(path); !ok {
			t.Errorf("no %s", path)
		}
	}
	for _, path := range []string{"", "/static/", "/static/index.html", "/page.go", "/static/../page.go", "/package.json"} {
		if _, ok := page.Find(path); ok {
			t.Errorf("%s is served", path)
		}
	}
	for _, inline := range []string{"<style", "style=", "onclick=", "onload=", "javascript:"} {
		if strings.Contains(string(index.Body), inline) {
			t.Errorf("the page has %s, which its policy forbids", inline)
		}
	}
}

// write is the run of most tests: some text, a look, and a write that asks.
func write(r *run) {
	r.put(chat.Frame{Type: chat.Reasoning, Sentence: chat.Sentence{Text: "The person wants a file. I look what is there first."}})
	r.say("I look at the folder first. ")
	ls := chat.Tool{ID: "ls", Name: "bash", Title: "Run: ls -la", State: chat.ToolRunning, Input: `{"command":"ls -la"}`}
	r.tool(ls)
	ls.State, ls.Result, ls.DurationMs = chat.ToolDone, "README.md\nmain.go", 41
	r.tool(ls)
	r.say("There is **no** `hello.txt` yet:\n\n- README.md\n- main.go\n\nSo I write it.")
	w := chat.Tool{ID: "w", Name: "write", Title: "Write hello.txt", State: chat.ToolProposed, Digest: "d1",
		Reason: "It wants to write the file hello.txt.", Input: `{"path":"hello.txt","content":"Hello, world!\nSecond line.\n"}`}
	r.tool(w)
	a, ok := r.answer("w")
	w.Reason = ""
	switch {
	case !ok:
		w.State = chat.ToolDenied
		r.tool(w)
		r.done(true)
		return
	case a.Decision == chat.Approve:
		w.State, w.DurationMs = chat.ToolDone, 12
		r.tool(w)
		r.say("Done: `hello.txt` is written.\n\n```text\nHello, world!\nSecond line.\n```\n")
	default:
		w.State, w.Reason = chat.ToolDenied, say.ToolDeniedByPerson
		r.tool(w)
		r.say("I leave it. You said: " + a.Note)
	}
	r.done(false)
}

func TestFromTheFirstMessageToAnApprovedWrite(t *testing.T) {
	a := newAgent(write)
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.until(t, "location.href", url)
	b.until(t, "document.activeElement.id", "message")
	b.until(t, "!!document.querySelector('.welcome')", true)
	b.shoot(t, "1-welcome")

	// Shift+Enter is a new line, Enter sends.
	b.write(t, "Write")
	b.press(t, "Enter", 13, shift)
	b.write(t, "hello.txt\n")
	b.until(t, card("ls"), "done")
	b.until(t, card("w"), "proposed")
	b.until(t, "document.querySelector('.entry.user')?.innerText", "Write\nhello.txt")
	b.until(t, "document.querySelector('.asks .input')?.innerText.replace(/\\s+/g, ' ').trim()", "path hello.txt content Hello, world! Second line.")
	if got := b.eval(t, "document.activeElement.id"); got != "message" {
		t.Errorf("the focus went to %v: a key meant for the message could answer", got)
	}
	b.shoot(t, "2-asks")

	// A click at once is too early to be an answer; later ones count.
	b.decide(t, ".approve", "w", "done")
	b.until(t, answer+".includes('is written')", true)
	b.until(t, "document.querySelector('.send')?.hidden", false)
	b.shoot(t, "3-approved")
	want := []chat.ApprovalRequest{{SessionID: "s-" + a.sent[0].ChatID, ToolID: "w", Decision: "approve", Digest: "d1"}}
	if d := cmp.Diff(want, a.answers); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	if q := a.sent[0]; q.Text != "Write\nhello.txt" || q.Mode != "manual" || q.RequestID == "" {
		t.Errorf("sent %+v", q)
	}

	// The whole chat is there after a reload, token and all, without a fragment.
	before := b.eval(t, shown)
	b.open(t, url)
	b.until(t, shown+".length > 50", true)
	if d := cmp.Diff(before, b.eval(t, shown)); d != "" {
		t.Errorf("after a reload (-before +after):\n%s", d)
	}
	b.clean(t)
}

func TestReloadWhileACardWaitsThenDenyWithANote(t *testing.T) {
	a := newAgent(write)
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "dark")
	b.open(t, url+"#token="+token)
	b.write(t, "Write hello.txt\n")
	b.until(t, card("w"), "proposed")
	b.open(t, url)
	b.until(t, card("w"), "proposed")
	b.click(t, ".note")
	b.write(t, "call it hi.txt\n") // Enter in the note answers nothing
	b.until(t, "document.querySelector('.note')?.value", "call it hi.txt")
	b.shoot(t, "4-note-dark")
	b.decide(t, ".deny", "w", "denied")
	b.until(t, answer+".includes('You said: call it hi.txt')", true)
	b.shoot(t, "5-denied-dark")
	if got := a.answers[0]; got.Decision != chat.Deny || got.Note != "call it hi.txt" || got.Digest != "d1" {
		t.Errorf("answered %+v", got)
	}
	b.clean(t)
}

func TestStop(t *testing.T) {
	a := newAgent(write)
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.write(t, "Write hello.txt\n")
	b.until(t, card("w"), "proposed")
	b.click(t, ".stop")
	b.until(t, card("w"), "denied")
	b.until(t, "document.querySelector('.stop')?.hidden && !document.querySelector('#transcript .approve')", true)
	b.clean(t)
}

func TestACutConnectionLosesNothing(t *testing.T) {
	half, whole := make(chan struct{}), "one two three four five six seven eight nine ten"
	a := newAgent(func(r *run) {
		r.say(whole[:18])
		<-half
		r.say(whole[18:])
		r.done(false)
	})
	srv, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.write(t, "count\n")
	b.until(t, answer, strings.TrimSpace(whole[:18]))
	srv.CloseClientConnections()
	close(half)
	b.until(t, answer, whole)
	if len(a.sent) != 1 {
		t.Errorf("the message was sent %d times", len(a.sent))
	}
	b.clean(t)
}

// Who reads the newest still does after the window became smaller or larger; who
// scrolled up stays there.
func TestAnotherSizeKeepsThePlace(t *testing.T) {
	a := newAgent(func(r *run) {
		r.say(strings.Repeat("A line of some length, so that a narrow window breaks it.\n\n", 30))
		r.done(false)
	})
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.write(t, "count\n")
	const below = "(({scrollHeight, scrollTop, clientHeight}) => scrollHeight - scrollTop - clientHeight)(document.querySelector('#transcript'))"
	b.until(t, "document.querySelector('.send').hidden || "+below+" > 1", false)
	for _, size := range [][2]int{{380, 760}, {320, 400}, {700, 500}, {1280, 860}} {
		b.size(t, size[0], size[1], "light")
		b.until(t, fmt.Sprintf("innerWidth === %d && innerHeight === %d", size[0], size[1]), true)
		// At once, not when something else is drawn: two frames later at the latest.
		if got := b.eval(t, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done("+below+" <= 1 && document.querySelector('.jump').hidden))))"); got != true {
			t.Errorf("at %v the newest is out of sight", size)
		}
	}
	b.eval(t, "document.querySelector('#transcript').scrollTop = 0")
	b.until(t, "document.querySelector('.jump').hidden", false)
	b.size(t, 380, 760, "light")
	b.until(t, "innerWidth === 380 && document.querySelector('#transcript').scrollTop < 100 && !document.querySelector('.jump').hidden", true)
	b.clean(t)
}

func TestTwoChats(t *testing.T) {
	a := newAgent(func(r *run) {
		if r.request.Text == "first" {
			write(r)
			return
		}
		r.say("This is the second.")
		r.done(false)
	})
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 1280, 860, "light")
	b.open(t, url+"#token="+token)
	b.write(t, "first\n")
	b.until(t, card("w"), "proposed")
	b.click(t, ".new")
	b.until(t, card("w"), "")
	b.eval(t, "document.querySelector('#mode').value = 'plan'; document.querySelector('#mode').dispatchEvent(new Event('change'))")
	b.write(t, "second\n")
	b.until(t, answer, "This is the second.")
	b.until(t, "document.querySelectorAll('.chats [data-state=asks]').length", 1)
	b.until(t, shown+".includes('hello.txt')", false)
	b.shoot(t, "6-two-chats")
	b.click(t, ".chats [data-state=asks]")
	b.until(t, card("w"), "proposed")
	b.until(t, "document.querySelector('#mode').value", "manual")
	b.decide(t, ".approve", "w", "done")
	var modes []string
	for _, q := range a.sent {
		modes = append(modes, q.Text+" "+q.Mode)
	}
	if d := cmp.Diff([]string{"first manual", "second plan"}, modes); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	b.clean(t)
}

func TestWhatTheModelWritesStaysText(t *testing.T) {
	evil := `<img src=x onerror="document.title='hit'"><script>document.title='hit'</script> [a](javascript:alert(1)) ` + "`<b>`"
	a := newAgent(func(r *run) {
		r.say(evil)
		r.tool(chat.Tool{ID: "t", Name: "bash", Title: evil, State: chat.ToolError, Input: `{"command":"rm \u202e\u001b[2K<i>"}`, Result: evil, Details: evil})
		r.put(chat.Frame{Type: chat.Failed, Code: chat.CodeModelFailed, Sentence: say.Sentence(say.ModelFailed), Details: evil})
	})
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 420, 860, "light")
	b.open(t, url+"#token="+token)
	b.write(t, evil+"\n")
	b.until(t, "document.querySelectorAll('.failure').length", 1)
	b.until(t, `[...document.querySelectorAll('#transcript img, #transcript script, #transcript i, #transcript a, #transcript b')].length`, 0)
	b.until(t, `document.querySelector('.card .title')?.textContent`, evil)
	b.eval(t, "document.querySelectorAll('details').forEach((d) => { d.open = true })")
	b.until(t, `document.querySelector('.card .input pre')?.textContent`, `rm \u{202e}\u{1b}[2K<i>`)
	b.until(t, "document.title.includes('hit') && document.title !== "+fmt.Sprintf("%q", evil), false)
	b.shoot(t, "7-narrow-error")
	b.until(t, "document.documentElement.scrollWidth <= innerWidth", true)
	b.clean(t)
}

func TestRefusalsKeepTheMessage(t *testing.T) {
	a := newAgent(write)
	a.refuse = say.Error(chat.CodeTooLarge, "over", say.TooLarge, "limit", "8 MB")
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.write(t, "my long message\n")
	b.until(t, "document.querySelector('.composer .problem')?.innerText?.includes('larger than 8 MB')", true)
	b.until(t, "document.querySelector('#message').value", "my long message")
	b.until(t, "document.querySelectorAll('.entry').length", 0)

	// A card that is not what waits any more: the page says so and shows it anew.
	a.mu.Lock()
	a.refuse = nil
	a.mu.Unlock()
	b.click(t, ".send")
	b.until(t, card("w"), "proposed")
	a.mu.Lock()
	a.refuse = say.Error(chat.CodeChanged, "", say.Changed)
	a.mu.Unlock()
	waitFor(t, func() string {
		b.tryClick(t, ".approve")
		if b.eval(t, "document.querySelector('.composer .problem')?.innerText") != say.Changed {
			return "the page does not say that the request changed"
		}
		return ""
	})
	b.until(t, card("w"), "proposed")
	b.click(t, ".stop")
	b.until(t, card("w"), "denied")
	b.clean(t)
}

func TestNotSignedInAndNotReady(t *testing.T) {
	a := newAgent(write)
	a.status = chat.AgentStatus{State: "missing", Sentence: say.Sentence(say.AgentMissing), Detail: "no such folder"}
	srv, url := a.serve(t)
	b := start(t)
	b.size(t, 420, 760, "dark")
	b.open(t, url)
	b.until(t, "document.querySelector('.banner')?.innerText", say.NoToken)
	b.shoot(t, "8-not-signed-in")
	b.open(t, "about:blank")
	b.open(t, url+"#token="+token)
	b.until(t, "document.querySelector('.banner p')?.innerText", say.AgentMissing)
	b.until(t, "document.querySelector('.banner pre')?.textContent", "no such folder")
	b.shoot(t, "9-missing-narrow-dark")
	b.click(t, ".menu")
	b.until(t, "getComputedStyle(document.querySelector('#sidebar')).visibility", "visible")
	b.press(t, "Escape", 27, 0)
	b.until(t, "getComputedStyle(document.querySelector('#sidebar')).visibility", "hidden")
	srv.CloseClientConnections()
	srv.Listener.Close()
	b.until(t, "document.querySelector('.banner p')?.innerText.startsWith('Strata cannot be reached.')", true)
	b.clean(t)
}
