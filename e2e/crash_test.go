package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/kit/procfs"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// harnessOf finds the Harness process of a host: the Node that runs dsh in the
// host's own DSH_HOME.
func harnessOf(ctx context.Context, t *testing.T, w *world) procfs.Process {
	t.Helper()
	var found procfs.Process
	must(t, kit.Until(ctx, func(context.Context) error {
		all, err := procfs.Marked("DSH_HOME", w.home.Data+"/agent/home")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p procfs.Process) bool { return slices.Contains(p.Args, "--profile") })
		if i < 0 {
			return errNotYet
		}
		found = all[i]
		return nil
	}))
	return found
}

// runningTool starts a tool command that never ends by itself and gives its
// processes once they run.
func runningTool(ctx context.Context, t *testing.T, w *world, c kit.Chat, mark string) (*kit.Run, []procfs.Process) {
	t.Helper()
	run := send(ctx, t, c, scriptmodel.Steps(
		scriptmodel.Bash(fmt.Sprintf("echo ran >> %s.log; tail -f /dev/null # %s", mark, mark)), scriptmodel.Say("never")))
	must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
	var tools []procfs.Process
	must(t, kit.Until(ctx, func(context.Context) error {
		all, err := procfs.Descendants(harnessOf(ctx, t, w).PID)
		if err != nil {
			return err
		}
		tools = slices.DeleteFunc(all, func(p procfs.Process) bool {
			return !strings.Contains(strings.Join(p.Args, " "), "tail -f /dev/null")
		})
		if !w.exists(t, mark+".log") || len(tools) == 0 {
			return errNotYet
		}
		return nil
	}))
	return run, tools
}

func gone(ctx context.Context, t *testing.T, what string, processes ...procfs.Process) {
	t.Helper()
	for _, p := range processes {
		must(t, kit.Until(ctx, func(context.Context) error {
			if p.Alive() {
				return fmt.Errorf("%s %d still runs: %v", what, p.PID, p.Args)
			}
			return nil
		}))
	}
}

// remembers sends a message whose request must hold the chat's earlier words.
func remembers(ctx context.Context, t *testing.T, w *world, c kit.Chat, session, earlier string) {
	t.Helper()
	frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("still here")))
	if got := kit.Text(frames); got != "still here" {
		t.Errorf("the message after the crash says %q", got)
	}
	i := slices.IndexFunc(frames, kit.OfType(chat.Started))
	if i < 0 || frames[i].SessionID != session {
		t.Errorf("the chat goes on in another session than %s: %+v", session, frames)
	}
	r, err := w.model.WaitRequest(ctx, scriptmodel.And(scriptmodel.Asks("still here"), func(r scriptmodel.Request) bool { return strings.Contains(string(r.Body), earlier) }))
	if err != nil {
		t.Errorf("the history is lost: %v %+v", err, r.N)
	}
}

func sessionOf(frames []chat.Frame) string {
	if i := slices.IndexFunc(frames, kit.OfType(chat.Started)); i >= 0 {
		return frames[i].SessionID
	}
	return ""
}

func TestHarnessIsKilledMidTurn(t *testing.T) {
	t.Parallel()
	overEach(t, []string{"0.1.0", "0.2"}, harnessKilled)
}

func harnessKilled(ctx context.Context, t *testing.T, o kit.HostOptions) {
	w := newWorld(ctx, t, o)
	c := w.NewChat()
	session := sessionOf(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("remember the word heliotrope"))))

	asks := w.NewChat()
	asking := send(ctx, t, asks, scriptmodel.Steps(scriptmodel.Write(w.path("unanswered.txt"), "x"), scriptmodel.Say("never")))
	proposed := card(ctx, t, asking, "write", chat.ToolProposed)

	run, tools := runningTool(ctx, t, w, c, "harness-killed")
	logged(ctx, t, w, proposed.ID)
	harness := harnessOf(ctx, t, w)
	must(t, syscall.Kill(harness.PID, syscall.SIGKILL))
	frames, err := run.End(ctx)
	must(t, err)
	var failures []chat.Frame
	for _, f := range frames {
		if f.Type == chat.Failed {
			failures = append(failures, f)
		}
	}
	if len(failures) != 1 || failures[0].Code != chat.CodeAgentStopped || !strings.HasSuffix(failures[0].Text, ".") {
		t.Errorf("the run's error frames: %+v", failures)
	}
	gone(ctx, t, "an orphaned tool", tools...)
	status, err := w.Status(ctx)
	must(t, err)
	if e := status.LastEnd; e == nil || !strings.Contains(e.Details, "killed") || e.Text == "" || e.Time == 0 {
		t.Errorf("the status says of the end: %+v", e)
	}
	unanswered(ctx, t, w, asks, asking, proposed)

	remembers(ctx, t, w, c, session, "heliotrope")
	if text, _ := w.home.Read(t, "harness-killed.log"); text != "ran\n" {
		t.Errorf("the interrupted tool ran so often: %q", text)
	}
}

