package eventsmux_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/proto/dsh"
)

func asked(id, session string) gateway.Approval {
	return gateway.Approval{
		ID: "answer-" + id, SessionID: session, ApprovalID: id, CallID: "call-" + id, Tool: "bash", Reason: "writes",
	}
}

func ask(b *bench, session, id string) <-chan string {
	return b.Session(session).Ask(id, "call-"+id, "bash", "writes")
}

func TestApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		b.Create("s", "/repo")
		w := b.gw.Watch()
		defer w.Close()
		synctest.Wait() // that the session was added comes over another socket
		first, second := ask(b, "s", "a"), ask(b, "s", "b")
		for _, id := range []string{"a", "b"} {
			if diff := cmp.Diff(asked(id, "s"), gatewaytest.Next(t, w, gatewaytest.Approval)); diff != "" {
				t.Errorf("approval (-want +got):\n%s", diff)
			}
		}
		late := b.gw.Watch()
		defer late.Close()
		for _, id := range []string{"a", "b"} {
			if got := gatewaytest.Next(t, late, gatewaytest.Approval).ApprovalID; got != id {
				t.Errorf("a late watcher is given %s, want %s", got, id)
			}
		}

		yes := gateway.Answer{ID: "answer-a", SessionID: "s", ApprovalID: "a", Allow: true}
		if err := b.gw.Answer(t.Context(), yes); err != nil {
			t.Fatal(err)
		}
		if got := <-first; got != "allowed-once" {
			t.Errorf("the question a was settled as %s", got)
		}
		if diff := cmp.Diff(gateway.Resolved{SessionID: "s", ApprovalID: "a", Outcome: "allowed-once"}, gatewaytest.Next(t, w, gatewaytest.Resolved)); diff != "" {
			t.Errorf("resolved (-want +got):\n%s", diff)
		}
		b.Push([]byte(`{"type":"approval/resolved","sessionId":"s","approvalId":"a","outcome":"allowed-once"}`))
		ask(b, "s", "c")
		if n, err := w.Next(t.Context()); err != nil || n.Approval == nil || n.Approval.ApprovalID != "c" {
			t.Errorf("after a was resolved once more came %s, %v; want c", noticeLine(n), err)
		}
		if err := b.gw.Answer(t.Context(), yes); !gateway.IsCode(err, gateway.CodeNotPending) {
			t.Errorf("a second answer gives %v, want %s", err, gateway.CodeNotPending)
		}
		wrong := gateway.Answer{ID: "answer-b", SessionID: "another", ApprovalID: "b", Allow: true}
		if err := b.gw.Answer(t.Context(), wrong); !gateway.IsCode(err, gateway.CodeBadResponse) {
			t.Errorf("an answer for another session gives %v, want %s", err, gateway.CodeBadResponse)
		}
		if err := b.gw.Answer(t.Context(), gateway.Answer{ID: "answer-b", SessionID: "s", ApprovalID: "b"}); err != nil {
			t.Fatal(err)
		}
		if got := <-second; got != "rejected" {
			t.Errorf("the question b was settled as %s", got)
		}
	})
}

// After a reconnect: pending ones come again under the same id, one that was
// decided meanwhile is resolved as the log says, one that went with the process is
// cancelled. Nobody answers for the person.
func TestApprovalsAfterReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		pending, decided, lost := ask(b, "s", "pending"), ask(b, "s", "decided"), ask(b, "s", "lost")
		w := b.gw.Watch()
		defer w.Close()
		for range 3 {
			gatewaytest.Next(t, w, gatewaytest.Approval)
		}
		b.net.Refuse(true)
		b.Cut(nil)
		if c := gatewaytest.Next(t, w, gatewaytest.Connection); c.Up || !errors.Is(c.Err, gateway.ErrLost) {
			t.Errorf("after the cut the connection is %+v", c)
		}
		se.Resolve("decided", "rejected")
		se.Append(dsh.TypeApprovalDecided, dsh.Approval{ID: "decided", Outcome: "rejected"})
		se.Resolve("lost", "cancelled") // and never logged
		for i := range 300 {
			se.AppendFrom(dsh.TypeUserMessage, dsh.Message{ID: fmt.Sprint(i), Role: "user"}, nil)
		}
		b.net.Refuse(false)
		if c := gatewaytest.Next(t, w, gatewaytest.Connection); !c.Up {
			t.Errorf("the connection is %+v, want it to stand again", c)
		}
		got := map[string]string{}
		for len(got) < 3 {
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
		want := map[string]string{"pending": "asked as answer-pending", "decided": "rejected", "lost": "cancelled"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after the reconnect (-want +got):\n%s", diff)
		}
		<-decided
		<-lost
		select {
		case outcome := <-pending:
			t.Errorf("the pending one was settled as %s by nobody", outcome)
		default:
		}
		late := b.gw.Watch()
		defer late.Close()
		if got := gatewaytest.Next(t, late, gatewaytest.Approval).ApprovalID; got != "pending" {
			t.Errorf("a late watcher is given %s", got)
		}

		// The process is started again: nothing is pending, and the log doesn't say.
		b.Restart()
		for _, watcher := range []gateway.Watcher{w, late} {
			want := gateway.Resolved{SessionID: "s", ApprovalID: "pending", Outcome: "cancelled"}
			if diff := cmp.Diff(want, gatewaytest.Next(t, watcher, gatewaytest.Resolved)); diff != "" {
				t.Errorf("after the restart (-want +got):\n%s", diff)
			}
		}
	})
}

