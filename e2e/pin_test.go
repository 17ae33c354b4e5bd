package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/dsh"
)

// The pinned Harness boots, plays a turn on the scripted model, and ends with
// exit code 0 on SIGTERM.
func TestPinBoots(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	home.File(t, "a.txt", "hello\n")
	model := kit.StartModel(t, scriptmodel.Config{})
	h := kit.StartHarness(ctx, t, home, kit.HarnessOptions{Model: model, Patches: []string{kit.Permissions}})

	session, err := h.CreateSession(ctx, home.Workspace)
	if err != nil {
		t.Fatal(err)
	}
	command, err := h.Command(ctx, session, "/permission strata-bypass")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kit.CommandResult{Kind: "success", Text: "preset strata-bypass"}, command); diff != "" {
		t.Errorf("/permission (-want +got):\n%s", diff)
	}
	script := scriptmodel.Steps(scriptmodel.Bash("cat a.txt"), scriptmodel.Say("all done"))
	if err := h.Prompt(ctx, session, script); err != nil {
		t.Fatal(err)
	}
	log, err := h.WaitHistory(ctx, session, func(e dsh.Event) bool { return e.Type == dsh.TypeTurnEnd })
	if err != nil {
		t.Fatal(err)
	}
	var results, ends []string
	for _, e := range log {
		switch e.Type {
		case dsh.TypeToolResult:
			results = append(results, string(e.Data))
		case dsh.TypeTurnEnd:
			ends = append(ends, string(e.Data))
		}
	}
	if len(results) != 1 || !strings.Contains(results[0], `"hello\n"`) {
		t.Errorf("the tool's results: %s", results)
	}
	if diff := cmp.Diff([]string{`{"turn":1,"reason":{"kind":"completed"}}`}, ends); diff != "" {
		t.Errorf("the turn's end (-want +got):\n%s", diff)
	}
	code, err := h.Stop(ctx)
	if err != nil || code != 0 {
		t.Errorf("SIGTERM: exit code %d, %v", code, err)
	}
}

// An install whose packages drifted prints its URL and ends: a failed start, not
// a ready Harness.
func TestUnpinnedIsAFailedStart(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	p := kit.LaunchHarness(t, home, kit.HarnessOptions{Dir: kit.Drifted(t, home)})
	_, err := kit.AwaitHarness(ctx, p, "")
	if err == nil {
		t.Fatal("taken for ready")
	}
	if !strings.HasPrefix(err.Error(), "starting the Harness: it ended (exit status 1) after its URL line and was never ready") {
		t.Errorf("got %v", err)
	}
	output := strings.Join(p.Output(), "\n")
	for _, want := range []string{"dsh web: http://127.0.0.1:", "Error: dsh: user patch-layer watching requires the Cordis HMR service"} {
		if !strings.Contains(output, want) {
			t.Errorf("the Harness did not say %q:\n%s", want, output)
		}
	}
}

// A plugin whose service is missing is the other way to end after the URL line.
func TestUnmetInjectIsAFailedStart(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	home := kit.NewHome(t)
	plugin := home.Plugin(t, "lonely.mjs", "export const name = 'lonely'\nexport const inject = ['nobodyOffersThis']\nexport function apply() {}\n")
	p := kit.LaunchHarness(t, home, kit.HarnessOptions{Patches: []string{"- insert: [{id: lonely, name: " + plugin + "}]\n"}})
	_, err := kit.AwaitHarness(ctx, p, "")
	if err == nil || !strings.Contains(err.Error(), "nobodyOffersThis") {
		t.Errorf("got %v", err)
	}
	if code, err := p.Wait(ctx); err != nil || code != 1 {
		t.Errorf("exit code %d, %v", code, err)
	}
}
