package project

import (
	"strings"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// block is one content block of the running try.
type block struct {
	kind string
	text []byte
}

// enter begins a step, unless it is the running one.
func (f *Fold) enter(s dsh.Step) {
	if s == f.step {
		return
	}
	f.step, f.failed = s, false
	clear(f.blocks)
	f.text.enter()
	f.think.enter()
}

// chunk takes a piece of a streamed answer (0.1.0 logs them).
func (f *Fold) chunk(c dsh.AssistantChunk) []chat.Frame {
	f.enter(dsh.Step{Turn: c.Turn, Step: c.Step})
	if f.failed {
		f.failed = false
		clear(f.blocks)
		f.text.retry()
		f.think.retry()
	}
	switch k := c.Chunk; k.Type {
	case "block-start":
		f.blocks[k.Index] = &block{kind: k.BlockType}
	case "text-delta":
		return f.piece(k.Index, "text", k.Text)
	case "reasoning-delta":
		return f.piece(k.Index, "reasoning", k.Text)
	case "block-end":
		if k.Block == nil || k.Block.Text == "" {
			return nil
		}
		var had string
		if b := f.blocks[k.Index]; b != nil {
			had = string(b.text)
		}
		if rest, ok := strings.CutPrefix(k.Block.Text, had); ok {
			return f.piece(k.Index, k.Block.Type, rest)
		}
	case "finish":
		f.failed = k.Reason != nil && (k.Reason.Kind == "error" || k.Reason.Kind == "aborted")
	}
	return nil
}

func (f *Fold) piece(index int, kind, text string) []chat.Frame {
	b := f.blocks[index]
	if b == nil {
		b = &block{kind: kind}
		f.blocks[index] = b
	}
	b.text = append(b.text, text...)
	return f.show(f.channel(kind), kind, text, (*channel).push)
}

// message takes the answer as the log keeps it for good: the authority where the
// chunks were not seen, or not all.
func (f *Fold) message(m dsh.AssistantMessage) []chat.Frame {
	f.enter(dsh.Step{Turn: m.Turn, Step: m.Step})
	var frames []chat.Frame
	whole := map[string]string{}
	var order []string
	for _, b := range m.Message.Content {
		if f.channel(b.Type) == nil || b.Text == "" {
			continue
		}
		if _, ok := whole[b.Type]; !ok {
			order = append(order, b.Type)
		}
		whole[b.Type] += b.Text
	}
	for _, kind := range order {
		frames = append(frames, f.show(f.channel(kind), kind, whole[kind], (*channel).finish)...)
	}
	if m.Usage != nil {
		frames = append(frames, f.usedUp(*m.Usage)...)
	}
	return frames
}

func (f *Fold) channel(kind string) *channel {
	switch kind {
	case "text":
		return &f.text
	case "reasoning":
		return &f.think
	}
	return nil
}

func (f *Fold) show(c *channel, kind, text string, take func(*channel, string) (string, bool)) []chat.Frame {
	if c == nil {
		return nil
	}
	shown, again := take(c, text)
	if shown == "" {
		return nil
	}
	frame := chat.Frame{Type: chat.Reasoning, Sentence: chat.Sentence{Text: shown}}
	if kind == "text" {
		frame.Type = chat.Delta
		f.answered = f.answered || strings.TrimSpace(shown) != ""
	}
	if again && kind == "text" {
		return []chat.Frame{own(say.AnswerRestarted), frame}
	}
	return []chat.Frame{frame}
}
