package bridge

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestAttachAtEverySeq: whoever comes back gets exactly the frames it missed, while
// the run goes on and after it ended.
func TestAttachAtEverySeq(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "say one two three; ask rm x; run ls; say four")
		begin := s.until(sub, proposed)
		var late []Subscription
		for after := range int64(len(begin)) + 1 {
			again, err := s.b.Attach(s.t.Context(), "c1", begin[0].Run, after)
			if err != nil {
				t.Fatal(err)
			}
			late = append(late, again)
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve}); err != nil {
			t.Fatal(err)
		}
		all := append(begin, s.rest(sub)...)
		for after, again := range late {
			if d := cmp.Diff(all[after:], s.rest(again)); d != "" {
				t.Errorf("from %d while it ran (-want +got):\n%s", after, d)
			}
		}
		synctest.Wait()
		for after := range int64(len(all)) + 1 {
			again, err := s.b.Attach(s.t.Context(), "c1", all[0].Run, after)
			if err != nil {
				t.Fatal(err)
			}
			var want []chat.Frame
			want = append(want, all[after:]...)
			if d := cmp.Diff(want, s.rest(again)); d != "" {
				t.Errorf("from %d after the end (-want +got):\n%s", after, d)
			}
		}
	})
}

// TestReset: an unknown run, and a seq that is not there, give the chat as it stands.
func TestReset(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say one")
		sub := s.send("c1", "say two; ask rm x; say three")
		frames := s.until(sub, proposed)
		synctest.Wait()
		run := frames[0].Run
		for _, at := range []struct {
			run   string
			after int64
		}{{"", 0}, {"nope", 3}, {run, 999}} {
			again, err := s.b.Attach(s.t.Context(), "c1", at.run, at.after)
			if err != nil {
				t.Fatal(err)
			}
			f, err := again.Next(s.t.Context())
			if err != nil || f.Type != chat.Reset || f.Run != run || f.Seq != int64(len(frames)) {
				t.Fatalf("%v: %+v, %v", at, f, err)
			}
			var got []string
			for _, m := range f.Snapshot.Messages {
				tools := ""
				for _, tool := range m.Tools {
					tools += " " + string(tool.State)
				}
				got = append(got, m.Role+" "+m.Text+tools)
			}
			want := []string{"user say one", "assistant one", "user say two; ask rm x; say three", "assistant two proposed"}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%v: (-want +got):\n%s", at, d)
			}
			again.Close()
			if _, err := again.Next(s.t.Context()); !errors.Is(err, io.EOF) {
				t.Errorf("a closed subscription gave %v", err)
			}
		}
		s.stop("c1")
		again, err := s.b.Attach(s.t.Context(), "c1", "nope", 0)
		if err != nil {
			t.Fatal(err)
		}
		got := s.rest(again)
		if len(got) != 1 || got[0].Type != chat.Reset || got[0].Run != "" || got[0].Seq != 0 {
			t.Errorf("got %+v", got)
		}
	})
}

// TestHistoryGoesOn: what the history has and what the run still writes make the
// whole, at every moment.
func TestHistoryGoesOn(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say before")
		sub := s.send("c1", "wait 1; say one two; wait 1; run ls; wait 1; helper ask_rm; say three four; wait 1; say five")
		var run string
		for range 200 {
			synctest.Wait()
			waits, h := s.b.Pending("c1"), s.history("c1")
			if h.Run == "" {
				break
			}
			run = h.Run
			again, err := s.b.Attach(s.t.Context(), "c1", h.Run, h.Seq)
			if err != nil {
				t.Fatal(err)
			}
			if p := waits; len(p) == 1 {
				if !strings.HasPrefix(p[0].Tool.ID, "helper-") {
					t.Errorf("pending %+v", p[0])
				}
				if !slices.ContainsFunc(h.Messages, func(m chat.Message) bool {
					return slices.ContainsFunc(m.Tools, func(x chat.Tool) bool { return x.ID == p[0].Tool.ID && x.State == chat.ToolProposed })
				}) {
					t.Error("the helper's card is not in the history")
				}
				if err := s.answer(chat.ApprovalRequest{SessionID: p[0].SessionID, ToolID: p[0].Tool.ID, Decision: chat.Approve}); err != nil {
					t.Fatal(err)
				}
			}
			f, err := again.Next(s.t.Context())
			if err == nil && f.Seq != h.Seq+1 {
				t.Fatalf("after %d comes %d", h.Seq, f.Seq)
			}
		}
		if run == "" {
			t.Fatal("the run was never seen under way")
		}
		s.rest(sub)
		synctest.Wait()
		warm := s.history("c1").Messages
		var got []string
		for _, m := range warm {
			got = append(got, fmt.Sprintf("%s %s %d", m.Role, m.Text, len(m.Tools)))
		}
		want := []string{"user say before 0", "assistant before 0",
			"user wait 1; say one two; wait 1; run ls; wait 1; helper ask_rm; say three four; wait 1; say five 0",
			"assistant one two 1", "assistant three four\n\nfive 0"}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		s.d.die()
		synctest.Wait()
		if d := cmp.Diff(warm, s.history("c1").Messages); d != "" {
			t.Errorf("after a restart (-warm +cold):\n%s", d)
		}
	})
}

