package eventsmux_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/proto/dsh"
)

// A prompt whose answer got lost is not run twice, be it still in the queue or
// long in the log; one that never arrived is.
func TestResend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var ran []string
		cutAnswer := false
		b := connect(t, func(b *bench) {
			b.Prompted = func(_ *replay.Session, p replay.Prompt) {
				mu.Lock()
				defer mu.Unlock()
				ran = append(ran, fmt.Sprint(p.RPCID, " ", p.Text, " ", p.Steer))
			}
			b.Intercept = func(w http.ResponseWriter, r *http.Request) bool {
				mu.Lock()
				defer mu.Unlock()
				if cutAnswer && gatewaytest.Asks(r, "session.prompt") {
					panic(http.ErrAbortHandler)
				}
				return false
			}
		})
		se := b.Create("s", "/repo")
		send := func(id string, resend bool) error {
			return b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "s", RequestID: id, Text: "do " + id, Resend: resend})
		}
		sends := func(id string, resend bool) {
			t.Helper()
			if err := send(id, resend); err != nil {
				t.Fatal(err)
			}
		}
		mu.Lock()
		cutAnswer = true
		mu.Unlock()
		if err := send("lost", false); !errors.Is(err, gateway.ErrLost) {
			t.Errorf("a cut request gives %v, want ErrLost", err)
		}
		mu.Lock()
		cutAnswer = false
		mu.Unlock()
		sends("lost", true) // never arrived: runs
		sends("queued", false)
		sends("queued", true) // in the queue
		se.Dequeue()
		se.Dequeue()
		se.AppendFrom(dsh.TypeUserMessage, dsh.Message{ID: "m", Role: "user", Source: dsh.Source{Kind: "user", RPCID: "logged"}}, nil)
		for i := range 500 {
			se.AppendFrom(dsh.TypeAssistantMessage, dsh.AssistantMessage{Message: dsh.Message{ID: fmt.Sprint(i)}}, nil)
		}
		sends("logged", true) // only in the log, pages back
		sends("queued", true) // likewise
		if err := b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "s", RequestID: "steers", Text: "left", Steer: true}); err != nil {
			t.Fatal(err)
		}
		if err := b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "nope", RequestID: "x", Resend: true}); !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			t.Errorf("resending to an unknown session gives %v", err)
		}
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(ran)
		if diff := cmp.Diff([]string{"lost do lost false", "queued do queued false", "steers left true"}, ran); diff != "" {
			t.Errorf("ran (-want +got):\n%s", diff)
		}
	})
}

// A snapshot: the log from a seq on, the projections, and whether a turn runs,
// which may stand far before that seq.
func TestSnapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := connect(t)
		se := b.Create("s", "/repo")
		empty, err := b.gw.Snapshot(t.Context(), "s", 0)
		if err != nil || empty.LastSeq != -1 || len(empty.Events) != 0 || empty.Running {
			t.Errorf("an empty log gives %+v, %v", empty, err)
		}
		se.Append(dsh.TypeTurnStart, dsh.Turn{Turn: 1})
		for i := range 100 {
			chunk := delta(se, "x")
			se.AppendFrom(dsh.TypeAssistantMessage, dsh.AssistantMessage{Message: dsh.Message{ID: fmt.Sprint(i)}}, []int64{chunk.Seq})
		}
		se.Project(dsh.KeyTitle, "A title")
		for _, from := range []int64{0, 1, 77, 200, 201} {
			s, err := b.gw.Snapshot(t.Context(), "s", from)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(gatewaytest.UpTo(from, 200), gatewaytest.Seqs(s.Events), cmpopts.EquateEmpty()); diff != "" || s.LastSeq != 200 || !s.Running || string(s.Projections["title"]) != `"A title"` {
				t.Errorf("from %d: last %d, running %v, title %s, seqs (-want +got):\n%s", from, s.LastSeq, s.Running, s.Projections["title"], diff)
			}
		}
		se.Append(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: 1, Reason: dsh.EndReason{Kind: "completed"}})
		b.Restart() // a cold session is read without being attached
		if s, err := b.gw.Snapshot(t.Context(), "s", 201); err != nil || s.Running || len(s.Events) != 1 {
			t.Errorf("after the end: %+v, %v", s, err)
		}
		if _, err := b.gw.Snapshot(t.Context(), "nope", 0); !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			t.Errorf("an unknown session gives %v", err)
		}
		if err := b.gw.Cancel(t.Context(), "s"); !gateway.IsCode(err, gateway.CodeSessionNotFound) {
			t.Errorf("the snapshot attached the session: cancelling it gives %v", err)
		}
	})
}

// Nothing that a person or a model wrote, and no secret, is logged.
func TestLogHoldsNoContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.DebugLevel)
		b, o := start(t, func(b *bench) {
			b.Executed = func(*replay.Session, string) (string, bool, bool) { return "CONTENT answer", true, true }
		})
		o.Logger = zap.New(core)
		dial(t, b, o)
		id, err := b.gw.CreateSession(t.Context(), "/CONTENT", "")
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.gw.Follow(t.Context(), id, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		se := b.Session(id)
		if err := b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: id, RequestID: "r", Text: "CONTENT prompt", Resend: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.gw.Execute(t.Context(), id, "/x CONTENT"); err != nil {
			t.Fatal(err)
		}
		if err := b.gw.Rename(t.Context(), id, "CONTENT title"); err != nil {
			t.Fatal(err)
		}
		if err := b.gw.Prompt(t.Context(), gateway.Prompt{SessionID: "CONTENT session"}); err == nil {
			t.Error("an unknown session took a prompt")
		}
		b.Send([]byte(`{"method":"stream/error","payload":{"error":{"code":"internal","message":"CONTENT"}}}`))
		b.Push([]byte(`{"type":"host/agent-error","sessionId":"s","message":"CONTENT"}`))
		b.Mute(true)
		delta(se, "CONTENT")
		b.Mute(false)
		delta(se, "CONTENT")
		b.Send([]byte("CONTENT, not JSON"))
		synctest.Wait()
		b.Cut(nil)
		synctest.Wait()
		gatewaytest.Events(t, s, 4)
		if n := logs.Len(); n < 10 {
			t.Errorf("only %d lines were logged", n)
		}
		for _, line := range logs.All() {
			whole := fmt.Sprint(line.Message, line.ContextMap())
			if strings.Contains(whole, "CONTENT") || strings.Contains(whole, secret) {
				t.Errorf("logged: %s", whole)
			}
		}
	})
}
