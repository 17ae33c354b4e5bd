package bridge

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/project"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

// notes are the host's own sentences of a chat's history, by message.
func notes(c chat.Chat) []string {
	var out []string
	for _, m := range c.Messages {
		line := m.Role + " " + m.Text
		for _, n := range m.Notes {
			line += "[" + n.Text + "]"
		}
		out = append(out, line)
	}
	return out
}

// TestCommandsOfTheHost need no agent, and none of them reaches it.
func TestCommandsOfTheHost(t *testing.T) {
	play(t, func(s *stage) {
		s.expect(s.run("c1", "/help"), "queued", "notice "+say.HelpPlan, "notice "+say.HelpCompact, "notice "+say.HelpGoal, "notice "+say.HelpText, "done completed false 0")
		s.expect(s.run("c1", "/plan"), "queued", "own "+say.PlanEmpty, "done completed false 0")
		frames := s.run("c1", "  /permission danger-full-access")
		s.expect(frames, "queued", "error unknown-command")
		want := chat.Frame{
			Run: frames[1].Run, Seq: 2, Type: chat.Failed, Code: chat.CodeUnknownCommand,
			Sentence: say.Sentence(say.UnknownCommand, "command", "/permission"), Actions: []string{project.ActionAsText},
		}
		if d := cmp.Diff(want, frames[1]); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if calls := s.d.called(); len(calls) > 0 {
			t.Errorf("the Harness was asked: %v", calls)
		}
	})
}

// TestCommandAsText: the person may mean it.
func TestCommandAsText(t *testing.T) {
	play(t, func(s *stage) {
		req := s.message("c1", "/etc/hosts is what?")
		req.AsText = true
		s.expect(s.rest(s.post(req)), "queued", "start manual p/m session-1", `delta "/etc/hosts is what?"`, "done completed false 100")
	})
}

// TestPlanOnce: the message is in Plan mode, the next one is not.
func TestPlanOnce(t *testing.T) {
	play(t, func(s *stage) {
		s.expect(s.run("c1", "/plan say the plan"), "queued", "start plan p/m session-1", `delta "the plan"`, `plan "the plan"`, "done completed false 100")
		s.expect(s.run("c1", "say done"), "queued", "start manual p/m session-1", `delta "done"`, "done completed false 100")
		if d := cmp.Diff([]string{"user say the plan", "assistant the plan", "user say done", "assistant done"}, notes(s.history("c1"))); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestCommandsHandedOver are the Harness's own of that name.
func TestCommandsHandedOver(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = map[string]gateway.CommandResult{
			"compact": {Found: true, OK: true, Text: "Compacted 8 history items."},
			"strata":  {Found: true, Text: "Not now."},
			"export":  {Found: true, OK: true, Text: "never"},
		}
		s.run("c1", "say hi")
		s.expect(s.run("c1", "/compact now"), "queued", "start manual p/m session-1", "own "+say.Compacted, "done completed false 0")
		failed := s.run("c1", "/strata status")
		s.expect(failed, "queued", "start manual p/m session-1", "error command-failed")
		if f := failed[2]; f.Details != "Not now." || f.Key != say.CommandFailed {
			t.Errorf("got %+v", f)
		}
		delete(s.d.commands, "compact")
		s.expect(s.run("c1", "/compact"), "queued", "start manual p/m session-1", "error unknown-command")
		s.expect(s.run("c1", "/export"), "queued", "error unknown-command")
		handed := slices.DeleteFunc(s.d.called(), func(c string) bool { return !strings.HasPrefix(c, "/") || strings.HasPrefix(c, "/permission") })
		if d := cmp.Diff([]string{"/compact now", "/strata status"}, handed); d != "" {
			t.Errorf("handed over (-want +got):\n%s", d)
		}
		if n := s.d.count("Prompt"); n != 1 {
			t.Errorf("%d messages reached the model", n)
		}
		want := []string{
			"user say hi", "assistant hi", "user /compact now", "assistant [" + say.Compacted + "]",
			"user /strata status", "assistant [" + failed[2].Text + "]",
			"user /compact", "assistant [" + say.Sentence(say.UnknownCommand, "command", "/compact").Text + "]",
			"user /export", "assistant [" + say.Sentence(say.UnknownCommand, "command", "/export").Text + "]",
		}
		if d := cmp.Diff(want, notes(s.history("c1"))); d != "" {
			t.Errorf("history (-want +got):\n%s", d)
		}
	})
}

// TestCommandIsNotGivenTwice: a resend shows what was answered.
func TestCommandIsNotGivenTwice(t *testing.T) {
	play(t, func(s *stage) {
		s.d.commands = map[string]gateway.CommandResult{"compact": {Found: true, OK: true}}
		s.run("c1", "say hi")
		req := s.message("c1", "/compact")
		first := s.rest(s.post(req))
		s.expect(first, "queued", "start manual p/m session-1", "own "+say.Compacted, "done completed false 0")
		if d := cmp.Diff(first, s.rest(s.post(req))); d != "" {
			t.Errorf("(-first +again):\n%s", d)
		}
		if n := s.d.count("/compact"); n != 1 {
			t.Errorf("it was given %d times", n)
		}
	})
}

// TestStopACommand: Stop breaks it off.
func TestStopACommand(t *testing.T) {
	play(t, func(s *stage) {
		reached, _ := s.d.hold("Execute /compact")
		sub := s.send("c1", "/compact")
		<-reached
		synctest.Wait()
		if a := s.stop("c1"); !a.Stopped {
			t.Error("nothing was stopped")
		}
		s.expect(s.rest(sub), "queued", "start manual p/m session-1", "done aborted true 0")
		s.expect(s.run("c1", "say on"), "queued", "start manual p/m session-1", `delta "on"`, "done completed false 100")
	})
}

// TestCommandAsTheFirstMessage: a chat that begins with a command is kept, over a
// restart too, and begins with the first message that is none.
func TestCommandAsTheFirstMessage(t *testing.T) {
	helped := func(command string) []string {
		return []string{"user " + command, "assistant  [" + say.HelpPlan + "] [" + say.HelpCompact + "] [" + say.HelpGoal + "] [" + say.HelpText + "]"}
	}
	for _, tt := range []struct {
		name  string
		away  bool
		first []string // how the first message is answered
	}{
		{"by the agent", false, []string{"user say hi", "assistant hi"}},
		{"by the model alone", true, []string{"user say hi", "assistant hi (hm) [" + say.AgentMissing + "] [" + say.AnswersAlone + "]"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			playApart(t, func(s *apart) {
				if !tt.away {
					s.comes()
				}
				s.run("c1", "/help")
				s.run("c1", "/nope")
				want := append(helped("/help"), "user /nope", "assistant  ["+say.UnknownCommand+"]")
				for range 2 {
					list, err := s.b.Chats(t.Context())
					if err != nil || len(list.Chats) != 1 || list.Chats[0].Title != "/help" || list.Chats[0].CWD != s.cwd || list.Chats[0].SessionID != "" {
						t.Errorf("%v: the list is %+v", err, list)
					}
					s.reads("c1", want...)
					s.reopen()
				}
				time.Sleep(time.Second) // of the bubble's clock
				s.run("c1", "say hi")
				s.reads("c1", append(want, tt.first...)...)
				if c := s.history("c1"); c.Title != "say hi" || (c.SessionID == "") != tt.away {
					t.Errorf("the chat is %+v", c.ChatSummary)
				}
			})
		})
	}
}
