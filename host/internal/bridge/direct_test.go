package bridge

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/host/internal/direct"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// lone answers without a Harness as the message says: "say TEXT", or "hang" until it is
// stopped.
type lone struct {
	mu    sync.Mutex
	turns []string // the conversation of each, in short
	gone  []string // routes that are not there
}

func (l *lone) Answer(ctx context.Context, t direct.Turn, emit func(chat.Frame)) {
	var heard []string
	for _, m := range t.Earlier {
		if m.Text != "" {
			heard = append(heard, m.Role+": "+m.Text)
		}
	}
	l.mu.Lock()
	l.turns = append(l.turns, strings.Join(append(heard, t.Text), " | "))
	l.mu.Unlock()
	if slices.Contains(l.gone, t.Model) {
		emit(project.ErrorFrame(offering(say.Error(chat.CodeModelUnavailable, "no such route", say.ModelUnavailable, "model", t.Model), project.ActionModel)))
		return
	}
	emit(chat.Frame{Type: chat.Started, Agent: false, Mode: t.Mode, Model: t.Model})
	verb, text, _ := strings.Cut(t.Text, " ")
	emit(chat.Frame{Type: chat.Reasoning, Sentence: chat.Sentence{Text: "hm"}})
	emit(chat.Frame{Type: chat.Delta, Sentence: chat.Sentence{Text: text}})
	if verb == "hang" {
		<-ctx.Done()
		emit(project.DoneFrame("aborted", true, chat.Usage{Prompt: 1}))
		return
	}
	emit(project.DoneFrame("completed", false, chat.Usage{Prompt: 5, Completion: 2}))
}

// apart is a stage on which messages can be answered without the Harness, which is
// away at first.
type apart struct {
	*stage
	lone     *lone
	dir, cwd string
}

func playApart(t *testing.T, f func(s *apart)) {
	t.Helper()
	dir, cwd := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &apart{stage: &stage{t: t, d: newDisk()}, lone: &lone{}, dir: dir, cwd: cwd}
		s.d.broken = missing
		s.reopen()
		f(s)
		s.close()
		s.d.die()
	})
}

var missing = say.Error(chat.CodeAgentUnavailable, "no node", say.AgentMissing)

// reopen is what a restart of the host is.
func (s *apart) reopen() {
	s.t.Helper()
	if s.b != nil {
		s.close()
	}
	b, err := New(Options{Harness: s.d, Direct: s.lone, Dir: s.dir, Workspace: s.cwd, Preset: "strata"})
	if err != nil {
		s.t.Fatal(err)
	}
	s.b = b
}

// comes and goes are the Harness.
func (s *apart) comes() {
	time.Sleep(time.Second)
	s.d.broken = nil
}

func (s *apart) goes() {
	time.Sleep(time.Second) // of the bubble's clock: no two messages are sent at once
	s.d.broken = missing
	s.d.die()
	synctest.Wait()
}

const (
	whyNotice   = "notice " + say.AgentMissing
	aloneNotice = "notice " + say.AnswersAlone
)

// read tells a chat as it is kept, a line a message.
func (s *apart) read(chatID string) []string {
	s.t.Helper()
	var out []string
	for _, m := range s.history(chatID).Messages {
		line := m.Role + " " + m.Text
		if m.Reasoning != "" {
			line += " (" + m.Reasoning + ")"
		}
		for _, n := range m.Notes {
			line += " [" + n.Key + "]"
		}
		out = append(out, line)
	}
	return out
}

func (s *apart) reads(chatID string, want ...string) {
	s.t.Helper()
	if d := cmp.Diff(want, s.read(chatID)); d != "" {
		s.t.Errorf("history (-want +got):\n%s", d)
	}
}

var told1 = []string{"user say one", "assistant one (hm) [" + say.AgentMissing + "] [" + say.AnswersAlone + "]"}

