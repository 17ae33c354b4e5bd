package bridge

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

var _ gateway.Archiver = (*process)(nil)

// Archive implements gateway.Archiver.
func (p *process) Archive(ctx context.Context, id string) error {
	if err := p.enter(ctx, "Archive"); err != nil {
		return err
	}
	p.note("Archive " + id)
	return nil
}

// task starts the run of a task.
func (s *stage) task(text string) Subscription {
	s.t.Helper()
	r := s.message("task:1", text)
	r.AsText = true
	sub, err := s.b.RunTask(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	return sub
}

// In a task every question is answered at once, with words for the model; no list
// shows it, and nothing of it is left.
func TestTask(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.task("ask rm x; helper ask_rm_y; say ok")
		frames := s.until(sub, proposed)
		if left := s.b.Pending(""); len(left) > 0 {
			t.Errorf("it waits for a person: %+v", left)
		}
		if list, err := s.b.Chats(s.t.Context()); err != nil || len(list.Chats) > 0 {
			t.Errorf("among the chats: %+v, %v", list, err)
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: "task:1", ToolID: frames[len(frames)-1].Tool.ID, Decision: chat.Approve}); code(err) != chat.CodeUnknownSession {
			t.Errorf("a page answers: %v", err)
		}
		if _, err := s.b.Send(s.t.Context(), s.message("task:1", "hello")); code(err) != chat.CodeBadRequest {
			t.Errorf("a page sends: %v", err)
		}
		frames = append(frames, s.rest(sub)...)
		var denied []string
		for _, f := range frames {
			if f.Type == chat.AgentTool && f.Tool.State == chat.ToolDenied {
				denied = append(denied, f.Tool.Title)
			}
		}
		if d := cmp.Diff([]string{"Run: rm x", "Run: rm y"}, slices.Compact(denied)); d != "" {
			t.Errorf("denied (-want +got):\n%s", d)
		}
		s.expect(frames[len(frames)-1:], "done completed false 100")
		calls := s.d.called()
		if marked, prompted := slices.Index(calls, "Execute /strata-gate"), slices.Index(calls, "Prompt"); marked < 0 || marked > prompted {
			t.Errorf("the gate was told at %d, the message came at %d", marked, prompted)
		}
		if log := s.d.only().log; !slices.ContainsFunc(log, func(e dsh.Event) bool { return strings.Contains(string(e.Data), "nobody is at the screen") }) {
			t.Error("the model was not told that nobody is there")
		}

		cards := []chat.Tool{{ID: "1", Name: "bash", Input: `{"command":"ls"}`}, {ID: "2", Name: "bash", Input: `{"command":"ls … cut off`}}
		for said, want := range map[string]map[string]bool{`{"decision":"allow"}`: {"1": true}, `{"decision":"ask"}`: {}, "!no such word": {}} {
			s.d.says = map[string]string{"explain": said}
			if d := cmp.Diff(want, s.b.OnlyLooked(s.t.Context(), "task:1", cards)); d != "" {
				t.Errorf("the gate says %s (-want +got):\n%s", said, d)
			}
		}

		s.b.DropTask(s.t.Context(), "task:1")
		synctest.Wait()
		if !slices.Contains(s.d.called(), "Archive session-1") {
			t.Errorf("its session is not put away: %v", s.d.called())
		}
		if _, err := s.b.Chat(s.t.Context(), "task:1"); code(err) != chat.CodeUnknownChat {
			t.Errorf("it is still there: %v", err)
		}
		s.rest(s.task("say once more"))
		if n := s.d.count("CreateSession"); n != 2 {
			t.Errorf("%d sessions", n)
		}
	})
}

// A run that the gate does not know to be unattended does not begin.
func TestTaskWithoutTheGate(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"unattended": "!no such word"}
		s.expect(s.rest(s.task("say ok")), "queued", "error mode-unavailable")
		if n := s.d.count("Prompt"); n > 0 {
			t.Errorf("%d messages", n)
		}
	})
}

// Without the Harness a task fails, where a chat is answered by the model alone.
func TestTaskWithoutTheHarness(t *testing.T) {
	play(t, func(s *stage) {
		s.b.o.Direct = &lone{}
		s.d.broken = say.Error(chat.CodeAgentUnavailable, "gone", say.AgentFailed)
		frames := s.rest(s.task("say ok"))
		s.expect(frames, "queued", "error agent-unavailable")
		if last := frames[len(frames)-1]; last.Key != say.AgentFailed {
			t.Errorf("it says %+v", last)
		}
	})
}

// What a host that died left of tasks is dropped by the next one, and put away once
// there is a Harness.
func TestTasksOfADeadHost(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, d: newDisk()}
		s.b = s.open(dir, cwd)
		s.rest(s.task("say ok"))
		s.run("c1", "say hello")
		s.close()
		kept, err := os.ReadFile(filepath.Join(dir, recordsFile))
		if err != nil || !strings.Contains(string(kept), "task:1") {
			t.Fatalf("the record is %s, %v", kept, err)
		}
		s.b = s.open(dir, cwd)
		if list, _ := s.b.Chats(s.t.Context()); len(list.Chats) != 1 {
			t.Errorf("chats: %+v", list)
		}
		kept, _ = os.ReadFile(filepath.Join(dir, recordsFile))
		if strings.Contains(string(kept), "task:") {
			t.Errorf("left: %s", kept)
		}
		s.run("c1", "say again")
		synctest.Wait()
		if !slices.Contains(s.d.called(), "Archive session-1") {
			t.Errorf("not put away: %v", s.d.called())
		}
		s.close()
		s.d.die()
	})
}
