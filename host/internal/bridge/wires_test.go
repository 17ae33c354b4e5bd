package bridge

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"strata.dev/bridge/host/internal/gateway"
	"strata.dev/bridge/host/internal/gateway/eventsmux"
	"strata.dev/bridge/host/internal/gateway/gatewaytest"
	"strata.dev/bridge/host/internal/gateway/remotemux"
	"strata.dev/bridge/host/internal/gateway/remotemux/double"
	"strata.dev/bridge/host/internal/gateway/replay"
	"strata.dev/bridge/host/internal/say"
	"strata.dev/bridge/proto/chat"
	"strata.dev/bridge/proto/dsh"
)

var update = flag.Bool("update", false, "write down what the transcripts give, for a person to read")

// wire is a double of a Harness that speaks one of the wires, and its one session. On
// the older one an answer's chunks are in the log, on the newer one beside it.
type wire interface {
	http.Handler
	Cut(last []byte)
	dial(ctx context.Context, net *gatewaytest.Network) (gateway.Gateway, error)
	event(kind string, data any)
	message(kind string, data any) // an event that the model sees
	permissions(preset string)
	dequeue()
	begin(at dsh.Step)
	chunk(at dsh.Step, c dsh.Chunk)
	commit(at dsh.Step, m dsh.Message, u *dsh.Usage)
	fail()
	result(call, text string, failed bool)
	truncate(seq int64)
}

// conversing is one conversation played over a wire.
type conversing struct {
	wire
	turn  int
	at    dsh.Step
	open  bool        // an attempt is under way
	said  []dsh.Block // of it
	sent  string      // request id of the message
	index int
}

// TestWires: the same conversation gives the same frames over both wires, live and in
// the chat's history.
func TestWires(t *testing.T) {
	files, err := filepath.Glob("testdata/wires/*.txtar")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil || len(a.Files) != 3 {
			t.Fatalf("%s: %d sections, %v", file, len(a.Files), err)
		}
		for name, open := range map[string]func() wire{"events.mux": newOlder, "remote.mux": newNewer} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar")+"/"+name, func(t *testing.T) {
				frames, history := perform(t, open(), string(a.Files[0].Data))
				if *update {
					a.Files[1].Data, a.Files[2].Data = []byte(frames), []byte(history)
					if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if d := cmp.Diff(string(a.Files[1].Data), frames); d != "" {
					t.Errorf("frames (-want +got):\n%s", d)
				}
				if d := cmp.Diff(string(a.Files[2].Data), history); d != "" {
					t.Errorf("history (-want +got):\n%s", d)
				}
			})
		}
	}
}

// oneLife is a Harness whose process lives as long as the test.
type oneLife struct {
	gw   gateway.Gateway
	done chan struct{}
}

func (l oneLife) Ensure(context.Context) (Process, error)              { return l, nil }
func (l oneLife) Hold(context.Context, string, func()) (func(), error) { return func() {}, nil }
func (l oneLife) Status() chat.AgentStatus                             { return newDisk().Status() }
func (l oneLife) Gateway() gateway.Gateway                             { return l.gw }
func (l oneLife) Done() <-chan struct{}                                { return l.done }
func (l oneLife) Worked()                                              {}
func (l oneLife) Ended() string                                        { return "" }

// perform plays a script and gives what the page gets of it, each step's frames below
// the step, and the chat's history at the end.
func perform(t *testing.T, w wire, script string) (frames, history string) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		net := gatewaytest.NewNetwork()
		stop := net.Serve(w)
		gw, err := w.dial(t.Context(), net)
		if err != nil {
			t.Fatal(err)
		}
		b, err := New(Options{Harness: oneLife{gw, make(chan struct{})}, Dir: dir, Workspace: "/repo", Preset: "standard"})
		if err != nil {
			t.Fatal(err)
		}
		sub, err := b.Send(t.Context(), chat.StreamRequest{ChatID: "c", Text: "hello", RequestID: "r", Mode: "bypass"})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan chat.Frame, 1000)
		go func() {
			defer close(got)
			for f, err := sub.Next(t.Context()); err == nil; f, err = sub.Next(t.Context()) {
				got <- f
			}
		}()
		var out strings.Builder
		s := &conversing{wire: w, sent: "r"}
		for line := range strings.Lines("wait\n" + script) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			fmt.Fprintln(&out, line)
			if err := s.do(net, line); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			time.Sleep(20 * time.Second) // longer than any pause between two tries
			synctest.Wait()
			var first, then []string // what is said of the connection has no order with the rest
			for n := len(got); n > 0; n-- {
				if f := <-got; f.Key == say.Reconnecting || f.Key == say.Reconnected {
					first = append(first, "  "+shows(f)+"\n")
				} else {
					then = append(then, "  "+shows(f)+"\n")
				}
			}
			out.WriteString(strings.Join(append(first, then...), ""))
		}
		frames = out.String()
		c, err := b.Chat(t.Context(), "c")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range c.Messages {
			history += fmt.Sprintf("%s %q reasoning %q", m.Role, m.Text, m.Reasoning)
			for _, tool := range m.Tools {
				history += fmt.Sprintf(" [%s %s %q]", tool.Name, tool.State, tool.Result)
			}
			for _, n := range m.Notes {
				history += fmt.Sprintf(" note %q", n.Text)
			}
			history += "\n"
		}
		if _, err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
		w.Cut(nil)
		stop()
	})
	return frames, history
}

