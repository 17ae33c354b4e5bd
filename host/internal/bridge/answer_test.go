package bridge

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		decision, note string
		want           []string
		result         string
	}{
		{chat.Approve, "", []string{"tool call_1_1 running", "tool call_1_1 done"}, "out of rm x"},
		{chat.Deny, "use trash instead", []string{"tool call_1_1 denied"}, say.ToolDeniedByPerson},
	} {
		t.Run(tt.decision, func(t *testing.T) {
			play(t, func(s *stage) {
				sub := s.send("c1", "ask rm x; say ok")
				frames := s.until(sub, proposed)
				card := *frames[len(frames)-1].Tool
				want := chat.Tool{
					ID: "call_1_1", Name: "bash", Title: "Run: rm x", TitleKey: say.TitleRun, TitleArgs: map[string]string{"what": "rm x"}, State: chat.ToolProposed, Reason: "It changes something.",
					Input: `{"command":"rm x"}`, Digest: abi.Digest("session-1", "session-1", "call_1_1", "bash", []byte(`{"command":"rm x"}`)),
				}
				if d := cmp.Diff(want, card); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				pending := []chat.Pending{{ChatID: "c1", SessionID: "session-1", Run: frames[0].Run, Tool: card}}
				if d := cmp.Diff(pending, s.b.Pending("c1")); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if err := s.answer(chat.ApprovalRequest{SessionID: "session-1", ToolID: card.ID, Decision: tt.decision, Digest: card.Digest, Note: tt.note}); err != nil {
					t.Fatal(err)
				}
				rest := s.rest(sub)
				s.expect(rest, append(tt.want, `delta "ok"`, "done completed false 100")...)
				if got := rest[len(tt.want)-1].Tool; got.Result != tt.result {
					t.Errorf("got %+v", got)
				}
				if log := s.d.only().log; !slices.ContainsFunc(log, func(e dsh.Event) bool {
					return e.Type == dsh.TypeToolResult && strings.Contains(string(e.Data), tt.note)
				}) {
					t.Error("the model was not told the note")
				}
				if left := s.b.Pending(""); len(left) != 0 {
					t.Errorf("still pending: %+v", left)
				}
				err := s.answer(chat.ApprovalRequest{SessionID: "session-1", ToolID: card.ID, Decision: chat.Approve})
				if code(err) != chat.CodeNotPending {
					t.Errorf("a late answer: %v", err)
				}
			})
		})
	}
}

func TestRefusedAnswers(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x")
		s.until(sub, proposed)
		s.run("c2", "say hi")
		synctest.Wait()
		for _, tt := range []struct {
			name string
			req  chat.ApprovalRequest
			want chat.Code
		}{
			{"no session", chat.ApprovalRequest{ToolID: "call_1_1", Decision: "approve"}, chat.CodeBadRequest},
			{"no tool", chat.ApprovalRequest{SessionID: "c1", Decision: "approve"}, chat.CodeBadRequest},
			{"no decision", chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1"}, chat.CodeBadRequest},
			{"a note too long", chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: "deny", Note: strings.Repeat("é", maxNote+1)}, chat.CodeBadRequest},
			{"unknown session", chat.ApprovalRequest{SessionID: "nope", ToolID: "call_1_1", Decision: "approve"}, chat.CodeUnknownSession},
			{"unknown tool", chat.ApprovalRequest{SessionID: "c1", ToolID: "nope", Decision: "approve"}, chat.CodeUnknownTool},
			{"another chat", chat.ApprovalRequest{SessionID: "c2", ToolID: "call_1_1", Decision: "approve"}, chat.CodeNotYours},
			{"changed", chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: "approve", Digest: "0"}, chat.CodeChanged},
		} {
			if err := s.answer(tt.req); code(err) != tt.want {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
		if len(s.b.Pending("c1")) != 1 || len(s.b.Pending("c2")) != 0 {
			t.Errorf("pending: %+v", s.b.Pending(""))
		}
		// By the chat's own id, and bare.
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: "approve"}); err != nil {
			t.Error(err)
		}
		s.rest(sub)
	})
}

