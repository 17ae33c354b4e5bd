package project

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

// outcome tells how a call that gave an error ended: denied is one that did not
// run. A refusal of the gate carries no code in the log; its text tells it from a
// tool's own failure (abi.Refused).
func outcome(answer string, waiting bool, policy, code, text string) (chat.ToolState, string) {
	refused, inMode := abi.Refused(text)
	switch {
	case waiting: // the question was never answered
		return chat.ToolDenied, say.ToolCancelled
	case answer != "" && answer != "allowed-once":
		return chat.ToolDenied, refusal(answer, policy)
	case code == abortedEarly:
		return chat.ToolDenied, say.ToolCancelled
	case code == notStarted:
		return chat.ToolDenied, say.ToolNotStarted
	case code == unconfined:
		return chat.ToolDenied, say.ToolUnconfined
	case code == sandboxDenied:
		return chat.ToolDenied, say.ToolDeniedByMode
	case code == "" && inMode:
		return chat.ToolDenied, say.ToolDeniedByMode
	case code == "" && refused:
		return chat.ToolDenied, say.ToolDenied
	case toolFailures[code] != "":
		return chat.ToolError, toolFailures[code]
	}
	return chat.ToolError, say.ToolFailed
}

// refusal is the sentence for a question whose answer was not yes. Under policy
// never nobody saw it.
func refusal(answer, policy string) string {
	switch {
	case policy == "never":
		return say.ToolDeniedByMode
	case answer == "rejected":
		return say.ToolDeniedByPerson
	case answer == "cancelled":
		return say.ToolCancelled
	}
	return say.ToolDenied
}

// content is a tool result's text and whether it is an error. In 0.1.0 it is in blocks
// of its own, from 0.1.5 on the message is one (role tool).
func content(m dsh.Message) (text string, failed bool) {
	var parts []string
	add := func(b dsh.Block) {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		} else {
			parts = append(parts, "["+b.Type+"]")
		}
	}
	failed = m.IsError
	for _, b := range m.Content {
		switch {
		case b.Type == "tool-result":
			failed = failed || b.IsError
			for _, c := range b.Content {
				add(c)
			}
		case m.Role == "tool":
			add(b)
		}
	}
	return strings.Join(parts, "\n"), failed
}

// clip cuts s at MaxText bytes, between characters, and says so.
func clip(s string) string {
	if len(s) <= MaxText {
		return s
	}
	const room = 64 // for the line below
	cut := MaxText - room
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + fmt.Sprintf("\n… (%d more bytes)", len(s)-cut)
}