// shows says all of a frame but run, seq, session and ids.
func shows(f chat.Frame) string {
	out := string(f.Type)
	if f.Own {
		out += " own"
	}
	if f.Text != "" {
		out += fmt.Sprintf(" %q", f.Text)
	}
	if f.Tool != nil {
		out += fmt.Sprintf(" %s %s %q %q", f.Tool.Name, f.Tool.State, f.Tool.Title, f.Tool.Result)
	}
	if f.Context != nil {
		out += fmt.Sprintf(" %d of %d", f.Context.Tokens, f.Context.Window)
	}
	if f.Snapshot != nil {
		for _, m := range f.Snapshot.Messages {
			out += fmt.Sprintf(" %s %q", m.Role, m.Text)
		}
	}
	if f.Usage != nil {
		out += fmt.Sprintf(" %s %d+%d", f.Finish, f.Usage.Prompt, f.Usage.Completion)
	}
	if f.Code != "" {
		out += " " + string(f.Code)
	}
	return out
}

// do plays one step: a word and, in quotes where it has spaces, what it is about.
func (s *conversing) do(net *gatewaytest.Network, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	if text, err := strconv.Unquote(rest); err == nil {
		rest = text
	}
	switch verb {
	case "wait":
	case "turn":
		s.turn++
		s.at = dsh.Step{Turn: s.turn}
		s.event(dsh.TypeTurnStart, dsh.Turn{Turn: s.turn})
		s.dequeue()
		s.message(dsh.TypeUserMessage, dsh.Message{
			ID: "m", Role: "user", Content: []dsh.Block{{Type: "text", Text: "hello"}}, Source: dsh.Source{Kind: "user", RPCID: s.sent},
		})
		s.event(dsh.TypeRequestContext, dsh.RequestContext{Provider: "p", Model: "m", ContextWindow: 1000})
	case "step":
		s.at.Step++
		s.event(dsh.TypeStepStart, s.at)
	case "think", "say":
		kind, delta := "text", "text-delta"
		if verb == "think" {
			kind, delta = "reasoning", "reasoning-delta"
		}
		s.block(kind)
		s.said[len(s.said)-1].Text += rest
		s.chunk(s.at, dsh.Chunk{Type: delta, Index: s.index, Text: rest})
	case "call": // its arguments come in two pieces
		s.block("tool-call")
		b := &s.said[len(s.said)-1]
		b.ID, b.Name, b.Arguments = "call-1", "bash", rest
		half := len(rest) / 2
		s.chunk(s.at, dsh.Chunk{Type: "tool-call-delta", Index: s.index, ID: b.ID, Name: b.Name, ArgumentsDelta: rest[:half]})
		s.chunk(s.at, dsh.Chunk{Type: "tool-call-delta", Index: s.index, ID: b.ID, ArgumentsDelta: rest[half:]})
	case "commit":
		s.finish(&dsh.EndReason{Kind: "stop"})
		u := &dsh.Usage{InputTokens: 90, OutputTokens: 10}
		s.commit(s.at, dsh.Message{ID: "a", Role: "assistant", Content: s.said, Source: dsh.Source{Kind: "model"}}, u)
		s.open = false
	case "lose": // the message says more than the chunks that came
		s.said[len(s.said)-1].Text += rest
	case "fail":
		s.attempt()
		failure := dsh.LLMFailed{Code: "TRANSPORT", Message: rest}
		s.finish(&dsh.EndReason{Kind: "error", Failure: &failure})
		s.fail()
		s.open = false
		s.event(dsh.TypeLLMRetry, dsh.Retry{Turn: s.at.Turn, Step: s.at.Step, Retry: 1, MaxRetries: 5, Failure: failure})
	case "run":
		s.event(dsh.TypeToolCall, dsh.ToolCall{Turn: s.at.Turn, Step: s.at.Step, CallID: "call-1", Name: "bash", Arguments: rest})
	case "out", "err":
		s.result("call-1", rest, verb == "err")
	case "end":
		s.event(dsh.TypeTurnEnd, dsh.TurnEnd{Turn: s.turn, Reason: dsh.EndReason{Kind: rest}})
	case "cut":
		s.Cut(nil)
	case "away":
		net.Refuse(true)
		s.Cut(nil)
	case "back":
		net.Refuse(false)
	case "truncate":
		seq, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			return err
		}
		s.truncate(seq)
		s.event("session/end-seed", struct{}{})
	default:
		return fmt.Errorf("no such step")
	}
	return nil
}

func (s *conversing) attempt() {
	if !s.open {
		s.open, s.said, s.index = true, nil, -1
		s.begin(s.at)
	}
}

