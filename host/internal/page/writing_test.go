package page_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/chat"
)

// compose has an input method show what it would write; "" commits nothing.
func (b *browser) compose(t *testing.T, text string) {
	t.Helper()
	n := len([]rune(text))
	b.call(t, "Input.imeSetComposition", map[string]any{"text": text, "selectionStart": n, "selectionEnd": n}, nil)
}

// TestEnterWhileComposing chooses what the input method offers, and sends nothing,
// while no turn runs and while one does.
func TestEnterWhileComposing(t *testing.T) {
	t.Parallel()
	begin, next := paced()
	a := newAgent(begin)
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.eval(t, "window.enters = []; document.querySelector('#message').addEventListener('keydown', (e) => { if (e.key === 'Enter') enters.push(e.isComposing) }, true)")
	for i, message := range []string{"こんにちは", "请列出文件"} {
		b.compose(t, message[:3])
		b.compose(t, message)
		for _, modifiers := range []int{0, ctrl} { // as an input method lets them through: without the text
			for _, kind := range []string{"rawKeyDown", "keyUp"} {
				b.call(t, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "modifiers": modifiers}, nil)
			}
		}
		b.until(t, "document.querySelector('#message').value", message)
		b.call(t, "Input.insertText", map[string]any{"text": message}, nil) // the choice
		b.until(t, "document.querySelector('#message').value", message)
		if got := len(a.sentTexts()); got != i {
			t.Fatalf("%d messages were sent while the input method was at work", got-i)
		}
		// Some browsers tell of the Enter that ends a composition when it is over.
		b.eval(t, "document.querySelector('#message').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true }))")
		b.press(t, "Enter", 13, 0)
		b.until(t, "document.querySelector('#message').value", "")
		waitFor(t, func() string {
			if got := len(a.sentTexts()); got != i+1 {
				return fmt.Sprintf("%d messages were sent, want %d", got, i+1)
			}
			return ""
		})
	}
	if d := cmp.Diff("true,true,false,false,true,true,false,false", b.eval(t, "enters.join()")); d != "" {
		t.Errorf("which keys came while composing (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"こんにちは", "请列出文件"}, a.sentTexts()); d != "" {
		t.Errorf("sent (-want +got):\n%s", d)
	}
	next <- struct{}{}
	next <- struct{}{}
	b.until(t, "document.querySelector('.stop').hidden", true)
	b.clean(t)
}

// TestLongCJKTextWraps: in every place where such text stands, without a space in it, at
// the width of a phone; nothing is cut off and nothing makes the page wider.
func TestLongCJKTextWraps(t *testing.T) {
	t.Parallel()
	han := strings.Repeat("文字列折返確認長文章", 40)
	kana := strings.Repeat("これはとてもながいぶんしょうです、", 30)
	hangul := strings.Repeat("가나다라마바사아자차카타파하", 30)
	a := newAgent(func(r *run) {
		r.put(chat.Frame{Type: chat.Reasoning, Sentence: chat.Sentence{Text: kana}})
		r.say(han + "\n\n- " + kana + "\n\n> " + hangul + "\n\n| " + han + " | b |\n|---|---|\n| 一 | 二 |\n\n```\n" + han + "\n```\n")
		r.tool(chat.Tool{ID: "t", Name: "bash", Title: han, State: chat.ToolError, Reason: kana, Input: `{"command":"` + hangul + `"}`, Result: han, Details: kana})
		r.put(chat.Frame{Type: chat.Failed, Code: chat.CodeModelFailed, Sentence: chat.Sentence{Text: hangul}, Details: han})
	})
	_, url := a.serve(t)
	b := start(t)
	b.size(t, 360, 740, "light")
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.write(t, kana)
	b.until(t, "document.querySelector('#message').clientHeight > 60", true) // the box grows
	b.write(t, "\n")
	b.until(t, "document.querySelectorAll('.failure').length", 1)
	b.eval(t, "document.querySelectorAll('details').forEach((d) => { d.open = true })")
	b.shoot(t, "15-cjk-narrow")
	wide := `[...document.querySelectorAll('#transcript *, .composer *')].filter((e) => {
		if (e.closest('.scroll, .code pre')) return false; // they scroll by themselves
		const r = e.getBoundingClientRect();
		return r.width > 0 && r.right > innerWidth + 1;
	}).map((e) => e.tagName + '.' + e.className).join()`
	b.until(t, wide, "")
	b.until(t, "document.documentElement.scrollWidth <= innerWidth && document.querySelector('#transcript').scrollWidth <= document.querySelector('#transcript').clientWidth", true)
	b.until(t, "document.querySelector('.entry.user .body > div').getClientRects().length && document.querySelector('.entry.user .body').clientHeight > 100", true)
	b.until(t, shown+".replace(/\\s/g, '').includes('"+han+"')", true)
	b.clean(t)
}
