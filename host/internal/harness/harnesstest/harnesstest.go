// Package harnesstest finds what tests of the host need of the real Harness: the
// pinned component, a Node, folders of their own, and plain calls to it. What
// cannot be found fails the test; nothing is skipped.
package harnesstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"strata.dev/bridge/host/internal/harness"
)

// Root gives the repository's root folder.
func Root(t testing.TB) string {
	t.Helper()
	_, file, _, _ := runtime.Caller(0)
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.work above %s", file)
		}
	}
}

// Component gives the Harness that STRATA_HARNESS_DIR or STRATA_COMPONENTS_DIR
// names, else the pinned one. On a Harness without the wire that the host speaks
// the test is named in STRATA_NEEDS_FILE, which make test prints, and skipped.
func Component(t testing.TB) harness.Component {
	t.Helper()
	needsWire(t)
	c, err := harness.Locate(os.Getenv, filepath.Join(Root(t), "e2e", "harness"))
	if err != nil {
		t.Fatalf("%v\nmake test installs the pinned Harness.", err)
	}
	return c
}

// Node gives the Node that make installed, else the one on PATH.
func Node(t testing.TB) harness.Node {
	t.Helper()
	for _, path := range []string{filepath.Join(Root(t), ".tools", "bin", "node"), ""} {
		if node, err := harness.FindNode(t.Context(), path); err == nil {
			return node
		} else if path == "" {
			t.Fatalf("%v\nmake test installs one.", err)
		}
	}
	panic("unreachable")
}

// Dir makes a folder that is removed after the test. It is not in /tmp, which
// looks different inside of some sandboxes.
func Dir(t testing.TB) string {
	t.Helper()
	parent := filepath.Join(Root(t), ".run", "scratch")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(parent, "test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Write makes a file with its folders.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Plain writes the smallest profile "strata" into home: the two bundles, full
// access without questions, and, if model is not "", one model route at that base
// URL. Patch is more YAML rows.
func Plain(t testing.TB, home, model, patch string) {
	t.Helper()
	Write(t, filepath.Join(home, "profiles", "strata", "package.json"), `{"name":"dsh-profile-strata","private":true,"dependencies":{},
"dsh":{"profile":{"bundles":["@deepseek-ai/dsh-base","@deepseek-ai/dsh-web-app"]}}}`)
	rows := fmt.Sprintf("- {id: sandbox-policy, config: {mode: danger-full-access, workspaceRoot: %q}}\n"+
		"- {id: approval, config: {policy: never}}\n- {id: session-title-llm, disabled: true}\n", home)
	if model != "" {
		rows += fmt.Sprintf("- {id: agent-default-model, config: {provider: strata, model: scripted}}\n"+
			"- {id: llm-pi-ai, config: {providers: {strata: {api: openai-completions, baseURL: %q, apiKeyEnv: STRATA_ROUTE_KEY, "+
			"models: [{id: scripted, contextWindow: 20000, maxTokens: 1000}]}}}}\n", model)
	}
	Write(t, filepath.Join(home, "profiles", "strata", "cordis.patch.yml"), rows+patch)
}

// Call posts a request to a running Harness and decodes its value into value,
// which may be nil.
func Call(t testing.TB, p *harness.Process, method string, payload, value any) {
	t.Helper()
	CallURL(t, p.URL(), p.Secret(), method, payload, value)
}

// CallURL is Call for a Harness that another process started.
func CallURL(t testing.TB, url, secret, method string, payload, value any) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"type": "client-request", "rpcId": "test", "method": method, "payload": payload,
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/"+method, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+secret)
	req.Close = true // no connection that a leak check would find
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct {
		Result struct {
			OK    bool            `json:"ok"`
			Value json.RawMessage `json:"value"`
			Error json.RawMessage `json:"error"`
		} `json:"result"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: status %d: %v", method, res.StatusCode, err)
	}
	if !answer.Result.OK {
		t.Fatalf("%s: %s", method, answer.Result.Error)
	}
	if value == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, value); err != nil {
		t.Fatalf("%s: %v in %s", method, err, answer.Result.Value)
	}
}

// Until waits for a condition, asking it every 20 ms, for at most a minute.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("after a minute still not: %s", what)
		case <-t.Context().Done():
			t.Fatalf("the test ended before: %s", what)
		}
	}
}