// block begins one of that kind unless it is open.
func (s *conversing) block(kind string) {
	s.attempt()
	if n := len(s.said); n > 0 && s.said[n-1].Type == kind {
		return
	}
	s.endBlock()
	s.said = append(s.said, dsh.Block{Type: kind})
	s.index++
	s.chunk(s.at, dsh.Chunk{Type: "block-start", Index: s.index, BlockType: kind})
}

func (s *conversing) endBlock() {
	if n := len(s.said); n > 0 {
		b := s.said[n-1]
		s.chunk(s.at, dsh.Chunk{Type: "block-end", Index: s.index, Block: &b})
	}
}

func (s *conversing) finish(reason *dsh.EndReason) {
	if reason.Kind != "error" {
		s.endBlock()
	}
	s.chunk(s.at, dsh.Chunk{Type: "finish", Reason: reason})
}

// presets answers /permission as the Harness does.
func presets(w wire, line string) (text string, ok, found bool) {
	name, preset, _ := strings.Cut(strings.TrimPrefix(line, "/"), " ")
	if name != "permission" {
		return "", false, false
	}
	w.event(dsh.TypePermissionPreset, dsh.Value{Preset: preset})
	w.permissions(preset)
	w.event(dsh.TypeCommandDone, dsh.Command{CommandID: "c", Kind: "success"})
	return "preset " + preset, true, true
}

// older speaks events.mux.
type older struct {
	*replay.Server
	se *replay.Session
}

func newOlder() wire {
	w := &older{Server: replay.New("")}
	w.Created = func(se *replay.Session) { w.se = se }
	w.Executed = func(_ *replay.Session, line string) (string, bool, bool) { return presets(w, line) }
	return w
}

func (w *older) dial(ctx context.Context, net *gatewaytest.Network) (gateway.Gateway, error) {
	return eventsmux.Dial(ctx, eventsmux.Options{BaseURL: "http://127.0.0.1:1", DialContext: net.Dial})
}
func (w *older) event(kind string, data any)   { w.se.Append(kind, data) }
func (w *older) message(kind string, data any) { w.se.AppendFrom(kind, data, nil) }
func (w *older) dequeue()                      { w.se.Dequeue() }
func (w *older) begin(dsh.Step)                {}
func (w *older) fail()                         {}
func (w *older) truncate(seq int64)            { w.Restart(); w.se.Truncate(seq) }
func (w *older) permissions(preset string) {
	w.se.Project(dsh.KeyPermissions, dsh.Permissions{CurrentValue: preset})
}
func (w *older) chunk(at dsh.Step, c dsh.Chunk) {
	w.se.Append(dsh.TypeAssistantChunk, dsh.AssistantChunk{Turn: at.Turn, Step: at.Step, Chunk: c})
}
func (w *older) commit(at dsh.Step, m dsh.Message, u *dsh.Usage) {
	w.se.AppendFrom(dsh.TypeAssistantMessage, dsh.AssistantMessage{Turn: at.Turn, Step: at.Step, Message: m, Usage: u}, nil)
}
func (w *older) result(call, text string, failed bool) {
	w.se.AppendFrom(dsh.TypeToolResult, toolResult(call, text, failed, ""), nil)
}

// newer speaks remote.mux.
type newer struct {
	*double.Server
	se *double.Session
}

func newNewer() wire {
	w := &newer{Server: double.New("t0ken")}
	w.Created = func(se *double.Session) { w.se = se }
	w.Executed = func(_ *double.Session, line string) (string, bool, bool) { return presets(w, line) }
	return w
}

func (w *newer) dial(ctx context.Context, net *gatewaytest.Network) (gateway.Gateway, error) {
	return remotemux.Dial(ctx, remotemux.Options{
		Launch: remotemux.Launch{BaseURL: "http://127.0.0.1:1", Token: "t0ken"}, DialContext: net.Dial,
	})
}
func (w *newer) event(kind string, data any)   { w.se.Append(kind, data) }
func (w *newer) message(kind string, data any) { w.se.AppendMessage(kind, data) }
func (w *newer) dequeue()                      { w.se.Dequeue() }
func (w *newer) begin(at dsh.Step)             { w.se.Start(at.Turn, at.Step) }
func (w *newer) chunk(_ dsh.Step, c dsh.Chunk) { w.se.Delta(c, false) }
func (w *newer) fail()                         { w.se.Fail() }
func (w *newer) truncate(seq int64)            { w.Restart("t0ken", true); w.se.Truncate(seq) }
func (w *newer) permissions(preset string) {
	w.se.Project(dsh.KeyPermissions, dsh.Permissions{CurrentValue: preset})
}
func (w *newer) commit(_ dsh.Step, m dsh.Message, u *dsh.Usage) { w.se.CommitMessage(m, u) }

// result is a message of its own on this wire.
func (w *newer) result(call, text string, failed bool) {
	w.se.AppendMessage(dsh.TypeToolResult, map[string]any{"turn": 1, "step": 1, "message": map[string]any{
		"id": "t", "role": "tool", "toolCallId": call, "isError": failed, "source": dsh.Source{Kind: "tool", CallID: call},
		"content": []dsh.Block{{Type: "text", Text: text}},
	}})
}
