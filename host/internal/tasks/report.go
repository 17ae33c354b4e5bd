package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// What of a run its result keeps.
const (
	maxSummary = 16 << 10 // bytes
	maxDetails = 4 << 10  // bytes
	maxActions = 100      // of changes, and of requests
	maxReason  = 500      // characters
	maxTold    = 10       // sentences
)

// looks are the tools that change nothing that a person has: they look, keep the
// agent's own notes, or start helpers, whose own calls are cards too.
var looks = map[string]bool{
	"read": true, "read_image": true, "glob": true, "grep": true, "web_search": true, "web_fetch": true, "skill": true,
	"todo_write": true, "job_list": true, "job_output": true, "get_goal": true, "create_goal": true, "update_goal": true,
	"list_agents": true, "list_subagent_models": true, "send_message": true, "interrupt_agent": true, "subagent": true,
	"subagent_fork": true, "ralph": true, "strata_status": true, "search_context": true, "compress": true, "report": true, "structured_output": true,
}

// account follows a run's frames.
type account struct {
	earlier []chat.Message // of a snapshot
	seen    project.Transcript
	start   chat.Frame
	last    chat.Frame
	asked   map[string]chat.Tool // cards as they waited, with the question's parts
	told    []chat.Sentence      // by the host
}

// take takes the next frame in.
func (a *account) take(f chat.Frame) {
	switch {
	case f.Type == chat.Reset && f.Snapshot != nil:
		a.earlier, a.seen = f.Snapshot.Messages, project.Transcript{}
		return
	case f.Type == chat.Started:
		a.start = f
	case f.Type == chat.AgentTool && f.Tool.ReasonKey != "":
		if a.asked == nil {
			a.asked = map[string]chat.Tool{}
		}
		a.asked[f.Tool.ID] = *f.Tool
	case f.Type == chat.Notice, f.Type == chat.Delta && f.Own:
		a.tell(f.Sentence)
	case f.Type == chat.PlanReady && f.Plan.Caution != "":
		a.tell(chat.Sentence{Text: f.Plan.Caution, Key: f.Plan.CautionKey, Args: f.Plan.CautionArgs})
	case f.Type.Ends():
		a.last = f
	}
	a.seen.Frame(f, 0)
}

// tell keeps a sentence of the host's.
func (a *account) tell(s chat.Sentence) {
	a.told = append(a.told, s)
	if extra := len(a.told) - maxTold; extra > 0 {
		a.told = a.told[extra:]
	}
}

// tools are the run's cards as they ended, in their order.
func (a *account) tools() []chat.Tool {
	at := map[string]int{}
	var out []chat.Tool
	for _, m := range a.messages() {
		for _, t := range m.Tools {
			if i, ok := at[t.ID]; ok {
				out[i] = t
				continue
			}
			at[t.ID] = len(out)
			out = append(out, t)
		}
	}
	return out
}

func (a *account) messages() []chat.Message { return slices.Concat(a.earlier, a.seen.Messages()) }

// acted are the cards of calls that ran and are not known by their tool's name to
// change nothing.
func (a *account) acted() []chat.Tool {
	return slices.DeleteFunc(a.tools(), func(t chat.Tool) bool {
		ran := t.State == chat.ToolDone || t.State == chat.ToolError || t.State == chat.ToolRunning
		return !ran || looks[t.Name]
	})
}

// result is what the run came to. Changed tells of the cards of acted, by their ids,
// whether they changed something or may have.
func (a *account) result(changed func(toolID string) bool) chat.TaskResult {
	r := chat.TaskResult{Mode: a.start.Mode, Model: a.start.Model, Usage: a.last.Usage, Told: a.told}
	for _, m := range slices.Backward(a.messages()) {
		if text := strings.TrimSpace(m.Text); text != "" && m.Role == "assistant" {
			r.Summary = cut(text, maxSummary)
			break
		}
	}
	for _, t := range a.acted() {
		if changed(t.ID) {
			r.Changes = add(&r, r.Changes, chat.TaskAction{Tool: t.Name, Title: t.Title, Failed: t.State == chat.ToolError})
		}
	}
	for _, t := range a.tools() {
		if t.State == chat.ToolDenied {
			t.ReasonKey, t.ReasonArgs = a.asked[t.ID].ReasonKey, a.asked[t.ID].ReasonArgs // which came with the question alone
			r.Refused = add(&r, r.Refused, chat.TaskAction{Tool: t.Name, Title: t.Title, Reason: reason(t)})
		}
	}
	switch {
	case a.last.Type == chat.Failed:
		r.Outcome, r.Code, r.Details = chat.TaskFailed, a.last.Code, a.last.Details
		r.Note = a.last.Sentence
	case a.last.Cancelled != nil && *a.last.Cancelled:
		r.Outcome = chat.TaskStopped
	default:
		r.Outcome = chat.TaskDone
	}
	if r.Note.Text == "" {
		r.Note = note(r)
	}
	return r
}

// note is the sentence of a result that no failure gave one.
func note(r chat.TaskResult) chat.Sentence {
	changed, refused := len(r.Changes) > 0, len(r.Refused) > 0
	times := fmt.Sprint(r.Times)
	switch {
	case r.Outcome == chat.TaskMissed && r.Times > 1:
		return say.Sentence(say.TaskMissedMany, "times", times)
	case r.Outcome == chat.TaskMissed:
		return say.Sentence(say.TaskMissedOne)
	case r.Outcome == chat.TaskSkipped && r.Times > 1:
		return say.Sentence(say.TaskOverlaps, "times", times)
	case r.Outcome == chat.TaskSkipped:
		return say.Sentence(say.TaskOverlap)
	case r.Outcome == chat.TaskStopped:
		return say.Sentence(say.TaskStopped)
	case changed && refused:
		return say.Sentence(say.TaskPartly)
	case changed:
		return say.Sentence(say.TaskChanges)
	case refused:
		return say.Sentence(say.TaskRefused)
	}
	return say.Sentence(say.TaskNothing)
}

// reason says why a call was not done: what a person would have been asked, or what
// its card says.
func reason(t chat.Tool) chat.Sentence {
	switch {
	case t.Reason != "":
		s := chat.Sentence{Text: short(t.Reason), Key: t.ReasonKey, Args: maps.Clone(t.ReasonArgs)}
		for name, value := range s.Args {
			s.Args[name] = short(value)
		}
		return s
	case t.Name == "web_search" || t.Name == "web_fetch":
		return say.Sentence(say.TaskWeb)
	}
	return chat.Sentence{Text: short(t.Result), Key: t.Result} // one of the host's own, without places
}

func add(r *chat.TaskResult, list []chat.TaskAction, a chat.TaskAction) []chat.TaskAction {
	if len(list) >= maxActions {
		r.More++
		return list
	}
	return append(list, a)
}

func short(s string) string {
	if r := []rune(s); len(r) > maxReason {
		return string(r[:maxReason-1]) + "…"
	}
	return s
}

// cut keeps at most n bytes, whole characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
