package bridge

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/abi"
	"strata.dev/bridge/proto/chat"
)

// TestHelperAsks: a helper's question is a card of the chat, bound to root and helper,
// and its answer goes to the helper's session.
func TestHelperAsks(t *testing.T) {
	for _, script := range []string{"helper ask_rm; say after", "spawn ask_rm; say after"} {
		t.Run(script, func(t *testing.T) {
			play(t, func(s *stage) {
				s.run("c2", "say hi") // another chat is there too
				sub := s.send("c1", script)
				frames := s.until(sub, proposed)
				card := *frames[len(frames)-1].Tool
				if card.ID != "helper-3:call_1_1" || card.Digest != abi.Digest("session-2", "helper-3", "call_1_1", "bash", []byte(`{"command":"rm"}`)) {
					t.Errorf("got %+v", card)
				}
				for _, refused := range []struct {
					session, tool string
					want          chat.Code
				}{
					{"session-1", card.ID, chat.CodeNotYours},
					{"session-2", "call_1_1", chat.CodeUnknownTool},
					{"helper-3", card.ID, chat.CodeUnknownSession},
				} {
					err := s.answer(chat.ApprovalRequest{SessionID: refused.session, ToolID: refused.tool, Decision: chat.Deny})
					if code(err) != refused.want {
						t.Errorf("%+v: %v", refused, err)
					}
				}
				if err := s.answer(chat.ApprovalRequest{SessionID: "session-2", ToolID: card.ID, Decision: chat.Deny, Note: "no"}); err != nil {
					t.Fatal(err)
				}
				got := told(s.rest(sub))
				for _, want := range []string{"tool " + card.ID + " denied", "agent helper-3 done"} {
					if !slices.Contains(got, want) {
						t.Errorf("%q is missing in %v", want, got)
					}
				}
				if last := got[len(got)-1]; !strings.HasPrefix(last, "done completed false") {
					t.Errorf("got %v", got)
				}
				if d := cmp.Diff([]string{"helper-3/call_1_1"}, keys(s.d.current.answers)); d != "" {
					t.Errorf("the gate was told (-want +got):\n%s", d)
				}
			})
		})
	}
}

func keys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// TestBackgroundHelper: done comes after the helper has finished and its report's turn
// is over, whatever comes late.
func TestBackgroundHelper(t *testing.T) {
	for _, late := range []string{"", "Notice", "Next"} {
		t.Run("late "+late, func(t *testing.T) {
			play(t, func(s *stage) {
				release := func() {}
				if late != "" {
					_, release = s.d.hold(late)
				}
				sub := s.send("c1", "spawn wait_50+say_found; say started")
				synctest.Wait()
				time.AfterFunc(200*time.Millisecond, release) // meanwhile the helper settles
				got := s.rest(sub)
				release()
				var told []string
				for _, f := range got {
					if f.Type == chat.Delta {
						told = append(told, f.Text)
					}
				}
				if d := cmp.Diff([]string{"started", "\n\nthanks"}, told); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
				if last := got[len(got)-1]; last.Type != chat.Done || last.Usage.Prompt != 270 {
					t.Errorf("got %+v", last)
				}
			})
		})
	}
}

// TestHelperNotReady: the first readings of a helper's log are refused, as it has not
// said yet what it is, while it does its work; its row comes all the same.
func TestHelperNotReady(t *testing.T) {
	for _, script := range []string{"helper say_found; say after", "spawn say_found; say started"} {
		t.Run(script, func(t *testing.T) {
			play(t, func(s *stage) {
				refused := 0
				s.d.on("Follow helper-2", func(context.Context) error {
					if refused++; refused > 3 {
						return nil
					}
					return &gateway.Error{Code: gateway.CodeHelperCatalog, Message: "not yet"}
				})
				got := told(s.rest(s.send("c1", script)))
				if !slices.Contains(got, "agent helper-2 done") {
					t.Errorf("no row: %v", got)
				}
				if last := got[len(got)-1]; !strings.HasPrefix(last, "done completed false") {
					t.Errorf("got %v", got)
				}
			})
		})
	}
}

