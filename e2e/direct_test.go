package e2e

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// noHarness is a folder without one.
func noHarness(t *testing.T, home *kit.Home) string {
	t.Helper()
	dir := filepath.Join(home.Dir, "no-harness")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// lines tells messages, a line each, without their times.
func lines(messages []chat.Message) []string {
	var out []string
	for _, m := range messages {
		line := m.Role + ": " + m.Text
		for _, n := range m.Notes {
			line += " [" + n.Text + "]"
		}
		out = append(out, line)
	}
	return out
}

const (
	notInstalled = `The agent is not installed. Run "make run" once, or start Strata with --harness and its folder.`
	answersAlone = "Until then the model answers alone, without files and tools. Of this chat it sees only what was written without the agent."
)

// alone sends a message to a host without a Harness and checks its frames.
func alone(ctx context.Context, t *testing.T, c kit.Chat, text string) []chat.Frame {
	t.Helper()
	frames := kit.Merge(play(ctx, t, c, text))
	var types []chat.FrameType
	for _, f := range frames {
		types = append(types, f.Type)
	}
	want := []chat.FrameType{chat.Queued, chat.Notice, chat.Notice, chat.Started, chat.Reasoning, chat.Delta, chat.Done}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if frames[1].Text != notInstalled || frames[1].Code != chat.CodeAgentUnavailable || frames[2].Text != answersAlone {
		t.Errorf("the notices are %+v and %+v", frames[1], frames[2])
	}
	if s := frames[3]; s.Agent != false || s.SessionID != "" || s.Mode != "manual" || s.Model == "" {
		t.Errorf("the start frame is %+v", s)
	}
	if u := frames[6].Usage; u == nil || u.Prompt == 0 || u.Completion == 0 {
		t.Errorf("the usage is %+v", u)
	}
	return frames
}

// TestWithoutHarness: a message is answered by the model alone, a reload and a restart
// show it, the next one has what came before, and Stop reaches the model server.
func TestWithoutHarness(t *testing.T) {
	t.Parallel()
	const key = "sk-e2e-direct-0123456789"
	ctx := kit.Context(t)
	home, model := kit.NewHome(t), kit.StartModel(t, scriptmodel.Config{Key: key})
	o := kit.HostOptions{Model: model, Harness: noHarness(t, home), Key: key}
	h := kit.StartHost(ctx, t, home, o)
	var status chat.AgentStatus
	must(t, kit.Until(ctx, func(ctx context.Context) (err error) { // it looks for one first
		if status, err = h.Status(ctx); err == nil && status.State != "missing" {
			err = fmt.Errorf("the status is %+v", status)
		}
		return err
	}))
	if status.Text != notInstalled {
		t.Errorf("the status is %+v", status)
	}

	c := h.NewChat()
	frames := alone(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think("hm"), scriptmodel.Say("hello there"))))
	if got := kit.Text(frames); got != "hello there" {
		t.Errorf("the answer is %q", got)
	}
	before, err := c.History(ctx)
	must(t, err)
	note := " [" + notInstalled + "] [" + answersAlone + "]"
	if got := lines(before.Messages); len(got) != 2 || !strings.HasPrefix(got[0], "user: #! THINK") || got[1] != "assistant: hello there"+note || before.Messages[1].Reasoning != "hm" {
		t.Errorf("the history is %q", got)
	}

	if code, err := h.Process.Stop(ctx); code != 0 || err != nil {
		t.Fatalf("SIGTERM: exit code %d, %v", code, err)
	}
	h = kit.StartHost(ctx, t, home, o)
	c.Client = h.Client
	after, err := c.History(ctx)
	must(t, err)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the history after a restart (-before +after):\n%s", diff)
	}
	list, err := h.Chats(ctx)
	must(t, err)
	if diff := cmp.Diff([]chat.ChatSummary{before.ChatSummary}, list); diff != "" {
		t.Errorf("the list (-want +got):\n%s", diff)
	}

	alone(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Think("hm"), scriptmodel.Say("second"))))
	requests := model.Requests()
	var roles []string
	for _, m := range requests[len(requests)-1].Chat.Messages {
		roles = append(roles, m.Role)
	}
	if diff := cmp.Diff([]string{"system", "user", "assistant", "user"}, roles); diff != "" {
		t.Errorf("the second request (-want +got):\n%s", diff)
	}

	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Step(scriptmodel.Say("the beginning "), scriptmodel.Hold("direct-stop"), scriptmodel.Say("the end"))))
	if _, err := run.Wait(ctx, kit.Says("the beginning")); err != nil {
		t.Fatal(err)
	}
	stopped(ctx, t, c, run)
	if _, err := model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("direct-stop"), scriptmodel.WasLeft)); err != nil {
		t.Errorf("Stop did not reach the model server: %v", err)
	}
	if code, err := h.Process.Stop(ctx); code != 0 || err != nil {
		t.Errorf("SIGTERM: exit code %d, %v", code, err)
	}
	noKeyIn(t, home.Data, key)
}

// noKeyIn looks through all files of a folder.
func noKeyIn(t *testing.T, dir, key string) {
	t.Helper()
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	}))
	if files < 3 {
		t.Errorf("only %d files were looked through", files)
	}
}

