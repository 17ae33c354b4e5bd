package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

var digestOfRm = abi.Digest("session-1", "session-1", "call_1_1", "bash", []byte(`{"command":"rm x"}`))

// A card is shown at once; what the gate tells of its question comes after it.
func TestACardIsTheGatesSentenceByItsKey(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"questions": fmt.Sprintf(
			`[{"session":"session-1","callId":"other","digest":"x"},{"session":"session-1","callId":"call_1_1","digest":%q,"reason":"It runs rm.",`+
				`"key":"It runs {program}.","args":{"program":"rm"},"parts":[],"offer":{"scopes":["chat","always"],"scope":"once","pattern":"rm x"}}]`, digestOfRm)}
		sub := s.send("c1", "ask rm x; say ok")
		first := s.until(sub, proposed)
		if got := first[len(first)-1].Tool; got.ReasonKey != "" || got.Save != nil {
			t.Errorf("the first card already says %+v", got)
		}
		want := *first[len(first)-1].Tool
		want.ReasonKey, want.ReasonArgs = "It runs {program}.", map[string]string{"program": "rm"}
		want.Save = &chat.SaveOffer{Scopes: []string{"chat", "always"}, Scope: "once", Pattern: "rm x"}
		second := s.until(sub, proposed)
		if d := cmp.Diff(want, *second[len(second)-1].Tool); d != "" || len(second) != 1 {
			t.Errorf("%v (-want +got):\n%s", told(second), d)
		}
		if pending := s.b.Pending("c1"); len(pending) != 1 || pending[0].Tool.Save == nil {
			t.Errorf("pending: %+v", pending)
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Deny}); err != nil {
			t.Fatal(err)
		}
		s.rest(sub)
	})
}

func TestScopesGoToTheGate(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "ask rm x; say ok")
		s.until(sub, proposed)
		answer := chat.ApprovalRequest{
			SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve, Digest: digestOfRm, Scope: chat.ScopeAlways, Pattern: "rm *", ExpiresAt: 7,
		}
		if err := s.answer(answer); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"allow":true,"callId":"call_1_1","digest":%q,"expires":7,"note":"","pattern":"rm *","scope":"always","session":"session-1"}`, digestOfRm)
		if got := s.d.current.answers["session-1/call_1_1"]; got != want {
			t.Errorf("the gate was told %s, want %s", got, want)
		}
		s.rest(sub)
	})
}

// A yes that cannot reach as far as the person wants is none: they are told why,
// and the question waits on.
func TestAYesThatCannotReachThatFar(t *testing.T) {
	play(t, func(s *stage) {
		s.d.says = map[string]string{"answer": "!This pattern does not cover what is asked: make."}
		sub := s.send("c1", "ask rm x; say ok")
		s.until(sub, proposed)
		answer := chat.ApprovalRequest{SessionID: "c1", ToolID: "call_1_1", Decision: chat.Approve, Scope: chat.ScopeChat, Pattern: "make"}
		err := s.answer(answer)
		want := say.Error(chat.CodeBadRequest, "This pattern does not cover what is asked: make.", say.CannotSave, "reason", "This pattern does not cover what is asked: make.")
		if d := cmp.Diff(error(want), err); d != "" {
			t.Error(d)
		}
		if len(s.b.Pending("c1")) != 1 {
			t.Error("the question no longer waits")
		}
		answer.Scope = chat.ScopeOnce // refused as well, but what it allows is this call alone
		if err := s.answer(answer); err != nil {
			t.Fatal(err)
		}
		s.expect(s.rest(sub), "tool call_1_1 running", "tool call_1_1 done", `delta "ok"`, "done completed false 100")
	})
}

func TestAnOddScopeIsRefused(t *testing.T) {
	play(t, func(s *stage) {
		for field, r := range map[string]chat.ApprovalRequest{
			"scope":     {Scope: "for ever"},
			"pattern":   {Scope: chat.ScopeChat, Pattern: strings.Repeat("x", 4001)},
			"expiresAt": {Scope: chat.ScopeChat, ExpiresAt: -1},
		} {
			r.SessionID, r.ToolID, r.Decision = "c1", "t", chat.Approve
			want := say.Error(chat.CodeBadRequest, field, say.FieldWrong, "field", field)
			if d := cmp.Diff(error(want), s.answer(r)); d != "" {
				t.Error(d)
			}
		}
	})
}
