package bridge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestTwoPages: two pages on one chat see the same run, whichever of them sent the
// message, answers or stops; either names the chat by its own id or by its session's.
func TestTwoPages(t *testing.T) {
	play(t, func(s *stage) {
		first := s.send("c1", "say one; ask rm x; say two; ask rm y; hang")
		begin := s.until(first, proposed)
		start := begin[1]
		second, err := s.b.Attach(s.t.Context(), "c1", start.Run, 0)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(begin, s.until(second, proposed)); d != "" {
			t.Errorf("up to the question (-first +second):\n%s", d)
		}
		// The second page answers by the session's id, the first one by the chat's.
		if err := s.answer(chat.ApprovalRequest{SessionID: start.SessionID, ToolID: "call_1_1", Decision: chat.Approve}); err != nil {
			t.Fatal(err)
		}
		next := s.until(first, proposed)
		if d := cmp.Diff(next, s.until(second, proposed)); d != "" {
			t.Errorf("after the first answer (-first +second):\n%s", d)
		}
		last := next[len(next)-1].Tool.ID
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: last, Decision: chat.Deny}); err != nil {
			t.Fatal(err)
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: start.SessionID, ToolID: last, Decision: chat.Approve}); code(err) != chat.CodeNotPending {
			t.Errorf("the other page's answer: %v", err)
		}
		if _, err := s.b.Stop(s.t.Context(), chat.StopRequest{SessionID: start.SessionID}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(s.rest(first), s.rest(second)); d != "" {
			t.Errorf("the end (-first +second):\n%s", d)
		}
		for _, id := range []string{"nope", "session-99"} {
			if err := s.answer(chat.ApprovalRequest{SessionID: id, ToolID: last, Decision: chat.Deny}); code(err) != chat.CodeUnknownSession {
				t.Errorf("an answer for %s: %v", id, err)
			}
			if _, err := s.b.Stop(s.t.Context(), chat.StopRequest{SessionID: id}); code(err) != chat.CodeUnknownSession {
				t.Errorf("a stop for %s: %v", id, err)
			}
		}
	})
}

// TestRecordsSurviveACrashAtEveryByte: whatever part of the next list of chats was
// written when the host was killed, the chats are as they were, or as they should be.
func TestRecordsSurviveACrashAtEveryByte(t *testing.T) {
	dir := t.TempDir()
	r, err := openRecords(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.put(sample(1)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, recordsFile)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := r.chats
	if err := r.put(sample(2)); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, want map[string]record) {
		t.Helper()
		got, err := openRecords(dir)
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if d := cmp.Diff(want, got.chats); d != "" {
			t.Fatalf("%s (-want +got):\n%s", what, d)
		}
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	for cut := range len(after) + 1 { // beside the file, until it is renamed
		if err := os.WriteFile(filepath.Join(dir, ".strata-1.tmp"), after[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		check(fmt.Sprintf("killed after byte %d", cut), old)
	}
	if err := os.Rename(filepath.Join(dir, ".strata-1.tmp"), path); err != nil {
		t.Fatal(err)
	}
	check("killed after the rename", r.chats)
}

// TestExchangesSurviveACrashAtEveryByte: of what the model answered alone, a kill
// loses at most what was being written, and the log goes on behind it.
func TestExchangesSurviveACrashAtEveryByte(t *testing.T) {
	asked := func(id string) exchange {
		return exchange{RequestID: id, Time: 1, Messages: []chat.Message{{Role: "user", Text: "ask " + id}}}
	}
	answered := func(id string) exchange {
		e := asked(id)
		e.Messages = append(e.Messages, chat.Message{Role: "assistant", Text: "answer\n" + id, Time: 2})
		e.Whole = true
		return e
	}
	broken := func(id string) exchange {
		e := asked(id)
		e.Messages = append(e.Messages, chat.Message{Role: "assistant", Notes: []chat.Note{{Sentence: say.Sentence(say.AgentClosed)}}, Time: 1})
		return e
	}
	x := exchangesIn(t.TempDir())
	var ends []int
	for _, e := range []exchange{asked("a"), answered("a"), asked("b"), answered("b")} {
		if err := x.add("c", e); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(x.path("c"))
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, int(info.Size()))
	}
	whole, err := os.ReadFile(x.path("c"))
	if err != nil {
		t.Fatal(err)
	}
	states := [][]exchange{nil, {broken("a")}, {answered("a")}, {answered("a"), broken("b")}, {answered("a"), answered("b")}}
	for cut := range len(whole) + 1 {
		n := 0
		for n < len(ends) && ends[n] <= cut {
			n++
		}
		if err := os.WriteFile(x.path("c"), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		got, _ := x.read("c") // the error is of the line that broke off
		if d := cmp.Diff(states[n], got); d != "" {
			t.Fatalf("cut at %d (-want +got):\n%s", cut, d)
		}
		if err := x.add("c", answered("z")); err != nil {
			t.Fatal(err)
		}
		got, err := x.read("c")
		if d := cmp.Diff(append(states[n][:len(states[n]):len(states[n])], answered("z")), got); d != "" || err != nil {
			t.Fatalf("cut at %d, then gone on: %v (-want +got):\n%s", cut, err, d)
		}
	}
}
