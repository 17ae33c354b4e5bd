package bridge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
)

func TestMain(m *testing.M) {
	if os.Getenv(loadServer) != "" {
		serveLoad()
	}
	goleak.VerifyTestMain(m)
}

// stage is a bridge over a double, inside a synctest bubble.
type stage struct {
	t *testing.T
	b *Bridge
	d *disk
	n atomic.Int64 // requests sent
}

// play runs f in a bubble with a fresh bridge, which is closed at its end.
func play(t *testing.T, f func(s *stage)) {
	t.Helper()
	dir, cwd := t.TempDir(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &stage{t: t, d: newDisk()}
		s.b = s.open(dir, cwd)
		f(s)
		s.close()
		if s.d.held != 0 {
			t.Errorf("%d ended runs hold the Harness", s.d.held)
		}
		s.d.die()
	})
}

func (s *stage) open(dir, cwd string) *Bridge {
	s.t.Helper()
	b, err := New(Options{Harness: s.d, Dir: dir, Workspace: cwd, Preset: "strata"})
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

func (s *stage) close() Parting {
	s.t.Helper()
	p, err := s.b.Close(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// message makes the body of a new message.
func (s *stage) message(chatID, text string) chat.StreamRequest {
	return chat.StreamRequest{ChatID: chatID, Text: text, RequestID: fmt.Sprintf("req-%d", s.n.Add(1))}
}

// send starts a run.
func (s *stage) send(chatID, text string) Subscription {
	s.t.Helper()
	return s.post(s.message(chatID, text))
}

func (s *stage) post(r chat.StreamRequest) Subscription {
	s.t.Helper()
	sub, err := s.b.Send(s.t.Context(), r)
	if err != nil {
		s.t.Fatalf("send: %v", err)
	}
	return sub
}

// Errors that have nothing technical to add: of these codes, and with these sentences.
var (
	plain  = map[chat.Code]bool{chat.CodeUnknownCommand: true, chat.CodeMessageTooLarge: true}
	closes = map[string]bool{say.AgentClosed: true, say.Unsent: true, say.WindowTooSmall: true}
)

// rest reads all frames up to the end.
func (s *stage) rest(sub Subscription) []chat.Frame {
	s.t.Helper()
	var out []chat.Frame
	for {
		f, err := sub.Next(s.t.Context())
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			s.t.Fatalf("after %s: %v", strings.Join(told(out), "; "), err)
		}
		if f.Type == chat.Failed && (len(f.Actions) == 0 || f.Key == "" || f.Details == "" && !plain[f.Code] && !closes[f.Key]) {
			s.t.Errorf("an error without a button, or without technical text: %+v", f)
		}
		out = append(out, f)
	}
}

// until reads frames up to one that want matches.
func (s *stage) until(sub Subscription, want func(chat.Frame) bool) []chat.Frame {
	s.t.Helper()
	var out []chat.Frame
	for {
		f, err := sub.Next(s.t.Context())
		if err != nil {
			s.t.Fatalf("after %s: %v", strings.Join(told(out), "; "), err)
		}
		if out = append(out, f); want(f) {
			return out
		}
	}
}

// run sends a message and reads to the end.
func (s *stage) run(chatID, text string) []chat.Frame {
	s.t.Helper()
	return s.rest(s.send(chatID, text))
}

// expect compares what frames tell.
func (s *stage) expect(frames []chat.Frame, want ...string) {
	s.t.Helper()
	if d := cmp.Diff(want, told(frames)); d != "" {
		s.t.Errorf("(-want +got):\n%s", d)
	}
}

// stop presses Stop and fails where it does not answer.
func (s *stage) stop(chatID string) chat.StopAnswer {
	s.t.Helper()
	a, err := s.b.Stop(s.t.Context(), chat.StopRequest{ChatID: chatID})
	if err != nil {
		s.t.Fatalf("stop: %v", err)
	}
	return a
}

func (s *stage) answer(r chat.ApprovalRequest) error {
	return s.b.Answer(s.t.Context(), r)
}

func (s *stage) history(chatID string) chat.Chat {
	s.t.Helper()
	c, err := s.b.Chat(s.t.Context(), chatID)
	if err != nil {
		s.t.Fatalf("history: %v", err)
	}
	return c
}

func proposed(f chat.Frame) bool {
	return f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed
}

func running(f chat.Frame) bool {
	return f.Type == chat.AgentTool && f.Tool.State == chat.ToolRunning
}

// told says in a word or two what each frame shows; deltas in a row are joined.
func told(frames []chat.Frame) []string {
	var out []string
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, fmt.Sprintf("delta %q", text))
			text = ""
		}
	}
	for _, f := range frames {
		if f.Type == chat.Delta && !f.Own {
			text += f.Text
			continue
		}
		flush()
		switch f.Type {
		case chat.Started:
			out = append(out, fmt.Sprintf("start %s %s %s", f.Mode, f.Model, f.SessionID))
		case chat.AgentTool:
			out = append(out, fmt.Sprintf("tool %s %s", f.Tool.ID, f.Tool.State))
		case chat.AgentRow:
			h := f.Agent.(*chat.Helper)
			out = append(out, fmt.Sprintf("agent %s %s", h.ID, h.Status))
		case chat.Done:
			out = append(out, fmt.Sprintf("done %s %v %d", f.Finish, *f.Cancelled, f.Usage.Prompt+f.Usage.Completion))
		case chat.Failed:
			out = append(out, "error "+string(f.Code))
		case chat.ContextUse:
		case chat.Delta:
			out = append(out, "own "+f.Text)
		case chat.Heard:
			out = append(out, "message "+f.Message.Text)
		case chat.PlanReady:
			out = append(out, strings.TrimSpace(fmt.Sprintf("plan %q %s", f.Plan.Text, f.Plan.Caution)))
		case chat.Reset:
			out = append(out, fmt.Sprintf("reset %d", len(f.Snapshot.Messages)))
		default:
			out = append(out, strings.TrimSpace(string(f.Type)+" "+f.Text))
		}
	}
	flush()
	return out
}

// code is the typed code of a refusal, "" for none.
func code(err error) chat.Code {
	var e *chat.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return chat.Code(err.Error())
	}
	return ""
}

// cancelled is a context that ends when the test says so.
func cancelled(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}

type ctx = context.Context

var (
	errBoom = errors.New("boom")
	errLost = fmt.Errorf("sending: %w", gateway.ErrLost)
)
