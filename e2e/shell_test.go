package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// run in Bypass: the agent's shell with nobody in its way.
func shell(ctx context.Context, t *testing.T, w *world, c kit.Chat, command string) string {
	t.Helper()
	frames := play(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("ran it")), kit.Mode("bypass"))
	return lastCard(t, frames).Result
}

func lastCard(t *testing.T, frames []chat.Frame) chat.Tool {
	t.Helper()
	var last *chat.Tool
	for _, f := range frames {
		if f.Type == chat.AgentTool {
			last = f.Tool
		}
	}
	if last == nil {
		t.Fatalf("no card in %+v", frames)
	}
	return *last
}

// The agent's own shell knows the Harness's address and its session; the fence
// keeps it from switching that session to full access.
func TestTheAgentCannotLiftItsOwnMode(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	c := w.NewChat()
	lift := `curl -sS -o body.txt -w '%{http_code}' -H 'content-type: application/json' "$DSH_WEB_URL/api/commands/execute" ` +
		`-d "{\"type\":\"client-request\",\"rpcId\":\"r\",\"method\":\"commands/execute\",\"payload\":{\"args\":{\"agentId\":\"$DSH_SESSION_ID\",\"line\":\"/permission danger-full-access\",\"images\":[]}}}"; echo; cat body.txt`
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(lift), scriptmodel.Say("tried")))
	must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
	if result := lastCard(t, ended(ctx, t, run)).Result; !strings.HasPrefix(strings.TrimSpace(result), "401") {
		t.Errorf("the Harness answered the agent's shell: %s", result)
	}
	for _, path := range []string{"/api/events.mux", "/api/events.host"} {
		probe := fmt.Sprintf(`curl -sS -m 5 -o /dev/null -w '%%{http_code}' -H 'connection: Upgrade' -H 'upgrade: websocket' -H 'sec-websocket-version: 13' -H 'sec-websocket-key: c3RyYXRhc3RyYXRhc3RyYQ==' "$DSH_WEB_URL%s"`, path)
		if got := shell(ctx, t, w, w.NewChat(), probe); !strings.Contains(got, "401") {
			t.Errorf("%s answers an upgrade without the secret with %q", path, got)
		}
	}
	// The session is still Manual: a write still asks.
	run = send(ctx, t, c, scriptmodel.Steps(scriptmodel.Write(w.path("lifted.txt"), "x"), scriptmodel.Say("ok")))
	must(t, c.Deny(ctx, card(ctx, t, run, "write", chat.ToolProposed), ""))
	ended(ctx, t, run)
}

// A workflow's script gets out of the Harness's vm, so it runs after a yes only.
func TestAWorkflowScriptAsks(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	file := w.path("escaped.txt")
	script := fmt.Sprintf("agent.constructor('return process')().getBuiltinModule('fs').writeFileSync(%q, 'x'); return 1", file)
	steps := scriptmodel.Steps(scriptmodel.Call("workflow", map[string]any{
		"meta": map[string]string{"name": "n", "description": "d"}, "script": script,
	}), scriptmodel.Say("ok"))
	there := func() bool { _, err := os.Stat(file); return err == nil }

	if got := lastCard(t, play(ctx, t, w.NewChat(), steps, kit.Mode("plan"))); got.State != chat.ToolDenied || there() {
		t.Errorf("Plan: %+v, the file is there: %t", got, there())
	}
	c := w.NewChat()
	run := send(ctx, t, c, steps)
	must(t, c.Deny(ctx, card(ctx, t, run, "workflow", chat.ToolProposed), ""))
	if got := lastCard(t, ended(ctx, t, run)); got.State != chat.ToolDenied || there() {
		t.Errorf("Manual, denied: %+v, the file is there: %t", got, there())
	}
	// Without the gate it would have worked.
	if got := lastCard(t, play(ctx, t, w.NewChat(), steps, kit.Mode("bypass"))); got.State != chat.ToolDone || !there() {
		t.Errorf("Bypass: %+v, the file is there: %t", got, there())
	}
}

