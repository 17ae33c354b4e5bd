package remotemux_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
)

func ask(b *bench, id string) <-chan string {
	return b.Session("s").Ask(id, "call-"+id, "bash", "writes")
}

func answer(a gateway.Approval, allow bool) gateway.Answer {
	return gateway.Answer{ID: a.ID, SessionID: a.SessionID, ApprovalID: a.ApprovalID, Allow: allow}
}

func busy(b *bench) {
	b.Create("s", "/repo")
	b.Session("s").Append("turn/start", map[string]any{"turn": 1})
	b.Session("s").Running(true)
}

// An approval is given with the id that the log has for it, though the wire does not
// say it, and its end as the log tells it.
func TestApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		first := ask(b, "a")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		want := gateway.Approval{ID: a.ID, SessionID: "s", ApprovalID: "a", CallID: "call-a", Tool: "bash", Reason: "writes"}
		if diff := cmp.Diff(want, a); diff != "" || a.ID == "" {
			t.Errorf("approval (-want +got):\n%s", diff)
		}
		second := ask(b, "b")
		bb := gatewaytest.Next(t, w, gatewaytest.Approval)
		late := watch(t, b)
		for _, id := range []string{"a", "b"} {
			if got := gatewaytest.Next(t, late, gatewaytest.Approval).ApprovalID; got != id {
				t.Errorf("a late watcher is given %s, want %s", got, id)
			}
		}
		if err := b.gw.Answer(t.Context(), answer(a, true)); err != nil {
			t.Fatal(err)
		}
		if got := <-first; got != "allowed-once" {
			t.Errorf("the question a was settled as %s", got)
		}
		if diff := cmp.Diff(gateway.Resolved{SessionID: "s", ApprovalID: "a", Outcome: "allowed-once"}, gatewaytest.Next(t, w, gatewaytest.Resolved)); diff != "" {
			t.Errorf("resolved (-want +got):\n%s", diff)
		}
		if err := b.gw.Answer(t.Context(), answer(a, true)); !gateway.IsCode(err, gateway.CodeNotPending) {
			t.Errorf("a second answer gives %v", err)
		}
		wrong := answer(bb, true)
		wrong.SessionID = "another"
		if err := b.gw.Answer(t.Context(), wrong); !gateway.IsCode(err, gateway.CodeBadResponse) {
			t.Errorf("an answer for another session gives %v", err)
		}
		if err := b.gw.Answer(t.Context(), answer(bb, false)); err != nil {
			t.Fatal(err)
		}
		if got := <-second; got != "rejected" {
			t.Errorf("the question b was settled as %s", got)
		}
		if n := len(b.Settled()); n != 2 {
			t.Errorf("%d answers counted, want 2", n)
		}
	})
}

// Who else may end a question, and what our answer is worth then.
func TestApprovalsOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		ask(b, "a")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		b.AnswerAs(a.ID, map[string]any{"kind": "result", "value": "rejected"})
		if got := gatewaytest.Next(t, w, gatewaytest.Resolved); got.Outcome != "rejected" {
			t.Errorf("another's answer is told as %+v", got)
		}
		if err := b.gw.Answer(t.Context(), answer(a, true)); !gateway.IsCode(err, gateway.CodeNotPending) {
			t.Errorf("an answer after another's gives %v", err)
		}
		ask(b, "b")
		gatewaytest.Next(t, w, gatewaytest.Approval)
		b.Session("s").Withdraw()
		if got := gatewaytest.Next(t, w, gatewaytest.Resolved); got.Outcome != "cancelled" {
			t.Errorf("a cancelled turn is told as %+v", got)
		}
	})
}

// The other's answer comes while ours is on its way: an OK of the Harness is none.
func TestAnswerTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var before func()
		b := connect(t, func(b *bench) {
			b.Intercept = func(_ http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "$events/result") && before != nil {
					before()
				}
				return false
			}
		})
		busy(b)
		w := watch(t, b)
		ask(b, "a")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		before = func() { b.AnswerAs(a.ID, map[string]any{"kind": "result", "value": "rejected"}) }
		if err := b.gw.Answer(t.Context(), answer(a, true)); !gateway.IsCode(err, gateway.CodeNotPending) {
			t.Errorf("our yes to what was rejected gives %v", err)
		}
		if got := gatewaytest.Next(t, w, gatewaytest.Resolved); got.Outcome != "rejected" {
			t.Errorf("it is told as %+v", got)
		}
	})
}

