package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// secretShape is what keys, tokens and passwords look like. Hashes and ids are in
// lower-case hexadecimal.
var secretShape = regexp.MustCompile(`\bsk-[\w-]{8}|\beyJ[\w-]{8}|(?i:bearer|token|secret|password|api_?key)["']?\s*[:=]\s*["']?[\w+/-]{8}|\b[A-Za-z0-9+/]*(?:[a-z][A-Z0-9]){6}[A-Za-z0-9+/]{8,}`)

// The status says what a support person needs, and no secret.
func TestStatus(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	const key = "sk-strata-planted-0123456789abcdefghijklmnop"
	w := newWorld(ctx, t, kit.HostOptions{Key: key, Args: []string{"--images"}})
	c := w.NewChat()
	play(ctx, t, c, scriptmodel.Steps(scriptmodel.Say("hello")))
	frames, err := send(ctx, t, c, "#! ERR 401").End(ctx)
	must(t, err)
	if last := frames[len(frames)-1]; last.Code != chat.CodeModelFailed {
		t.Fatalf("the run ended with %+v", last)
	}
	var raw json.RawMessage
	must(t, w.Do(ctx, "GET", "/api/agent/status", nil, &raw))
	for _, secret := range []string{key, w.Token} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s is in %s", secret, raw)
		}
	}
	var got chat.AgentStatus
	must(t, json.Unmarshal(raw, &got))
	if got.State != "ready" || got.Component == "" || got.Version == "" || got.Wire == "" {
		t.Errorf("state %q, component %q, version %q, wire %q", got.State, got.Component, got.Version, got.Wire)
	}
	gate := got.Plugins[0]
	if gate.Name != "gate" || len(gate.SHA256) != 64 || gate.Running != gate.SHA256 || len(gate.Missing) > 0 || gate.CheckedAt == 0 {
		t.Errorf("the gate: %+v", gate)
	}
	if d := cmp.Diff([]chat.Route{{ID: "strata/scripted-1", Name: "scripted-1", ContextWindow: 262_144, Default: true, Images: true, Local: true, Thinking: []string{"off", "low", "medium", "high"}}}, got.Routes); d != "" {
		t.Errorf("routes (-want +got):\n%s", d)
	}
	if p := got.Process; p == nil || p.PID <= 0 || p.StartedAt == 0 || p.UptimeMs <= 0 || got.Restarts != 0 {
		t.Errorf("process %+v, %d restarts", p, got.Restarts)
	}
	if e := got.LastError; e == nil || e.Code != chat.CodeModelFailed || e.Text == "" || e.Details == "" {
		t.Errorf("last error %+v", e)
	}
	if got.DataDir != w.home.Data || got.LogFile != filepath.Join(w.home.Data, "logs", "host.log") {
		t.Errorf("data folder %q, log %q", got.DataDir, got.LogFile)
	}
	if _, err := os.Stat(got.LogFile); err != nil {
		t.Error(err)
	}
	if h := got.Host; h == nil || h.Version == "" || h.ABI == "" || h.Go == "" || h.OS == "" || h.PID != w.PID() || h.StartedAt == 0 || h.UptimeMs <= 0 {
		t.Errorf("host %+v", h)
	}
	if p := got.Process; !strings.HasPrefix(p.Node, "2") || !filepath.IsAbs(p.NodePath) {
		t.Errorf("Node %q at %q", p.Node, p.NodePath)
	}
	if d := got.Data; d == nil || d.Bytes <= 0 || d.Files < 5 || d.FreeBytes <= 0 || d.MeasuredAt == 0 || d.Details != "" || len(d.Parts) < 5 || d.Parts[0].Name != "agent/home" {
		t.Errorf("data %+v", d)
	}
	if len(got.Errors) != 1 || got.LastEnd != nil || got.RestartDue || got.Queued != 0 {
		t.Errorf("errors %+v, last end %+v, restart due %t, %d queued", got.Errors, got.LastEnd, got.RestartDue, got.Queued)
	}
	if found := secretShape.FindString(string(raw)); found != "" {
		t.Errorf("it holds what looks like a secret, %q: %s", found, raw)
	}
}
