package scriptmodel

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// Kind is what a request is for.
type Kind string

// The kinds. Title and compaction requests carry the conversation, scripts and
// all, and are told by their wording.
const (
	Chat       Kind = "chat"
	Title      Kind = "title"
	Compaction Kind = "compaction"
)

// Conversation is what a request asks.
type Conversation struct {
	Kind   Kind
	Person string    // the last message of a person, or of the agent that started a helper
	After  []Message // what came after it, notes of the Harness left out
	Served int       // assistant messages in After
}

// kinds tells the requests that are no step of a turn by how a message begins.
var kinds = []struct {
	kind Kind
	role string // of the message: "" is the last one
	text string
}{
	{Title, "system", "Create a concise title for"},
	{Compaction, "", "You are now acting as a compaction engine"},
}

// notes begin the user messages that the Harness writes itself.
var notes = []string{
	"Current runtime context.",
	"The approval policy changed from ",
	"<system-reminder>",
	"Background subagent ",
	"background job ",
	"<goal_complete>",
	"<goal_blocked>",
	"You are repeating the exact same tool call",
	"Your last reply was cut off at the output limit", // the host has it go on
	checkpoint,
}

// checkpoint begins the message that stands for compacted ones; its last line
// ends in checkpointEnd.
const (
	checkpoint    = "This is an automatically generated checkpoint"
	checkpointEnd = "</compacted-summary>"
)

// Read tells what the messages ask.
func Read(messages []Message) Conversation {
	c := Conversation{Kind: kindOf(messages)}
	if c.Kind == Compaction { // its last message is the instruction
		messages = fromTranscript(messages[:len(messages)-1])
	}
	for _, m := range messages {
		switch {
		case m.Role == "user" && isPerson(string(m.Content)):
			if goal, round := goalRound(string(m.Content)); round > 0 {
				c.Person, c.After, c.Served = goal, nil, 0
				continue
			}
			c.Person, c.After, c.Served = strings.TrimSuffix(strings.TrimSpace(string(m.Content)), checkpointEnd), nil, 0
		case m.Role == "assistant":
			c.Served++
			c.After = append(c.After, m)
		case m.Role == "tool":
			c.After = append(c.After, m)
		}
	}
	return c
}

var roundText = regexp.MustCompile(`(?s)^<goal_round>\s*Objective: ("(?:[^"\\]|\\.)*")\s*Round: ([0-9]+)/`)

// goalRound reads the message that begins a goal's round: the goal's text, which is a
// script as a person's message may be, and the round, 0 where it is none.
func goalRound(text string) (goal string, round int) {
	m := roundText.FindStringSubmatch(text)
	if m == nil || json.Unmarshal([]byte(m[1]), &goal) != nil {
		return "", 0
	}
	round, _ = strconv.Atoi(m[2])
	return goal, round
}

func kindOf(messages []Message) Kind {
	for _, k := range kinds {
		for i, m := range messages {
			at := k.role == m.Role || k.role == "" && i == len(messages)-1
			if at && strings.HasPrefix(string(m.Content), k.text) {
				return k.kind
			}
		}
	}
	return Chat
}

// isPerson tells a message of a person from a note. A checkpoint that holds a
// script stands for the person's message that was compacted.
func isPerson(text string) bool {
	for _, n := range notes {
		if strings.HasPrefix(text, n) {
			return n == checkpoint && Find(text) != ""
		}
	}
	return true
}

// Results pairs the calls made since the person's message with what came back.
func (c Conversation) Results() []Result {
	text := map[string]string{}
	for _, m := range c.After {
		if m.Role == "tool" {
			text[m.ToolCallID] = string(m.Content)
		}
	}
	var out []Result
	for _, m := range c.After {
		for _, call := range m.ToolCalls {
			out = append(out, Result{Tool: call.Function.Name, Args: call.Function.Arguments, Text: text[call.ID]})
		}
	}
	return out
}

// Result is a call and what its tool answered.
type Result struct {
	Tool string
	Args string // JSON text
	Text string
}

// Failed tells whether the tool answered with an error; the rest of the text.
func (r Result) Failed() (string, bool) { return strings.CutPrefix(r.Text, "Error: ") }
