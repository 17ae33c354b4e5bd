package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	sessionA = "session-0f6d2c1e-1111-4222-8333-444455556666"
	helperB  = "0f6d2c1e-7777-4222-8333-444455556666"
	digestC  = "aaaabbbbccccddddaaaabbbbccccddddaaaabbbbccccddddaaaabbbbccccdddd"
)

func TestNormaliseText(t *testing.T) {
	var n Normaliser
	n.Name("/srv/run/x-1", "HOME")
	n.Name("/srv/run/x-1/workspace", "WORKSPACE")
	n.Name("", "NOTHING")
	for _, tt := range []struct{ in, want string }{
		{"in /srv/run/x-1/workspace/a.txt and /srv/run/x-1/data", "in WORKSPACE/a.txt and HOME/data"},
		{sessionA + " began", "session-1 began"},
		{"helper " + helperB + " of " + sessionA, "helper uuid-1 of session-1"},
		{"call_0123456789_0 then call_0123456789_1 then call_0123456789_0", "call-1 then call-2 then call-1"},
		{"http://127.0.0.1:40123/v1 and localhost:80", "http://127.0.0.1:PORT/v1 and localhost:PORT"},
		{"at 2026-11-30T09:25:00.123Z for 1.25s, 12 ms", "at TIME for DURATION, DURATION"},
		{"since 1796031908991", "since TIME"},
		{"digest " + digestC, "digest digest-1"},
		{"3 files, exit code 1, 12:30", "3 files, exit code 1, 12:30"},
	} {
		if got := n.Text(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// An id has one name in all of a transcript, by key or in text, and different
// ids have different ones.
func TestNormaliseJSON(t *testing.T) {
	var n Normaliser
	for _, tt := range []struct{ in, want string }{
		{`{"seq":1,"run":"r-77aa88","time":1796031908991,"type":"queued"}`, `{"run":"run-1","seq":1,"time":0,"type":"queued"}`},
		{`{"text":"` + helperB + ` <asks>","sessionId":"` + helperB + `","run":"r-99bb"}`, `{"run":"run-2","sessionId":"session-1","text":"session-1 <asks>"}`},
		{`{"tool":{"id":"` + helperB + `:call_0123456789_0","durationMs":17},"run":"r-77aa88"}`, `{"run":"run-1","tool":{"durationMs":0,"id":"session-1:call-1"}}`},
		{`[{"text":"resume r-77aa88"},1.50,null,true]`, `[{"text":"resume run-1"},1.50,null,true]`},
		{`{"digest":"` + digestC + `"}`, `{"digest":"digest-1"}`},
	} {
		got, err := n.JSON([]byte(tt.in))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.in, diff)
		}
	}
	if _, err := n.JSON([]byte("{")); err == nil {
		t.Error("broken JSON was taken")
	}
}

// fake stands for a testing.TB that may fail.
type fake struct {
	testing.TB
	said string
}

func (f *fake) Helper()                      {}
func (f *fake) Errorf(s string, args ...any) { f.said += fmt.Sprintf(s, args...) }

func TestCheck(t *testing.T) {
	defer func(was bool) { *update = was }(*update)
	*update = false
	file := filepath.Join(t.TempDir(), "t.txtar")
	const want = "What is shown.\n-- one --\nfrom session-1\n-- two --\n{\"sessionId\":\"session-1\"}\n{\"sessionId\":\"session-2\"}\n"
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
	build := func(last string) *Transcript {
		tr := New(file, "What is shown.")
		tr.Text("one", "from "+sessionA)
		if err := tr.JSON("two", map[string]string{"sessionId": sessionA}, map[string]string{"sessionId": last}); err != nil {
			t.Fatal(err)
		}
		return tr
	}
	same, other := &fake{TB: t}, &fake{TB: t}
	build(helperB).Check(same)
	if same.said != "" {
		t.Errorf("the same was refused: %s", same.said)
	}
	build(sessionA).Check(other)
	if other.said == "" {
		t.Error("another transcript was taken")
	}
}
