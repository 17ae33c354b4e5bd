package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// scheduled is a world with tasks, and a page that listens.
type scheduled struct {
	*world
	events *kit.Events
}

// TestTasks plays what a task promises: one host, one Harness for each wire, then the
// same folders with another host.
func TestTasks(t *testing.T) {
	overEach(t, []string{"0.1.0", "0.2"}, func(ctx context.Context, t *testing.T, o kit.HostOptions) {
		w := &world{home: kit.NewHome(t), model: kit.StartModel(t, scriptmodel.Config{})}
		ownLayer(t, w.home, "- id: web\n  config: {searchProvider: scripted}\n- insert:\n    - id: search-engine\n      name: "+
			w.home.Plugin(t, "search.mjs", searchEngine)+"\n")
		o.Model = w.model
		w.Host = kit.StartHost(ctx, t, w.home, o)
		s := &scheduled{w, w.Listen(ctx, t, "")}
		t.Run("scenarios", func(t *testing.T) {
			for name, scenario := range map[string]func(context.Context, *testing.T, *scheduled) []chat.TaskResult{
				"a task runs at its time":        taskAtItsTime,
				"a task wants to write":          taskWantsToWrite,
				"a task searches the web":        taskSearches,
				"a task with leave to write":     taskWithLeave,
				"a task is stopped":              taskStopped,
				"a task runs by the command":     taskByCommand,
				"a task's helper wants to write": taskHelper,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					results := scenario(ctx, t, s)
					if !t.Failed() {
						record(t, s.home, name, results)
					}
				})
			}
		})
		if !t.Failed() {
			hidden(ctx, t, s)
			tasksOverARestart(ctx, t, s, o)
		}
	})
}

// record compares results with a transcript, which is the same for both wires.
func record(t *testing.T, home *kit.Home, name string, results []chat.TaskResult) {
	t.Helper()
	tr := kit.Transcript(t, home, strings.ReplaceAll(strings.ReplaceAll(name, "'", ""), " ", "-"), "Tasks: "+name+".")
	var out []any
	for _, r := range results {
		r.ID, r.TaskID, r.DueAt, r.BegunAt, r.EndedAt = "", "", 0, 0, 0
		out = append(out, r)
	}
	must(t, tr.JSON("results", out...))
	tr.Check(t)
}

// task adds a task that runs by hand alone.
func (s *scheduled) task(ctx context.Context, t *testing.T, name, mode string, steps ...string) chat.Task {
	t.Helper()
	made, err := s.AddTask(ctx, chat.TaskSpec{Name: name, Text: scriptmodel.Steps(steps...), Cron: "0 0 1 1 *", Mode: mode, Disabled: true})
	must(t, err)
	return made
}

// run runs a task and gives its result.
func (s *scheduled) run(ctx context.Context, t *testing.T, task chat.Task) chat.TaskResult {
	t.Helper()
	_, err := s.RunTask(ctx, task.ID)
	must(t, err)
	r, err := s.events.Ended(ctx, task.ID)
	must(t, err)
	return r
}

func taskAtItsTime(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	due := time.Now().Add(2 * time.Second).Truncate(time.Second)
	task, err := s.AddTask(ctx, chat.TaskSpec{
		Name: "Look around", At: due.Format(time.RFC3339), Zone: "Asia/Tokyo",
		Text: scriptmodel.Steps(scriptmodel.Bash("ls"), scriptmodel.Say("I looked around")),
	})
	must(t, err)
	r, err := s.events.Ended(ctx, task.ID)
	must(t, err)
	if r.DueAt != due.UnixMilli() || r.BegunAt < r.DueAt {
		t.Errorf("due %d, want %d, begun %d", r.DueAt, due.UnixMilli(), r.BegunAt)
	}
	if r.Outcome != chat.TaskDone || r.Mode != "plan" || r.Summary != "I looked around" || r.Note.Text != "Nothing was changed." || r.Usage == nil || r.Usage.Prompt == 0 {
		t.Errorf("the result is %+v", r)
	}
	begun, err := s.events.Wait(ctx, func(h kit.Heard) bool { return h.Task.TaskID == task.ID && h.Task.What == chat.TaskBegun })
	must(t, err)
	// Another page that missed the end is told it, from behind the last event that it saw.
	late, err := s.Listen(ctx, t, begun.ID).Ended(ctx, task.ID)
	must(t, err)
	if diff := cmp.Diff(r, late); diff != "" {
		t.Errorf("heard again (-want +got):\n%s", diff)
	}
	got, err := s.Task(ctx, task.ID)
	must(t, err)
	if got.NextAt != 0 || got.Running != nil || got.Last == nil || got.Last.ID != r.ID {
		t.Errorf("after its one time: %+v", got)
	}
	return []chat.TaskResult{r}
}

