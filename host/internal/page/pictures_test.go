package page_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // what is too large becomes one
	_ "image/png"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// paste pastes a picture of that width into the message.
func (b *browser) paste(t *testing.T, name string, width int) {
	t.Helper()
	b.eval(t, fmt.Sprintf(`(async () => {
		const canvas = new OffscreenCanvas(%d, 3);
		canvas.getContext('2d').fillRect(0, 0, 2, 2);
		const data = new DataTransfer();
		data.items.add(new File([await canvas.convertToBlob()], %q, { type: 'image/png' }));
		document.querySelector('#message').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
	})()`, width, name))
	b.until(t, "[...document.querySelectorAll('.composer .pictures button')].at(-1)?.innerText", "🖼 "+name+" ✕")
}

// TestAPastedPicture goes with the message; one that is too large is made smaller, and
// one that is taken away does not go.
func TestAPastedPicture(t *testing.T) {
	a := newAgent(func(r *run) { r.say("a square") })
	_, url := a.serve(t)
	b := start(t)
	b.open(t, url+"#token="+token)
	b.until(t, "document.activeElement.id", "message")
	b.paste(t, "small.png", 4)
	b.paste(t, "gone.png", 4)
	b.click(t, ".composer .pictures button:last-child")
	b.until(t, "document.querySelectorAll('.composer .pictures button').length", 1)
	b.paste(t, "large.png", 4000)
	b.write(t, "what is it?\n")
	b.until(t, "[...document.querySelectorAll('.entry.user .notice p')].map((e) => e.innerText).join()", "🖼 small.png,🖼 large.png")
	b.until(t, "document.querySelector('.entry.assistant .body')?.innerText.includes('a square')", true)
	type got struct {
		Name, Type, Format string
		Width, Height      int
	}
	var sent []got
	a.mu.Lock()
	for _, p := range a.sent[0].Attachments {
		size, format, err := image.DecodeConfig(bytes.NewReader(p.Data))
		if err != nil {
			t.Error(err)
		}
		sent = append(sent, got{p.Name, p.MediaType, format, size.Width, size.Height})
	}
	a.mu.Unlock()
	want := []got{{"small.png", "image/png", "png", 4, 3}, {"large.png", "image/jpeg", "jpeg", 2000, 1}}
	if d := cmp.Diff(want, sent); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	b.until(t, "document.querySelector('.composer .pictures').hidden", true)
	b.clean(t)
}