// logged waits until the Harness has written a tool call down: what it only knows when
// it is killed is lost to everybody.
func logged(ctx context.Context, t *testing.T, w *world, call string) {
	t.Helper()
	const script = `const fs = require('fs'), path = require('path'), zlib = require('zlib')
const [folder, call] = process.argv.slice(1)
const read = file => zlib.zstdDecompressSync(fs.readFileSync(path.join(folder, file)), { finishFlush: zlib.constants.ZSTD_e_flush }).toString()
process.exit(fs.readdirSync(folder, { recursive: true }).some(file => file.endsWith('.zstd') && read(file).includes(JSON.stringify(call))) ? 0 : 1)`
	must(t, kit.Until(ctx, func(ctx context.Context) error {
		return exec.CommandContext(ctx, kit.Node(t), "-e", script, filepath.Join(w.home.Data, "agent", "home", "sessions"), call).Run()
	}))
}

// unanswered looks at a question that waited when the Harness was killed: its card ends
// and says so, nobody answers it, and the chat asks again only with the next message.
func unanswered(ctx context.Context, t *testing.T, w *world, c kit.Chat, asking *kit.Run, proposed chat.Tool) {
	t.Helper()
	failedWith(ctx, t, asking, chat.CodeAgentStopped)
	denied := card(ctx, t, asking, "write", chat.ToolDenied)
	if denied.ID != proposed.ID || denied.Result != "This was not answered and did not run. Ask again if you want it." {
		t.Errorf("the card ends as %+v", denied)
	}
	refusedWith(t, c.Approve(ctx, proposed), 409, chat.CodeNotPending)
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("asked-again.txt"), "x"), scriptmodel.Say("asked again")))
	again := card(ctx, t, run, "write", chat.ToolProposed)
	pending, err := w.Pending(ctx, c.ID)
	must(t, err)
	if len(pending) != 1 || pending[0].Tool.ID != again.ID || again.ID == proposed.ID {
		t.Errorf("these wait: %+v", pending)
	}
	must(t, c.Approve(ctx, again))
	ended(ctx, t, run)
	if !w.exists(t, "asked-again.txt") || w.exists(t, "unanswered.txt") {
		t.Error("what was asked again is not what was done")
	}
	h, err := c.History(ctx)
	must(t, err)
	states := map[string]chat.ToolState{}
	for _, m := range h.Messages {
		for _, tool := range m.Tools {
			states[tool.ID] = tool.State
		}
	}
	if d := cmp.Diff(map[string]chat.ToolState{proposed.ID: chat.ToolDenied, again.ID: chat.ToolDone}, states); d != "" {
		t.Errorf("the cards in the history (-want +got):\n%s", d)
	}
}

func TestHostIsKilledMidTurn(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	c := w.NewChat()
	session := sessionOf(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("remember the word periwinkle"))))
	_, tools := runningTool(ctx, t, w, c, "host-killed")

	// A Harness that is stopped cannot end by itself when its host dies.
	harness := harnessOf(ctx, t, w)
	must(t, syscall.Kill(harness.PID, syscall.SIGSTOP))
	w.Kill()
	if !harness.Alive() {
		t.Fatal("the stopped Harness is gone; nothing is left to clean up")
	}

	// The next host on the same data cleans up and goes on.
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model})
	c.Client = w.Client
	remembers(ctx, t, w, c, session, "periwinkle")
	gone(ctx, t, "the leftover Harness", harness)
	gone(ctx, t, "an orphaned tool", tools...)
	h, err := c.History(ctx)
	must(t, err)
	if len(h.Messages) < 4 {
		t.Errorf("the history after the crash: %+v", h.Messages)
	}
}

// A host that is killed takes its Harness along, tool commands included, even
// when no next host ever starts.
func TestHarnessFollowsItsHost(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	_, tools := runningTool(ctx, t, w, w.NewChat(), "follows")
	harness := harnessOf(ctx, t, w)
	w.Kill()
	gone(ctx, t, "the Harness", harness)
	gone(ctx, t, "a tool", tools...)
}

// One host a data folder: the second says so in one plain sentence.
func TestSecondHostIsRefused(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	harnessOf(ctx, t, w)
	second := kit.LaunchHost(t, w.home, kit.HostOptions{Model: w.model})
	code, err := second.Wait(ctx)
	must(t, err)
	if code == 0 || len(second.Output()) == 0 {
		t.Errorf("the second host ended with %d and said %q", code, second.Output())
	}
	play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Say("the first one goes on")))
}
