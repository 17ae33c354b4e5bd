package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// planted is in every key of the test, so that a search for it needs no key. It looks
// like a part of one.
const planted = "p1anted7"

// shapes are how the keys of forty services begin, and how long they are.
var shapes = []struct {
	begin string
	rest  int
}{
	{"sk-", 48}, {"sk-proj-", 70}, {"sk-svcacct-", 60}, {"sk-ant-api03-", 93}, {"sk-or-v1-", 64}, {"sk_live_", 24}, {"rk_test_", 24}, {"whsec_", 32},
	{"AKIA", 16}, {"ASIA", 16}, {"ghp_", 36}, {"gho_", 36}, {"github_pat_", 82}, {"glpat-", 20}, {"glrt-", 20}, {"xoxb-", 40}, {"xapp-1-", 50}, {"AIza", 35},
	{"ya29.", 60}, {"GOCSPX-", 28}, {"hf_", 34}, {"npm_", 36}, {"pypi-", 80}, {"SG.", 66}, {"gsk_", 52}, {"xai-", 80}, {"pplx-", 48}, {"r8_", 37}, {"tvly-", 32},
	{"dop_v1_", 64}, {"shpat_", 32}, {"dapi", 32}, {"hvs.", 90}, {"glsa_", 41}, {"dckr_pat_", 27}, {"lin_api_", 40}, {"ntn_", 46}, {"sbp_", 40}, {"NRAK-", 27}, {"", 64},
}

// keysOf makes a key of each shape.
func keysOf() []string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	r := rand.New(rand.NewPCG(40, 40))
	var out []string
	for _, s := range shapes {
		rest := []byte(planted)
		for len(rest) < max(s.rest, len(planted)+8) {
			rest = append(rest, letters[r.IntN(len(letters))])
		}
		out = append(out, s.begin+string(rest))
	}
	return out
}

// quoting is a service that says its client's key wherever it can: in its list, in its
// refusals, in headers, in redirects and in the middle of a stream.
func quoting(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
		if !strings.Contains(key, planted) {
			t.Errorf("%s came with the key %q", r.URL, key)
		}
		w.Header().Set("X-Your-Key", key)
		w.Header().Set("X-Request-Id", "of "+key)
		way := strings.Split(strings.TrimPrefix(r.URL.Path, "/"), "/")[0]
		switch {
		case strings.HasSuffix(r.URL.Path, "/models") && way == "lists":
			fmt.Fprintf(w, `{"data":[{"id":"m","name":"Model of %s","context_length":100000},{"id":%q}]}`, key, key)
		case way == "streams" && strings.HasSuffix(r.URL.Path, "/chat/completions"):
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"your key is %s\"}}]}\n\n", key)
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		case way == "redirects":
			http.Redirect(w, r, "http://127.0.0.1:9/"+key, http.StatusTemporaryRedirect)
		case way == "breaks":
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "<html>%s", key)
		default:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s","type":"invalid_request_error","code":"invalid_api_key"}}`, key)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

var ways = []string{"lists", "refuses", "streams", "redirects", "breaks"}

// heard collects all that a client was told.
type heard struct {
	mu  sync.Mutex
	all []string
}

func (h *heard) add(what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all = append(h.all, what)
}

// ask makes a request, whatever it is answered with, and keeps the answer.
func (h *heard) ask(ctx context.Context, w *kit.Host, method, path string, body any) json.RawMessage {
	var raw json.RawMessage
	if err := w.Do(ctx, method, path, body, &raw); err != nil {
		h.add(fmt.Sprintf("%s %s: %+v", method, path, err))
	}
	h.add(string(raw))
	return raw
}

// says plays a message on a model to its end, whatever that is.
func (h *heard) says(ctx context.Context, t *testing.T, w *kit.Host, model string) {
	run, err := w.NewChat().Send(ctx, "hello", onModel(model, ""))
	if err != nil {
		h.add(err.Error())
		return
	}
	frames, err := run.End(ctx)
	if err != nil {
		t.Error(err)
	}
	data, err := json.Marshal(frames)
	if err != nil {
		t.Error(err)
	}
	h.add(string(data))
}