// After a reconnect: pending ones come again under the same id, one that was decided
// is resolved as the log says, one that went with the process is cancelled.
func TestApprovalsAfterReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		pending := ask(b, "pending")
		first := gatewaytest.Next(t, w, gatewaytest.Approval)
		ask(b, "decided")
		decided := gatewaytest.Next(t, w, gatewaytest.Approval)
		b.net.Refuse(true)
		b.Cut(nil)
		gatewaytest.Next(t, w, gatewaytest.Connection)
		b.AnswerAs(decided.ID, map[string]any{"kind": "result", "value": "allowed-once"})
		b.net.Refuse(false)
		got := map[string]string{}
		for len(got) < 2 {
			n, err := w.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case n.Approval != nil:
				got[n.Approval.ApprovalID] = "asked as " + n.Approval.ID
			case n.Resolved != nil:
				got[n.Resolved.ApprovalID] = n.Resolved.Outcome
			}
		}
		want := map[string]string{"pending": "asked as " + first.ID, "decided": "allowed-once"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after the reconnect (-want +got):\n%s", diff)
		}
		if err := b.gw.Answer(t.Context(), answer(first, true)); err != nil {
			t.Errorf("the answer to one that came again: %v", err)
		}
		if got := <-pending; got != "allowed-once" {
			t.Errorf("it was settled as %s", got)
		}
		gatewaytest.Next(t, w, gatewaytest.Resolved)

		ask(b, "lost")
		gatewaytest.Next(t, w, gatewaytest.Approval)
		b.Restart(token, true)
		lost := gateway.Resolved{SessionID: "s", ApprovalID: "lost", Outcome: "cancelled"}
		if diff := cmp.Diff(lost, gatewaytest.Next(t, w, gatewaytest.Resolved)); diff != "" {
			t.Errorf("after the restart (-want +got):\n%s", diff)
		}
		if n := len(b.Settled()); n != 1 {
			t.Errorf("%d answers of ours counted, want 1", n)
		}
	})
}

// An answer while no socket stands waits until the question has come again: before,
// the Harness would take it and do nothing.
func TestAnswerWhileAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		outcome := ask(b, "a")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		b.net.Refuse(true)
		b.Cut(nil)
		gatewaytest.Next(t, w, gatewaytest.Connection)
		answered := make(chan error, 1)
		go func() { answered <- b.gw.Answer(t.Context(), answer(a, true)) }()
		time.Sleep(20 * time.Second)
		b.net.Refuse(false)
		if err := <-answered; err != nil {
			t.Error(err)
		}
		if got := <-outcome; got != "allowed-once" {
			t.Errorf("it was settled as %s", got)
		}
	})
}

// The Harness took our answer, and we did not hear of it: the caller may answer again,
// and whoever watches learns how it ended without that.
func TestAnswerLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var drop atomic.Bool
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if gatewaytest.Asks(r, "$events/result") && drop.CompareAndSwap(true, false) {
					id := b.Pending()[0]
					b.AnswerAs(id, map[string]any{"kind": "result", "value": "allowed-once"})
					// AnswerAs tells all clients; the real one would not tell us.
					panic(http.ErrAbortHandler)
				}
				return false
			}
		})
		busy(b)
		w := watch(t, b)
		ask(b, "a")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		drop.Store(true)
		if err := b.gw.Answer(t.Context(), answer(a, true)); !errors.Is(err, gateway.ErrLost) {
			t.Errorf("an answer that got no answer gives %v", err)
		}
		if got := gatewaytest.Next(t, w, gatewaytest.Resolved); got.Outcome != "allowed-once" {
			t.Errorf("it is told as %+v", got)
		}
	})
}

// What no surface shows is passed on at once, so that nothing hangs; also after a
// reconnect, and beside an approval, which waits.
func TestUnanswerable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		for event, request := range map[string]any{
			"user-questions/request": map[string]any{"questions": []any{map[string]any{"id": "q", "question": "?"}}},
			"of/tomorrow":            map[string]any{},
		} {
			_, outcome := b.Dispatch(event, "s", request)
			if got := <-outcome; got != "next" {
				t.Errorf("%s is settled as %s, want next", event, got)
			}
		}
		q := gatewaytest.Next(t, w, func(n gateway.Notice) *gateway.Question { return n.Question })
		if q.SessionID != "s" || q.ID == "" {
			t.Errorf("the question is told as %+v", q)
		}
		b.net.Refuse(true)
		b.Cut(nil)
		gatewaytest.Next(t, w, gatewaytest.Connection)
		_, outcome := b.Dispatch("user-questions/request", "s", map[string]any{"questions": []any{}})
		waiting := ask(b, "a")
		b.net.Refuse(false)
		if got := <-outcome; got != "next" {
			t.Errorf("one that came while we were away is settled as %s", got)
		}
		gatewaytest.Next(t, w, gatewaytest.Approval)
		time.Sleep(time.Hour)
		select {
		case got := <-waiting:
			t.Errorf("the approval was settled as %s by nobody", got)
		default:
		}
	})
}

// An approval that its log does not have is told all the same.
func TestApprovalUnlogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		id, outcome := b.Dispatch("approval/request", "s", map[string]any{"toolName": "bash"})
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		if a.ID != id || a.ApprovalID != id {
			t.Errorf("it is told as %+v", a)
		}
		if err := b.gw.Answer(t.Context(), answer(a, false)); err != nil {
			t.Error(err)
		}
		if got := <-outcome; got != `result "rejected"` {
			t.Errorf("it was settled as %s", got)
		}
	})
}

// A helper's approval comes under the helper's session.
func TestApprovalOfHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		busy(b)
		w := watch(t, b)
		h := b.CreateHelper("h", "s", "one-shot")
		h.Project("subagent", map[string]any{"mode": "one-shot"})
		h.Running(true)
		outcome := h.Ask("a", "call", "bash", "")
		a := gatewaytest.Next(t, w, gatewaytest.Approval)
		if a.SessionID != "h" || a.ApprovalID != "a" {
			t.Errorf("it is told as %+v", a)
		}
		if err := b.gw.Answer(t.Context(), answer(a, true)); err != nil {
			t.Error(err)
		}
		if got := <-outcome; got != "allowed-once" {
			t.Errorf("it was settled as %s", got)
		}
	})
}
