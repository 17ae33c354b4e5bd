package eventsmux_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/proto/dsh"
)

// world is a Harness, the real one or the double.
type world struct {
	gw      *eventsmux.Gateway
	repo    string
	restart func() *eventsmux.Gateway
}

// conversation does a transcript's steps, one a line, and writes down what comes
// of each. Ids and times are left out, projections and the queue too: they come
// between the events at no fixed place.
type conversation struct {
	t   *testing.T
	w   world
	out strings.Builder

	session string
	stream  gateway.Stream
	watcher gateway.Watcher
	asked   gateway.Approval
	last    int64 // seq of the newest event
}

func converse(t *testing.T, w world, steps string) string {
	t.Helper()
	c := &conversation{t: t, w: w, last: -1}
	for line := range strings.Lines(steps) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		fmt.Fprintf(&c.out, "> %s\n", line)
		verb, rest, _ := strings.Cut(line, " ")
		step, ok := verbs[verb]
		if !ok {
			t.Fatalf("no step is called %q", verb)
		}
		if err := step(c, t.Context(), rest); err != nil {
			c.printf("error: %s", c.neutral(err.Error()))
		}
	}
	if c.stream != nil {
		c.stream.Close()
		c.watcher.Close()
	}
	return c.out.String()
}

func (c *conversation) printf(format string, args ...any) {
	fmt.Fprintf(&c.out, "  "+format+"\n", args...)
}

func (c *conversation) neutral(s string) string {
	if c.session != "" {
		s = strings.ReplaceAll(s, c.session, "SESSION")
	}
	return s
}

// verbs are the steps.
var verbs = map[string]func(c *conversation, ctx context.Context, rest string) error{
	"create": func(c *conversation, ctx context.Context, preset string) error {
		id, err := c.w.gw.CreateSession(ctx, c.w.repo, preset)
		if err != nil {
			return err
		}
		c.session = id
		return c.follow(ctx)
	},
	"execute": func(c *conversation, ctx context.Context, line string) error {
		r, err := c.w.gw.Execute(ctx, c.session, line)
		if err == nil {
			c.printf("found %v, ok %v: %s", r.Found, r.OK, r.Text)
		}
		return err
	},
	"model": func(c *conversation, ctx context.Context, rest string) error {
		provider, id, _ := strings.Cut(rest, " ")
		return c.w.gw.SelectModel(ctx, c.session, gateway.Model{Provider: provider, ID: id})
	},
	"prompt": func(c *conversation, ctx context.Context, rest string) error { return c.prompt(ctx, rest, false) },
	"resend": func(c *conversation, ctx context.Context, rest string) error { return c.prompt(ctx, rest, true) },
	"steer": func(c *conversation, ctx context.Context, rest string) error {
		id, text, _ := strings.Cut(rest, " ")
		return c.w.gw.Prompt(ctx, gateway.Prompt{SessionID: c.session, RequestID: id, Text: text, Steer: true})
	},
	"prompt-unknown": func(c *conversation, ctx context.Context, _ string) error {
		return c.w.gw.Prompt(ctx, gateway.Prompt{SessionID: "session-nope", RequestID: "x", Text: "x"})
	},
	// until prints events up to the first of that type.
	"until": func(c *conversation, ctx context.Context, typ string) error { return c.until(ctx, typ) },
	"approval": func(c *conversation, _ context.Context, _ string) error {
		c.asked = gatewaytest.Next(c.t, c.watcher, gatewaytest.Approval)
		same := c.asked.SessionID == c.session && c.asked.ID != "" && c.asked.ApprovalID != "" && c.asked.CallID != ""
		c.printf("%s: %s (complete: %v)", c.asked.Tool, c.asked.Reason, same)
		return nil
	},
	"allow":  func(c *conversation, ctx context.Context, _ string) error { return c.answer(ctx, c.session, true) },
	"reject": func(c *conversation, ctx context.Context, _ string) error { return c.answer(ctx, c.session, false) },
	"allow-for-another": func(c *conversation, ctx context.Context, _ string) error {
		return c.answer(ctx, "session-another", true)
	},
	"resolved": func(c *conversation, _ context.Context, _ string) error {
		r := gatewaytest.Next(c.t, c.watcher, gatewaytest.Resolved)
		c.printf("%s (the one that was asked: %v)", r.Outcome, r.ApprovalID == c.asked.ApprovalID)
		return nil
	},
	"cancel": func(c *conversation, ctx context.Context, _ string) error { return c.w.gw.Cancel(ctx, c.session) },
	"rename": func(c *conversation, ctx context.Context, title string) error {
		return c.w.gw.Rename(ctx, c.session, title)
	},
	"interrupt-nobody": func(c *conversation, ctx context.Context, _ string) error {
		return c.w.gw.InterruptHelper(ctx, c.session, "nobody")
	},
	"snapshot": func(c *conversation, ctx context.Context, _ string) error {
		s, err := c.w.gw.Snapshot(ctx, c.session, 0)
		if err != nil {
			return err
		}
		whole := s.LastSeq == c.last && len(s.Events) == int(c.last)+1
		title, _ := dsh.DecodeProjection(dsh.KeyTitle, s.Projections[dsh.KeyTitle])
		name, _ := title.(*string)
		if name == nil {
			name = new(string)
		}
		c.printf("whole log: %v, running: %v, title: %q", whole, s.Running, *name)
		return nil
	},
	"sessions": func(c *conversation, ctx context.Context, _ string) error {
		list, err := c.w.gw.Sessions(ctx)
		for _, s := range list {
			if s.ID == c.session {
				c.printf("title: %q, running: %v, in the workspace: %v, helper: %v", s.Title, s.Running, s.CWD == c.w.repo, s.Origin != "")
			}
		}
		return err
	},
	// listed is sessions without the title: a cold session's comes from a cache,
	// which the end of a process may or may not have written.
	"listed": func(c *conversation, ctx context.Context, _ string) error {
		list, err := c.w.gw.Sessions(ctx)
		for _, s := range list {
			if s.ID == c.session {
				c.printf("running: %v, in the workspace: %v, helper: %v", s.Running, s.CWD == c.w.repo, s.Origin != "")
			}
		}
		return err
	},
	// restart kills the process and starts it again.
	"restart": func(c *conversation, ctx context.Context, _ string) error {
		c.stream.Close()
		c.watcher.Close()
		c.w.gw = c.w.restart()
		return c.follow(ctx)
	},
}