func taskWantsToWrite(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	var out []chat.TaskResult
	for _, mode := range []string{"manual", "plan", "bypass"} {
		file := "task-" + mode + ".txt"
		r := s.run(ctx, t, s.task(ctx, t, "Write "+file, mode, scriptmodel.Bash("ls"), scriptmodel.Write(s.path(file), "x"), scriptmodel.Say("so much for "+mode)))
		if r.Outcome != chat.TaskDone || r.Summary != "so much for "+mode {
			t.Errorf("%s: %+v", mode, r)
		}
		wrote := mode == "bypass"
		if s.exists(t, file) != wrote || len(r.Changes) > 0 != wrote || len(r.Refused) > 0 == wrote {
			t.Errorf("%s: written %v, changes %+v, refused %+v", mode, s.exists(t, file), r.Changes, r.Refused)
		}
		if !wrote && !strings.HasPrefix(r.Note.Text, "Nothing was changed.") {
			t.Errorf("%s: it says %q", mode, r.Note.Text)
		}
		out = append(out, r)
	}
	told, err := s.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("task-manual.txt"), func(r scriptmodel.Request) bool { return r.Step == 2 }))
	must(t, err)
	if !strings.Contains(string(told.Body), "nobody is at the screen") {
		t.Errorf("the model was told %s", told.Body)
	}
	return out
}

func taskSearches(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	var out []chat.TaskResult
	for _, mode := range []string{"manual", "plan", "bypass"} {
		r := s.run(ctx, t, s.task(ctx, t, "Search in "+mode, mode, search("for a task in "+mode), scriptmodel.Say("I go on without")))
		if diff := cmp.Diff(1, len(r.Refused)); diff != "" || r.Outcome != chat.TaskDone || r.Refused[0].Tool != "web_search" {
			t.Errorf("%s: %+v", mode, r)
		}
		out = append(out, r)
	}
	return out
}

// What a person allowed in advance runs in a task too, and is told.
func taskWithLeave(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	c := s.NewChat()
	run, proposed := asked(ctx, t, c, "touch leave.txt")
	must(t, c.ApproveFor(ctx, proposed, chat.ScopeAlways, "touch *"))
	ended(ctx, t, run)
	r := s.run(ctx, t, s.task(ctx, t, "With leave", "manual", scriptmodel.Bash("ls"), scriptmodel.Bash("touch by-leave.txt"), scriptmodel.Bash("rm leave.txt"), scriptmodel.Say("as far as I may")))
	if !s.exists(t, "by-leave.txt") || !s.exists(t, "leave.txt") {
		t.Error("the wrong command ran")
	}
	if len(r.Changes) != 1 || !strings.Contains(r.Changes[0].Title, "touch by-leave.txt") || len(r.Refused) != 1 {
		t.Errorf("the result is %+v", r)
	}
	return []chat.TaskResult{r}
}