// TestWithoutTheHarness: the notice says why, the answer comes, and it stays after a
// restart; the next message has what came before.
func TestWithoutTheHarness(t *testing.T) {
	playApart(t, func(s *apart) {
		first := s.message("c1", "say one")
		frames := s.rest(s.post(first))
		s.expect(frames, "queued", whyNotice, aloneNotice, "start manual p/m ", "reasoning hm", `delta "one"`, "done completed false 7")
		if f := frames[1]; f.Code != chat.CodeAgentUnavailable || f.Details != "no node" {
			t.Errorf("the notice: %+v", f)
		}
		if f := frames[3]; f.Agent != false {
			t.Errorf("the start frame: %+v", f)
		}
		s.reads("c1", told1...)
		s.reopen()
		s.reads("c1", told1...)
		list, err := s.b.Chats(s.t.Context())
		want := []chat.ChatSummary{{ChatID: "c1", Title: "say one", CWD: s.cwd}}
		if d := cmp.Diff(want, list.Chats, cmpopts.IgnoreFields(chat.ChatSummary{}, "UpdatedAt")); d != "" || err != nil {
			t.Errorf("chats: %v (-want +got):\n%s", err, d)
		}
		again := s.rest(s.post(first)) // a resend asks nobody
		s.expect(again, "reset 2")
		s.run("c1", "say two")
		if d := cmp.Diff([]string{"say one", "user: say one | assistant: one | say two"}, s.lone.turns); d != "" {
			t.Errorf("turns (-want +got):\n%s", d)
		}
		title := "mine"
		if sum, err := s.b.PatchChat(s.t.Context(), "c1", chat.ChatPatch{Title: &title}); err != nil || sum.Title != title {
			t.Errorf("renamed: %+v, %v", sum, err)
		}
	})
}

// TestTheHarnessComesBack: a chat that began on it goes on there, and is told what the
// agent has not seen; one that began without goes on without.
func TestTheHarnessComesBack(t *testing.T) {
	playApart(t, func(s *apart) {
		s.run("lone", "say one")
		s.comes()
		s.expect(s.run("c1", "say hello"), "queued", "start manual p/m session-1", `delta "hello"`, "done completed false 100")
		s.goes()
		s.expect(s.run("c1", "say away"), "queued", whyNotice, aloneNotice, "start manual p/m ", "reasoning hm", `delta "away"`, "done completed false 7")
		awayNotes := "assistant away (hm) [" + say.AgentMissing + "] [" + say.AnswersAlone + "]"
		s.reads("c1", "assistant  ["+say.EarlierAway+"]", "user say away", awayNotes)
		s.comes()
		s.reads("c1", "user say hello", "assistant hello", "user say away", awayNotes)
		s.expect(s.run("c1", "say back"), "queued", "notice "+say.UnseenByAgent, "start manual p/m session-1", `delta "back"`, "done completed false 100")
		s.expect(s.run("c1", "say on"), "queued", "start manual p/m session-1", `delta "on"`, "done completed false 100")
		s.reads("c1", "user say hello", "assistant hello", "user say away", awayNotes, "user say back", "assistant back", "user say on", "assistant on")

		s.expect(s.run("lone", "say two"), "queued", "notice "+say.DirectChat, "start manual p/m ", "reasoning hm", `delta "two"`, "done completed false 7")
		s.reads("lone", append(slices.Clone(told1), "user say two", "assistant two (hm) ["+say.DirectChat+"]")...)
		if d := cmp.Diff([]string{"say one", "say away", "user: say one | assistant: one | say two"}, s.lone.turns); d != "" {
			t.Errorf("turns (-want +got):\n%s", d)
		}
	})
}

// TestStopWithoutTheHarness: what came stays, the next one waiting ends too, and a
// page that comes in the middle sees all of it.
func TestStopWithoutTheHarness(t *testing.T) {
	playApart(t, func(s *apart) {
		s.run("c1", "say one")
		sub := s.send("c1", "hang half")
		s.until(sub, func(f chat.Frame) bool { return f.Type == chat.Delta })
		synctest.Wait()
		waits := s.send("c1", "say never")
		s.reads("c1", append(slices.Clone(told1), "user hang half", "assistant half (hm) ["+say.AgentMissing+"] ["+say.AnswersAlone+"]")...)
		if a := s.stop("c1"); !a.Stopped {
			t.Error("nothing was stopped")
		}
		s.expect(s.rest(sub), "done aborted true 1")
		s.expect(s.rest(waits), "queued", "done aborted true 0")
		s.reads("c1", append(slices.Clone(told1), "user hang half",
			"assistant half (hm) ["+say.AgentMissing+"] ["+say.AnswersAlone+"] ["+say.Stopped+"]")...)
		if len(s.lone.turns) != 2 {
			t.Errorf("turns: %v", s.lone.turns)
		}
	})
}

