package page_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a condition may take to come true before a test fails.
const patience = 60 * time.Second

// chromium is a headless browser, driven over its pipe (fd 3 in, fd 4 out;
// messages end with a zero byte). The tests of this package share one.
type chromium struct {
	cmd     *exec.Cmd
	in, out *os.File
	dir     string
	read    chan struct{}

	mu      sync.Mutex
	id      int
	answers map[int]chan message
	faults  map[string][]string // by page: what it complained of
}

// browser is one page, with a storage of its own.
type browser struct {
	*chromium
	session string
}

type message struct {
	ID        int             `json:"id"`
	SessionID string          `json:"sessionId"`
	Method    string          `json:"method"`
	Params    json.RawMessage `json:"params"`
	Result    json.RawMessage `json:"result"`
	Error     json.RawMessage `json:"error"`
}

var errNoChromium = errors.New("no Chromium on the PATH; make test installs it")

// theChromium starts the browser at its first use; TestMain ends it.
var theChromium = sync.OnceValues(launch)

func TestMain(m *testing.M) {
	launched := false
	launchOnce := theChromium
	theChromium = sync.OnceValues(func() (*chromium, error) {
		launched = true
		return launchOnce()
	})
	code := m.Run()
	if launched {
		if c, err := launchOnce(); err == nil {
			c.close()
		}
	}
	os.Exit(code)
}

func launch() (*chromium, error) {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, errNoChromium
	}
	dir, err := os.MkdirTemp("", "page-browser-")
	if err != nil {
		return nil, err
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars", "--accept-lang=en-US",
		"--user-data-dir="+dir, "--remote-debugging-pipe")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{cmd: cmd, in: ourIn, out: ourOut, dir: dir, read: make(chan struct{}),
		answers: map[int]chan message{}, faults: map[string][]string{}}
	go c.loop()
	return c, nil
}

// close ends the browser and its folder.
func (c *chromium) close() {
	_ = c.send(0, "", "Browser.close", struct{}{})
	gone := make(chan error, 1)
	go func() { gone <- c.cmd.Wait() }()
	select {
	case <-gone:
	case <-time.After(patience):
		_ = c.cmd.Process.Kill()
		<-gone
	}
	c.in.Close()
	<-c.read
	c.out.Close()
	_ = os.RemoveAll(c.dir)
}

func (c *chromium) loop() {
	defer close(c.read)
	r := bufio.NewReader(c.out)
	for {
		raw, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(raw[:len(raw)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		switch {
		case m.ID != 0:
			if answer := c.answers[m.ID]; answer != nil {
				answer <- m
				delete(c.answers, m.ID)
			}
		case m.Method == "Runtime.exceptionThrown":
			c.faults[m.SessionID] = append(c.faults[m.SessionID], "exception: "+string(m.Params))
		case m.Method == "Log.entryAdded" && strings.Contains(string(m.Params), `"source":"security"`):
			c.faults[m.SessionID] = append(c.faults[m.SessionID], "policy: "+string(m.Params))
		}
		c.mu.Unlock()
	}
}

func (c *chromium) send(id int, session, method string, params any) error {
	m := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		m["sessionId"] = session
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(raw, 0))
	return err
}

// start opens a blank page.
func start(t *testing.T) *browser {
	t.Helper()
	c, err := theChromium()
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{chromium: c}
	var context struct{ BrowserContextID string }
	b.call(t, "Target.createBrowserContext", nil, &context)
	var target struct{ TargetID string }
	b.call(t, "Target.createTarget", map[string]any{"url": "about:blank", "browserContextId": context.BrowserContextID}, &target)
	var attached struct{ SessionID string }
	b.call(t, "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	t.Cleanup(func() {
		b.session = ""
		b.call(t, "Target.disposeBrowserContext", map[string]any{"browserContextId": context.BrowserContextID}, nil)
	})
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(t, domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) call(t *testing.T, method string, params any, result any) {
	t.Helper()
	if params == nil {
		params = struct{}{}
	}
	b.mu.Lock()
	b.id++
	answer := make(chan message, 1)
	b.answers[b.id] = answer
	err := b.send(b.id, b.session, method, params)
	b.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-answer:
		if m.Error != nil {
			t.Fatalf("%s: %s", method, m.Error)
		}
		if result == nil {
			return
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			t.Fatalf("%s: %v: %s", method, err, m.Result)
		}
	case <-time.After(patience):
		t.Fatalf("%s: the browser does not answer", method)
	}
}