// TestResend: the same request id starts nothing twice.
func TestResend(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, d: newDisk()}
		s.b = s.open(dir, cwd)
		req := s.message("c1", "say one; ask rm x")
		first := s.post(req)
		begin := s.until(first, proposed)
		second := s.post(req)
		if d := cmp.Diff(begin, s.until(second, proposed)); d != "" {
			t.Errorf("(-first +second):\n%s", d)
		}
		other := req
		other.Text = "say another"
		if _, err := s.b.Send(s.t.Context(), other); code(err) != chat.CodeBadRequest {
			t.Errorf("another text: %v", err)
		}
		s.stop("c1")
		if d := cmp.Diff(s.rest(first), s.rest(second)); d != "" {
			t.Errorf("(-first +second):\n%s", d)
		}
		if d := cmp.Diff(told(begin), told(s.until(s.post(req), proposed))); d != "" {
			t.Errorf("after the end (-first +again):\n%s", d)
		}
		s.close()

		// Another life of the host, and of the Harness.
		s.d.die()
		s.b = s.open(dir, cwd)
		s.expect(s.rest(s.post(req)), "reset 2")
		if n := s.d.count("Prompt"); n != 1 {
			t.Errorf("%d prompts", n)
		}
		s.close()

		// The request was noted, but the message never reached the Harness.
		if err := s.b.records.change("c1", func(c *record) { c.Requests = append(c.Requests, "lost") }); err != nil {
			t.Fatal(err)
		}
		s.b = s.open(dir, cwd)
		lost := chat.StreamRequest{ChatID: "c1", Text: "say late", RequestID: "lost"}
		s.expect(s.rest(s.post(lost)), "queued", "start manual p/m session-1", `delta "late"`, "done completed false 100")
		s.close()
		s.d.die()
	})
}

// TestSlowReader: a reader that lags neither holds the run nor is kept frames for.
func TestSlowReader(t *testing.T) {
	play(t, func(s *stage) {
		s.b.limits.run = 1 << 20
		slow := s.send("c1", "say "+strings.Repeat(strings.Repeat("x", 4000)+" ", 500))
		if _, err := slow.Next(s.t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // 2 MB of text went by
		_, err := slow.Next(s.t.Context())
		if !errors.Is(err, ErrSlow) {
			t.Fatalf("got %v", err)
		}
		h := s.history("c1")
		if len(h.Messages) != 2 || len(h.Messages[1].Text) < 2_000_000 {
			t.Errorf("history has %d messages", len(h.Messages))
		}
		if size := s.b.chats["c1"].ended.log.size(); size > s.b.limits.run {
			t.Errorf("%d bytes are kept", size)
		}
		again, err := s.b.Attach(s.t.Context(), "c1", s.b.chats["c1"].ended.id, 1)
		if err != nil {
			t.Fatal(err)
		}
		s.expect(s.rest(again), "reset 2")
	})
}

// TestRetired: the frames of old runs go once all of them weigh too much.
func TestRetired(t *testing.T) {
	play(t, func(s *stage) {
		s.b.limits.ended = 1 << 20
		for i := range 24 {
			s.run(fmt.Sprint("c", i), "say "+strings.Repeat(strings.Repeat("x", 4000)+" ", 20))
			synctest.Wait()
		}
		if s.b.kept > s.b.limits.ended || s.b.kept == 0 {
			t.Errorf("%d bytes are kept", s.b.kept)
		}
		if s.b.chats["c0"].ended.log.size() != 0 || s.b.chats["c23"].ended.log.size() == 0 {
			t.Error("the wrong ones were let go")
		}
	})
}

// TestSubscriptionContext: a reader's own context ends its wait, not the reading.
func TestSubscriptionContext(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "hang")
		s.until(sub, running)
		ctx, cancel := cancelled(s.t)
		cancel()
		if _, err := sub.Next(ctx); err == nil {
			t.Error("no error")
		}
		s.stop("c1")
		s.expect(s.rest(sub), "tool call_1_1 error", "done aborted true 0")
	})
}

func TestChats(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "say   one\ntwo")
		synctest.Wait()
		sub := s.send("c2", "hang")
		s.until(sub, running)
		list, err := s.b.Chats(s.t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range list.Chats {
			got = append(got, fmt.Sprint(c.ChatID, " ", c.SessionID, " ", c.Title, " ", c.Run != ""))
		}
		if d := cmp.Diff([]string{"c1 session-1 say one two false", "c2 session-2 hang true"}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		name, yes := "  My  chat ", true
		sum, err := s.b.PatchChat(s.t.Context(), "c1", chat.ChatPatch{Title: &name, Archived: &yes})
		if err != nil || sum.Title != "My chat" || !sum.Archived {
			t.Errorf("got %+v, %v", sum, err)
		}
		if s.d.count("Rename") != 1 {
			t.Error("the Harness was not told")
		}
		empty := " "
		if _, err := s.b.PatchChat(s.t.Context(), "c1", chat.ChatPatch{Title: &empty}); code(err) != chat.CodeBadRequest {
			t.Error(err)
		}
		st := s.b.Status(s.t.Context())
		if len(st.Turns) != 1 || st.Turns[0].SessionID != "session-2" || st.Turns[0].Mode != "manual" || st.State != "ready" {
			t.Errorf("status %+v", st)
		}
		s.stop("c2")
		if say.Stopped == "" || s.history("c2").Messages[1].Notes[0].Key != say.Stopped {
			t.Errorf("history %+v", s.history("c2"))
		}
	})
}