// What the host downlink says, and what it would have said while it was away.
func TestSessionsWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, o := start(t)
		b.Create("old", "/repo") // there before we came: no news
		b.Session("old").Running(true)
		dial(t, b, o)
		w := b.gw.Watch()
		defer w.Close()
		b.Create("s", "/repo").Running(true)
		b.Session("s").Running(false)
		synctest.Wait()
		b.net.Refuse(true)
		b.Cut(nil)
		synctest.Wait()
		b.Create("new", "/other")
		b.Session("s").Running(true)
		b.Session("old").Running(false)
		b.net.Refuse(false)
		time.Sleep(20 * time.Second)
		b.Push([]byte(`{"type":"host/session-removed","sessionId":"new"}`))
		b.Push([]byte(`{"type":"host/session-added","sessionId":"helper","parentSessionId":"s","origin":"subagent","blank":true,"cwd":"/repo"}`))
		synctest.Wait() // between the two sockets there is no order
		b.Push([]byte(`{"type":"question/requested","sessionId":"s","questions":[]}`))
		b.Push([]byte(`{"type":"session/queue","sessionId":"s","items":[{"id":"m","placement":"queued","message":{"id":"m","role":"user","content":[{"type":"text","text":"later"}],"source":{"kind":"user","rpcId":"r"}}}]}`))
		synctest.Wait()
		w.Close()
		var got []string
		for {
			n, err := w.Next(t.Context())
			if err != nil {
				break
			}
			got = append(got, noticeLine(n))
		}
		want := []string{
			"added {s   /repo}", "s running true", "s running false",
			"connected false", "connected true",
			"added {new   /other}", "old running false", "s running true",
			"gone new", "added {helper s subagent /repo}", "question s", "queue s: queued later",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
	})
}

// The list that is read after a reconnect may be older than what the socket says.
func TestListIsOlder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int64
		b := connect(t, func(b *bench) {
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				if !gatewaytest.Asks(r, "session.list") || lists.Add(1) == 1 {
					return false
				}
				var m struct{ RPCID string }
				if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
					t.Error(err)
				}
				b.Session("s").Running(true)
				time.Sleep(time.Second)
				fmt.Fprintf(w, `{"rpcId":%q,"result":{"ok":true,"value":{"items":[{"sessionId":"s","running":false}]}}}`, m.RPCID)
				return true
			}
		})
		b.Create("s", "/repo")
		synctest.Wait()
		w := b.gw.Watch()
		defer w.Close()
		b.Cut(nil)
		time.Sleep(5 * time.Second)
		w.Close()
		var got []string
		for {
			n, err := w.Next(t.Context())
			if err != nil {
				break
			}
			got = append(got, noticeLine(n))
		}
		if diff := cmp.Diff([]string{"connected false", "connected true", "s running true"}, got); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
	})
}

func noticeLine(n gateway.Notice) string {
	switch {
	case n.SessionAdded != nil:
		s := n.SessionAdded
		return fmt.Sprintf("added {%s %s %s %s}", s.ID, s.ParentID, s.Origin, s.CWD)
	case n.SessionGone != "":
		return "gone " + n.SessionGone
	case n.SessionStatus != nil:
		return fmt.Sprintf("%s running %v", n.SessionStatus.SessionID, n.SessionStatus.Running)
	case n.Connection != nil:
		return fmt.Sprintf("connected %v", n.Connection.Up)
	case n.Question != nil:
		return "question " + n.Question.SessionID
	case n.Queue != nil:
		line := "queue " + n.Queue.SessionID + ":"
		for _, it := range n.Queue.Items {
			line += " " + it.Placement + " " + it.Message.Content[0].Text
		}
		return line
	case n.Approval != nil:
		return "approval " + n.Approval.ApprovalID
	default:
		return "resolved " + n.Resolved.ApprovalID
	}
}

// A watcher that stops reading is let go; another one goes on.
func TestSlowWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		slow, other := b.gw.Watch(), b.gw.Watch()
		defer slow.Close()
		defer other.Close()
		statuses := func(n gateway.Notice) *gateway.SessionStatus { return n.SessionStatus }
		for i := range 4200 {
			se.Running(i%2 == 0)
			synctest.Wait()
			if got := gatewaytest.Next(t, other, statuses); got.Running != (i%2 == 0) {
				t.Fatalf("status %d is %v", i, got.Running)
			}
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, gateway.ErrSlow) {
			t.Errorf("the watcher that stopped gets %v, want ErrSlow", err)
		}
	})
}