// TestOneAnswerCounts: of many at once, from two pages, one is taken.
func TestOneAnswerCounts(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x")
		s.until(sub, proposed)
		var mu sync.Mutex
		got := map[chat.Code]int{}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				decision := []string{chat.Approve, chat.Deny}[i%2]
				err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: decision})
				mu.Lock()
				defer mu.Unlock()
				got[code(err)]++
			})
		}
		wg.Wait()
		s.rest(sub)
		if d := cmp.Diff(map[chat.Code]int{"": 1, chat.CodeNotPending: 19}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestAnswerBeforeTheNotice: the card is there, how to answer it not yet.
func TestAnswerBeforeTheNotice(t *testing.T) {
	play(t, func(s *stage) {
		_, release := s.d.hold("Notice")
		sub := s.send("c1", "ask rm x")
		s.until(sub, proposed)
		got := make(chan error, 1)
		go func() {
			got <- s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve})
		}()
		synctest.Wait()
		release()
		if err := <-got; err != nil {
			t.Error(err)
		}
		s.expect(s.rest(sub), "tool call_1_1 running", "tool call_1_1 done", "done completed false 0")
	})
}

// TestAnswerIsLost: an answer that did not arrive can be given again.
func TestAnswerIsLost(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x")
		s.until(sub, proposed)
		synctest.Wait()
		s.d.on("Answer", func(ctx) error { return errLost })
		again := chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve}
		if err := s.answer(again); code(err) != chat.CodeAgentUnavailable {
			t.Errorf("got %v", err)
		}
		if n := len(s.b.Pending("c1")); n != 1 {
			t.Errorf("%d wait", n)
		}
		s.d.on("Answer", nil)
		if err := s.answer(again); err != nil {
			t.Error(err)
		}
		s.expect(s.rest(sub), "tool call_1_1 running", "tool call_1_1 done", "done completed false 0")
	})
}

// TestAnswerIsTakenOnceItIsWritten: a person is told that an answer was taken only
// when the gate has it in its log; until then it may have been lost with the Harness.
func TestAnswerIsTakenOnceItIsWritten(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x")
		s.until(sub, proposed)
		synctest.Wait()
		s.d.on("Answer", func(ctx) error {
			s.d.on("Execute /strata-gate", func(ctx) error { return errLost })
			return nil
		})
		answer := chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve, Digest: digestOfRm}
		if err := s.answer(answer); code(err) != chat.CodeAgentUnavailable {
			t.Errorf("got %v", err)
		}
		if err := s.answer(answer); code(err) != chat.CodeNotPending {
			t.Errorf("once more: %v", err)
		}
		s.rest(sub)
	})
}

// TestForeignAnswer: another client says yes. The turn is stopped.
func TestForeignAnswer(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x; hang")
		s.until(sub, proposed)
		s.d.mu.Lock()
		p := s.d.current
		for _, q := range p.asks {
			p.decide(q, "allowed-once")
		}
		s.d.mu.Unlock()
		got := told(s.rest(sub))
		if last := got[len(got)-1]; last != "error mode-unavailable" {
			t.Errorf("got %v", got)
		}
		s.expect(s.run("c1", "say fine"), "queued", "start manual p/m session-1", `delta "fine"`, "done completed false 100")
	})
}

// TestForeignMode: another client changes the preset mid turn. The turn is stopped.
func TestForeignMode(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "hang")
		s.until(sub, running)
		if _, err := s.d.current.Execute(s.t.Context(), "session-1", "/permission danger-full-access"); err != nil {
			t.Fatal(err)
		}
		s.expect(s.rest(sub), "tool call_1_1 error", "error mode-unavailable")
		s.expect(s.run("c1", "say fine"), "queued", "start manual p/m session-1", `delta "fine"`, "done completed false 100")
	})
}

// TestTwoChatsAsk: the same call id in two chats is two cards.
func TestTwoChatsAsk(t *testing.T) {
	play(t, func(s *stage) {
		one, two := s.send("c1", "ask rm x"), s.send("c2", "ask rm y")
		s.until(one, proposed)
		s.until(two, proposed)
		if err := s.answer(chat.ApprovalRequest{SessionID: "c2", ToolID: "call_1_1", Decision: chat.Deny}); err != nil {
			t.Fatal(err)
		}
		got := s.rest(two)
		s.expect(got, "tool call_1_1 denied", "done completed false 0")
		if got[0].Tool.Title != "Run: rm y" {
			t.Errorf("got %+v", got[0].Tool)
		}
		if p := s.b.Pending(""); len(p) != 1 || p[0].ChatID != "c1" {
			t.Errorf("pending: %+v", p)
		}
		s.stop("c1")
		s.expect(s.rest(one), "tool call_1_1 denied", "done aborted true 0")
	})
}
