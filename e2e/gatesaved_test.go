package e2e

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// asked plays one command and gives its card once the card says how far a yes may
// reach; the command has not run.
func asked(ctx context.Context, t *testing.T, c kit.Chat, command string) (*kit.Run, chat.Tool) {
	t.Helper()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("ok")))
	f, err := run.Wait(ctx, func(f chat.Frame) bool {
		return f.Type == chat.AgentTool && f.Tool.State == chat.ToolProposed && f.Tool.Save != nil
	})
	must(t, err)
	return run, *f.Tool
}

// unasked plays commands that must run without a card.
func unasked(ctx context.Context, t *testing.T, c kit.Chat, commands ...string) {
	t.Helper()
	var steps []string
	for _, command := range commands {
		steps = append(steps, scriptmodel.Bash(command))
	}
	frames := play(ctx, t, c, scriptmodel.Steps(append(steps, scriptmodel.Say("ok"))...))
	if cards := proposedCards(frames); len(cards) > 0 {
		t.Errorf("%q asks", commands)
	}
}

// stillAsks plays a command that must ask, and says no.
func stillAsks(ctx context.Context, t *testing.T, c kit.Chat, command string) {
	t.Helper()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("ok")))
	must(t, c.Deny(ctx, card(ctx, t, run, "bash", chat.ToolProposed), ""))
	ended(ctx, t, run)
}

func yesForOneCall(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	run, proposed := asked(ctx, t, c, "touch once.txt")
	want := chat.Tool{
		ReasonKey: "This runs a program that can change things: {program}.", ReasonArgs: map[string]string{"program": "touch"},
		Save: &chat.SaveOffer{Scopes: []string{"chat", "always"}, Scope: chat.ScopeOnce, Pattern: "touch once.txt"},
	}
	if diff := cmp.Diff(want, chat.Tool{ReasonKey: proposed.ReasonKey, ReasonArgs: proposed.ReasonArgs, Save: proposed.Save}); diff != "" {
		t.Errorf("the card (-want +got):\n%s", diff)
	}
	must(t, c.ApproveFor(ctx, proposed, chat.ScopeOnce, ""))
	ended(ctx, t, run)
	if !w.exists(t, "once.txt") {
		t.Error("an approved command did not run")
	}
	stillAsks(ctx, t, c, "touch once.txt")
	checkDecided(ctx, t, w, c, "bash allow by person bash:program allowed-once once", "bash deny by person bash:program rejected")
}

func yesForThisChat(ctx context.Context, t *testing.T, w *world) {
	c, other := w.NewChat(), w.NewChat()
	run, proposed := asked(ctx, t, c, "mkdir chat-dir && touch chat-dir/a.txt")
	must(t, c.ApproveFor(ctx, proposed, chat.ScopeChat, "mkdir *\ntouch chat-dir/*"))
	ended(ctx, t, run)
	unasked(ctx, t, c, "touch chat-dir/b.txt", "ls && mkdir chat-dir-2 && touch chat-dir/c.txt")
	for _, file := range []string{"chat-dir/a.txt", "chat-dir/b.txt", "chat-dir/c.txt"} {
		if !w.exists(t, file) {
			t.Errorf("%s was not made", file)
		}
	}
	child := scriptmodel.Steps(scriptmodel.Bash("touch chat-dir/helper.txt"), scriptmodel.Say("made"))
	if cards := proposedCards(play(ctx, t, c, scriptmodel.Steps(scriptmodel.Helper("touch", child, false), scriptmodel.Say("ok")))); len(cards) > 0 {
		t.Errorf("the chat's helper asks: %v", cards)
	}
	stillAsks(ctx, t, c, "touch chat-dir/d.txt && touch elsewhere.txt") // every part must be covered
	stillAsks(ctx, t, c, "touch chat-dir/../up.txt")
	stillAsks(ctx, t, other, "touch chat-dir/b.txt")
	if w.exists(t, "elsewhere.txt") || w.exists(t, "up.txt") {
		t.Error("a command ran that nobody allowed")
	}
}

func yesForEveryChat(ctx context.Context, t *testing.T, w *world) {
	c, other := w.NewChat(), w.NewChat()
	run, proposed := asked(ctx, t, c, "touch always.txt")
	must(t, c.ApproveFor(ctx, proposed, chat.ScopeAlways, ""))
	ended(ctx, t, run)
	unasked(ctx, t, c, "touch always.txt")
	unasked(ctx, t, other, "touch 'always.txt'")
	stillAsks(ctx, t, other, "touch always.txt .env")

	want := chat.Permission{Tool: "bash", Pattern: "touch always.txt", Scope: chat.ScopeAlways, Folder: w.home.Workspace}
	var id string
	all, err := w.Permissions(ctx)
	must(t, err)
	for _, p := range all {
		if p.Pattern == want.Pattern {
			id = p.ID
			if diff := cmp.Diff(want, p, cmpopts.IgnoreFields(p, "ID", "CreatedAt")); diff != "" {
				t.Errorf("the list (-want +got):\n%s", diff)
			}
		}
	}
	must(t, w.Revoke(ctx, id))
	refusedWith(t, w.Revoke(ctx, id), 404, chat.CodeUnknownPermission)
	stillAsks(ctx, t, c, "touch always.txt")
	checkDecided(ctx, t, w, c, "bash allow by person bash:program allowed-once always", "bash allow by permission permission:used",
		"bash deny by person bash:program rejected")
}

// What cannot be allowed in advance says so, and the question waits on.
func yesTooFar(ctx context.Context, t *testing.T, w *world) {
	c := w.NewChat()
	for command, why := range map[string]string{
		"cat .env": "This cannot be allowed in advance: This touches something that may hold secrets: .env.",
		"ls > out": "This cannot be allowed in advance: This would write the file out.",
	} {
		run, proposed := asked(ctx, t, c, command)
		if len(proposed.Save.Scopes) != 0 || proposed.Save.Text != why {
			t.Errorf("%s offers %+v", command, proposed.Save)
		}
		refusedWith(t, c.ApproveFor(ctx, proposed, chat.ScopeAlways, "cat **"), 400, chat.CodeBadRequest)
		must(t, c.Deny(ctx, proposed, ""))
		ended(ctx, t, run)
	}
	run, proposed := asked(ctx, t, c, "touch too-far.txt")
	for _, pattern := range []string{"*", "touch other.txt", "touch *\nrm **", "sh -c *"} {
		refusedWith(t, c.ApproveFor(ctx, proposed, chat.ScopeAlways, pattern), 400, chat.CodeBadRequest)
	}
	if w.exists(t, "too-far.txt") {
		t.Error("a refused answer ran the call")
	}
	must(t, c.ApproveFor(ctx, proposed, chat.ScopeOnce, ""))
	ended(ctx, t, run)
	if !w.exists(t, "too-far.txt") {
		t.Error("an approved command did not run")
	}
}
