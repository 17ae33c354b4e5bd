package kit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"strata.dev/bridge/e2e/scriptmodel"
)

// HarnessOptions says how a raw Harness, without a host, is started.
type HarnessOptions struct {
	Dir      string             // the installation; "" is HarnessDir()
	Profile  string             // "" is web
	Model    *scriptmodel.Model // written into settings.yaml as the default model; nil leaves it
	Patches  []string           // contents of --patch files, YAML
	Env      []string           // further NAME=value pairs
	Secret   string             // the fence's launch secret: sent on stdin and with every call
	ShowPath bool               // keep bwrap on its PATH
}

// Harness is a Harness process that is ready.
type Harness struct {
	*Process
	RPC
}

// Permissions is a patch with the permission presets of the host's profile.
const Permissions = `- id: permission
  config:
    presets:
      read-only: {sandbox: read-only, approval: ask}
      workspace-write: {sandbox: workspace-write, approval: ask}
      danger-full-access: {sandbox: danger-full-access, approval: never}
      strata-manual: {sandbox: danger-full-access, approval: ask}
      strata-plan: {sandbox: read-only, approval: never}
      strata-bypass: {sandbox: danger-full-access, approval: never}
`

// StartHarness starts a Harness and waits until it is ready; the test fails
// otherwise.
func StartHarness(ctx context.Context, t testing.TB, home *Home, o HarnessOptions) *Harness {
	t.Helper()
	p := LaunchHarness(t, home, o)
	rpc, err := AwaitHarness(ctx, p, o.Secret)
	if err != nil {
		t.Fatal(err)
	}
	return &Harness{Process: p, RPC: rpc}
}

// LaunchHarness starts the process and does not wait. The RPC that goes with it
// is that of the events.mux wire.
func LaunchHarness(t testing.TB, home *Home, o HarnessOptions) *Process {
	t.Helper()
	if o.Dir == "" {
		Needs(t, EventsMux)
	}
	dir := o.Dir
	if dir == "" {
		dir = HarnessDir()
	}
	bin, err := harnessBin(dir)
	if err != nil {
		t.Fatal(err)
	}
	if o.Model != nil {
		writeSettings(t, home, o.Model)
	}
	profile := o.Profile
	if profile == "" {
		profile = "web"
	}
	args := []string{bin, "--profile", profile}
	for i, patch := range o.Patches {
		file := filepath.Join(home.Dir, fmt.Sprintf("patch-%d.yml", i))
		if err := os.WriteFile(file, []byte(patch), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--patch", file)
	}
	var hide []string
	if !o.ShowPath {
		hide = []string{"bwrap"}
	}
	env := Environ(t, home, hide, append([]string{
		"DSH_HOME=" + home.DSH, "DSH_TELEMETRY_DISABLED=1", "SCRIPTED_KEY=k",
	}, o.Env...)...)
	stdin := ""
	if o.Secret != "" {
		stdin = o.Secret + "\n"
	}
	return StartProcess(t, home, Command{
		Name: "harness", Path: Node(t), Args: append(args, "--port", "0", "--no-open"),
		Dir: home.Workspace, Env: env, Stdin: stdin,
	})
}

func writeSettings(t testing.TB, home *Home, m *scriptmodel.Model) {
	t.Helper()
	text := fmt.Sprintf(`llm-pi-ai:
  providers:
    scripted:
      api: openai-completions
      baseURL: %s
      apiKeyEnv: SCRIPTED_KEY
      retryPolicy: { mode: normal, maxRetries: 1, backoff: { initialDelayMs: 10, maxDelayMs: 20, jitterRatio: 0 } }
      models: [{ id: scripted-1 }]
agent-default-model: { provider: scripted, model: scripted-1 }
`, m.URL())
	if err := os.WriteFile(filepath.Join(home.DSH, "settings.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// settle is how long a Harness must live on after its URL line: one whose
// packages or services do not fit together prints it and ends right after.
const settle = time.Second

// AwaitHarness waits until the process is ready: it has printed its URL, answers
// host.describe, and is alive a second after the URL line.
func AwaitHarness(ctx context.Context, p *Process, secret string) (RPC, error) {
	fail := func(err error) (RPC, error) { return RPC{}, fmt.Errorf("starting the Harness: %w", err) }
	line, err := p.WaitLine(ctx, func(s string) bool { return strings.HasPrefix(s, "dsh web: ") })
	if err != nil {
		return fail(err)
	}
	settled := time.After(settle)
	rpc := RPC{URL: strings.TrimPrefix(line, "dsh web: "), Secret: secret}
	if err := Until(ctx, func(ctx context.Context) error {
		if !p.Running() {
			return nil
		}
		return rpc.Call(ctx, "host.describe", struct{}{}, nil)
	}); err != nil {
		return fail(err)
	}
	select {
	case <-settled:
		return rpc, nil
	case <-p.Done():
		return fail(fmt.Errorf("it ended (%s) after its URL line and was never ready; it said:\n%s", p.cmd.ProcessState, tail(p.Output(), 20)))
	case <-ctx.Done():
		return fail(ctx.Err())
	}
}
