package tasks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func code(err error) chat.Code {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestRunsAtItsTime(t *testing.T) {
	play(t, func(st *stage) {
		daily := st.add(chat.TaskSpec{Name: " Morning  report ", Text: "2s", Cron: "30 9 * * *", Model: "p/other", Thinking: "low", MaxMinutes: 5})
		once := st.add(chat.TaskSpec{Name: "Once", Text: "1s", At: "2000-01-01T10:00", Mode: "Bypass"})
		failing := st.add(chat.TaskSpec{Name: "Failing", Text: "fail", Cron: "0 12 1 * *", Disabled: true})
		if got := time.UnixMilli(daily.NextAt).UTC(); got != time.Date(2000, 1, 1, 9, 30, 0, 0, time.UTC) {
			t.Errorf("it is due at %s", got)
		}
		st.pass(9*time.Hour + 30*time.Minute + time.Second)
		running, err := st.s.Get(daily.ID)
		if err != nil || running.Running == nil || running.Running.Waits || running.Running.ChatID != "task:"+daily.ID {
			t.Errorf("while it runs: %+v, %v", running.Running, err)
		}
		if _, err := st.s.Run(daily.ID); code(err) != chat.CodeTaskRunning {
			t.Errorf("once more meanwhile: %v", err)
		}
		st.pass(24*time.Hour + 5*time.Second)
		expect(t, st.results(daily.ID), "01 09:30 done 2s", "02 09:30 done 2s")
		expect(t, st.results(once.ID), "01 10:00 done 1s")
		expect(t, st.results(failing.ID))

		if _, err := st.s.Run(failing.ID); err != nil {
			t.Error(err)
		}
		st.pass(time.Second)
		got, err := st.s.Results(failing.ID, 1)
		if err != nil || len(got.Results) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		want := chat.TaskResult{
			ID: got.Results[0].ID, TaskID: failing.ID, Outcome: chat.TaskFailed, Mode: "plan", Model: "p/m", Code: chat.CodeModelFailed,
			Note: chat.Sentence{Text: "No."}, Details: "[redacted]", BegunAt: got.Results[0].BegunAt, EndedAt: got.Results[0].BegunAt,
		}
		if d := cmp.Diff(want, got.Results[0]); d != "" {
			t.Errorf("a run that failed (-want +got):\n%s", d)
		}
		done, _ := st.s.Get(once.ID)
		if done.NextAt != 0 || done.Running != nil || done.Last == nil || done.Last.Summary != "took 1s" || done.Last.Note.Key != say.TaskNothing || done.Last.Usage.Prompt != 3 {
			t.Errorf("a task whose one time is over: %+v", done)
		}
		sent := st.agent.sent()[0]
		wantSent := chat.StreamRequest{ChatID: "task:" + daily.ID, Text: "2s", Mode: "plan", Model: "p/other", Thinking: "low", RequestID: sent.RequestID, AsText: true}
		if d := cmp.Diff(wantSent, sent); d != "" || sent.RequestID == "" {
			t.Errorf("what the agent got (-want +got):\n%s", d)
		}
		expect(t, st.agent.gone(), "task:"+daily.ID, "task:"+once.ID, "task:"+daily.ID, "task:"+failing.ID)
		expect(t, st.heard()[:7], "added Morning report", "added Once", "added Failing", "begun Morning report", "ended Morning report done", "begun Once", "ended Once done")
	})
}

func TestNoOverlap(t *testing.T) {
	play(t, func(st *stage) {
		slow := st.add(chat.TaskSpec{Name: "Slow", Text: "150s", Cron: "* * * * *"})
		st.pass(4*time.Minute + time.Second)
		expect(t, st.results(slow.ID), "01 00:02 skipped x2", "01 00:01 done 2m30s")
		if got, _ := st.s.Results(slow.ID, 0); got.Results[1].Note.Key != say.TaskOverlaps || got.Results[1].Note.Args["times"] != "2" {
			t.Errorf("what was left out says %+v", got.Results[1].Note)
		}
	})
}

func TestOnlySoManyAtOnce(t *testing.T) {
	play(t, func(st *stage) {
		var ids []string
		for _, name := range []string{"a", "b", "c", "d"} {
			ids = append(ids, st.add(chat.TaskSpec{Name: name, Text: "10s", At: "2000-01-01T00:01"}).ID)
		}
		st.pass(time.Minute + 5*time.Second)
		waits := 0
		for _, task := range st.s.List().Tasks {
			if task.Running != nil && task.Running.Waits {
				waits++
			}
		}
		if waits != 2 || len(st.agent.sent()) != Parallel {
			t.Errorf("%d wait, %d have begun", waits, len(st.agent.sent()))
		}
		st.pass(20 * time.Second)
		for _, id := range ids {
			expect(t, st.results(id), "01 00:01 done 10s")
		}
	})
}

func TestTooLong(t *testing.T) {
	play(t, func(st *stage) {
		task := st.add(chat.TaskSpec{Name: "Long", Text: "2h", At: "2000-01-01T00:01", MaxMinutes: 3})
		st.pass(10 * time.Minute)
		expect(t, st.results(task.ID), "01 00:01 stopped 3m0s")
		got, _ := st.s.Get(task.ID)
		if got.Last.Note.Key != say.TaskTooLong || got.Last.Note.Args["minutes"] != "3" {
			t.Errorf("it says %+v", got.Last.Note)
		}
	})
}

func TestStopped(t *testing.T) {
	yes := true
	for name, stop := range map[string]struct {
		do   func(st *stage, id string) error
		note string
	}{
		"by a person": {func(st *stage, id string) error { _, err := st.s.Stop(st.t.Context(), id); return err }, say.TaskStopped},
		"switched off": {func(st *stage, id string) error {
			_, err := st.s.Patch(st.t.Context(), id, chat.TaskPatch{Disabled: &yes})
			return err
		}, say.TaskSwitchedOff},
		"the host closes": {func(st *stage, id string) error { err := st.s.Close(st.t.Context()); st.open(); return err }, say.TaskClosed},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(st *stage) {
				running := st.add(chat.TaskSpec{Name: "a", Text: "1h", Cron: "* * * * *"}).ID
				st.pass(90 * time.Second)
				if err := stop.do(st, running); err != nil {
					t.Fatal(err)
				}
				expect(t, st.results(running), "01 00:01 stopped 30s")
				got, _ := st.s.Get(running)
				if got.Last.Note.Key != stop.note || got.Running != nil {
					t.Errorf("it says %+v, %+v", got.Last.Note, got.Running)
				}
				if off := name == "switched off"; off != got.Disabled || off != (got.NextAt == 0) {
					t.Errorf("disabled %v, due %d", got.Disabled, got.NextAt)
				}
			})
		})
	}
}

