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
	heard
}

// enter begins a step, unless it is the running one.
func (f *Fold) enter(s dsh.Step) {
	if s == f.step {
		return
	}
	f.step, f.failed, f.begun = s, false, false
	clear(f.blocks)
	clear(f.drafts)
	f.text.enter()
	f.think.enter()
}

// retry begins the step's next try.
func (f *Fold) retry() {
	f.failed, f.begun = false, false
	clear(f.blocks)
	clear(f.drafts)
	f.text.retry()
	f.think.retry()
}

// Live takes a piece of an answer that is being made, where the wire has those beside
// the log (≥ 0.1.5). Its chunks show what the same ones show in the log of 0.1.0; an
// attempt that is given again from its start shows nothing twice.
func (f *Fold) Live(l dsh.Live) []chat.Frame {
	switch {
	case l.Type == dsh.LiveStart:
		f.enter(dsh.Step{Turn: l.Turn, Step: l.Step})
		f.begun = true
	case l.Type == dsh.LiveChunk && l.Chunk != nil:
		return f.chunk(dsh.AssistantChunk{Turn: l.Turn, Step: l.Step, Chunk: *l.Chunk})
	}
	return nil
}

// chunk takes a piece of a streamed answer (0.1.0 logs them).
func (f *Fold) chunk(c dsh.AssistantChunk) []chat.Frame {
	f.enter(dsh.Step{Turn: c.Turn, Step: c.Step})
	if f.failed || f.begun {
		f.retry()
	}
	switch k := c.Chunk; k.Type {
	case "block-start":
		f.blocks[k.Index] = &block{kind: k.BlockType}
	case "text-delta":
		return f.piece(k.Index, "text", k.Text)
	case "reasoning-delta":
		return f.piece(k.Index, "reasoning", k.Text)
	case "tool-call-delta":
		return f.drafting(k)
	case "block-end":
		if k.Block == nil || k.Block.Text == "" {
			return nil
		}
		b := f.blocks[k.Index]
		if b == nil {
			b = &block{}
		}
		if rest, ok := b.rest(k.Block.Text); ok {
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
	b.add(text)
	return f.show(f.channel(kind), kind, text, (*channel).push)
}

// message takes the answer as the log keeps it for good: the authority where the
// chunks were not seen, or not all.
func (f *Fold) message(m dsh.AssistantMessage) []chat.Frame {
	f.enter(dsh.Step{Turn: m.Turn, Step: m.Step})
	if f.begun {
		f.retry()
	}
	var said said
	for _, b := range m.Message.Content {
		said.add(b.Type, b.Text)
	}
	frames := f.shown(said, (*channel).finish)
	if m.Usage != nil {
		frames = append(frames, f.usedUp(*m.Usage)...)
	}
	return frames
}

// attempt takes a request that gave no message, as the log keeps it for good (≥ 0.1.5):
// what came of it live is not shown again, and what is read from a log is shown as the
// chunks of a failed try in the log of 0.1.0.
func (f *Fold) attempt(a dsh.AssistantAttempt) []chat.Frame {
	f.enter(dsh.Step{Turn: a.Turn, Step: a.Step})
	var said said
	for _, c := range dsh.Unpack(a.Stream) {
		switch c.Chunk.Type {
		case "text-delta":
			said.add("text", c.Chunk.Text)
		case "reasoning-delta":
			said.add("reasoning", c.Chunk.Text)
		}
	}
	frames := f.shown(said, (*channel).complete)
	f.begun = true // what follows in this step is another's
	return frames
}

// said is the whole text of each kind, in the order in which the kinds came.
type said struct {
	kinds []string
	parts map[string][]string
}

func (s *said) add(kind, text string) {
	if text == "" {
		return
	}
	if s.parts == nil {
		s.parts = map[string][]string{}
	}
	if s.parts[kind] == nil {
		s.kinds = append(s.kinds, kind)
	}
	s.parts[kind] = append(s.parts[kind], text)
}

func (f *Fold) shown(s said, take func(*channel, string) (string, bool)) []chat.Frame {
	var frames []chat.Frame
	for _, kind := range s.kinds {
		frames = append(frames, f.show(f.channel(kind), kind, strings.Join(s.parts[kind], ""), take)...)
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