// eval gives the JSON value of an expression in the page.
func (b *browser) eval(t *testing.T, js string) any {
	t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	b.call(t, "Runtime.evaluate", map[string]any{"expression": js, "returnByValue": true, "awaitPromise": true, "userGesture": true}, &r)
	if r.ExceptionDetails != nil {
		t.Fatalf("%s: %s", js, r.ExceptionDetails)
	}
	return r.Result.Value
}

// until waits until an expression gives want.
func (b *browser) until(t *testing.T, js string, want any) {
	t.Helper()
	waitFor(t, func() string {
		if got := b.eval(t, js); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Sprintf("%s\n  is   %v\n  want %v", js, got, want)
		}
		return ""
	})
}

// waitFor asks until nothing is missing.
func waitFor(t *testing.T, missing func() string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for {
		m := missing()
		if m == "" {
			return
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(m)
		}
	}
}

func (b *browser) open(t *testing.T, url string) {
	t.Helper()
	b.call(t, "Page.navigate", map[string]any{"url": url}, nil)
	b.until(t, "document.readyState", "complete")
}

// write types text where the focus is; "\n" is the Enter key.
func (b *browser) write(t *testing.T, text string) {
	t.Helper()
	for i, part := range strings.Split(text, "\n") {
		if i > 0 {
			b.press(t, "Enter", 13, 0)
		}
		if part != "" {
			b.call(t, "Input.insertText", map[string]any{"text": part}, nil)
		}
	}
}

const shift = 8

func (b *browser) press(t *testing.T, key string, code, modifiers int) {
	t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
		if kind == "keyDown" && key == "Enter" {
			p["text"] = "\r"
		}
		b.call(t, "Input.dispatchKeyEvent", p, nil)
	}
}

// click clicks the middle of the first element that a selector finds.
func (b *browser) click(t *testing.T, selector string) {
	t.Helper()
	waitFor(t, func() string {
		if !b.tryClick(t, selector) {
			return selector + " is not there"
		}
		return ""
	})
}

func (b *browser) tryClick(t *testing.T, selector string) bool {
	t.Helper()
	at, ok := b.eval(t, fmt.Sprintf(`(() => { const e = document.querySelector(%q); if (!e || e.hidden || e.disabled) return null;
		e.scrollIntoView({block: 'nearest'}); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector)).([]any)
	if !ok {
		return false
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		b.call(t, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
	return true
}

// decide clicks Approve or Deny until the card takes it: a click in a card's
// first half second is none.
func (b *browser) decide(t *testing.T, button, id, want string) {
	t.Helper()
	waitFor(t, func() string {
		if s := b.eval(t, card(id)); s != want {
			b.tryClick(t, button)
			return fmt.Sprintf("the card is %v, want %s", s, want)
		}
		return ""
	})
}

// size sets the window, in CSS pixels, and the colour scheme.
func (b *browser) size(t *testing.T, width, height int, scheme string) {
	t.Helper()
	b.call(t, "Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call(t, "Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shoot keeps a picture as an artefact.
func (b *browser) shoot(t *testing.T, name string) {
	t.Helper()
	b.eval(t, "new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")
	var r struct{ Data string }
	b.call(t, "Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	png, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join("..", "..", "..", "artifacts", "page-routes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// clean fails if the page threw something or its policy was broken.
func (b *browser) clean(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.faults[b.session] {
		t.Error(f)
	}
}