func taskHelper(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	child := scriptmodel.Steps(scriptmodel.Write(s.path("task-helper.txt"), "x"), search("for a task's helper"), scriptmodel.Say("the helper gives up"))
	r := s.run(ctx, t, s.task(ctx, t, "With a helper", "manual", scriptmodel.Helper("write a file", child, false), scriptmodel.Say("my helper could not")))
	if s.exists(t, "task-helper.txt") || len(r.Changes) > 0 {
		t.Errorf("a task's helper wrote: %+v", r.Changes)
	}
	if diff := cmp.Diff([]string{"write", "web_search"}, tools(r.Refused)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	out := []chat.TaskResult{r}

	// What a helper does in Bypass is told as well.
	child = scriptmodel.Steps(scriptmodel.Write(s.path("task-helper-did.txt"), "x"), scriptmodel.Say("the helper did"))
	r = s.run(ctx, t, s.task(ctx, t, "With a helper that may", "bypass", scriptmodel.Helper("write a file", child, false), scriptmodel.Say("my helper did")))
	if !s.exists(t, "task-helper-did.txt") || len(r.Changes) != 1 || r.Changes[0].Tool != "write" {
		t.Errorf("a helper that may: %+v", r)
	}
	return append(out, r)
}

func tools(list []chat.TaskAction) []string {
	var out []string
	for _, a := range list {
		out = append(out, a.Tool)
	}
	return out
}

func taskStopped(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	var out []chat.TaskResult
	off := true
	for _, stop := range []struct {
		name string
		do   func(id string) error
	}{
		{"switched off", func(id string) error {
			_, err := s.PatchTask(ctx, id, chat.TaskPatch{Disabled: &off})
			return err
		}},
		{"by its route", func(id string) error { return s.Do(ctx, "POST", "/api/tasks/"+id+"/stop", nil, nil) }},
		{"as a chat is", func(id string) error {
			_, err := kit.Chat{Client: s.Client, ID: "task:" + id}.Stop(ctx)
			return err
		}},
	} {
		held := s.task(ctx, t, stop.name, "plan", scriptmodel.Step(scriptmodel.Hold("task "+stop.name), scriptmodel.Say("never")))
		_, err := s.RunTask(ctx, held.ID)
		must(t, err)
		_, err = s.model.WaitRequest(ctx, scriptmodel.HeldAt("task "+stop.name))
		must(t, err)
		must(t, stop.do(held.ID))
		r, err := s.events.Ended(ctx, held.ID)
		must(t, err)
		if r.Outcome != chat.TaskStopped || !strings.HasPrefix(r.Note.Text, "This run was stopped") {
			t.Errorf("%s: %+v", stop.name, r)
		}
		out = append(out, r)
	}
	// Removed while it runs: the run ends, and nothing is left.
	held := s.task(ctx, t, "removed", "plan", scriptmodel.Step(scriptmodel.Hold("task removed"), scriptmodel.Say("never")))
	_, err := s.RunTask(ctx, held.ID)
	must(t, err)
	_, err = s.model.WaitRequest(ctx, scriptmodel.HeldAt("task removed"))
	must(t, err)
	must(t, s.RemoveTask(ctx, held.ID))
	_, err = s.Task(ctx, held.ID)
	refusedWith(t, err, 404, chat.CodeUnknownTask)
	status, err := s.Status(ctx)
	must(t, err)
	for _, turn := range status.Turns {
		if turn.ChatID == "task:"+held.ID {
			t.Errorf("the turn goes on: %+v", turn)
		}
	}
	return out
}

// The command line does what a page can, on the host that runs.
func taskByCommand(ctx context.Context, t *testing.T, s *scheduled) []chat.TaskResult {
	cli := func(args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, kit.HostBinary(t), append([]string{"tasks", "--data", s.home.Data}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=de_DE.UTF-8")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	said, err := cli("add", "--name", "By command", "--cron", "0 9 * * 1-5", "--zone", "Europe/Berlin", "--off", "--json",
		"--text", scriptmodel.Steps(scriptmodel.Write(s.path("by-command.txt"), "x"), scriptmodel.Say("as \x1b[31myou\x1b[0m say")))
	var task chat.Task
	if err != nil || json.Unmarshal([]byte(said), &task) != nil {
		t.Fatalf("%v: %s", err, said)
	}
	if said, err = cli("run", task.ID, "--wait"); err != nil {
		t.Errorf("%v: %s", err, said)
	}
	for _, want := range []string{"  done  ", "  Es wurde nichts geändert.", "  - Write by-command.txt  In diesem Modus", "  as [31myou[0m say"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	if said, err = cli("list"); err != nil || !strings.Contains(said, task.ID+"  off ") {
		t.Errorf("%v: %s", err, said)
	}
	results, err := s.TaskResults(ctx, task.ID)
	must(t, err)
	return results
}

// hidden looks that nothing of tasks is left among the chats.
func hidden(ctx context.Context, t *testing.T, s *scheduled) {
	t.Helper()
	chats, err := s.Chats(ctx)
	must(t, err)
	for _, c := range chats {
		if strings.HasPrefix(c.ChatID, "task:") {
			t.Errorf("a task is among the chats: %+v", c)
		}
	}
	kept, err := os.ReadFile(filepath.Join(s.home.Data, "agent", "sessions.json"))
	must(t, err)
	if strings.Contains(string(kept), "task:") {
		t.Errorf("a task's chat was kept: %s", kept)
	}
	_, err = kit.Chat{Client: s.Client, ID: "task:x"}.Send(ctx, "hello")
	refusedWith(t, err, 400, chat.CodeBadRequest)
}

// tasksOverARestart ends the host in the middle of a run and starts it later, with
// the web let in.
func tasksOverARestart(ctx context.Context, t *testing.T, s *scheduled, o kit.HostOptions) {
	daily := s.task(ctx, t, "Daily", "plan", scriptmodel.Say("better late"))
	missed := s.task(ctx, t, "Missed", "plan", scriptmodel.Say("too late"))
	web := s.task(ctx, t, "Web", "manual", search("now allowed"), scriptmodel.Say("I know now"))
	held := s.task(ctx, t, "Held", "plan", scriptmodel.Step(scriptmodel.Hold("task killed"), scriptmodel.Say("never")))
	on := false
	for _, task := range []chat.Task{daily, missed} {
		_, err := s.PatchTask(ctx, task.ID, chat.TaskPatch{Disabled: &on})
		must(t, err)
	}
	_, err := s.RunTask(ctx, held.ID)
	must(t, err)
	_, err = s.model.WaitRequest(ctx, scriptmodel.HeldAt("task killed"))
	must(t, err)
	s.Kill()
	s.model.Release("task killed")
	// While no host runs, one was due an hour ago, another the day before yesterday.
	file := filepath.Join(s.home.Data, "tasks", "tasks.jsonl")
	kept, err := os.ReadFile(file)
	must(t, err)
	lines := strings.Split(string(kept), "\n")
	for i, line := range lines {
		for task, ago := range map[string]time.Duration{daily.ID: time.Hour, missed.ID: 48 * time.Hour} {
			if strings.Contains(line, `"id":"`+task+`"`) {
				due := time.Now().Add(-ago)
				line = strings.Replace(line, `"cron":"0 0 1 1 *"`, fmt.Sprintf(`"cron":"%d %d %d %d *"`, due.Minute(), due.Hour(), due.Day(), due.Month()), 1)
				lines[i] = strings.Replace(line, `"due":`, fmt.Sprintf(`"due":%d,"was":`, due.Truncate(time.Minute).UnixMilli()), 1)
			}
		}
	}
	must(t, os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600))
	o.Args = []string{"--web-unasked"}
	s.Host = kit.StartHost(ctx, t, s.home, o)
	s.events = s.Listen(ctx, t, "another-1")
	if first, err := s.events.Wait(ctx, func(kit.Heard) bool { return true }); err != nil || first.Type != chat.EventReset {
		t.Errorf("a page of the host before is told %+v, %v", first, err)
	}
	var results []chat.TaskResult
	for _, want := range []struct {
		task    chat.Task
		outcome chat.TaskOutcome
		note    string
	}{
		{daily, chat.TaskDone, "Nothing was changed."},
		{missed, chat.TaskMissed, "Strata was not running when this was due"},
		{held, chat.TaskFailed, "Strata ended while this task was running."},
	} {
		var got []chat.TaskResult
		must(t, kit.Until(ctx, func(context.Context) error {
			var err error
			if got, err = s.TaskResults(ctx, want.task.ID); err != nil || len(got) == 0 {
				return errNotYet
			}
			return nil
		}))
		if len(got) != 1 || got[0].Outcome != want.outcome || !strings.HasPrefix(got[0].Note.Text, want.note) {
			t.Errorf("%s: %+v", want.task.Name, got)
		}
		results = append(results, got...)
	}
	results = append(results, s.run(ctx, t, web))
	if r := results[len(results)-1]; len(r.Refused) > 0 || r.Summary != "I know now" {
		t.Errorf("with the web let in: %+v", r)
	}
	hidden(ctx, t, s)
	record(t, s.home, "tasks over a restart", results)

	// A host that is closed ends its tasks in order.
	closing := s.task(ctx, t, "Closed", "plan", scriptmodel.Step(scriptmodel.Hold("task closed"), scriptmodel.Say("never")))
	_, err = s.RunTask(ctx, closing.ID)
	must(t, err)
	_, err = s.model.WaitRequest(ctx, scriptmodel.HeldAt("task closed"))
	must(t, err)
	if exit, err := s.Stop(ctx); err != nil || exit != 0 {
		t.Errorf("the host ended with %d, %v", exit, err)
	}
	kept, err = os.ReadFile(filepath.Join(s.home.Data, "tasks", "results", closing.ID+".jsonl"))
	if err != nil || !strings.Contains(string(kept), `"outcome":"stopped"`) || !strings.Contains(string(kept), "Strata was closed while this task was running.") {
		t.Errorf("closed in the middle of a run: %s, %v", kept, err)
	}
	ended, err := s.events.Ended(ctx, closing.ID)
	if err != nil || ended.Outcome != chat.TaskStopped {
		t.Errorf("a page is told %+v, %v", ended, err)
	}
}