// unpacked gives what is in a folder's files, the Harness's compressed logs too, by path.
func unpacked(t *testing.T, dir string) map[string]string {
	t.Helper()
	out, packed := map[string]string{}, []string{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if strings.HasSuffix(path, ".zstd") {
			packed = append(packed, path)
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	}))
	if len(packed) > 0 {
		const script = `const fs = require('fs'), zlib = require('zlib')
for (const file of process.argv.slice(1)) { try { process.stdout.write(zlib.zstdDecompressSync(fs.readFileSync(file))) } catch (e) { process.stdout.write('unreadable ' + file + ' ' + e) } }`
		text, err := exec.Command(kit.Node(t), append([]string{"-e", script}, packed...)...).Output()
		must(t, err)
		if len(text) < 100 || strings.Contains(string(text), "unreadable") {
			t.Errorf("the Harness's logs: %.300s", text)
		}
		out["the Harness's logs"] = string(text)
	}
	return out
}

// Forty keys of all shapes go through all that takes a key, to services that quote them:
// none is in what a client is told, in what the host prints and logs, in any file but the
// one that they are kept in, or anywhere that the agent can look.
func TestFortyKeysStayWhereTheyAre(t *testing.T) {
	t.Parallel()
	ctx := kit.Context(t)
	keys := keysOf()
	service := quoting(t)
	w := newWorld(ctx, t, kit.HostOptions{NoModel: true, Args: []string{"--log-level", "debug"}})
	h := &heard{}
	scripted := ""
	must(t, w.Do(ctx, "POST", "/api/models", chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: "Scripted", BaseURL: w.model.URL(), Key: &scripted,
		Models: []chat.ModelSpec{{ID: "scripted-1", ContextWindow: 200_000}}}, nil))
	var ids []string
	for i, key := range keys {
		spec := chat.ConnectionSpec{Kind: chat.KindOpenAI, Name: fmt.Sprintf("Service %d", i), BaseURL: service.URL + "/" + ways[i%len(ways)], Key: &key,
			Models: []chat.ModelSpec{{ID: "m", ContextWindow: 100_000}}}
		h.ask(ctx, w.Host, "POST", "/api/models/test", spec)
		var c chat.ModelConnection
		must(t, json.Unmarshal(h.ask(ctx, w.Host, "POST", "/api/models", spec), &c))
		ids = append(ids, c.ID)
		h.ask(ctx, w.Host, "POST", "/api/models/"+c.ID+"/test", nil)
		h.ask(ctx, w.Host, "GET", "/api/models/"+c.ID+"/offers?again=1", nil)
		spec.Key = nil
		h.ask(ctx, w.Host, "PUT", "/api/models/"+c.ID, spec)
	}
	// What cannot be a key, or stands in the wrong place, is refused and not quoted.
	for i, spec := range []chat.ConnectionSpec{
		{Kind: chat.KindOpenAI, BaseURL: "https://me:" + keys[0] + "@example.com/v1"}, {Kind: chat.KindOpenAI, BaseURL: "https://example.com/v1?key=" + keys[0]},
		{Kind: chat.ModelKind(keys[0])}, {Kind: chat.KindOpenAI, BaseURL: "https://example.com", Key: new(keys[0] + " " + keys[1])},
	} {
		h.ask(ctx, w.Host, "POST", "/api/models", spec)
		if strings.Contains(h.all[len(h.all)-2], planted) {
			t.Errorf("refusal %d quotes the key: %s", i, h.all[len(h.all)-2])
		}
	}
	cli := exec.CommandContext(ctx, kit.HostBinary(t), "models", "add", "--data", w.home.Data, "--kind", "openai", "--name", "By command", "--base-url", service.URL+"/lists", "--key-file", "-", "--model", "m")
	cli.Stdin = strings.NewReader(keys[0] + "\n")
	out, err := cli.CombinedOutput()
	must(t, err)
	h.add(string(out))

	var all sync.WaitGroup
	for i := range 10 {
		if ways[i%len(ways)] == "redirects" {
			continue // which the agent tries again and again
		}
		all.Go(func() { h.says(ctx, t, w.Host, ids[i]+"/m") })
	}
	all.Wait()
	for _, path := range []string{"/api/models", "/api/agent/status", "/api/chats", "/metrics", "/api/decisions"} {
		h.ask(ctx, w.Host, "GET", path, nil)
	}

	theAgentLooks(ctx, t, w)

	if _, err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	h.add(strings.Join(w.Output(), "\n"))
	kept := filepath.Join(w.home.Data, "keys.json")
	clean(t, h, unpacked(t, w.home.Data), kept)
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the keys' file: %v, %v", info, err)
	}

	// Without the Harness the host asks by itself; then all is removed.
	w.Host = kit.StartHost(ctx, t, w.home, kit.HostOptions{Model: w.model, NoModel: true, Harness: noHarness(t, w.home), Args: []string{"--log-level", "debug"}})
	for _, id := range ids {
		all.Go(func() { h.says(ctx, t, w.Host, id+"/m") })
	}
	all.Wait()
	for _, id := range append(ids, "by-command") {
		h.ask(ctx, w.Host, "DELETE", "/api/models/"+id, nil)
	}
	if _, err := w.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	h.add(strings.Join(w.Output(), "\n"))
	clean(t, h, unpacked(t, w.home.Data), "")
}

