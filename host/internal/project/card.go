package project

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// MaxText is how many bytes of a tool's input or result a card carries; the page
// shows no more, the session's log keeps all of it.
const MaxText = 64 << 10

// card is a call that has no result yet.
type card struct {
	tool    chat.Tool
	order   int64 // seq of its call: parallel calls keep the model's order
	since   int64 // Unix milliseconds: when it began to run
	digest  string
	outcome string // of the newest question; "" while it waits or where none was asked
	engine  string // who was asked by a search whose result does not tell
	// hidden cards are those of the delegation tools: the helper's own row stands
	// for them, unless a person is asked or it goes wrong.
	hidden bool
}

// delegation are the tools whose work is shown as helper rows.
var delegation = map[string]bool{"subagent": true, "subagent_fork": true, "list_subagent_models": true}

// rowed tells whether a helper's row stands for a call of the tool.
func rowed(tool string) bool { return delegation[tool] && tool != "list_subagent_models" }

// Delegates tells whether a tool starts helper agents, or wakes one that had settled.
func Delegates(tool string) bool { return rowed(tool) || tool == "send_message" }

// name gives a call its id on the page. Some models count from one in every answer,
// or give no id: each call has a card of its own all the same.
func (f *Fold) name(call string, seq int64) string {
	id := call
	for n := seq; id == "" || f.named[id]; n++ {
		id = fmt.Sprintf("%s@%d", call, n)
	}
	f.named[id] = true
	return f.cfg.id(id)
}

func (f *Fold) called(e dsh.Event, c dsh.ToolCall) []chat.Frame {
	f.cards[c.CallID] = &card{
		tool: titled(chat.Tool{
			ID: f.name(c.CallID, e.Seq), Name: c.Name, State: chat.ToolRunning, Input: clip(c.Arguments),
		}, title(c.Name, c.Arguments, f.cfg.CWD)),
		order: e.Seq, since: e.Time, hidden: delegation[c.Name],
		digest: abi.Digest(f.cfg.Root, f.cfg.Session, c.CallID, c.Name, []byte(c.Arguments)),
	}
	f.carded = f.carded || rowed(c.Name)
	return f.upsert(f.cards[c.CallID])
}

func (f *Fold) asked(e dsh.Event, a dsh.Approval) []chat.Frame {
	call := a.CallID
	if c := f.cards[""]; call == "" && (c == nil || c.tool.Name != a.ToolName) {
		call = a.ID // a question that belongs to no call, not even to one without an id
	}
	c := f.cards[call]
	if c == nil {
		c = &card{tool: titled(chat.Tool{ID: f.name(call, e.Seq), Name: a.ToolName}, title(a.ToolName, "", f.cfg.CWD)), order: e.Seq}
		f.cards[call] = c
	}
	f.approvals[a.ID] = call
	c.hidden, c.outcome = false, ""
	c.tool.State, c.tool.Reason, c.tool.Digest = chat.ToolProposed, a.Reason, c.digest
	if f.policy == "never" { // nobody is asked: the answer follows at once
		return nil
	}
	return f.upsert(c)
}

func (f *Fold) decided(e dsh.Event, a dsh.Approval) []chat.Frame {
	call, ok := f.approvals[a.ID]
	if !ok {
		return nil
	}
	delete(f.approvals, a.ID)
	c := f.cards[call]
	if c == nil {
		return nil
	}
	c.outcome, c.tool.Digest = a.Outcome, ""
	if a.Outcome == "allowed-once" {
		c.tool.State, c.since = chat.ToolRunning, e.Time
		return f.upsert(c)
	}
	c.tool.State = chat.ToolDenied
	c.says(say.Sentence(refusal(a.Outcome, f.policy)))
	if call == a.ID { // no call, so no result will follow
		delete(f.cards, call)
	}
	return f.upsert(c)
}