// TestTheHostEndsMeanwhile: an answer that the host's end broke off says so, at once
// and after the restart; a host that was killed loses the answer and not the message,
// which may be sent again.
func TestTheHostEndsMeanwhile(t *testing.T) {
	playApart(t, func(s *apart) {
		sub := s.send("c1", "hang half")
		s.until(sub, func(f chat.Frame) bool { return f.Type == chat.Delta })
		s.reopen()
		s.expect(s.rest(sub), closingSoon, "error agent-stopped")
		whole := "assistant half (hm) [" + say.AgentMissing + "] [" + say.AnswersAlone + "] [" + say.AgentClosed + "]"
		s.reads("c1", "user hang half", whole)

		path := s.b.exchanges.path("c1")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		first := strings.IndexByte(string(raw), '\n') + 1
		for cut := first; cut < len(raw); cut++ { // killed while the answer was written
			if err := os.WriteFile(path, raw[:cut], 0o600); err != nil {
				t.Fatal(err)
			}
			kept, err := s.b.exchanges.read("c1")
			if err != nil || len(kept) != 1 || kept[0].Whole || kept[0].Messages[0].Text != "hang half" {
				t.Fatalf("cut at %d: %+v, %v", cut, kept, err)
			}
		}
		s.reads("c1", "user hang half", "assistant  ["+say.AgentClosed+"]")
		resent := s.message("c1", "say again")
		resent.RequestID = "req-1"
		s.expect(s.rest(s.post(resent)), "queued", whyNotice, aloneNotice, "start manual p/m ", "reasoning hm", `delta "again"`, "done completed false 7")
		s.reads("c1", "user say again", "assistant again (hm) ["+say.AgentMissing+"] ["+say.AnswersAlone+"]")
	})
}

// TestAStartThatFailsOnce is tried again before the model answers alone; a failure that
// stays is not.
func TestAStartThatFailsOnce(t *testing.T) {
	playApart(t, func(s *apart) {
		s.comes()
		fails := 1
		s.d.on("Ensure", func(context.Context) error {
			if fails--; fails >= 0 {
				return say.Error(chat.CodeAgentUnavailable, "it ended", say.AgentFailed)
			}
			return nil
		})
		s.expect(s.run("c1", "say hello"), "queued", "start manual p/m session-1", `delta "hello"`, "done completed false 100")
		fails = 2
		s.expect(s.run("c2", "say hello"), "queued", "notice "+say.AgentFailed, aloneNotice, "start manual p/m ", "reasoning hm", `delta "hello"`, "done completed false 7")
	})
}

// TestUnwritableExchanges: what cannot be kept is not asked.
func TestUnwritableExchanges(t *testing.T) {
	playApart(t, func(s *apart) {
		if err := os.WriteFile(filepath.Join(s.dir, "direct"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s.expect(s.run("c1", "say one"), "queued", whyNotice, aloneNotice, "error internal")
		if len(s.lone.turns) != 0 {
			t.Errorf("turns: %v", s.lone.turns)
		}
	})
}

// TestManyWithoutTheHarness: chats at once, each with its own.
func TestManyWithoutTheHarness(t *testing.T) {
	playApart(t, func(s *apart) {
		var subs []Subscription
		for n := range 20 {
			subs = append(subs, s.send(fmt.Sprintf("c%d/../%d", n, n), fmt.Sprintf("say %d", n)))
		}
		for n, sub := range subs {
			frames := s.rest(sub)
			s.expect(frames[len(frames)-2:], fmt.Sprintf("delta \"%d\"", n), "done completed false 7")
			if _, err := sub.Next(s.t.Context()); err != io.EOF {
				t.Error(err)
			}
		}
		for n := range subs {
			if got := s.read(fmt.Sprintf("c%d/../%d", n, n)); len(got) != 2 || got[0] != fmt.Sprintf("user say %d", n) {
				t.Errorf("chat %d: %q", n, got)
			}
		}
	})
}
