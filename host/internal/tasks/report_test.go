package tasks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func started(mode string) chat.Frame {
	return chat.Frame{Type: chat.Started, Mode: mode, Model: "p/m", SessionID: "s"}
}

func text(s string) chat.Frame { return chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: s}} }

func tool(id, name string, state chat.ToolState) chat.Frame {
	return chat.Frame{Type: chat.AgentTool, Tool: &chat.Tool{ID: id, Name: name, Title: name + " " + id, State: state}}
}

func done() chat.Frame {
	return project.DoneFrame("completed", false, chat.Usage{Prompt: 10, Completion: 2})
}

func TestReport(t *testing.T) {
	used := &chat.Usage{Prompt: 10, Completion: 2}
	asked := tool("2", "write", chat.ToolDenied)
	asked.Tool.Reason, asked.Tool.Result = "This would write x.", "You said no."
	question := tool("2", "write", chat.ToolProposed)
	question.Tool.Reason, question.Tool.ReasonKey, question.Tool.ReasonArgs = "This would write x.", "This would write {file}.", map[string]string{"file": "x"}
	why := chat.Sentence{Text: "This would write x.", Key: "This would write {file}.", Args: map[string]string{"file": "x"}}
	refused := []chat.TaskAction{{Tool: "write", Title: "write 2", Reason: why}}
	inMode := tool("3", "write", chat.ToolDenied)
	inMode.Tool.Result = say.ToolDeniedByMode
	for _, tt := range []struct {
		name   string
		frames []chat.Frame
		want   chat.TaskResult
	}{
		{"only words", []chat.Frame{started("plan"), text("I th"), text("ink so. ")}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "plan", Summary: "I think so.", Note: say.Sentence(say.TaskNothing),
		}},
		{"the last words count, and looking changes nothing", []chat.Frame{
			started("manual"), text("let me look"), tool("1", "read", chat.ToolRunning), tool("1", "read", chat.ToolDone),
			text("found it"), tool("3", "bash", chat.ToolDone), tool("4", "glob", chat.ToolError),
		}, chat.TaskResult{Outcome: chat.TaskDone, Mode: "manual", Summary: "found it", Note: say.Sentence(say.TaskNothing)}},
		{"refused", []chat.Frame{started("manual"), question, asked, text("I could not")}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "manual", Summary: "I could not", Refused: refused, Note: say.Sentence(say.TaskRefused),
		}},
		{"not in this mode, and not on the web", []chat.Frame{started("plan"), inMode, tool("4", "web_fetch", chat.ToolDenied)}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "plan", Note: say.Sentence(say.TaskRefused), Refused: []chat.TaskAction{
				{Tool: "write", Title: "write 3", Reason: say.Sentence(say.ToolDeniedByMode)}, {Tool: "web_fetch", Title: "web_fetch 4", Reason: say.Sentence(say.TaskWeb)},
			},
		}},
		{"permitted in advance", []chat.Frame{started("manual"), tool("ok", "bash", chat.ToolDone), question, asked}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "manual", Changes: []chat.TaskAction{{Tool: "bash", Title: "bash ok"}}, Refused: refused, Note: say.Sentence(say.TaskPartly),
		}},
		{"bypass", []chat.Frame{started("bypass"), tool("1", "write", chat.ToolDone), tool("2", "bash", chat.ToolError), tool("3", "read", chat.ToolDone), text("ok")}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "bypass", Summary: "ok", Note: say.Sentence(say.TaskChanges),
			Changes: []chat.TaskAction{{Tool: "write", Title: "write 1"}, {Tool: "bash", Title: "bash 2", Failed: true}},
		}},
		{"a helper's words are not the task's, its changes are", []chat.Frame{started("bypass"), tool("h:1", "edit", chat.ToolDone), text("my helper did it")}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "bypass", Summary: "my helper did it", Changes: []chat.TaskAction{{Tool: "edit", Title: "edit h:1"}}, Note: say.Sentence(say.TaskChanges),
		}},
		{"what the host said", []chat.Frame{
			started("plan"), text("first"), {Type: chat.Delta, Own: true, Sentence: say.Sentence(say.AnswerCut)},
			{Type: chat.PlanReady, Plan: &chat.Plan{Text: "first", Caution: say.GuardPlan, CautionKey: say.GuardPlan}},
		}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "plan", Summary: "first", Note: say.Sentence(say.TaskNothing),
			Told: []chat.Sentence{say.Sentence(say.AnswerCut), say.Sentence(say.GuardPlan)},
		}},
		{"read from a snapshot on", []chat.Frame{
			started("bypass"), text("gone"), {Type: chat.Reset, Snapshot: &chat.Snapshot{Messages: []chat.Message{
				{Role: "user", Text: "do it"}, {Role: "assistant", Text: "before", Tools: []chat.Tool{{ID: "1", Name: "write", Title: "write 1", State: chat.ToolRunning}}},
			}}}, tool("1", "write", chat.ToolDone),
		}, chat.TaskResult{
			Outcome: chat.TaskDone, Mode: "bypass", Summary: "before", Changes: []chat.TaskAction{{Tool: "write", Title: "write 1"}}, Note: say.Sentence(say.TaskChanges),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a account
			for _, f := range append(tt.frames, done()) {
				a.take(f)
			}
			want := tt.want
			want.Model, want.Usage = "p/m", used
			if d := cmp.Diff(want, a.result(func(id string) bool { return id == "ok" || a.start.Mode == "bypass" })); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestReportOfAnEnd(t *testing.T) {
	why := &chat.Error{Code: chat.CodeModelFailed, Sentence: say.Sentence(say.ModelFailed), Details: strings.Repeat("é", maxDetails)}
	for name, tt := range map[string]struct {
		last chat.Frame
		want chat.TaskResult
	}{
		"stopped": {project.DoneFrame("aborted", true, chat.Usage{}), chat.TaskResult{Outcome: chat.TaskStopped, Note: say.Sentence(say.TaskStopped), Usage: &chat.Usage{}}},
		"failed":  {project.ErrorFrame(why), chat.TaskResult{Outcome: chat.TaskFailed, Code: chat.CodeModelFailed, Note: why.Sentence, Details: why.Details}},
	} {
		var a account
		a.take(tt.last)
		if d := cmp.Diff(tt.want, a.result(func(string) bool { return false })); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if got := cut(why.Details, maxDetails); len(got) > maxDetails || !strings.HasSuffix(got, "é…") {
		t.Errorf("cut to %d bytes, ends with %q", len(got), got[len(got)-6:])
	}
}

func TestReportIsBounded(t *testing.T) {
	var a account
	a.take(started("bypass"))
	for i := range maxActions + 7 {
		a.take(tool(fmt.Sprint(i), "bash", chat.ToolDone))
	}
	a.take(text(strings.Repeat("word ", maxSummary)))
	a.take(done())
	r := a.result(func(string) bool { return true })
	if len(r.Changes) != maxActions || r.More != 7 || len(r.Summary) > maxSummary || weight(r) > 64<<10 {
		t.Errorf("%d changes, %d more, a summary of %d bytes, %d in all", len(r.Changes), r.More, len(r.Summary), weight(r))
	}
}
