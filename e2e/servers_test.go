package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/e2e/kit"
	"strata.dev/bridge/proto/chat"
)

// What the person gave their servers.
const (
	notesToken  = "n0tes-t0ken-0123456789"
	remoteToken = "rem0te-t0ken-0123456789"
)

// remoteServer is an MCP server that is reached by its address: one tool, which quotes the
// header that it was asked with.
func remoteServer(t *testing.T) (url string, calls *atomic.Int32) {
	t.Helper()
	calls = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer "+remoteToken || r.URL.Path != "/mcp/" {
			t.Errorf("%s %s with %q", r.Method, r.URL.Path, got)
		}
		var q struct {
			ID     *int
			Method string
			Params struct{ ProtocolVersion string }
		}
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		if q.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		result := ""
		switch q.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"remote","version":"1"}}`, q.Params.ProtocolVersion)
		case "tools/list":
			result = `{"tools":[{"name":"ask","description":"Answers.","inputSchema":{"type":"object","properties":{}}}]}`
		case "tools/call":
			calls.Add(1)
			result = fmt.Sprintf(`{"content":[{"type":"text","text":"answered to %s"}]}`, r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%s}`, *q.ID, result)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mcp/", calls
}

// TestServers adds MCP servers of the person's own while chats are open: from the next
// message the agent has their tools, which ask in Manual, are refused in Plan and run in
// Bypass. What the servers are given is in no file as it is (keys.json has it sealed), no log,
// nothing that the host prints and no frame.
func TestServers(t *testing.T) { overEach(t, []string{"0.1.0", "0.2"}, ownServers) }

func ownServers(ctx context.Context, t *testing.T, o kit.HostOptions) {
	told := 0
	if o.Wire != nil { // a version that nothing was tested with runs too, and says so once in a chat
		wire := *o.Wire
		wire.Version, told = "0.2.99", 1
		o.Wire = &wire
	}
	w := newWorld(ctx, t, o)
	c := w.NewChat()
	before := append(play(ctx, t, c, `#! SAY "before"`), play(ctx, t, c, `#! SAY "once more"`)...)
	untested := slices.DeleteFunc(before, func(f chat.Frame) bool { return f.Type != chat.Notice })
	if len(untested) != told || told > 0 && untested[0].Text != "The agent is version 0.2.99, which Strata was not tested with. If something goes wrong, install version 0.1.0-rc.8." {
		t.Errorf("notices of an untested version: %+v", untested)
	}
	status, err := w.Status(ctx)
	must(t, err)
	if wire := map[bool]string{false: "events.mux", true: "remote.mux"}[o.Wire != nil]; status.Wire != wire {
		t.Errorf("the wire is %s, want %s", status.Wire, wire)
	}
	url, calls := remoteServer(t)
	var settings chat.ToolSettings
	notes, err := filepath.Abs("testdata/notes.mjs")
	must(t, err)
	for _, tool := range []map[string]any{
		{"kind": "server", "name": "notes", "command": kit.Node(t), "args": []string{notes, "a program"}, "values": map[string]string{"NOTES_TOKEN": notesToken}},
		{"kind": "server", "name": "remote", "url": url, "values": map[string]string{"Authorization": "Bearer " + remoteToken}},
		{"kind": "server", "name": "broken", "command": "/no/such/program", "values": map[string]string{"X_TOKEN": notesToken}},
		{"kind": "server", "name": "off", "on": false, "command": "/no/such/program"},
	} {
		must(t, w.Do(ctx, http.MethodPost, "/api/agent/tools/custom", tool, &settings))
	}
	frames := map[string][]chat.Frame{}

	run := send(ctx, t, c, `#! CALL mcp__custom-notes__add {"text":"x"} / THEN / SAY "noted"`)
	proposed := card(ctx, t, run, "mcp__custom-notes__add", chat.ToolProposed)
	must(t, c.Approve(ctx, proposed))
	frames["manual"] = ended(ctx, t, run)
	hash := sha256.Sum256([]byte(notesToken))
	done := card(ctx, t, run, "mcp__custom-notes__add", chat.ToolDone)
	if diff := cmp.Diff([]string{
		"This uses the connected tool add of notes, which can change things.", "1 noted by a program, which has NOTES_TOKEN " + hex.EncodeToString(hash[:4]),
	}, []string{proposed.Reason, done.Result}); diff != "" {
		t.Errorf("in Manual (-want +got):\n%s", diff)
	}

	script := `#! CALL mcp__custom-notes__add {"text":"y"} / THEN / CALL mcp__custom-remote__ask {} / THEN / SAY "tried"`
	frames["plan"] = play(ctx, t, w.NewChat(), script, kit.Mode("plan"))
	frames["bypass"] = play(ctx, t, w.NewChat(), script, kit.Mode("bypass"))
	states := map[string][]string{}
	for mode, f := range frames {
		states[mode] = kit.States(f)
	}
	if diff := cmp.Diff(map[string][]string{
		"manual": {"mcp__custom-notes__add: running proposed running done"},
		"plan":   {"mcp__custom-notes__add: running denied", "mcp__custom-remote__ask: running denied"},
		"bypass": {"mcp__custom-notes__add: running done", "mcp__custom-remote__ask: running done"},
	}, states); diff != "" {
		t.Errorf("the cards (-want +got):\n%s", diff)
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("the remote server was called %d times", n)
	}
	shown, err := json.Marshal([]any{frames, settings})
	must(t, err)
	if text := string(shown); !strings.Contains(text, "answered to [key]") || strings.Contains(text, notesToken) || strings.Contains(text, remoteToken) {
		t.Errorf("what was shown: %s", text)
	}
	holds := func(what, text string) {
		for _, token := range []string{notesToken, remoteToken} {
			if strings.Contains(text, token) {
				t.Errorf("%s holds what a server was given", what)
			}
		}
	}
	holds("what the host prints", strings.Join(w.Output(), "\n"))
	must(t, filepath.WalkDir(w.home.Data, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // the Harness is at work
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		holds(path, string(data))
		return err
	}))
	log, err := os.ReadFile(filepath.Join(w.home.Data, "logs", "host.log"))
	must(t, err)
	for name, told := range map[string]bool{"custom-notes": false, "custom-remote": false, "custom-broken": true, "custom-off": false} {
		if strings.Contains(string(log), `"why":"`+name+` has given no tools yet"`) != told {
			t.Errorf("%s is said to give no tools: %t, want %t", name, !told, told)
		}
	}
	must(t, w.Do(ctx, http.MethodDelete, "/api/agent/tools/custom/notes", nil, &settings))
	var left []string
	for _, tool := range settings.Custom {
		left = append(left, fmt.Sprint(tool.ID, " ", tool.On))
	}
	if diff := cmp.Diff([]string{"broken true", "off false", "remote true"}, left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
	gone := kit.States(play(ctx, t, c, `#! CALL mcp__custom-notes__add {"text":"z"} / THEN / SAY "gone"`, kit.Mode("bypass")))
	if diff := cmp.Diff([]string{"mcp__custom-notes__add: running error"}, gone); diff != "" {
		t.Errorf("after the removal (-want +got):\n%s", diff)
	}
}