// looked matches what the look for keys counts on its way.
var looked = regexp.MustCompile(`variables: [1-9]\d*\s+processes: [1-9]`)

// The model server's key is nowhere that the agent can look, and in nothing that
// the host writes or shows.
func TestTheKeyIsNowhere(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	const key = "sk-strata-planted-0123456789abcdefghijklmnop"
	w := newWorld(ctx, t, kit.HostOptions{Key: key})
	// The command must not hold the key itself, so it looks for how keys begin.
	look := `printf 'variables: '; env | grep -c DSH_; printf 'processes: '; cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -c STRATA_LAUNCH; ` +
		`{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n'; } | grep -a 'strata-planted-[0-9]'`
	if got := shell(ctx, t, w, w.NewChat(), look); strings.Contains(got, key) || !looked.MatchString(got) {
		t.Errorf("the agent sees the key, or nothing at all: %.2000s", got)
	}
	sent, err := w.model.WaitRequest(ctx, scriptmodel.Asks("environ"))
	must(t, err)
	if got := sent.Header.Get("Authorization"); got != "Bearer "+key {
		t.Errorf("the model server got the key %q", got)
	}
	// In Plan's read-only sandbox as well, as far as a look-only command gets.
	play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash("cat /proc/self/environ"), scriptmodel.Say("x")), kit.Mode("plan"))

	var status json.RawMessage
	must(t, w.Do(ctx, "GET", "/api/agent/status", nil, &status))
	if strings.Contains(string(status), key) || strings.Contains(string(status), w.Token) {
		t.Errorf("the status holds a secret: %s", status)
	}
	if _, err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	if out := strings.Join(w.Output(), "\n"); strings.Contains(out, key) {
		t.Errorf("the host printed the key:\n%s", out)
	}
	files := 0
	must(t, filepath.WalkDir(w.home.Data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		files++
		if strings.Contains(string(data), key) {
			t.Errorf("%s holds the key", path)
		}
		return err
	}))
	if files < 5 {
		t.Errorf("only %d files were looked at", files)
	}
}

// The host's own folder is secret to the gate: Manual asks, Plan refuses.
func TestTheHostsFolderIsSecret(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	w := newWorld(ctx, t, kit.HostOptions{})
	token := filepath.Join(w.home.Data, "token")
	must(t, os.Symlink(w.home.Data, w.path("innocent")))
	must(t, os.Symlink(filepath.Join(w.home.Data, "agent"), w.path("deeper")))
	looks := map[string]string{
		"bash: cat":              scriptmodel.Bash("cat " + token),
		"bash: through a link":   scriptmodel.Bash("cat innocent/token"),
		"bash: up from a link":   scriptmodel.Bash("cat deeper/../token"),
		"bash: up from a folder": scriptmodel.Call("bash", map[string]string{"command": "cat ../token", "description": "d", "workdir": "deeper"}),
		"read":                   scriptmodel.Call("read", map[string]string{"file_path": token}),
		"read: through a link":   scriptmodel.Call("read", map[string]string{"file_path": w.path("innocent/token")}),
		"grep: below it":         scriptmodel.Call("grep", map[string]string{"pattern": ".", "path": w.home.Data}),
		"bash: the session logs": scriptmodel.Bash("ls " + w.home.Data + "/agent/home/sessions"),
	}
	for name, call := range looks {
		t.Run(name, func(t *testing.T) {
			c := w.NewChat()
			run := send(ctx, t, c, scriptmodel.Steps(call, scriptmodel.Say("ok")))
			tool := strings.SplitN(name, ":", 2)[0]
			must(t, c.Deny(ctx, card(ctx, t, run, tool, chat.ToolProposed), ""))
			ended(ctx, t, run)
			frames := play(ctx, t, w.NewChat(), scriptmodel.Steps(call, scriptmodel.Say("ok")), kit.Mode("plan"))
			if got := lastCard(t, frames); got.State != chat.ToolDenied || strings.Contains(got.Result, w.Token) {
				t.Errorf("Plan: %+v", got)
			}
		})
	}
}