func TestStoppedWhileItWaits(t *testing.T) {
	play(t, func(st *stage) {
		for _, name := range []string{"a", "b"} {
			st.add(chat.TaskSpec{Name: name, Text: "1h", At: "2000-01-01T00:01"})
		}
		third := st.add(chat.TaskSpec{Name: "c", Text: "1h", At: "2000-01-01T00:02"})
		st.pass(3 * time.Minute)
		if _, err := st.s.Stop(st.t.Context(), third.ID); err != nil {
			t.Fatal(err)
		}
		expect(t, st.results(third.ID), "01 00:02 stopped")
	})
}

func TestRemoved(t *testing.T) {
	play(t, func(st *stage) {
		idle := st.add(chat.TaskSpec{Name: "idle", Text: "1h", Cron: "0 1 * * *"})
		running := st.add(chat.TaskSpec{Name: "running", Text: "1h", Cron: "* * * * *"})
		st.pass(2*time.Minute + time.Second)
		for _, id := range []string{idle.ID, running.ID} {
			if err := st.s.Remove(st.t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if err := st.s.Remove(st.t.Context(), id); code(err) != chat.CodeUnknownTask {
				t.Errorf("removed again: %v", err)
			}
		}
		if list := st.s.List(); len(list.Tasks) != 0 {
			t.Errorf("left: %+v", list)
		}
		if left, _ := filepath.Glob(filepath.Join(st.dir, "tasks", "results", "*")); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
		if last := st.heard(); last[len(last)-1] != "removed running" {
			t.Errorf("told: %v", last)
		}
		st.pass(5 * time.Minute)
		if len(st.agent.sent()) != 1 {
			t.Errorf("%d runs", len(st.agent.sent()))
		}
	})
}

// A host that does not run misses what is due: the newest is made up for within 12
// hours, the rest is told.
func TestMissed(t *testing.T) {
	play(t, func(st *stage) {
		daily := st.add(chat.TaskSpec{Name: "daily", Text: "1s", Cron: "0 9 * * *"})
		once := st.add(chat.TaskSpec{Name: "once", Text: "1s", At: "2000-01-01T10:00"})
		soon := st.add(chat.TaskSpec{Name: "soon", Text: "1s", At: "2000-01-03T20:00"})
		st.close()
		st.pass(2*24*time.Hour + 20*time.Hour + 30*time.Minute)
		st.open()
		st.pass(time.Minute)
		expect(t, st.results(daily.ID), "01 09:00 missed x2", "03 09:00 done 1s")
		expect(t, st.results(once.ID), "01 10:00 missed")
		expect(t, st.results(soon.ID), "03 20:00 done 1s")
		st.close()
		st.pass(24 * time.Hour)
		st.open()
		st.pass(time.Minute)
		expect(t, st.results(daily.ID), "01 09:00 missed x2", "03 09:00 done 1s", "04 09:00 done 1s")
		expect(t, st.results(once.ID), "01 10:00 missed")
		st.close()
		st.pass(22 * time.Hour)
		st.open()
		st.pass(time.Minute)
		got, _ := st.s.Get(daily.ID)
		if next := time.UnixMilli(got.NextAt).UTC(); next != time.Date(2000, 1, 6, 9, 0, 0, 0, time.UTC) {
			t.Errorf("due next: %s", next)
		}
	})
}

// A host that dies leaves a run that is told, and not begun again by itself.
func TestInterrupted(t *testing.T) {
	play(t, func(st *stage) {
		var ids []string
		for _, name := range []string{"a", "b", "waits"} {
			ids = append(ids, st.add(chat.TaskSpec{Name: name, Text: "1h", At: "2000-01-01T00:01"}).ID)
		}
		st.pass(2 * time.Minute)
		kept, err := os.ReadFile(filepath.Join(st.dir, "tasks", "tasks.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		st.close()
		// As the death of the host would have left it.
		if err := os.WriteFile(filepath.Join(st.dir, "tasks", "tasks.jsonl"), kept, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(st.dir, "tasks", "results")); err != nil {
			t.Fatal(err)
		}
		before := len(st.agent.sent())
		st.open()
		st.pass(10 * time.Minute)
		waiting := 0
		for _, id := range ids {
			got, _ := st.s.Get(id)
			switch {
			case got.Last == nil:
				t.Errorf("%s has no result", got.Name)
			case got.Last.Outcome == chat.TaskMissed:
				waiting++
			case got.Last.Outcome != chat.TaskFailed || got.Last.Note.Key != say.TaskInterrupted || got.Last.BegunAt == 0:
				t.Errorf("%s: %+v", got.Name, got.Last)
			}
		}
		if again := len(st.agent.sent()) - before; waiting != 1 || again != 0 {
			t.Errorf("%d had not begun, %d were begun again", waiting, again)
		}
	})
}

// A run that nothing stops does not keep the host from ending.
func TestCloseGivesUp(t *testing.T) {
	play(t, func(st *stage) {
		task := st.add(chat.TaskSpec{Name: "a", Text: "1h", At: "2000-01-01T00:01"})
		st.pass(2 * time.Minute)
		st.agent.mu.Lock()
		st.agent.hang = true
		st.agent.mu.Unlock()
		ctx, cancel := context.WithTimeout(st.t.Context(), 5*time.Second)
		defer cancel()
		if err := st.s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing gives %v", err)
		}
		st.agent.kill()
		st.open()
		expect(t, st.results(task.ID), "01 00:01 stopped 1m5s")
	})
}

func TestPatch(t *testing.T) {
	text := func(s string) *string { return &s }
	no, yes := false, true
	play(t, func(st *stage) {
		id := st.add(chat.TaskSpec{Name: "a", Text: "1s", Cron: "0 9 * * *"}).ID
		patch := func(p chat.TaskPatch) chat.Task {
			t.Helper()
			got, err := st.s.Patch(st.t.Context(), id, p)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		due := func(task chat.Task) string { return time.UnixMilli(task.NextAt).UTC().Format("02 15:04") }
		if got := patch(chat.TaskPatch{Zone: text("Asia/Tokyo"), Name: text("b")}); due(got) != "02 00:00" || got.Name != "b" {
			t.Errorf("in another zone: %+v, due %s", got, due(got))
		}
		if got := patch(chat.TaskPatch{At: text("2000-01-05T09:00")}); got.Cron != "" || due(got) != "05 00:00" {
			t.Errorf("one time instead: %+v, due %s", got, due(got))
		}
		if got := patch(chat.TaskPatch{Cron: text("0 10 * * *"), Zone: text("")}); got.At != "" || due(got) != "01 10:00" {
			t.Errorf("a rhythm again: %+v, due %s", got, due(got))
		}
		if got := patch(chat.TaskPatch{Disabled: &yes}); got.NextAt != 0 {
			t.Errorf("switched off: %+v", got)
		}
		st.pass(11 * time.Hour)
		if got := patch(chat.TaskPatch{Disabled: &no}); due(got) != "02 10:00" {
			t.Errorf("switched on again: due %s", due(got))
		}
		for name, p := range map[string]chat.TaskPatch{
			"over": {At: text("2000-01-01T10:00")}, "both": {At: text("2000-02-01T10:00"), Cron: text("0 1 * * *")}, "no text": {Text: text(" ")},
		} {
			before, _ := st.s.Get(id)
			if _, err := st.s.Patch(st.t.Context(), id, p); code(err) != chat.CodeBadRequest {
				t.Errorf("%s: %v", name, err)
			}
			if after, _ := st.s.Get(id); !cmp.Equal(before, after) {
				t.Errorf("%s changed it", name)
			}
		}
		if _, err := st.s.Patch(st.t.Context(), "0123456789abcdef", chat.TaskPatch{}); code(err) != chat.CodeUnknownTask {
			t.Errorf("nobody's: %v", err)
		}
	})
}

func TestRefused(t *testing.T) {
	good := chat.TaskSpec{Name: "a", Text: "b", Cron: "0 9 * * *"}
	for name, bad := range map[string]struct {
		change func(*chat.TaskSpec)
		key    string
	}{
		"no name":        {func(s *chat.TaskSpec) { s.Name = " \n" }, say.TaskName},
		"a long name":    {func(s *chat.TaskSpec) { s.Name = strings.Repeat("ü", MaxName+1) }, say.TaskName},
		"no text":        {func(s *chat.TaskSpec) { s.Text = "" }, say.TaskText},
		"a long text":    {func(s *chat.TaskSpec) { s.Text = strings.Repeat("x", MaxText+1) }, say.TaskText},
		"no time":        {func(s *chat.TaskSpec) { s.Cron = "" }, say.TaskWhen},
		"two times":      {func(s *chat.TaskSpec) { s.At = "2030-01-01T00:00" }, say.TaskWhen},
		"a bad rhythm":   {func(s *chat.TaskSpec) { s.Cron = "every day" }, say.TaskRhythm},
		"never":          {func(s *chat.TaskSpec) { s.Cron = "0 0 31 2 *" }, say.TaskNever},
		"a bad time":     {func(s *chat.TaskSpec) { s.Cron, s.At = "", "tomorrow" }, say.TaskTime},
		"over":           {func(s *chat.TaskSpec) { s.Cron, s.At = "", "1999-12-31T23:59" }, say.TaskPast},
		"a bad zone":     {func(s *chat.TaskSpec) { s.Zone = "Berlin" }, say.TaskZone},
		"a zone by path": {func(s *chat.TaskSpec) { s.Zone = "../../etc/localtime" }, say.TaskZone},
		"a bad mode":     {func(s *chat.TaskSpec) { s.Mode = "root" }, say.TaskMode},
		"a long run":     {func(s *chat.TaskSpec) { s.MaxMinutes = MaxMinutes + 1 }, say.TaskMinutes},
		"no such folder": {func(s *chat.TaskSpec) { s.CWD = "here" }, say.NoFolder},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(st *stage) {
				spec := good
				bad.change(&spec)
				_, err := st.s.Add(spec)
				var e *chat.Error
				if !errors.As(err, &e) || e.Key != bad.key || e.Code != chat.CodeBadRequest {
					t.Errorf("refused with %v", err)
				}
			})
		})
	}
	play(t, func(st *stage) {
		st.s.mu.Lock()
		for range MaxTasks {
			st.s.tasks[newID()] = &task{}
		}
		st.s.mu.Unlock()
		if _, err := st.s.Add(good); code(err) != chat.CodeTooMany {
			t.Errorf("one more: %v", err)
		}
		st.s.mu.Lock()
		clear(st.s.tasks)
		st.s.mu.Unlock()
	})
}