func (f *Fold) result(e dsh.Event, r dsh.ToolResult) []chat.Frame {
	call := r.Message.Source.CallID
	c := f.cards[call]
	if c == nil {
		return nil
	}
	delete(f.cards, call)
	text, failed := content(r.Message)
	c.tool.Digest = ""
	if !failed {
		c.says(chat.Sentence{Text: clip(text)})
		c.tool.State = chat.ToolDone
		c.tool.DurationMs = max(0, e.Time-c.since)
		note, noted := c.searched(text)
		frames := f.upsert(c)
		if noted {
			frames = append(frames, f.Untold([]chat.Frame{{Type: chat.Notice, Sentence: note}})...)
		}
		return frames
	}
	c.hidden = false
	code := ""
	if r.Error != nil {
		code = r.Error.Code
	}
	state, key := outcome(c.outcome, c.tool.State == chat.ToolProposed, f.policy, code, text)
	if state == chat.ToolDenied && c.tool.State == chat.ToolDenied {
		return nil // the card says so since the answer came
	}
	said := say.Sentence(key)
	if state == chat.ToolError {
		if s, ok := webFailure(c.tool.Name, code, text); ok {
			said = s
		}
	}
	c.end(state, said, cmp.Or(text, code, noResult))
	if state == chat.ToolError {
		c.tool.DurationMs = max(0, e.Time-c.since)
	}
	frames := f.upsert(c)
	if key == say.ToolUnconfined {
		frames = append(frames, f.Untold([]chat.Frame{{Type: chat.Notice, Code: chat.CodeModeUnavailable, Sentence: say.Sentence(say.Unconfined), Details: c.tool.Details}})...)
	}
	return frames
}

// Untold leaves out the notices that the chat has had: each is told once.
func (f *Fold) Untold(frames []chat.Frame) []chat.Frame {
	return slices.DeleteFunc(frames, func(fr chat.Frame) bool {
		if fr.Type != chat.Notice {
			return false
		}
		told := f.told[fr.Key]
		f.told[fr.Key] = true
		return told
	})
}

// Technical text of a card that ends without the tool's own.
const (
	noResult    = "no result"
	processGone = "the process ended before the result"
	turnOver    = "the turn ended before the result"
)

// fail is end with a sentence that has no places.
func (c *card) fail(state chat.ToolState, key, details string) {
	c.end(state, say.Sentence(key), details)
}

// says puts a sentence of ours in the place of a result.
func (c *card) says(s chat.Sentence) {
	c.tool.Result, c.tool.ResultKey, c.tool.ResultArgs = s.Text, s.Key, s.Args
}

// titled gives a card its title.
func titled(t chat.Tool, s chat.Sentence) chat.Tool {
	t.Title, t.TitleKey, t.TitleArgs = s.Text, s.Key, s.Args
	return t
}

// end ends a card with a plain sentence, and what is known technically: in the result
// of a call that failed, too.
func (c *card) end(state chat.ToolState, said chat.Sentence, details string) {
	c.tool.State, c.tool.Digest = state, ""
	c.tool.Details = clip(details)
	c.says(said)
	if state == chat.ToolError {
		c.tool.Result = clip(c.tool.Result + "\n\nDetails: " + details)
	}
}

// Close ends the cards that are left open, in the order of their calls. Lost says
// that the process went away under them.
func (f *Fold) Close(lost bool) []chat.Frame {
	left := slices.SortedFunc(maps.Values(f.cards), func(a, b *card) int { return int(a.order - b.order) })
	clear(f.cards)
	clear(f.approvals)
	var frames []chat.Frame
	for _, c := range left {
		if c.hidden {
			continue
		}
		switch {
		case c.tool.State == chat.ToolProposed:
			c.fail(chat.ToolDenied, say.ToolCancelled, "")
		case c.tool.State == chat.ToolRunning && lost:
			c.fail(chat.ToolError, say.ToolLost, processGone)
		case c.tool.State == chat.ToolRunning:
			c.fail(chat.ToolError, say.ToolStopped, turnOver)
		default:
			continue
		}
		frames = append(frames, f.upsert(c)...)
	}
	return frames
}

// upsert is the card's frame, unless it stays hidden.
func (f *Fold) upsert(c *card) []chat.Frame {
	if c.hidden {
		return nil
	}
	f.carded = true
	f.text.close()
	f.think.close()
	t := c.tool
	return []chat.Frame{{Type: chat.AgentTool, Tool: &t}}
}
