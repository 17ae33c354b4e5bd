package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
)

// rows counts the messages above the box that can be taken back.
func rows(n int) string {
	return fmt.Sprintf(`document.querySelectorAll('.waiting .back:not([hidden])').length === %d`, n)
}

const idle = `document.querySelector('button.stop').hidden && document.querySelector('.waiting').hidden`

// writeWhileItRuns goes on in a chat: what is written while a turn runs waits, in two
// tabs alike, goes into the turn, is taken back, or comes back with a Stop.
func writeWhileItRuns(ctx context.Context, t *testing.T, w *world, p *tab) {
	p.send(scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("one "), scriptmodel.Hold("page"), scriptmodel.Bash("ls")), scriptmodel.Say("never")))
	_, err := w.model.WaitRequest(ctx, scriptmodel.HeldAt("page"))
	must(t, err)
	p.until(`document.querySelector('.entry.assistant:last-of-type')?.innerText === 'one'`)
	for _, text := range []string{"two", "three", "four"} {
		p.send(scriptmodel.Steps(scriptmodel.Say(text)))
	}
	p.until(rows(3))
	p.shot("waiting")

	second := openTab(p.Context, t, w)
	second.until(`(() => { const chat = document.querySelector('.chats button'); chat?.click(); return !!chat })()`)
	second.until(rows(3))
	do(second, chromedp.Click(".waiting li:nth-child(2) .back"))
	second.until(`document.querySelector('#message').value === '#! SAY "three"' && ` + rows(2))
	p.until(rows(2))

	do(p, chromedp.Click(".waiting li:nth-child(1) .now"))
	p.until(rows(1))
	w.model.Release("page")
	const end = `[...document.querySelectorAll('.entry')].slice(-5).map((e) => e.innerText.trim().split('\n')[0]).join(' / ')`
	want := `one / #! SAY "two" / two / #! SAY "four" / four`
	for _, tab := range []*tab{p, second} {
		tab.until(idle + ` && ` + end + ` === ` + fmt.Sprintf("%q", want))
	}
	p.shot("waited")

	p.send(scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("five "), scriptmodel.Hold("page-stop"))))
	_, err = w.model.WaitRequest(ctx, scriptmodel.HeldAt("page-stop"))
	must(t, err)
	p.send("six")
	p.until(rows(1))
	do(p, chromedp.Click("button.stop"))
	p.until(idle + ` && document.querySelector('#message').value === 'six'`)
	requests := len(w.model.Requests())
	p.reload()
	p.until(`document.querySelector('.entry.assistant:last-of-type')?.innerText.includes('Stopped.')`)
	if n := len(w.model.Requests()); n != requests {
		t.Errorf("the model was asked %d times after the Stop", n-requests)
	}
}

// TestPageWithoutHarness: a person pastes a picture and sends it without a word; the
// model alone answers, and a reload shows it all.
func TestPageWithoutHarness(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model, Harness: noHarness(t, w.home), Args: []string{"--images"}})
	p := openPage(ctx, t, w)
	p.until(`document.querySelector('.banner p')?.innerText.startsWith('The agent is not installed.')`)
	do(p, chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		data.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], 'dot.png', { type: 'image/png' }));
		document.querySelector('#message').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
	})()`, base64.StdEncoding.EncodeToString(png1))))
	p.until(`document.querySelector('.composer .pictures button')?.innerText === '🖼 dot.png ✕'`)
	p.send("")
	p.until(idle + ` && document.querySelector('.entry.assistant')?.innerText.includes('I am the demo model')`)
	p.shot("picture-without-harness")
	requests := w.model.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(png1)) {
		t.Errorf("the model was asked %s", body)
	}
	p.send(scriptmodel.Steps(scriptmodel.Say("a dot")))
	p.until(idle + ` && document.querySelector('.entry.assistant:last-of-type')?.innerText.endsWith('a dot')`)
	p.reload()
	p.until(`document.querySelectorAll('.entry').length === 4`)
	after := p.text("main")
	for _, want := range []string{"🖼 dot.png", "I am the demo model", notInstalled, answersAlone, "a dot"} {
		if !strings.Contains(after, want) {
			t.Errorf("after a reload there is no %q in %q", want, after)
		}
	}
}