// TestErrorsWithoutHarness: what the model server refuses is told in plain words.
func TestErrorsWithoutHarness(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home, model := kit.NewHome(t), kit.StartModel(t, scriptmodel.Config{})
	h := kit.StartHost(ctx, t, home, kit.HostOptions{Model: model, Harness: noHarness(t, home)})
	for _, tt := range []struct {
		script string
		want   chat.Frame
	}{
		{"#! ERR 401", chat.Frame{Code: chat.CodeModelFailed, Sentence: plain("The model server did not accept the key. Check it under Models, or in the key file that Strata was started with."), Actions: []string{"choose-model"}}},
		{"#! ERR 429", chat.Frame{Code: chat.CodeModelFailed, Sentence: plain("The model server has too many requests right now. Wait a minute and send the message again."), Actions: []string{"retry"}}},
		{"#! ERR 400 overflow", chat.Frame{Code: chat.CodeContextFull, Sentence: plain("This chat has become too long for the model. Start a new chat, or send a shorter message."), Actions: []string{"new-chat"}}},
		{"#! SAY half / CUT", chat.Frame{Code: chat.CodeModelFailed, Sentence: plain("The model's answer broke off. Send the message again to get a whole one."), Actions: []string{"retry"}}},
		{"#! SAY half / ERR 500", chat.Frame{Code: chat.CodeModelFailed, Sentence: plain("The model server has a fault of its own. Wait a minute and send the message again."), Actions: []string{"retry"}}},
	} {
		run := send(ctx, t, h.NewChat(), tt.script)
		frames, err := run.End(ctx)
		must(t, err)
		tt.want.Type = chat.Failed
		last := frames[len(frames)-1]
		if last.Details == "" {
			t.Errorf("%s: no details", tt.script)
		}
		if diff := cmp.Diff(tt.want, last, cmpopts.IgnoreFields(chat.Frame{}, "Run", "Seq", "Details")); diff != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tt.script, last.Details, diff)
		}
	}
}

// TestEngineWithoutHarness: a chat whose engine crashes is told, and one whose engine is
// unloaded goes to no other model.
func TestEngineWithoutHarness(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home, model := kit.NewHome(t), kit.StartModel(t, scriptmodel.Config{})
	h := kit.StartHost(ctx, t, home, kit.HostOptions{Model: model, Harness: noHarness(t, home)})
	engine := startProviders(t, model).engine(t)
	must(t, h.Do(ctx, "PUT", "/api/models/local/7f", chat.LocalSpec{BaseURL: engine.URL + "/app/v1", Model: "gyro-s", ContextWindow: 65_536, Slots: 2}, nil))
	c := h.NewChat()
	if got := kit.Text(play(ctx, t, c, "#! SAY here", onModel("app-7f/gyro-s", ""))); got != "here" {
		t.Errorf("the engine says %q", got)
	}
	if got := kit.Text(play(ctx, t, c, "#! SAY still here")); got != "still here" {
		t.Errorf("the engine says %q", got)
	}
	asked := len(model.Requests())
	engine.Close()
	refused(ctx, t, c, "")
	must(t, h.Do(ctx, "DELETE", "/api/models/local/7f", nil, nil))
	refused(ctx, t, c, "")
	if n := len(model.Requests()); n != asked {
		t.Errorf("%d messages reached another model", n-asked)
	}
	if code, err := h.Process.Stop(ctx); code != 0 || err != nil {
		t.Errorf("SIGTERM: exit code %d, %v", code, err)
	}
}

func plain(text string) chat.Sentence { return chat.Sentence{Text: text, Key: text} }

// TestHarnessComesBack: a chat that began on the agent is answered by the model alone
// while there is none, and goes on in its session afterwards.
func TestHarnessComesBack(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	c := w.NewChat()
	play(ctx, t, c, "#! SAY with the agent")
	begun, err := c.History(ctx)
	must(t, err)
	restart := func(o kit.HostOptions) {
		t.Helper()
		if code, err := w.Process.Stop(ctx); code != 0 || err != nil {
			t.Fatalf("SIGTERM: exit code %d, %v", code, err)
		}
		o.Model = w.model
		w.Host = kit.StartHost(ctx, t, w.home, o)
		c.Client = w.Client
	}

	restart(kit.HostOptions{Harness: noHarness(t, w.home)})
	alone(ctx, t, c, "#! THINK hm / SAY without it")
	note := " [" + notInstalled + "] [" + answersAlone + "]"
	want := []string{
		"assistant:  [The earlier part of this chat is kept by the agent. It shows again once the agent runs.]",
		"user: #! THINK hm / SAY without it", "assistant: without it" + note,
	}
	h, err := c.History(ctx)
	must(t, err)
	if diff := cmp.Diff(want, lines(h.Messages)); diff != "" {
		t.Errorf("the history without it (-want +got):\n%s", diff)
	}

	restart(kit.HostOptions{})
	frames := play(ctx, t, c, "#! SAY with it again")
	var sessions []string
	for _, f := range frames {
		if f.Type == chat.Started {
			sessions = append(sessions, f.SessionID)
		}
	}
	if diff := cmp.Diff([]string{begun.SessionID}, sessions); diff != "" || begun.SessionID == "" {
		t.Errorf("the session (-want +got):\n%s", diff)
	}
	want = []string{
		"user: #! SAY with the agent", "assistant: with the agent",
		"user: #! THINK hm / SAY without it", "assistant: without it" + note,
		"user: #! SAY with it again", "assistant: with it again",
	}
	if h, err = c.History(ctx); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, lines(h.Messages)); diff != "" {
		t.Errorf("the history (-want +got):\n%s", diff)
	}
}
