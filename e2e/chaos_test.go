package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/kit/chaos"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// trial is a host under kills and faults, with a few chats. Each message runs one
// command that leaves a line in a log of its own, so that what ran, and how
// often, can be counted on disk.
type trial struct {
	*world
	t     *testing.T
	chats []*trialChat
	marks []*mark
}

type trialChat struct {
	kit.Chat
	run  *kit.Run   // nil when none is open
	card *chat.Tool // that asked before the page was reloaded
	mark *mark
}

// mark is one message's command: whether it was approved, and its log.
type mark struct {
	name     string
	approved bool
}

func (s *trial) open() []*trialChat {
	var out []*trialChat
	for _, c := range s.chats {
		if c.run != nil {
			out = append(out, c)
		}
	}
	return out
}

func (s *trial) someOpen(r *rand.Rand) *trialChat { all := s.open(); return all[r.IntN(len(all))] }

func anyOpen(s *trial) bool { return len(s.open()) > 0 }
func anyIdle(s *trial) bool { return len(s.open()) < len(s.chats) }

// settle waits until the chat's run asks or is over; an asking card is given.
func (c *trialChat) settle(ctx context.Context) (*chat.Tool, error) {
	if c.card != nil {
		return c.card, nil
	}
	f, err := c.run.Wait(ctx, func(f chat.Frame) bool {
		return f.Type.Ends() || f.Type == chat.Reset && f.Run == "" || f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed
	})
	if err != nil {
		return nil, err
	}
	return f.Tool, nil
}

// finish waits for the run's end, whatever it is.
func (c *trialChat) finish(ctx context.Context) (string, error) {
	frames, err := c.run.End(ctx)
	c.run, c.card = nil, nil
	if err != nil {
		return "", err
	}
	last := frames[len(frames)-1]
	return strings.TrimSpace(string(last.Type) + " " + string(last.Code)), nil
}

func sendMarked(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	var idle []*trialChat
	for _, c := range s.chats {
		if c.run == nil {
			idle = append(idle, c)
		}
	}
	c := idle[r.IntN(len(idle))]
	c.mark = &mark{name: fmt.Sprintf("mark-%d.log", len(s.marks))}
	s.marks = append(s.marks, c.mark)
	run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("working "), scriptmodel.Bash("echo ran >> "+c.mark.name)), scriptmodel.Say("finished")))
	c.run = run
	return c.mark.name, err
}

func answerOne(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	c := s.someOpen(r)
	approve := r.IntN(3) > 0
	card, err := c.settle(ctx)
	if err != nil {
		return "", err
	}
	if card != nil {
		if approve {
			c.mark.approved = true
			err = c.Approve(ctx, *card)
		} else {
			err = c.Deny(ctx, *card, "not this time")
		}
		var refused *kit.Refused
		if err != nil && !errors.As(err, &refused) {
			return "", err
		}
	}
	end, err := c.finish(ctx)
	return fmt.Sprintf("%s approve=%t → %s", c.mark.name, approve, end), err
}

// reload closes a tab and opens it again: exactly the missed frames come, which
// kit.Run checks by their seqs.
func reload(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	c := s.someOpen(r)
	c.run.Leave()
	run, after := "none-yet", int64(0)
	if seen := c.run.Frames(); len(seen) > 0 {
		for _, f := range seen {
			if f.Type == chat.AgentTool {
				if c.card = nil; f.Tool.State == chat.ToolProposed {
					c.card = f.Tool
				}
			}
		}
		run, after = seen[len(seen)-1].Run, seen[len(seen)-1].Seq
		if seen[len(seen)-1].Type.Ends() {
			c.run, c.card = nil, nil
			return "was over", nil
		}
	}
	var err error
	c.run, err = c.Attach(ctx, run, after)
	return fmt.Sprintf("%s after %d", c.mark.name, after), err
}

func stopOne(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	c := s.someOpen(r)
	if _, err := c.Stop(ctx); err != nil {
		return "", err
	}
	end, err := c.finish(ctx)
	return c.mark.name + " → " + end, err
}

func killHarness(ctx context.Context, s *trial, _ *rand.Rand) (string, error) {
	p := harnessOf(ctx, s.t, s.world)
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return "", err
	}
	var ends []string
	for _, c := range s.open() { // each run ends by itself, with a frame that says so
		end, err := c.finish(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.mark.name, err)
		}
		ends = append(ends, end)
	}
	return strings.Join(ends, ", "), nil
}

func killHost(ctx context.Context, s *trial, _ *rand.Rand) (string, error) {
	for _, c := range s.open() {
		c.run.Leave()
		c.run, c.card = nil, nil
	}
	s.Kill()
	s.Host = kit.StartHost(ctx, s.t, s.home, kit.HostOptions{Model: s.model})
	for _, c := range s.chats {
		c.Client = s.Client
	}
	return "", nil
}

// TestChaos kills and cuts at random. STRATA_CHAOS_ROUNDS plays more of it,
// STRATA_CHAOS_SEED one round again.
func TestChaos(t *testing.T) {
	chaos.Run(t, chaos.Plan[*trial]{
		Name:      "chat",
		Rounds:    1,
		Steps:     12,
		Artifacts: filepath.Join(kit.Root(), "artifacts"),
		New: func(ctx context.Context, t testing.TB, _ *rand.Rand) *trial {
			s := &trial{t: t.(*testing.T)}
			s.world = newWorld(ctx, s.t, kit.HostOptions{})
			for range 3 {
				s.chats = append(s.chats, &trialChat{Chat: s.NewChat()})
			}
			return s
		},
		Actions: []chaos.Action[*trial]{
			{Name: "send", Weight: 6, Can: anyIdle, Do: sendMarked},
			{Name: "answer", Weight: 4, Can: anyOpen, Do: answerOne},
			{Name: "reload", Weight: 3, Can: anyOpen, Do: reload},
			{Name: "stop", Weight: 1, Can: anyOpen, Do: stopOne},
			{Name: "kill the Harness", Weight: 1, Do: killHarness},
			{Name: "kill the host", Weight: 1, Do: killHost},
		},
		Invariants: []chaos.Invariant[*trial]{{Name: "no command ran twice, none ran without a yes", Check: ranAtMostOnce}},
		AtEnd: []chaos.Invariant[*trial]{
			{Name: "every chat goes on", Check: everyChatGoesOn},
			{Name: "no command ran twice, none ran without a yes", Check: ranAtMostOnce},
		},
	})
}

func ranAtMostOnce(_ context.Context, s *trial) error {
	for _, m := range s.marks {
		text, _ := s.home.Read(s.t, m.name)
		if lines := strings.Count(text, "\n"); lines > 1 || lines == 1 && !m.approved {
			return fmt.Errorf("%s (approved: %t) holds %q", m.name, m.approved, text)
		}
	}
	return nil
}

func everyChatGoesOn(ctx context.Context, s *trial) error {
	for _, c := range s.open() {
		card, err := c.settle(ctx)
		if err != nil {
			return err
		}
		if card != nil {
			if err := c.Deny(ctx, *card, ""); err != nil {
				return err
			}
		}
		if _, err := c.finish(ctx); err != nil {
			return err
		}
	}
	for _, c := range s.chats {
		run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Say("alive")))
		if err != nil {
			return err
		}
		frames, err := run.End(ctx)
		if err != nil {
			return err
		}
		if got := kit.Text(frames); got != "alive" {
			return fmt.Errorf("a chat answers %q at the end: %+v", got, frames[len(frames)-1])
		}
	}
	return nil
}
