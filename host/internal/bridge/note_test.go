package bridge

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestNoteToAnothersQuestion: the Harness drops the words of a no to a question that is
// not the gate's, so they go into the turn as a message, before the answer.
func TestNoteToAnothersQuestion(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"answer": "!That question is no longer open."}
		sub := s.send("c1", "ask rm x; say ok")
		s.until(sub, proposed)
		deny := chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Deny, Note: " say use trash instead "}
		s.d.on("Answer", func(ctx) error { return errLost })
		if err := s.answer(deny); code(err) != chat.CodeAgentUnavailable {
			t.Errorf("an answer that got lost: %v", err)
		}
		s.d.on("Answer", nil)
		if err := s.answer(deny); err != nil {
			t.Fatal(err)
		}
		s.expect(s.rest(sub), "status "+say.Steered, "tool call_1_1 denied", "message say use trash instead", `delta "ok"`, `delta "\n\nuse trash instead"`, "done completed false 200")
		if n := s.d.count(`Prompt "say use trash instead"`); n != 1 {
			t.Errorf("the note was handed over %d times", n)
		}
		want := []string{"user ask rm x; say ok", "assistant ", "user say use trash instead", "assistant ok\n\nuse trash instead"}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestNoteBeforeTheHarnessAnswered: the turn asks before it is known that the Harness
// took the message that began it.
func TestNoteBeforeTheHarnessAnswered(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"answer": "!That question is no longer open."}
		_, release := s.d.hold("Prompted")
		sub := s.send("c1", "ask rm x; say ok")
		s.until(sub, proposed)
		answered := make(chan error, 1)
		go func() {
			answered <- s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Deny, Note: "say use trash instead"})
		}()
		synctest.Wait()
		if len(answered) > 0 {
			t.Error("the answer did not wait for the note")
		}
		release()
		if err := <-answered; err != nil {
			t.Fatal(err)
		}
		s.expect(s.rest(sub), "status "+say.Steered, "tool call_1_1 denied", "message say use trash instead", `delta "ok"`, `delta "\n\nuse trash instead"`, "done completed false 200")
	})
}

// TestNoteWhereNoTurnTakesIt: as where a helper in the background asks; it becomes a
// message of its own.
func TestNoteWhereNoTurnTakesIt(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"answer": "!That question is no longer open."}
		sub := s.send("c1", "spawn ask_rm_x")
		frames := s.until(sub, proposed)
		synctest.Wait()
		card := frames[len(frames)-1].Tool
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: card.ID, Decision: chat.Deny, Note: "say use trash instead"}); err != nil {
			t.Fatal(err)
		}
		s.rest(sub)
		synctest.Wait()
		got := notes(s.history("c1"))
		if d := cmp.Diff([]string{"user say use trash instead", "assistant use trash instead"}, got[max(0, len(got)-2):]); d != "" {
			t.Errorf("the end of the history (-want +got):\n%s", d)
		}
	})
}

// TestNoNoteOfAYes: words to a yes are the gate's alone, and an empty note is none.
func TestNoNoteOfAYes(t *testing.T) {
	for _, req := range []chat.ApprovalRequest{
		{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve, Note: "say never"},
		{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Deny, Note: " \n"},
	} {
		play(t, func(s *stage) {
			s.d.says = map[string]string{"answer": "!That question is no longer open."}
			sub := s.send("c1", "ask rm x; say ok")
			s.until(sub, proposed)
			if err := s.answer(req); err != nil {
				t.Fatal(err)
			}
			s.rest(sub)
			if n := s.d.count("Prompt"); n != 1 {
				t.Errorf("%d messages were handed over", n)
			}
		})
	}
}
