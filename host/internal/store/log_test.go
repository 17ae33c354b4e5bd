package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type entry struct {
	N    int
	Text string
}

func TestLogSurvivesACrashAtEveryByte(t *testing.T) {
	full := filepath.Join(t.TempDir(), "log")
	want := []entry{{1, "one"}, {2, "two\nlines"}, {3, "drei ü"}}
	appendAll(t, full, want)
	data := read(t, full)
	for cut := range len(data) + 1 {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(data[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		whole := want[:strings.Count(data[:cut], "\n")]
		if diff := cmp.Diff(whole, readLog(t, path), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, diff)
		}
		next := entry{4, "after the crash"}
		appendAll(t, path, []entry{next})
		if diff := cmp.Diff(append(whole[:len(whole):len(whole)], next), readLog(t, path)); diff != "" {
			t.Fatalf("cut at %d, appended (-want +got):\n%s", cut, diff)
		}
	}
}

// TestLogKeepsWhatItAcknowledged: at whatever byte or step a process is killed or the
// power cut, what Append has acknowledged is there, and at most one entry more; the log
// can be written again.
func TestLogKeepsWhatItAcknowledged(t *testing.T) {
	entries := []entry{{1, "one"}, {2, "two\nlines"}, {3, "drei ü"}, {4, "four"}}
	for _, before := range []int{0, 2} {
		for _, cut := range []bool{true, false} {
			acked := 0
			for budget := 0; acked < len(entries); budget++ {
				path := filepath.Join(t.TempDir(), "new", "log")
				if before > 0 {
					appendAll(t, path, entries[:before])
				}
				d := newCrashDisk(t, budget)
				acked = before
				l, err := openLog(d, path)
				for err == nil && acked < len(entries) {
					if err = l.Append(entries[acked]); err == nil {
						acked++
					}
				}
				if err != nil && !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
				if l != nil {
					if err := l.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if cut {
					d.powerCut()
				}
				got := readLog(t, path)
				if len(got) < acked || len(got) > acked+1 || !slices.Equal(got, entries[:len(got)]) {
					t.Fatalf("budget %d, power cut %t: %d were acknowledged, there is %v", budget, cut, acked, got)
				}
				next := entry{5, "after the crash"}
				appendAll(t, path, []entry{next})
				if diff := cmp.Diff(append(got, next), readLog(t, path)); diff != "" {
					t.Fatalf("budget %d, power cut %t, appended (-want +got):\n%s", budget, cut, diff)
				}
				if budget > 1000 {
					t.Fatal("it never ends")
				}
			}
		}
	}
}

func TestLogTornLineLongerThanABlock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	torn := `{"N":2,"Text":"` + strings.Repeat("x", 200<<10)
	if err := os.WriteFile(path, []byte(`{"N":1,"Text":""}`+"\n"+torn), 0o600); err != nil {
		t.Fatal(err)
	}
	appendAll(t, path, []entry{{3, ""}})
	if diff := cmp.Diff([]entry{{1, ""}, {3, ""}}, readLog(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLogNamesABrokenLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(`{"N":1}`+"\n\n"+`{"N":`+"\n"+`{"N":3}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := ReadLog[entry](path)
	if err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]entry{{N: 1}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadLogMissing(t *testing.T) {
	got, err := ReadLog[entry](filepath.Join(t.TempDir(), "none"))
	if err != nil || got != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func appendAll(t *testing.T, path string, entries []entry) {
	t.Helper()
	l, err := OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func readLog(t *testing.T, path string) []entry {
	t.Helper()
	got, err := ReadLog[entry](path)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
