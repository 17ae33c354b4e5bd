package scriptmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// player plays one step's actions into a sink.
type player struct {
	model *Model
	rec   *Request
	sink  sink
	key   string // of counted faults
	size  Size
	out   int // characters sent
	calls int
}

// textPiece is how much text goes into one chunk, in bytes: a few words.
const textPiece = 20

func (p *player) promptTokens() int { return p.rec.Tokens }

// play plays the actions. CUT leaves by a panic that the server knows.
func (p *player) play(ctx context.Context, actions []Action) {
	finish, usage := "", ""
	for i, a := range actions {
		switch a.Op {
		case OpThink:
			p.text("reasoning_content", pieces(a.Text, textPiece)...)
		case OpSay:
			p.text("content", pieces(a.Text, textPiece)...)
		case OpStream:
			p.text("content", words(a.N, a.Text)...)
		case OpCall:
			p.status(http.StatusOK)
			p.sink.call(p.calls, callID(hash(p.rec.Body), p.calls), a.Tool, a.Args)
			p.calls++
			p.out += len(a.Args)
		case OpUsage:
			usage = a.Args
		case OpFinish:
			finish = a.Text
		case OpHold, OpSleep:
			if !p.pause(ctx, a) {
				return
			}
		default:
			if p.model.faults.due(fmt.Sprintf("%s #%d", p.key, i), a.Times) {
				p.fault(ctx, a)
				return
			}
		}
	}
	if finish == "" {
		if finish = "stop"; p.calls > 0 {
			finish = "tool_calls"
		}
	}
	p.status(http.StatusOK)
	p.sink.end(finish, p.usage(usage))
}

func (p *player) text(field string, pieces ...string) {
	p.status(http.StatusOK)
	for _, piece := range pieces {
		p.sink.text(field, piece)
		p.out += len(piece)
	}
}

func (p *player) pause(ctx context.Context, a Action) bool {
	if a.Op == OpSleep {
		timer := time.NewTimer(time.Duration(a.N) * time.Millisecond)
		defer timer.Stop()
		return wait(ctx, timer.C)
	}
	p.held(a.Text)
	defer p.held("")
	return wait(ctx, p.model.holds.wait(a.Text))
}

func (p *player) fault(ctx context.Context, a Action) {
	switch a.Op {
	case OpErr:
		p.refuse(a.N, refusalOf(a, p.size, p.promptTokens()))
	case OpHang:
		<-ctx.Done()
	case OpCut:
		p.sink.flush()
		panic(http.ErrAbortHandler)
	}
}

func (p *player) refuse(status int, e apiError) {
	p.status(status)
	p.sink.fail(status, e)
}

// status notes the answer's first status.
func (p *player) status(status int) {
	if p.rec.Status == 0 {
		p.model.log.update(func() { p.rec.Status = status })
	}
}

func (p *player) held(name string) { p.model.log.update(func() { p.rec.Held = name }) }

// usage never exceeds the window: a Harness takes more for an overflow even on a
// good answer. An override is the script's own business.
func (p *player) usage(override string) json.RawMessage {
	completion := min(max(1, int(float64(p.out)/p.size.CharsPerToken)), p.size.Window)
	prompt := min(p.promptTokens(), p.size.Window-completion)
	all := object{"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
	if override != "" {
		_ = json.Unmarshal([]byte(override), &all) // an object: Parse has seen to it
	}
	data, _ := json.Marshal(all)
	return data
}

// pieces cuts text into pieces of about n bytes, at runes.
func pieces(text string, n int) []string {
	var out []string
	for len(text) > n {
		at := n
		for at > 0 && !utf8.RuneStart(text[at]) {
			at--
		}
		if at == 0 {
			at = n
		}
		out, text = append(out, text[:at]), text[at:]
	}
	return append(out, text)
}

// words gives n words, each with its blank: those of text over and over, or
// numbered ones.
func words(n int, text string) []string {
	own := strings.Fields(text)
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("word%d ", i+1)
		if len(own) > 0 {
			out[i] = own[i%len(own)] + " "
		}
	}
	return out
}
