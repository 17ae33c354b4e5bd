package procfs

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParseStat(t *testing.T) {
	const stat = "42 (a) (b c) S 7 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 98765 1 2 3\n"
	got, err := parseStat(stat)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Process{PID: 42, PPID: 7, State: "S", Start: 98765}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "42", "42 (a) S 7", "x (a) S 7 42 42 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 1 0 98765"} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestLookingAtAChild(t *testing.T) {
	cmd := exec.Command("cat")
	cmd.Env = []string{"STRATA_TEST_MARK=" + t.Name(), "OTHER=x"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	found, err := Marked("STRATA_TEST_MARK", t.Name())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].PID != cmd.Process.Pid || found[0].PPID != os.Getpid() || !found[0].Alive() {
		t.Errorf("marked: %+v", found)
	}
	if diff := cmp.Diff([]string{"cat"}, found[0].Args); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
	below, err := Descendants(os.Getpid())
	if err != nil || !slices.ContainsFunc(below, func(p Process) bool { return p.PID == cmd.Process.Pid }) {
		t.Errorf("descendants: %+v, %v", below, err)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if found[0].Alive() {
		t.Error("alive after its end")
	}
	if _, err := Read(cmd.Process.Pid); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading an ended process: %v", err)
	}
	other := Process{PID: os.Getpid(), Start: 1}
	if other.Alive() {
		t.Error("another process with the same id is taken for it")
	}
}
