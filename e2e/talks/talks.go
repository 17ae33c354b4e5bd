// Package talks holds chats that are too long for their model: what a person sends, and
// what they do when it is refused. They are played against a scripted model and, by make
// context-e2e, against a real one.
package talks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// Model is what a talk knows of the model that it is held with.
type Model struct {
	Route   string // as a message names it; "" is the default one
	Window  int    // tokens
	PerTok  float64
	Another string // route that takes more, for where nothing else helps
}

// Talk is one chat.
type Talk struct {
	Name string
	// Play sends what the person sends. It ends with a message that must be answered.
	Play func(ctx context.Context, p *Person) error
}

// Person sends messages and, where one is refused, does what the page offers first.
type Person struct {
	Chat  kit.Chat
	Model Model

	Sent    int      // messages
	Helped  int      // actions taken
	Lost    []string // messages that got no answer, by themselves or by one action
	Offered []string // by the refusals, in order
	Told    []string // the host's own lines
	Share   []int    // percent of the window after each answer
}

// onModel sends to the person's model.
func (p *Person) onModel(r *chat.StreamRequest) { r.Model, r.Mode = p.Model.Route, "bypass" }

// Say sends a message. One that is not answered, by itself or by one action, is Lost.
func (p *Person) Say(ctx context.Context, text string, changes ...func(*chat.StreamRequest)) error {
	p.Sent++
	said := fmt.Sprintf("message %d, %.20q", p.Sent, text)
	last, err := p.send(ctx, text, changes...)
	if err != nil || last.Type == chat.Done {
		return err
	}
	said += fmt.Sprintf(": %s %q", last.Code, last.Text)
	p.Offered = append(p.Offered, last.Actions...)
	if len(last.Actions) > 0 {
		p.Helped++
		var goesOn bool
		if text, goesOn, err = p.act(ctx, last.Actions[0], text); err != nil {
			return err
		}
		if goesOn {
			if last, err = p.send(ctx, text, changes...); err != nil || last.Type == chat.Done {
				return err
			}
		}
		said += fmt.Sprintf(", then %s %q", last.Code, last.Text)
	}
	p.Lost = append(p.Lost, said)
	return nil
}

func (p *Person) send(ctx context.Context, text string, changes ...func(*chat.StreamRequest)) (chat.Frame, error) {
	run, err := p.Chat.Send(ctx, text, append([]func(*chat.StreamRequest){p.onModel}, changes...)...)
	if err != nil {
		return chat.Frame{}, err
	}
	frames, err := run.End(ctx)
	if err != nil {
		return chat.Frame{}, err
	}
	for _, f := range frames {
		switch {
		case f.Own:
			p.Told = append(p.Told, f.Text)
		case f.Type == chat.ContextUse:
			p.Share = append(p.Share, f.Context.Percent)
		}
	}
	return frames[len(frames)-1], nil
}

// act does what a button of the page does, and gives the message that the page sends then,
// unless what the button does failed.
func (p *Person) act(ctx context.Context, action, text string) (message string, goesOn bool, err error) {
	switch action {
	case "attach-as-file", "send-preview":
		as := chat.OversizeFile
		if action == "send-preview" {
			as = chat.OversizePreview
		}
		a, err := p.Chat.Oversize(ctx, chat.OversizeRequest{ChatID: p.Chat.ID, Text: text, As: as})
		return a.Text, true, err
	case "summarize":
		last, err := p.send(ctx, "/compact")
		return goOn, last.Type == chat.Done, err
	case "choose-model":
		p.Model.Route = p.Model.Another
	case "new-chat":
		p.Chat = p.Chat.NewChat()
	}
	return text, true, nil
}

// goOn is what the page says where the session holds the message already.
const goOn = "Go on.\n" + seen

// seen is a script whose answer is one word; a real model reads it as a request.
const seen = "#! SAY seen"

// Prompt is what a model reads of a request's body: messages, instructions and tools. The
// rest of it, such as the reply's cap, makes no other request of it.
func Prompt(body []byte) string {
	var read struct{ System, Messages, Tools json.RawMessage }
	if err := json.Unmarshal(body, &read); err != nil {
		return string(body)
	}
	return string(bytes.Join([][]byte{read.System, read.Messages, read.Tools}, []byte("\n")))
}

// Log is a log of that many characters. It is what the model's servers count densest.
func Log(chars int) string {
	r := rand.New(rand.NewPCG(1, uint64(chars)))
	var b strings.Builder
	for b.Len() < chars {
		fmt.Fprintf(&b, "2026-11-30T12:%02d:%02d.%03dZ ERROR worker[%d]: job %08x failed: exit code %d\n", r.IntN(60), r.IntN(60), r.IntN(1000), r.IntN(9999), r.Uint32(), r.IntN(255))
	}
	return b.String()[:chars]
}

// Han is a text of that many Chinese characters.
func Han(chars int) string {
	return strings.Repeat("修复缓存失效的问题，", chars/10+1)[:3*chars]
}

// paste is a message with a long text in it.
func paste(text string) string { return seen + "\nThis is what it wrote:\n" + text }

// Crowd fills a chat to the end of its window.
var Crowd = Talk{"a chat at 95 %", func(ctx context.Context, p *Person) error {
	const messages = 12
	size := int(float64(p.Model.Window) * p.Model.PerTok * 0.95 / messages)
	for range messages {
		if err := p.Say(ctx, paste(Log(size))); err != nil {
			return err
		}
	}
	return p.all(ctx, seen, "/compact", seen)
}}

// CJK has characters of which each is a token, among instructions of four characters a token.
var CJK = Talk{"CJK", func(ctx context.Context, p *Person) error {
	for range 6 { // each of a fifth of the window
		if err := p.Say(ctx, paste(Han(p.Model.Window/5))); err != nil {
			return err
		}
	}
	return p.Say(ctx, seen)
}}

// Pictures is the talk for models that read them.
var Pictures = Talk{"pictures", func(ctx context.Context, p *Person) error {
	for range 8 {
		if err := p.Say(ctx, seen, pictures(min(8, p.Model.Window/8000+1))); err != nil {
			return err
		}
	}
	return p.Say(ctx, seen)
}}

// Results is one turn of long results.
var Results = Talk{"a turn of long results", func(ctx context.Context, p *Person) error {
	read := func(n int) string {
		return scriptmodel.Bash(fmt.Sprintf("seq %d %d", n*10_000, n*10_000+4000)) // some 24 KB, which the Harness shortens
	}
	steps := []string{read(1), read(2), read(3), read(4), read(5), read(6), scriptmodel.Say("seen")}
	return p.all(ctx, scriptmodel.Steps(steps...), seen)
}}

// All are the talks.
var All = []Talk{
	{"a log of 118 KB", func(ctx context.Context, p *Person) error {
		return p.all(ctx, seen, paste(Log(118_000)), seen, seen)
	}},
	{"1 MB pasted", func(ctx context.Context, p *Person) error {
		return p.all(ctx, paste(Log(1_000_000)), seen, seen)
	}},
	Crowd, CJK, Pictures, Results,
}

// all sends messages in order.
func (p *Person) all(ctx context.Context, texts ...string) error {
	for _, text := range texts {
		if err := p.Say(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// png is a grey square of one pixel.
var png = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82")

func pictures(n int) func(*chat.StreamRequest) {
	return func(r *chat.StreamRequest) {
		r.Attachments = slices.Repeat([]chat.Attachment{{Name: "grey.png", MediaType: "image/png", Data: png}}, n)
	}
}
