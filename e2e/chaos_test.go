package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/kit/chaos"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// trial is a host under kills and faults, with a few chats. Each message runs one
// command that leaves a line in a log of its own, so that what ran, and how
// often, can be counted on disk. Rounds share a host; the chats are of one round.
type trial struct {
	*broken
	t      *testing.T // of the whole run: what it starts outlives the round
	round  int
	chats  []*trialChat
	marks  []*mark
	healed *kit.Times // from a line that can be used again to the rest of the answer
	lost   *kit.Times // from when it was lost: most faults last a while
	back   *kit.Times // from a killed Harness to the next answer
}

type trialChat struct {
	kit.Chat
	run  *kit.Run   // nil when none is open
	card *chat.Tool // that asked before the page was reloaded
	mark *mark
}

// mark is one message's command: whether it was approved, its log, and the card
// whose answer the host took.
type mark struct {
	name     string
	approved bool
	taken    string
	hurt     bool // a kill or Stop may end its run
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
	c.mark = &mark{name: fmt.Sprintf("mark-%d-%d.log", s.round, len(s.marks))}
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
		if err := c.answer(ctx, *card, approve); err != nil {
			return "", err
		}
	}
	mark := c.mark
	end, err := c.finish(ctx)
	if err == nil && !mark.hurt && end != string(chat.Done) {
		err = fmt.Errorf("nothing was killed or stopped, and it ended with %s", end)
	}
	return fmt.Sprintf("%s approve=%t → %s", mark.name, approve, end), err
}

// answer gives an answer, and notes that it was taken.
func (c *trialChat) answer(ctx context.Context, card chat.Tool, approve bool) (err error) {
	if approve {
		c.mark.approved = true
		err = c.Approve(ctx, card)
	} else {
		err = c.Deny(ctx, card, "not this time")
	}
	if err == nil {
		c.mark.taken = card.ID
	}
	var refused *kit.Refused
	if errors.As(err, &refused) {
		c.mark.hurt = true // nobody may answer it any more
		return nil
	}
	return err
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
	c.mark.hurt = true
	if _, err := c.Stop(ctx); err != nil {
		return "", err
	}
	end, err := c.finish(ctx)
	return c.mark.name + " → " + end, err
}

// breakLine breaks the line in the middle of an answer, while the other chats run.
func breakLine(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	f := faults[r.IntN(len(faults))]
	took, err := s.pulse(ctx, s.NewChat(), f, r)
	if err == nil {
		s.healed.Add(took.usable)
		s.lost.Add(took.broke)
	}
	return fmt.Sprintf("%s: %v", f.name, took.broke.Round(time.Millisecond)), err
}

// killHarness kills the Harness, now and then right after an answer was taken. Each
// run ends by itself, with a frame that says so, and the next message is answered.
func killHarness(ctx context.Context, s *trial, r *rand.Rand) (string, error) {
	// One that is killed before the host is connected to it is started once more, and
	// nobody's run ends.
	if err := kit.Until(ctx, func(ctx context.Context) error {
		status, err := s.Status(ctx)
		if err == nil && (status.State != "ready" || status.Wire == "") {
			err = errNotYet
		}
		return err
	}); err != nil {
		return "", err
	}
	p := harnessOf(ctx, s.t, s.world)
	if open := s.open(); len(open) > 0 && r.IntN(2) == 0 {
		c := open[r.IntN(len(open))]
		card, err := c.settle(ctx)
		if err == nil && card != nil {
			err = c.answer(ctx, *card, true)
		}
		if err != nil {
			return "", err
		}
	}
	killed := time.Now()
	if err := syscall.Kill(p.PID, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return "", err
	}
	var ends []string
	for _, c := range s.open() {
		end, err := c.finish(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.mark.name, err)
		}
		ends = append(ends, end)
	}
	for c := s.NewChat(); ; { // a message that was on its way is to be sent again, as the page says
		run, err := c.Send(ctx, scriptmodel.Steps(scriptmodel.Say("back")))
		if err != nil {
			return "", err
		}
		frames, err := run.End(ctx)
		last := frames[len(frames)-1]
		switch {
		case err != nil:
			return "", err
		case last.Type == chat.Done && kit.Text(frames) == "back":
			if !kit.ByTheAgent(frames) {
				return "", errors.New("after a kill the message was answered without the agent")
			}
			s.back.Add(time.Since(killed))
			return strings.Join(ends, ", "), nil
		case last.Code != chat.CodeAgentUnavailable && last.Code != chat.CodeAgentStopped:
			return "", fmt.Errorf("after a kill the chat says %+v", last)
		}
	}
}