// clean looks through all that was told and kept, but one file.
func clean(t *testing.T, h *heard, files map[string]string, but string) {
	t.Helper()
	if len(files) < 10 || len(h.all) < 100 {
		t.Errorf("%d files and %d answers were looked through", len(files), len(h.all))
	}
	for path, text := range files {
		if i := strings.Index(text, planted); i >= 0 && path != but {
			t.Errorf("a key is in %s: …%.100s", path, text[max(0, i-50):])
		}
	}
	for _, told := range h.all {
		if i := strings.Index(told, planted); i >= 0 {
			t.Errorf("a key was told: …%.200s", told[max(0, i-120):])
		}
	}
}

// theAgentLooks has the agent look for the keys in each mode: in its environment, in
// those of all processes and in the Harness's own files. The file of the keys is asked
// about in Manual and refused in Plan; Bypass can read it.
func theAgentLooks(ctx context.Context, t *testing.T, w *world) {
	t.Helper()
	on := onModel("scripted/scripted-1", "")
	home, kept := filepath.Join(w.home.Data, "agent", "home"), filepath.Join(w.home.Data, "keys.json")
	// The command does not match what it looks for.
	look := `{ env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n'; grep -rao 'p1anted[7]' ` + home + ` 2>/dev/null; } | grep -ac 'p1anted[7]'; echo looked`
	for _, mode := range []string{"manual", "bypass"} {
		c := w.NewChat()
		run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(look), scriptmodel.Say("ran it")), on, kit.Mode(mode))
		if mode == "manual" {
			must(t, c.Approve(ctx, card(ctx, t, run, "bash", chat.ToolProposed)))
		}
		if got := lastCard(t, ended(ctx, t, run)); got.State != chat.ToolDone || !strings.HasPrefix(strings.TrimSpace(got.Result), "0\nlooked") {
			t.Errorf("%s finds: %s %s", mode, got.State, got.Result)
		}
	}
	for _, command := range []string{"cat " + kept, "cat /proc/self/environ"} {
		got := lastCard(t, play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("x")), on, kit.Mode("plan")))
		if got.State != chat.ToolDenied {
			t.Errorf("Plan, %s: %+v", command, got)
		}
		c := w.NewChat()
		run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("x")), on)
		must(t, c.Deny(ctx, card(ctx, t, run, "bash", chat.ToolProposed), ""))
		if got := lastCard(t, ended(ctx, t, run)); got.State != chat.ToolDenied {
			t.Errorf("Manual, %s, denied: %+v", command, got)
		}
	}
	c := w.NewChat()
	run := send(ctx, t, c, scriptmodel.Steps(scriptmodel.Call("read", map[string]any{"file_path": kept}), scriptmodel.Say("x")), on)
	must(t, c.Deny(ctx, card(ctx, t, run, "read", chat.ToolProposed), ""))
	ended(ctx, t, run)
	count := shellOn(ctx, t, w, on, `grep -o 'p1anted[7]' `+kept+` | wc -l`)
	if strings.TrimSpace(count) != "41" {
		t.Errorf("Bypass counts %s keys in their file", count)
	}
}

func shellOn(ctx context.Context, t *testing.T, w *world, on func(*chat.StreamRequest), command string) string {
	t.Helper()
	return lastCard(t, play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("ran it")), on, kit.Mode("bypass"))).Result
}
