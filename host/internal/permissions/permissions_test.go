package permissions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// stored is a Store over records.
func stored(t *testing.T, records map[string]string) *Store {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "gate")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range records {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := Open(dir)
	s.now = func() time.Time { return time.UnixMilli(1000) }
	return s
}

func permission(id, rest string) string {
	return fmt.Sprintf(`{"id":%q,"tool":"bash","pattern":"make","scope":"always","folder":"/w"%s}`, id, rest)
}

const one, two, three = "00000000000000a1", "00000000000000a2", "00000000000000a3"

func TestList(t *testing.T) {
	s := stored(t, map[string]string{
		"permission-" + one:                permission(one, `,"createdAt":2,"expiresAt":1001`),
		"permission-" + two:                permission(two, `,"createdAt":1,"root":"r"`),
		"permission-" + three:              permission(three, `,"expiresAt":1000`), // has ended
		"permission-00000000000000a4":      permission(one, ""),                    // another's
		"permission-00000000000000a5":      `{"id":"00000000000`,
		"permission-x":                     permission("x", ""),
		".permission-" + one + ".aabbccdd": permission(one, ""), // half written
		"decisions-000001":                 "{}",
	})
	if err := os.Symlink(filepath.Join(s.dir, "permission-"+one), filepath.Join(s.dir, "permission-00000000000000a6")); err != nil {
		t.Fatal(err)
	}
	got, err := s.List()
	want := chat.PermissionList{Permissions: []chat.Permission{
		{ID: two, Tool: "bash", Pattern: "make", Scope: "always", Folder: "/w", SessionID: "r", CreatedAt: 1},
		{ID: one, Tool: "bash", Pattern: "make", Scope: "always", Folder: "/w", CreatedAt: 2, ExpiresAt: 1001},
	}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestRevoke(t *testing.T) {
	s := stored(t, map[string]string{"permission-" + one: permission(one, ""), "decisions-000001": "{}"})
	if err := s.Revoke(one); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{one, two, "", "../gate/decisions-000001", "x/../../decisions-000001", one + "0"} {
		var e *chat.Error
		if err := s.Revoke(id); !errors.As(err, &e) || e.Code != chat.CodeUnknownPermission {
			t.Errorf("%q: %v", id, err)
		}
	}
	left, err := os.ReadDir(s.dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%v: left %v", err, left)
	}
}

func TestNothingThereYet(t *testing.T) {
	s := Open(filepath.Join(t.TempDir(), "gate"))
	list, err := s.List()
	if diff := cmp.Diff(chat.PermissionList{Permissions: []chat.Permission{}}, list); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
	log, err := s.Decisions(Query{})
	if diff := cmp.Diff(chat.DecisionList{Decisions: []chat.Decision{}}, log); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}

func TestDecisions(t *testing.T) {
	line := func(time int, root, session, call string) string {
		return fmt.Sprintf(`{"time":%d,"root":%q,"session":%q,"call":%q,"tool":"bash","what":"ls","mode":"manual","decision":"allow","by":"rule","rule":"bash:ls"}`+"\n", time, root, session, call)
	}
	s := stored(t, map[string]string{
		abi.DecisionRecord + "000001": line(1, "r", "r", "a") + line(2, "x", "x", "b"),
		abi.DecisionRecord + "000002": line(4, "r", "h", "d") + line(3, "r", "r", "c") + `{"time":5,"tool":"ba`,
		"permission-" + one:           permission(one, ""),
	})
	calls := func(q Query) string {
		t.Helper()
		l, err := s.Decisions(q)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, d := range l.Decisions {
			ids = append(ids, d.ToolID)
		}
		return fmt.Sprint(strings.Join(ids, " "), " ", l.Before)
	}
	for q, want := range map[Query]string{
		{}:                           "h:d c b a 0",
		{Limit: 2}:                   "h:d c 3",
		{Limit: 2, Before: 3}:        "b a 0",
		{SessionID: "r"}:             "h:d c a 0",
		{SessionID: "r", Limit: 1}:   "h:d 4",
		{SessionID: "nobody"}:        " 0",
		{Limit: MaxLimit + 1}:        "h:d c b a 0",
		{Limit: -1, Before: 1}:       " 0",
		{SessionID: "x", Before: 99}: "b 0",
	} {
		if got := calls(q); got != want {
			t.Errorf("%+v: %q, want %q", q, got, want)
		}
	}
	all, err := s.Decisions(Query{Limit: 1})
	want := []chat.Decision{{Time: 4, SessionID: "r", ToolID: "h:d", Tool: "bash", What: "ls", Mode: "manual", Decision: "allow", By: "rule", Rule: "bash:ls"}}
	if diff := cmp.Diff(want, all.Decisions); diff != "" || err != nil {
		t.Errorf("%v: %s", err, diff)
	}
}