// A task whose agent cannot be had has a result that says so.
func TestNoAgent(t *testing.T) {
	play(t, func(st *stage) {
		st.agent.refuse = say.Error(chat.CodeAgentUnavailable, "why", say.AgentFailed)
		task := st.add(chat.TaskSpec{Name: "a", Text: "1s", At: "2000-01-01T00:01"})
		st.pass(2 * time.Minute)
		got, _ := st.s.Get(task.ID)
		if got.Last == nil || got.Last.Outcome != chat.TaskFailed || got.Last.Code != chat.CodeAgentUnavailable || got.Last.Note.Key != say.AgentFailed || got.Last.Details != "[redacted]" {
			t.Errorf("it says %+v", got.Last)
		}
	})
}

// What cannot be written down is not begun: a crash would have it done twice.
func TestNothingBeginsThatTheDiskDoesNotHave(t *testing.T) {
	play(t, func(st *stage) {
		task := st.add(chat.TaskSpec{Name: "a", Text: "1s", At: "2000-01-01T00:01"})
		dir := filepath.Join(st.dir, "tasks")
		if err := os.Rename(dir, dir+"-away"); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can be made here
			t.Fatal(err)
		}
		st.pass(5 * time.Minute)
		if n := len(st.agent.sent()); n != 0 {
			t.Errorf("%d runs", n)
		}
		if _, err := st.s.Add(chat.TaskSpec{Name: "b", Text: "1s", Cron: "@daily"}); code(err) != chat.CodeInternal {
			t.Errorf("one more task: %v", err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(dir+"-away", dir); err != nil {
			t.Fatal(err)
		}
		st.pass(2 * time.Minute)
		if got := st.results(task.ID); len(got) != 1 || got[0] != "01 00:01 done 1s" {
			t.Errorf("once there is a disk again: %v", got)
		}
		if list := st.s.List(); len(list.Tasks) != 1 {
			t.Errorf("tasks: %+v", list)
		}
	})
}