func killHost(ctx context.Context, s *trial, _ *rand.Rand) (string, error) {
	for _, c := range s.open() {
		c.run.Leave()
		c.run, c.card = nil, nil
	}
	s.Kill()
	s.Host = kit.StartHost(ctx, s.t, s.home, s.options)
	for _, c := range s.chats {
		c.Client = s.Client
	}
	return "", nil
}

// closeHost ends the host in order while chats are at work, and starts the next one at
// once. Each run has its last frame by then.
func closeHost(ctx context.Context, s *trial, _ *rand.Rand) (string, error) {
	if err := s.Signal(syscall.SIGTERM); err != nil {
		return "", err
	}
	earlier := s.Process
	next := kit.LaunchHost(s.t, s.home, s.options)
	var ends []string
	for _, c := range s.open() {
		c.mark.hurt = true
		end, err := c.finish(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.mark.name, err)
		}
		ends = append(ends, end)
	}
	if code, err := earlier.Wait(ctx); code != 0 || err != nil {
		return "", fmt.Errorf("exit code %d, %w", code, err)
	}
	client, err := kit.AwaitHost(ctx, next)
	if err != nil {
		return "", err
	}
	s.Host = &kit.Host{Process: next, Client: client}
	for _, c := range s.chats {
		c.Client = client
	}
	return strings.Join(ends, ", "), nil
}

// TestChaos kills and breaks at random, over each wire. STRATA_CHAOS_ROUNDS plays
// more of it, STRATA_CHAOS_SEED one round again.
func TestChaos(t *testing.T) {
	if os.Getenv(chaos.EnvRounds) == "" { // only the long run measures
		t.Parallel()
	}
	var healed, lost, back kit.Times
	for _, wire := range []string{"0.1.0", "0.2"} {
		t.Run(wire, func(t *testing.T) { chaosOver(t, wire, &healed, &lost, &back) })
	}
	t.Logf("a lost line, since it can be used again: %s; the limit is 500 ms at p95", healed.String())
	t.Logf("a lost line, since it was lost (a fault lasts up to 300 ms): %s", lost.String())
	t.Logf("a killed Harness: %s; the limit is 4 s at p95", back.String())
}

func chaosOver(t *testing.T, wire string, healed, lost, back *kit.Times) {
	var b *broken // begun with the first round
	round := 0
	chaos.Run(t, chaos.Plan[*trial]{
		Name:      "chat-" + wire,
		Rounds:    1,
		Steps:     8,
		Artifacts: filepath.Join(kit.Root(), "artifacts"),
		New: func(ctx context.Context, _ testing.TB, _ *rand.Rand) *trial {
			if b == nil {
				b = newBroken(ctx, t, wires[wire])
			}
			round++
			s := &trial{broken: b, t: t, round: round, healed: healed, lost: lost, back: back}
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
			{Name: "break the line", Weight: 3, Do: breakLine},
			{Name: "kill the Harness", Weight: 1, Do: killHarness},
			{Name: "kill the host", Weight: 1, Do: killHost},
			{Name: "close the host", Weight: 1, Do: closeHost},
		},
		Invariants: []chaos.Invariant[*trial]{{Name: "no command ran twice, none ran without a yes", Check: ranAtMostOnce}},
		AtEnd: []chaos.Invariant[*trial]{
			{Name: "every chat goes on", Check: everyChatGoesOn},
			{Name: "no command ran twice, none ran without a yes", Check: ranAtMostOnce},
			{Name: "what was taken is on disk", Check: takenIsWritten},
			{Name: "every message is kept once", Check: keptOnce},
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

// takenIsWritten looks for each answer that the host took in the decision log.
func takenIsWritten(ctx context.Context, s *trial) error {
	log, err := s.Decisions(ctx, url.Values{"limit": {"1000"}})
	if err != nil {
		return err
	}
	by := map[string]string{}
	for _, d := range log.Decisions {
		by[d.ToolID] = d.By
	}
	for _, m := range s.marks {
		if m.taken != "" && by[m.taken] != "person" {
			return fmt.Errorf("the answer to %s of %s was taken, and the log has it decided by %q", m.taken, m.name, by[m.taken])
		}
	}
	return nil
}

// keptOnce looks for each message in the history of its chat.
func keptOnce(ctx context.Context, s *trial) error {
	for _, c := range s.chats {
		h, err := c.History(ctx)
		if err != nil {
			return err
		}
		count := map[string]int{}
		for _, m := range h.Messages {
			for _, tool := range m.Tools {
				count[tool.ID]++
			}
			if m.Role == "user" {
				count[m.Text]++
			}
		}
		for what, n := range count {
			if n != 1 && what != scriptmodel.Steps(scriptmodel.Say("alive")) {
				return fmt.Errorf("chat %s has %q %d times", c.ID, what, n)
			}
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
