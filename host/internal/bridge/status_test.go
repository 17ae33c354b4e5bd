package bridge

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// TestStatus: what runs, what waits, what the gate misses, and what went wrong last.
func TestStatus(t *testing.T) {
	play(t, func(s *stage) {
		s.d.gate = `{"gate":"on","sha256":"ab","mode":"manual","seams":{"preExecute":true,"guard":false},"missing":["execute"]}`
		s.run("c1", "say hi")
		got := s.b.Status(s.t.Context())
		wantGate := []chat.PluginStatus{{Name: "gate", SHA256: "ab", Running: "ab", Missing: []string{"execute", "guard"}, CheckedAt: now()}}
		if d := cmp.Diff(wantGate, got.Plugins); d != "" {
			t.Errorf("plugins (-want +got):\n%s", d)
		}
		wantError := &chat.LastError{Time: now(), ChatID: "c1", Code: chat.CodeModeUnavailable, Sentence: say.Sentence(say.GateUnavailable)}
		if d := cmp.Diff(wantError, got.LastError, cmpopts.IgnoreFields(chat.LastError{}, "Run", "Details")); d != "" {
			t.Errorf("last error (-want +got):\n%s", d)
		}

		s.d.gate = gateOn
		sub := s.send("c2", "say hi; ask rm x")
		frames := s.until(sub, proposed)
		synctest.Wait()
		time.Sleep(time.Second)
		s.send("c2", "say later")
		synctest.Wait()
		if got = s.b.Status(s.t.Context()); got.Queued != 1 || len(got.Turns) != 2 {
			t.Errorf("%d wait, turns %+v", got.Queued, got.Turns)
		}
		got = s.b.Status(s.t.Context())
		if p := got.Plugins[0]; len(p.Missing) > 0 || p.Running != "ab" {
			t.Errorf("the gate is whole, and told as %+v", p)
		}
		want := []chat.ActiveTurn{{ChatID: "c2", SessionID: "session-2", Run: frames[0].Run, Seq: frames[len(frames)-1].Seq, Mode: "manual", Started: now() - 1000}}
		if d := cmp.Diff(want, got.Turns[:1]); d != "" || got.Pending != 1 || got.LastError == nil {
			t.Errorf("pending %d, error %v, turns (-want +got):\n%s", got.Pending, got.LastError, d)
		}
		s.stop("c2")
		s.rest(sub)
		if got = s.b.Status(s.t.Context()); len(got.Turns) != 0 || got.Pending != 0 {
			t.Errorf("after Stop %+v", got)
		}
		var details []string
		for n := range maxErrors + 2 {
			req := s.message("c3", "say hi")
			req.Model = fmt.Sprint("nonsense-", n)
			s.rest(s.post(req))
		}
		got = s.b.Status(s.t.Context())
		for _, e := range got.Errors {
			details = append(details, e.Args["model"])
		}
		if len(details) != maxErrors || details[0] != "nonsense-11" || details[maxErrors-1] != "nonsense-2" || got.LastError.Args["model"] != "nonsense-11" {
			t.Errorf("the last errors are about %q", details)
		}
	})
}
