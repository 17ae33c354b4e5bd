package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/proto/chat"
)

// tab is the chat page in a headless browser.
type tab struct {
	context.Context
	t     *testing.T
	shots int
}

// openPage opens the host's page as a person does, by the URL that it printed.
func openPage(ctx context.Context, t *testing.T, w *world) *tab {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v; make test installs it", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.Flag("disable-quic", true), chromedp.Flag("accept-lang", "en-US"), chromedp.Flag("disable-component-update", true), chromedp.WindowSize(1180, 820))
	ctx, endBrowser := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(endBrowser)
	return openTab(ctx, t, w)
}

// openTab opens the page in a further tab of a browser, which has a storage of its own.
func openTab(ctx context.Context, t *testing.T, w *world) *tab {
	t.Helper()
	ctx, endTab := chromedp.NewContext(ctx)
	p := &tab{Context: ctx, t: t}
	do(p, chromedp.Navigate("about:blank")) // makes the tab
	messages, heard := chromedp.Console(ctx), make(chan struct{})
	go func() {
		defer close(heard)
		for m, err := range messages {
			if err != nil {
				return
			}
			// A refused request is told by the page itself; the browser tells it too.
			if m.IsException() || m.Type == chromedp.ConsoleError && !strings.HasPrefix(m.Text, "Failed to load resource") {
				t.Errorf("the page complained: %s (%s)", m, m.URL)
			}
		}
	}()
	t.Cleanup(func() {
		endTab()
		<-heard
	})
	do(p, chromedp.Navigate(w.URL+"/#token="+w.Token))
	do(p, chromedp.WaitVisible("#message"))
	return p
}

// do runs one action, which must succeed, and gives what it gives.
func do[T any](p *tab, action chromedp.Action[T]) T {
	p.t.Helper()
	v, err := chromedp.Run(p.Context, action)
	if err != nil {
		p.shot("failed")
		p.t.Fatal(err)
	}
	return v
}

// send types a message and presses Enter.
func (p *tab) send(text string) {
	p.t.Helper()
	do(p, chromedp.SendKeys("#message", text+"\r"))
}

// until waits until a JavaScript expression is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	do(p, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(0))) // the test's own context ends it
}

func (p *tab) reload() {
	p.t.Helper()
	do(p, chromedp.Reload())
	do(p, chromedp.WaitVisible("#message"))
}

// press clicks a button of the asking card until the card no longer asks: for a
// moment after it appears its buttons do nothing.
func (p *tab) press(button string) {
	p.t.Helper()
	click := fmt.Sprintf(`(() => { const card = document.querySelector('article.card.asks'); if (!card) return true; card.querySelector(%q)?.click(); return false })()`, "button."+button)
	p.until(click)
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	return do(p, chromedp.Text(selector))
}

// shot keeps a picture of the page under artifacts/page.
func (p *tab) shot(name string) {
	p.t.Helper()
	png, err := chromedp.Run(p.Context, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Error(err)
		return
	}
	dir := filepath.Join(kit.Root(), "artifacts", "page")
	must(p.t, os.MkdirAll(dir, 0o755))
	p.shots++
	must(p.t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d-%s.png", p.shots, name)), png, 0o644))
}

// From the first message to an approved write, with the demo's own words.
func TestPage(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	p := openPage(ctx, t, w)
	if address := do(p, chromedp.Location()); strings.Contains(address, w.Token) {
		t.Errorf("the token stays in the address bar: %s", address)
	}
	p.shot("empty")

	p.send("list the files here")
	p.until(`document.querySelector('article.card[data-state="done"]') && !document.querySelector('button.send').hidden`)
	if got := p.text("article.card"); !strings.Contains(got, "ls") {
		t.Errorf("the first card says %q", got)
	}
	p.shot("listed")

	p.send("write hello.txt")
	p.until(`document.querySelector('article.card.asks')`)
	if w.exists(t, "hello.txt") {
		t.Error("the file exists while the card asks")
	}
	p.shot("asks")
	p.press("deny")
	p.until(`document.querySelector('article.card[data-state="denied"]') && !document.querySelector('button.send').hidden`)
	if w.exists(t, "hello.txt") {
		t.Error("the file exists after Deny")
	}
	p.shot("denied")

	p.send("write hello.txt")
	p.until(`document.querySelector('article.card.asks')`)
	p.press("approve")
	p.until(`document.querySelectorAll('article.card[data-state="done"]').length === 2 && !document.querySelector('button.send').hidden`)
	if !w.exists(t, "hello.txt") {
		t.Error("the file does not exist after Approve")
	}
	p.shot("approved")

	// A reload shows the same chat, drawn from its history.
	before := p.text("main")
	p.reload()
	p.until(`document.querySelectorAll('article.card').length === 3`)
	if after := p.text("main"); !strings.Contains(after, "hello.txt") || len(after) < len(before)/2 {
		t.Errorf("after a reload the page says %q; before it said %q", after, before)
	}
	p.shot("reloaded")

	// A question survives a reload, and Stop ends it.
	p.send("delete hello.txt")
	p.until(`document.querySelector('article.card.asks')`)
	p.reload()
	p.until(`document.querySelector('article.card.asks')`)
	p.shot("asks-after-reload")
	do(p, chromedp.Click("button.stop"))
	p.until(`!document.querySelector('article.card.asks') && !document.querySelector('button.send').hidden`)
	if !w.exists(t, "hello.txt") {
		t.Error("the file was deleted by a stopped turn")
	}
	p.shot("stopped")
	pending, err := w.Pending(ctx, "")
	must(t, err)
	if len(pending) != 0 {
		t.Errorf("pending after Stop: %+v", pending)
	}
	writeWhileItRuns(ctx, t, w, p)
}

// A model that writes HTML, and a file name that does, are text on the page.
func TestPageShowsTextAsText(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	p := openPage(ctx, t, w)
	const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
	p.send(`#! SAY "` + strings.ReplaceAll(evil, `"`, `\"`) + ` [a](javascript:document.title='owned')" / CALL bash {"command":"echo <b>bold</b> > evil.txt"}`)
	p.until(`document.querySelector('article.card.asks')`)
	title := do(p, chromedp.Title())
	elements := do(p, chromedp.Evaluate[int](`document.querySelectorAll('main img, main script, main b, main a[href^="javascript"]').length`))
	if title == "owned" || elements != 0 {
		t.Errorf("the page has the title %q and %d elements that the model wrote", title, elements)
	}
	p.shot("hostile-text")
	run, err := w.Pending(ctx, "")
	must(t, err)
	if len(run) != 1 || run[0].Tool.State != chat.ToolProposed {
		t.Errorf("pending: %+v", run)
	}
}