func (c *conversation) follow(ctx context.Context) (err error) {
	c.watcher = c.w.gw.Watch()
	c.stream, err = c.w.gw.Follow(ctx, c.session, c.last)
	return err
}

func (c *conversation) prompt(ctx context.Context, rest string, resend bool) error {
	id, text, _ := strings.Cut(rest, " ")
	return c.w.gw.Prompt(ctx, gateway.Prompt{SessionID: c.session, RequestID: id, Text: text, Resend: resend})
}

func (c *conversation) answer(ctx context.Context, session string, allow bool) error {
	return c.w.gw.Answer(ctx, gateway.Answer{ID: c.asked.ID, SessionID: session, ApprovalID: c.asked.ApprovalID, Allow: allow})
}

func (c *conversation) until(ctx context.Context, typ string) error {
	for {
		item, err := c.stream.Next(ctx)
		if err != nil {
			return err
		}
		e := item.Event
		if e == nil {
			continue
		}
		if e.Seq != c.last+1 {
			c.printf("seq %d follows %d", e.Seq, c.last)
		}
		c.last = e.Seq
		c.printf("%s", c.neutral(strings.TrimSpace(e.Type+" "+facts(*e))))
		if e.Type == typ {
			return nil
		}
	}
}

// facts gives what a reader of the transcript wants to know of an event.
func facts(e dsh.Event) string {
	v, err := dsh.Decode(e)
	if err != nil {
		return err.Error()
	}
	switch v := v.(type) {
	case *dsh.TurnEnd:
		cause := ""
		if v.Reason.Cause != nil {
			cause = " by " + v.Reason.Cause.Kind
		}
		return v.Reason.Kind + cause
	case *dsh.Splice:
		var from []string
		for _, m := range v.Inserted {
			from = append(from, m.Source.Kind+" "+m.Source.RPCID)
		}
		return fmt.Sprintf("%s -%d +%d %s", v.Target, v.RemovedCount, len(v.Inserted), strings.Join(from, ", "))
	case *dsh.Message:
		if v.Source.Kind != "user" {
			return "of " + v.Source.Kind
		}
		return v.Source.RPCID + ": " + v.Content[0].Text
	case *dsh.AssistantChunk:
		return strings.TrimSpace(v.Chunk.Type + " " + v.Chunk.Text)
	case *dsh.AssistantMessage:
		return fmt.Sprintf("%s %s%s", v.Message.Content[0].Type, v.Message.Content[0].Text, v.Message.Content[0].Arguments)
	case *dsh.ToolCall:
		return v.Name + " " + v.Arguments
	case *dsh.ToolResult:
		b := v.Message.Content[0]
		code := ""
		if v.Error != nil {
			code = " " + v.Error.Code
		}
		text, _, _ := strings.Cut(b.Content[0].Text, "\n")
		return fmt.Sprintf("error %v%s: %.60s", b.IsError, code, text)
	case *dsh.Approval:
		return strings.TrimSpace(v.ToolName + " " + v.Reason + v.Outcome)
	case *dsh.Value:
		return v.Mode + v.Policy + v.Preset
	case *dsh.Command:
		return strings.TrimSpace(v.Name + v.Args + v.Kind + " " + v.Text)
	case *dsh.Title:
		return fmt.Sprintf("%q by %s", v.Title, v.Source.Kind)
	case *dsh.RequestContext:
		return fmt.Sprintf("%s/%s %d", v.Provider, v.Model, v.ContextWindow)
	default:
		return ""
	}
}
