package scriptmodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Finished is what the model says when a script has no further step.
const Finished = "The script is finished."

// reply is what a request is answered with.
type reply struct {
	actions []Action
	step    int    // of the script; -1 for the demo and for titles and summaries
	key     string // what its counted faults are kept by
	err     error  // the script cannot be read
}

// think decides on the answer from the request alone.
func think(req ChatRequest, c Conversation) reply {
	switch c.Kind {
	case Title:
		return plain(say(titleOf(string(req.Messages[len(req.Messages)-1].Content))))
	case Compaction:
		return plain(say(summaryOf(c)))
	}
	text := Find(c.Person)
	if text == "" {
		return plain(demo(c, toolset(req.Tools))...)
	}
	s, err := Parse(text)
	if err != nil {
		return reply{err: err, step: -1}
	}
	r := reply{step: s.Skip + c.Served}
	r.key = fmt.Sprintf("%d %s", r.step, withoutResume(s.Text))
	r.actions = []Action{{Op: OpSay, Text: Finished}}
	if r.step < len(s.Steps) {
		r.actions = goalCalls(s.Steps[r.step], c.Results())
	}
	return r
}

// goalCalls makes the calls of update_goal, which want the goal's id and revision as the
// newest answer of a goal tool has them.
func goalCalls(actions []Action, results []Result) []Action {
	out := slices.Clone(actions)
	for i, a := range out {
		if a.Op != OpGoal {
			continue
		}
		var seen struct {
			Goal struct {
				ID       string `json:"id"`
				Revision int64  `json:"revision"`
			} `json:"goal"`
		}
		for _, r := range results {
			if strings.HasSuffix(r.Tool, "_goal") {
				_ = json.Unmarshal([]byte(r.Text), &seen) // one that failed leaves what was before
			}
		}
		args := map[string]any{"goal_id": seen.Goal.ID, "revision": seen.Goal.Revision, "action": a.Text}
		if a.Text == "blocked" {
			args["blocked_reason"] = "The key is missing."
		}
		out[i] = Action{Op: OpCall, Tool: "update_goal", Args: quote(args)}
	}
	return out
}

func plain(actions ...Action) reply { return reply{actions: actions, step: -1} }

func say(text string) Action { return Action{Op: OpSay, Text: text} }

// titleOf makes a title of a title request's message, which ends in a JSON array
// of the conversation's human messages.
func titleOf(text string) string {
	var messages []struct {
		Text string `json:"text"`
	}
	if at := strings.Index(text, "["); at < 0 || json.Unmarshal([]byte(text[at:]), &messages) != nil || len(messages) == 0 {
		return "A chat"
	}
	first := messages[0].Text
	if Find(first) != "" {
		return "A scripted chat"
	}
	words := strings.Fields(first)
	if len(words) == 0 {
		return "A chat"
	}
	return shorten(strings.Join(words[:min(5, len(words))], " "), 60)
}

// summaryOf sums a conversation up in a few words, under one of the headings that are
// asked for; a script that has not ended is carried along with its place.
func summaryOf(c Conversation) string { return "## Current Work\n" + workOf(c) }

func workOf(c Conversation) string {
	text := Find(c.Person)
	if s, err := Parse(text); text != "" && err == nil {
		if next := s.Skip + c.Served; next < len(s.Steps) {
			return fmt.Sprintf("A script is under way.\n#! RESUME %d\n#! %s", next, strings.ReplaceAll(withoutResume(text), "\n", "\n#! "))
		}
		return "A script was played to its end."
	}
	return "The person's last request: " + shorten(strings.Join(strings.Fields(c.Person), " "), 200)
}

func withoutResume(text string) string {
	if line, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(line, string(OpResume)) {
		return rest
	}
	return text
}
