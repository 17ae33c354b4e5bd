package scriptmodel

import (
	"regexp"
	"strings"
)

// A history that fits into no request is summarized in pieces: one message with the
// summary so far and a part of the history as a transcript.
var (
	entry   = regexp.MustCompile(`(?m)^\[(user|assistant|tool call [^\]\n]*|tool result[^\]\n]*)\]$`)
	carried = regexp.MustCompile(`(?s)<compacted-summary>\n(.*?)\n</compacted-summary>`)
)

// fromTranscript gives the messages that a request for a summary is about.
func fromTranscript(messages []Message) []Message {
	if len(messages) != 1 {
		return messages
	}
	before, text, ok := strings.Cut(string(messages[0].Content), "\n\n<transcript>\n")
	if !ok {
		return messages
	}
	var out []Message
	if m := carried.FindStringSubmatch(before); m != nil {
		out = append(out, Message{Role: "user", Content: Content(checkpoint + "\n" + m[1] + checkpointEnd)})
	}
	text = strings.TrimSuffix(text, "\n</transcript>")
	marks := entry.FindAllStringSubmatchIndex(text, -1)
	for i, at := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		body := strings.TrimSpace(text[at[1]:end])
		switch name := text[at[2]:at[3]]; {
		case name == "user":
			out = append(out, Message{Role: "user", Content: Content(body)})
		case strings.HasPrefix(name, "tool result"):
			out = append(out, Message{Role: "tool", Content: Content(body)})
		default: // text and calls of one answer
			if n := len(out); n > 0 && out[n-1].Role == "assistant" {
				continue
			}
			out = append(out, Message{Role: "assistant", Content: Content(body)})
		}
	}
	return out
}
