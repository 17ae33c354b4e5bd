package kit

import (
	"slices"
	"strings"

	"strata.dev/bridge/proto/chat"
)

// OfType holds of frames of a type.
func OfType(t chat.FrameType) func(chat.Frame) bool {
	return func(f chat.Frame) bool { return f.Type == t }
}

// Says holds of model text that contains a text.
func Says(text string) func(chat.Frame) bool {
	return func(f chat.Frame) bool { return f.Type == chat.Delta && !f.Own && strings.Contains(f.Text, text) }
}

// Text joins the model's words of frames, without the host's own.
func Text(frames []chat.Frame) string {
	var out strings.Builder
	for _, f := range frames {
		if f.Type == chat.Delta && !f.Own {
			out.WriteString(f.Text)
		}
	}
	return out.String()
}

// ByTheAgent tells whether a run was the agent's, not the direct path's.
func ByTheAgent(frames []chat.Frame) bool {
	return slices.ContainsFunc(frames, func(f chat.Frame) bool { return f.Type == chat.Started && f.Agent == true })
}

// States are the states that each card went through, by its tool's name and in
// the order of the cards: "bash: running done".
func States(frames []chat.Frame) []string {
	at := map[string]int{}
	var out []string
	for _, f := range frames {
		if f.Type != chat.AgentTool {
			continue
		}
		i, ok := at[f.Tool.ID]
		if !ok {
			i = len(out)
			at[f.Tool.ID] = i
			out = append(out, f.Tool.Name+":")
		}
		if state := " " + string(f.Tool.State); !strings.HasSuffix(out[i], state) {
			out[i] += state
		}
	}
	return out
}

// Merge joins neighbouring frames of model text into one and takes the seqs away,
// so that frames do not differ with the size of the pieces that text came in.
// Context and draft frames, which come and go with time, are left out.
func Merge(frames []chat.Frame) []chat.Frame {
	var out []chat.Frame
	for _, f := range frames {
		if f.Type == chat.ContextUse || f.Type == chat.AgentDraft {
			continue
		}
		f.Seq = 0
		if n := len(out); n > 0 && (f.Type == chat.Delta || f.Type == chat.Reasoning) &&
			out[n-1].Type == f.Type && !f.Own && !out[n-1].Own && f.Key == "" && out[n-1].Key == "" {
			out[n-1].Text += f.Text
			continue
		}
		out = append(out, f)
	}
	return out
}
