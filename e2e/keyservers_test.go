package e2e

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/e2e/scriptmodel"
	"strata.dev/bridge/proto/chat"
)

// perServer is how many values an MCP server can have.
const perServer = 10

// How servers tell what they were given. Those that answer or err have tools; the others
// say it instead of giving any.
var (
	remoteWays  = []string{"answers", "streams", "errs", "refuses"}
	programWays = []string{"answers", "errs", "refuses", "dies"}
)

// quotingRemote is an MCP server that tells the ten headers that it is asked with: in JSON
// and in a stream that cuts them into pieces, in errors and in refusals, in its own headers
// and in the forms that texts are written in.
func quotingRemote(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var keys []string
		for _, values := range r.Header {
			if key := strings.TrimPrefix(values[0], "Bearer "); strings.Contains(key, string(ofKey)) {
				keys = append(keys, key, url.QueryEscape(key), fmt.Sprintf("%x", key), base64.StdEncoding.EncodeToString([]byte("user:"+key)))
			}
		}
		if len(keys) != 4*perServer {
			t.Errorf("%s came with %d forms of keys: %v", r.URL, len(keys), r.Header)
		}
		all := strings.Join(keys, " ")
		w.Header().Set("X-Your-Keys", all)
		way := strings.Trim(r.URL.Path, "/")
		if r.Method != http.MethodPost || way == "refuses" {
			w.WriteHeader(map[bool]int{false: http.StatusUnauthorized, true: http.StatusMethodNotAllowed}[r.Method != http.MethodPost])
			fmt.Fprintf(w, `{"error":%q}`, all)
			return
		}
		var q struct {
			ID     *int
			Method string
			Params struct{ ProtocolVersion string }
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		reply := map[string]any{"jsonrpc": "2.0", "id": *q.ID}
		switch {
		case q.Method == "initialize":
			reply["result"] = map[string]any{"protocolVersion": q.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]string{"name": "quotes", "version": "1"}, "instructions": all}
		case q.Method == "tools/list":
			reply["result"] = map[string]any{"tools": []any{map[string]any{"name": "quote", "description": "Quotes " + all, "inputSchema": map[string]any{"type": "object", "properties": map[string]any{}}}}}
		case way == "errs":
			reply["error"] = map[string]any{"code": -32603, "message": way + ": " + all}
		default:
			reply["result"] = map[string]any{"content": []any{map[string]string{"type": "text", "text": way + ": " + all}}}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
		}
		if way != "streams" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(text) // who asked may be gone
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for part := range slices.Chunk(fmt.Appendf(nil, "event: message\ndata: %s\n\n", text), 7*11) { // no part holds a whole key for long
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// addQuoting adds MCP servers that have forty keys for their headers, and forty secrets for
// variables, and quote them. It gives the servers' names.
func addQuoting(ctx context.Context, t *testing.T, host *kit.Host, h *heard, keys []string) (names []string) {
	t.Helper()
	remote, secrets := quotingRemote(t), ofServer.secrets()
	program, err := filepath.Abs("testdata/quotes.mjs")
	must(t, err)
	add := func(name string, tool map[string]any) {
		tool["kind"], tool["name"] = "server", name
		var settings chat.ToolSettings
		must(t, json.Unmarshal(h.ask(ctx, host, "POST", "/api/agent/tools/custom", tool), &settings))
		if names = append(names, name); len(settings.Custom) != len(names) {
			t.Errorf("%s was not added: %+v", name, settings.Custom)
		}
	}
	for i, way := range remoteWays {
		headers := map[string]string{}
		for j, key := range keys[i*perServer : (i+1)*perServer] {
			headers[fmt.Sprintf("X-Key-%d", j)] = key
		}
		headers["Authorization"] = "Bearer " + headers["X-Key-0"]
		delete(headers, "X-Key-0")
		add("remote-"+way, map[string]any{"url": remote.URL + "/" + way, "values": headers})
	}
	for i, way := range programWays {
		variables := map[string]string{}
		for j, secret := range secrets[i*perServer : (i+1)*perServer] {
			variables[fmt.Sprintf([]string{"SERVICE_%d_TOKEN", "PLAIN_%d"}[j%2], j)] = secret + thisRun
		}
		add("program-"+way, map[string]any{"command": kit.Node(t), "args": []string{program, way}, "values": variables})
	}
	return names
}

// callQuoting has the agent call each server that gives a tool.
func callQuoting(ctx context.Context, t *testing.T, host *kit.Host, h *heard) {
	t.Helper()
	var steps []string
	for _, name := range []string{"remote-answers", "remote-streams", "remote-errs", "program-answers", "program-errs"} {
		steps = append(steps, scriptmodel.Call("mcp__custom-"+name+"__quote", map[string]any{}))
	}
	frames := play(ctx, t, host.NewChat(), scriptmodel.Steps(append(steps, scriptmodel.Say("quoted"))...), kit.Mode("bypass"))
	got := map[string]string{}
	for _, f := range frames {
		if f.Type != chat.AgentTool || f.Tool.State == chat.ToolRunning {
			continue
		}
		name, mark, text := strings.TrimSuffix(strings.TrimPrefix(f.Tool.Name, "mcp__custom-"), "__quote"), "[redacted]", f.Tool.Result+f.Tool.Details
		if strings.HasPrefix(name, "remote") { // whose answers came through the proxy
			mark = "[key]"
		}
		got[name] = string(f.Tool.State)
		if n := strings.Count(text, mark); n < perServer || name == "program-answers" && n > perServer { // it has no other's
			t.Errorf("%s told %d of its values: %s", name, n, text)
		}
	}
	if diff := cmp.Diff(map[string]string{"remote-answers": "done", "remote-streams": "done", "remote-errs": "error", "program-answers": "done", "program-errs": "error"}, got); diff != "" {
		t.Errorf("what was quoted (-want +got):\n%s", diff)
	}
	text, err := told(frames)
	must(t, err)
	h.add(text)
}

// theProgramsHaveIt looks for the programs' variables in all processes, as a Bypass chat can:
// the Harness has them, which starts the programs, and those have them, and nobody else.
func theProgramsHaveIt(ctx context.Context, t *testing.T, w *world, harness int) {
	t.Helper()
	command := `for p in /proc/[0-9]*; do grep -aq 'm5pserv[6][[:alnum:]]*` + thisRun + `' $p/environ 2>/dev/null && echo ${p#/proc/} $(sed -n 's/^PPid:[^0-9]*//p' $p/status); done; echo looked`
	got := lastCard(t, play(ctx, t, w.NewChat(), scriptmodel.Steps(scriptmodel.Bash(command), scriptmodel.Say("x")), kit.Mode("bypass"))).Result
	var programs int
	var itself bool
	for line := range strings.Lines(strings.TrimSuffix(strings.TrimSpace(got), "looked")) {
		var pid, parent int
		if _, err := fmt.Sscan(line, &pid, &parent); err != nil {
			continue // one that has ended
		}
		switch harness {
		case pid:
			itself = true
		case parent:
			programs++
		default:
			t.Errorf("process %d of %d has a variable that is a program's", pid, parent)
		}
	}
	if !itself || programs < 2 {
		t.Errorf("the Harness (%t) and %d programs have their variables: %s", itself, programs, got)
	}
}
