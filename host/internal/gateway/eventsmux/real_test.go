package eventsmux_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/proto/dsh"
)

// What only the real Harness can show. One process serves all of it, the one that
// kills it comes last.
func TestReal(t *testing.T) {
	r := newRig(t)
	t.Run("transcripts", func(t *testing.T) { testTranscripts(t, r) })
	t.Run("cut again and again", func(t *testing.T) { testCuts(t, r) })
	t.Run("approvals over a cut", func(t *testing.T) { testApprovalsOverACut(t, r) })
	t.Run("queue", func(t *testing.T) { testQueue(t, r) })
	t.Run("unqueue", func(t *testing.T) { testUnqueue(t, r) })
	t.Run("archive", func(t *testing.T) { testArchive(t, r) })
	t.Run("helper", func(t *testing.T) { testHelper(t, r) })
	t.Run("a question of the agent's own", func(t *testing.T) { testQuestion(t, r) })
	t.Run("another secret", func(t *testing.T) {
		_, err := eventsmux.Dial(t.Context(), eventsmux.Options{BaseURL: r.process.URL(), Secret: "no" + r.process.Secret()[2:]})
		if !gateway.IsCode(err, gateway.CodeUnauthorized) {
			t.Errorf("dialling with another secret gives %v, want %s", err, gateway.CodeUnauthorized)
		}
	})
	t.Run("killed in a stream", func(t *testing.T) { testKilled(t, r) })
}