// TestHelperIsWoken: by a message to one that had settled. The run stays open for its
// report, also where it is told of late, and where the list cannot be read at first.
func TestHelperIsWoken(t *testing.T) {
	play(t, func(s *stage) {
		s.run("c1", "spawn say_found; say started")
		time.Sleep(time.Second) // of the bubble: what follows is of another time
		_, release := s.d.hold("Notice")
		lost := 2
		s.d.on("Sessions", func(context.Context) error {
			if lost--; lost >= 0 {
				return gateway.ErrLost
			}
			return nil
		})
		sub := s.send("c1", "wake helper-2 wait_50+say_more")
		time.AfterFunc(20*time.Second, release)
		want := []string{
			"queued", "start manual p/m session-1", "tool call_3_1 running", "tool call_3_1 done", `delta "thanks"`,
			"agent helper-2 running", "agent helper-2 done", "done completed false 200",
		}
		if d := cmp.Diff(want, slices.Compact(told(s.rest(sub)))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestOnlyAHelperIsStarted: a turn that leaves nothing but a helper at work is not told to
// be without an answer.
func TestOnlyAHelperIsStarted(t *testing.T) {
	play(t, func(s *stage) {
		for _, f := range s.run("c1", "spawn wait_50+say_found") {
			if f.Own {
				t.Errorf("it says %q", f.Text)
			}
		}
	})
}

// TestReportThatNeverComes: the Harness lets go of a helper and says no more.
func TestReportThatNeverComes(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "spawn hang; say started")
		s.until(sub, rowRunning)
		synctest.Wait()
		s.d.mu.Lock()
		s.d.current.notify(gateway.Notice{SessionGone: "helper-2"})
		s.d.mu.Unlock()
		got := told(s.rest(sub))
		if last := got[len(got)-1]; last != "done completed false 100" {
			t.Errorf("got %v", got)
		}
	})
}

// TestConnectionLost: the page is told, and helpers that came meanwhile are found.
func TestConnectionLost(t *testing.T) {
	play(t, func(s *stage) {
		sub := s.send("c1", "wait 100; say on")
		synctest.Wait()
		s.d.mu.Lock()
		p := s.d.current
		p.notify(gateway.Notice{Connection: &gateway.Connection{Err: gateway.ErrLost}})
		p.notify(gateway.Notice{Connection: &gateway.Connection{Up: true}})
		s.d.mu.Unlock()
		s.expect(s.rest(sub), "queued", "start manual p/m session-1", "status The connection to the agent was lost; connecting again…",
			"status The connection to the agent is back.", `delta "on"`, "done completed false 100")
	})
}

// TestHelperRowsStay: a page that is opened while a helper works sees its row, and how it
// ended stands in the chat's history, as long as the chat does.
func TestHelperRowsStay(t *testing.T) {
	rows := func(all []chat.Message) (out []string) {
		for _, m := range all {
			for _, h := range m.Helpers {
				out = append(out, h.ID+" "+h.Status)
			}
		}
		return out
	}
	play(t, func(s *stage) {
		sub := s.send("c1", "say first; spawn ask_rm+say_found; fill 500")
		s.until(sub, proposed)
		synctest.Wait()
		now := s.history("c1")
		if d := cmp.Diff([]string{"helper-2 running"}, rows(now.Messages)); d != "" {
			t.Errorf("while it works (-want +got):\n%s", d)
		}
		if d := cmp.Diff(&chat.Context{Tokens: 500, Window: 1000, Percent: 50, Source: "measured"}, now.Context); d != "" {
			t.Errorf("how full the window is (-want +got):\n%s", d)
		}
		if err := s.answer(chat.ApprovalRequest{SessionID: "c1", ToolID: "helper-2:call_1_1", Decision: chat.Approve}); err != nil {
			t.Fatal(err)
		}
		s.rest(sub)
		s.run("c1", "say next")
		for range 2 { // as it was left, and read by the next host
			got := s.history("c1")
			if d := cmp.Diff([]string{"helper-2 done"}, rows(got.Messages)); d != "" {
				t.Errorf("in the history (-want +got):\n%s", d)
			}
			if last := got.Messages[len(got.Messages)-1]; last.Text != "next" || last.Helpers != nil {
				t.Errorf("the history ends with %+v", last)
			}
			s.close()
			s.b = s.open(s.b.o.Dir, s.b.o.Workspace)
		}
	})
}

// TestNotesKeepWhatWasOffered: an error in the chat's history has its code, its technical
// text and what may be done.
func TestNotesKeepWhatWasOffered(t *testing.T) {
	play(t, func(s *stage) {
		frames := s.run("c1", "fail CONTEXT_WINDOW_EXCEEDED")
		f := frames[len(frames)-1]
		m := s.history("c1").Messages
		want := []chat.Note{{Sentence: f.Sentence, Code: f.Code, Details: f.Details, Actions: f.Actions}}
		if d := cmp.Diff(want, m[len(m)-1].Notes); d != "" || len(f.Actions) == 0 || f.Details == "" {
			t.Errorf("the frame %+v; kept (-want +got):\n%s", f, d)
		}
	})
}

// TestNoticeOfAHelper: what a helper meets first is told to the chat, and once.
func TestNoticeOfAHelper(t *testing.T) {
	play(t, func(s *stage) {
		var told []string
		for _, script := range []string{"helper unconfined; say after", "helper unconfined; unconfined"} {
			for _, f := range s.run("c1", script) {
				if f.Type == chat.Notice {
					told = append(told, f.Key)
				}
			}
		}
		if d := cmp.Diff([]string{say.Unconfined}, told); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}
