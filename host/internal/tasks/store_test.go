package tasks

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestFilesGiveBackWhatTheyTook(t *testing.T) {
	f := files{t.TempDir()}
	none, err := f.readTasks()
	if err != nil || none != nil {
		t.Errorf("before the first: %+v, %v", none, err)
	}
	list := []saved{
		{ID: "0123456789abcdef", Spec: chat.TaskSpec{Name: "a\nb", Text: "c", Cron: "@daily", Mode: "plan", MaxMinutes: 60}, Created: 1, Due: 5},
		{ID: "fedcba9876543210", Spec: chat.TaskSpec{Name: "b", Disabled: true}, Created: 2, Run: &savedRun{ID: "x", Begun: 3}},
	}
	if err := f.writeTasks([]saved{list[1], list[0]}); err != nil {
		t.Fatal(err)
	}
	got, err := f.readTasks()
	if d := cmp.Diff(list, got); d != "" || err != nil {
		t.Errorf("tasks: %v (-want +got):\n%s", err, d)
	}
	results := []chat.TaskResult{{ID: "1", TaskID: list[0].ID, Outcome: chat.TaskDone, Summary: "x"}}
	if err := f.writeResults(list[0].ID, results); err != nil {
		t.Fatal(err)
	}
	kept, err := f.readResults(list[0].ID)
	if d := cmp.Diff(results, kept); d != "" || err != nil {
		t.Errorf("results: %v (-want +got):\n%s", err, d)
	}
	if info, err := os.Stat(f.results(list[0].ID)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("results are %v, %v", info.Mode(), err)
	}
}

// A file that broke off, or holds what nobody can read, gives the rest and is kept aside.
func TestBrokenFiles(t *testing.T) {
	f := files{t.TempDir()}
	whole := `{"version":1}` + "\n" + `{"id":"0123456789abcdef","spec":{"name":"a","text":"b","cron":"@daily"},"createdAt":1,"updatedAt":1}` + "\n"
	for name, text := range map[string]string{
		"torn": whole + `{"id":"fedcba98`, "a bad line": whole + "nonsense\n", "an id that is none": whole + `{"id":"../../x"}` + "\n", "no header": strings.SplitAfterN(whole, "\n", 2)[1] + "[]",
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(f.tasks(), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := f.readTasks()
			if err != nil || len(got) != 1 || got[0].Spec.Name != "a" {
				t.Errorf("%+v, %v", got, err)
			}
			aside, err := os.ReadFile(f.tasks() + ".broken")
			if err != nil || string(aside) != text {
				t.Errorf("kept aside: %q, %v", aside, err)
			}
		})
	}
	if err := os.WriteFile(f.tasks(), []byte(`{"version":2}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.readTasks(); !errors.Is(err, ErrNewer) {
		t.Errorf("a newer file gives %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(f.dir, ".strata-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func FuzzTasksFile(f *testing.F) {
	f.Add(`{"version":1}` + "\n" + `{"id":"0123456789abcdef","spec":{"name":"a"}}`)
	f.Add("{\"version\":9}\n")
	good := func(s saved) bool { return validID(s.ID) }
	f.Fuzz(func(t *testing.T, text string) {
		list, _, err := parse([]byte(text), good)
		if err != nil {
			return // a newer one
		}
		raw, err := format(list)
		if err != nil {
			t.Fatal(err)
		}
		again, broken, err := parse(raw, good)
		if d := cmp.Diff(list, again); d != "" || broken || err != nil {
			t.Fatalf("broken %v, %v\n%s", broken, err, d)
		}
	})
}

func TestBook(t *testing.T) {
	result := func(task, id string, outcome chat.TaskOutcome, times int) chat.TaskResult {
		return chat.TaskResult{ID: id, TaskID: task, Outcome: outcome, Times: times, DueAt: 7}
	}
	b := book{}
	b.add(result("a", "1", chat.TaskDone, 0))
	b.add(result("a", "2", chat.TaskMissed, 1))
	b.add(result("a", "3", chat.TaskMissed, 2))
	b.add(result("a", "4", chat.TaskSkipped, 1))
	want := []chat.TaskResult{result("a", "1", chat.TaskDone, 0), result("a", "2", chat.TaskMissed, 3), result("a", "4", chat.TaskSkipped, 1)}
	want[1].Note = say.Sentence(say.TaskMissedMany, "times", "3")
	if d := cmp.Diff(want, b["a"]); d != "" {
		t.Errorf("in a row (-want +got):\n%s", d)
	}
	for i := range MaxResults + 3 {
		if changed := b.add(result("a", fmt.Sprint("n", i), chat.TaskDone, 0)); !cmp.Equal(changed, []string{"a"}) {
			t.Errorf("changed: %v", changed)
		}
	}
	if list := b["a"]; len(list) != MaxResults || list[0].ID != "n3" || list[MaxResults-1].ID != "n52" {
		t.Errorf("%d kept, %s to %s", len(list), list[0].ID, list[len(list)-1].ID)
	}
}

// All results together stay within their limit: the oldest go, whosever they are.
func TestBookHasAWholeSize(t *testing.T) {
	b := book{}
	big := chat.TaskResult{Summary: strings.Repeat("x", 1<<20)}
	changed := map[string]bool{}
	for i := range 20 {
		r := big
		r.ID, r.TaskID, r.EndedAt, r.Outcome = fmt.Sprint(i), []string{"a", "b"}[i/10], int64(i), chat.TaskDone
		for _, id := range b.add(r) {
			changed[id] = true
		}
	}
	if b.size() > maxBytes {
		t.Errorf("%d bytes are kept", b.size())
	}
	if len(b["a"]) != 5 || b["a"][0].ID != "5" || len(b["b"]) != 10 || !changed["a"] {
		t.Errorf("a has %d, b %d", len(b["a"]), len(b["b"]))
	}
	huge := big
	huge.ID, huge.TaskID, huge.Details = "huge", "c", strings.Repeat("x", maxBytes)
	b.add(huge)
	if len(b["c"]) != 1 || len(b["a"])+len(b["b"]) != 0 {
		t.Errorf("a result that is too large alone: %d others", len(b["a"])+len(b["b"]))
	}
}