// chat makes a session that asks, and follows it from its beginning.
func chat(t *testing.T, r *rig, gw *eventsmux.Gateway) (string, gateway.Stream) {
	t.Helper()
	id, err := gw.CreateSession(t.Context(), r.repo, "")
	if err != nil {
		t.Fatal(err)
	}
	if res, err := gw.Execute(t.Context(), id, "/permission strata-manual"); err != nil || !res.OK {
		t.Fatalf("/permission: %+v, %v", res, err)
	}
	s, err := gw.Follow(t.Context(), id, -1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return id, s
}

func prompt(t *testing.T, gw *eventsmux.Gateway, session, id, text string) {
	t.Helper()
	if err := gw.Prompt(t.Context(), gateway.Prompt{SessionID: session, RequestID: id, Text: text}); err != nil {
		t.Fatal(err)
	}
}

// until reads events up to the first that matches.
func until(t *testing.T, s gateway.Stream, match func(dsh.Event) bool) []dsh.Event {
	t.Helper()
	var list []dsh.Event
	for {
		item, err := s.Next(t.Context())
		if err != nil {
			t.Fatalf("after %d events: %v", len(list), err)
		}
		if item.Event == nil {
			continue
		}
		list = append(list, *item.Event)
		if match(*item.Event) {
			return list
		}
	}
}

func ofType(typ string) func(dsh.Event) bool {
	return func(e dsh.Event) bool { return e.Type == typ }
}

// The connection is reset again and again while an answer streams: every event
// comes once, in order.
func testCuts(t *testing.T, r *rig) {
	p := newProxy(t, r.process.URL())
	gw := r.dial(t, p.URL())
	id, s := chat(t, r, gw)
	// A connection lives for less than 40 deltas, and the model is never further
	// ahead of the follower than that.
	ahead := make(chan struct{}, 40)
	over := make(chan struct{})
	pace := func(int) {
		select {
		case ahead <- struct{}{}:
		case <-over:
		}
	}
	r.model.pace.Store(&pace)
	defer r.model.pace.Store(nil)
	defer close(over)
	prompt(t, gw, id, "r1", "#! stream 600")
	got := until(t, s, func(e dsh.Event) bool {
		if c, ok := decoded[*dsh.AssistantChunk](e); ok && c.Chunk.Type == "text-delta" {
			<-ahead
		}
		return e.Type == dsh.TypeTurnEnd
	})
	p.spareAll()
	if diff := cmp.Diff(gatewaytest.UpTo(0, int64(len(got)-1)), gatewaytest.Seqs(got)); diff != "" {
		t.Errorf("seqs (-want +got):\n%s", diff)
	}
	snap, err := gw.Snapshot(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(snap.Events, got); diff != "" {
		t.Errorf("the log and what was followed (-log +followed):\n%s", diff)
	}
	if n := p.cutSoFar(); n < 5 {
		t.Errorf("only %d cuts, too few to prove anything", n)
	}
}

// Two questions are pending when the connection is cut; one is answered meanwhile
// by another client. The other comes again under its id and can be answered, once.
func testApprovalsOverACut(t *testing.T, r *rig) {
	p := newProxy(t, r.process.URL())
	p.spareAll()
	gw, direct := r.dial(t, p.URL()), r.dial(t, "")
	w := gw.Watch()
	defer w.Close()
	one, first := chat(t, r, gw)
	two, second := chat(t, r, gw)
	prompt(t, gw, one, "r1", "#! bash echo ASKME one")
	askedOne := gatewaytest.Next(t, w, gatewaytest.Approval)
	prompt(t, gw, two, "r1", "#! bash echo ASKME two")
	askedTwo := gatewaytest.Next(t, w, gatewaytest.Approval)
	if askedOne.SessionID != one || askedTwo.SessionID != two {
		t.Fatalf("asked in %s and %s, want %s and %s", askedOne.SessionID, askedTwo.SessionID, one, two)
	}

	p.hold()
	p.cutAll()
	yes := gateway.Answer{ID: askedOne.ID, SessionID: one, ApprovalID: askedOne.ApprovalID, Allow: true}
	if err := direct.Answer(t.Context(), yes); err != nil {
		t.Fatal(err)
	}
	other, err := direct.Follow(t.Context(), one, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	until(t, other, ofType(dsh.TypeTurnEnd))
	p.release()

	var again gateway.Approval
	var over gateway.Resolved
	for again.ID == "" || over.ApprovalID == "" {
		n, err := w.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case n.Approval != nil:
			again = *n.Approval
		case n.Resolved != nil:
			over = *n.Resolved
		}
	}
	if diff := cmp.Diff(askedTwo, again); diff != "" {
		t.Errorf("the pending one comes again (-want +got):\n%s", diff)
	}
	want := gateway.Resolved{SessionID: one, ApprovalID: askedOne.ApprovalID, Outcome: "allowed-once"}
	if diff := cmp.Diff(want, over); diff != "" {
		t.Errorf("the one that was answered meanwhile (-want +got):\n%s", diff)
	}
	if err := gw.Answer(t.Context(), yes); !gateway.IsCode(err, gateway.CodeNotPending) {
		t.Errorf("answering it again gives %v, want %s", err, gateway.CodeNotPending)
	}
	no := gateway.Answer{ID: again.ID, SessionID: two, ApprovalID: again.ApprovalID}
	if err := gw.Answer(t.Context(), no); err != nil {
		t.Fatal(err)
	}
	until(t, first, ofType(dsh.TypeTurnEnd))
	list := until(t, second, ofType(dsh.TypeTurnEnd))
	decided := 0
	for _, e := range list {
		if e.Type == dsh.TypeApprovalDecided {
			decided++
		}
	}
	if decided != 1 {
		t.Errorf("the question was decided %d times", decided)
	}
}

// A prompt behind a running turn waits, is not taken twice, stays parked after
// Stop, and runs first when the next prompt comes.
func testQueue(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	w := gw.Watch()
	defer w.Close()
	id, s := chat(t, r, gw)
	prompt(t, gw, id, "r1", "#! hang")
	until(t, s, ofType(dsh.TypeAssistantChunk))
	prompt(t, gw, id, "r2", "#! say second")
	if err := gw.Prompt(t.Context(), gateway.Prompt{SessionID: id, RequestID: "r2", Text: "#! say second", Resend: true}); err != nil {
		t.Fatal(err)
	}
	waits := gatewaytest.Next(t, w, func(n gateway.Notice) *gateway.Queue {
		if n.Queue != nil && n.Queue.SessionID == id && len(n.Queue.Items) == 1 && n.Queue.Items[0].Message.Source.RPCID == "r2" {
			return n.Queue
		}
		return nil
	})
	if got := waits.Items[0].Placement; got != "queued" {
		t.Errorf("r2 is placed %q", got)
	}
	if err := gw.Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	until(t, s, ofType(dsh.TypeTurnEnd))
	prompt(t, gw, id, "r3", "#! say third")
	var ran []string
	for range 2 {
		for _, e := range until(t, s, ofType(dsh.TypeTurnEnd)) {
			if m, ok := decoded[*dsh.Message](e); ok && m.Source.Kind == "user" {
				ran = append(ran, m.Source.RPCID)
			}
		}
	}
	if diff := cmp.Diff([]string{"r2", "r3"}, ran); diff != "" {
		t.Errorf("what ran after Stop (-want +got):\n%s", diff)
	}
}

func decoded[T any](e dsh.Event) (T, bool) {
	v, _ := dsh.Decode(e)
	t, ok := v.(T)
	return t, ok
}

// A question of the agent's own, which nobody here can answer, fails at once, and the
// turn goes on.
func testQuestion(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	w := gw.Watch()
	defer w.Close()
	id, s := chat(t, r, gw)
	prompt(t, gw, id, "r1", "#! ask Which color?")
	list := until(t, s, ofType(dsh.TypeTurnEnd))
	asked := gatewaytest.Next(t, w, func(n gateway.Notice) *gateway.Question { return n.Question })
	if asked.SessionID != id {
		t.Errorf("asked in %s, want %s", asked.SessionID, id)
	}
	var got []string
	for _, e := range list {
		if r, ok := decoded[*dsh.ToolResult](e); ok {
			b := r.Message.Content[0]
			got = append(got, fmt.Sprint(b.IsError, " ", b.Content[0].Text))
		}
	}
	if diff := cmp.Diff([]string{"true Error: the user cancelled ask_user_question"}, got); diff != "" {
		t.Errorf("the call's result (-want +got):\n%s", diff)
	}
	if end, _ := decoded[*dsh.TurnEnd](list[len(list)-1]); end == nil || end.Reason.Kind != "completed" {
		t.Errorf("the turn ended as %+v", end)
	}
}

// A helper has its own session, with its parent's name on it; it can be followed
// and interrupted.
func testHelper(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	w := gw.Watch()
	defer w.Close()
	id, s := chat(t, r, gw)
	prompt(t, gw, id, "r1", "#! helper #! hang")
	helper := gatewaytest.Next(t, w, func(n gateway.Notice) *gateway.Session {
		if n.SessionAdded != nil && n.SessionAdded.ParentID == id {
			return n.SessionAdded
		}
		return nil
	})
	if helper.Origin != "subagent" {
		t.Errorf("the helper's origin is %q", helper.Origin)
	}
	hs, err := gw.Follow(t.Context(), helper.ID, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer hs.Close()
	until(t, hs, ofType(dsh.TypeAssistantChunk))
	if err := gw.Cancel(t.Context(), helper.ID); !gateway.IsCode(err, gateway.CodeAgentBusy) {
		t.Errorf("cancelling a helper gives %v, want %s", err, gateway.CodeAgentBusy)
	}
	if err := gw.InterruptHelper(t.Context(), id, helper.ID); err != nil {
		t.Fatal(err)
	}
	list := until(t, hs, ofType(dsh.TypeTurnEnd))
	if end, _ := decoded[*dsh.TurnEnd](list[len(list)-1]); end == nil || end.Reason.Kind != "aborted" {
		t.Errorf("the helper's turn ended as %+v", end)
	}
	until(t, s, ofType(dsh.TypeTurnEnd))
	rows, err := gw.Sessions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, row := range rows {
		found = found || row.ID == helper.ID && row.ParentID == id && row.Origin == "subagent"
	}
	if !found {
		t.Error("the helper is not in the list of sessions")
	}
}

// The process is killed in a stream and started again: what it had sent but not
// written is gone, and a follower either goes on or is told so. The session does.
func testKilled(t *testing.T, r *rig) {
	gw := r.dial(t, "")
	id, s := chat(t, r, gw)
	killed := make(chan struct{})
	pace := func(n int) {
		if n == 150 {
			<-killed
		}
	}
	r.model.pace.Store(&pace)
	defer r.model.pace.Store(nil)
	prompt(t, gw, id, "r1", "#! stream 1000")
	n := 0
	seen := until(t, s, func(e dsh.Event) bool {
		if e.Type == dsh.TypeAssistantChunk {
			n++
		}
		return n == 100
	})
	last := seen[len(seen)-1].Seq
	r.kill(t)
	close(killed)
	r.start(t)
	gw = r.dial(t, "")
	snap, err := gw.Snapshot(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(gatewaytest.UpTo(0, snap.LastSeq), gatewaytest.Seqs(snap.Events)); diff != "" || snap.Running {
		t.Errorf("running %v, seqs of the log after the kill (-want +got):\n%s", snap.Running, diff)
	}
	if end, _ := decoded[*dsh.TurnEnd](snap.Events[snap.LastSeq]); end == nil || end.Reason.Kind != "interrupted" {
		t.Errorf("the killed turn ended as %+v", end)
	}
	follow, err := gw.Follow(t.Context(), id, last)
	if rewound := last > snap.LastSeq; rewound != errors.Is(err, gateway.ErrRewound) {
		t.Errorf("following from %d with a log up to %d gives %v", last, snap.LastSeq, err)
	}
	if err != nil {
		if follow, err = gw.Follow(t.Context(), id, snap.LastSeq); err != nil {
			t.Fatal(err)
		}
	}
	defer follow.Close()
	prompt(t, gw, id, "r2", "#! say going on")
	list := until(t, follow, ofType(dsh.TypeTurnEnd))
	for len(list) > 0 && list[0].Seq <= snap.LastSeq {
		if list[len(list)-1].Seq <= snap.LastSeq { // the end of the killed turn
			list = append(list, until(t, follow, ofType(dsh.TypeTurnEnd))...)
		}
		list = list[1:]
	}
	if diff := cmp.Diff(gatewaytest.UpTo(snap.LastSeq+1, snap.LastSeq+int64(len(list))), gatewaytest.Seqs(list)); diff != "" {
		t.Errorf("seqs of the next turn (-want +got):\n%s", diff)
	}
	if end, _ := decoded[*dsh.TurnEnd](list[len(list)-1]); end == nil || end.Reason.Kind != "completed" {
		t.Errorf("the next turn ended as %+v", end)
	}
}
