package gate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"strata.dev/bridge/plugins/sdk"
	"strata.dev/bridge/proto/abi"
)

// running is a command in a chat.
func running(root, src string) abi.GateCall {
	call := commanded(src)
	call.Root, call.Session, call.CallID = root, root, "call-"+src
	return call
}

func yesFor(scope, pattern string) abi.AskAnswer {
	return abi.AskAnswer{Outcome: allowedOnce, Scope: scope, Pattern: pattern}
}

// asks tells whether a call still asks.
func (h *host) asks(call abi.GateCall) bool {
	h.t.Helper()
	c := h.confirm(call, abi.GateConfig{})
	if c.Status == sdk.Waiting {
		h.question(c)
		c.Cancel()
		return true
	}
	if v := h.verdict(c); v.Decision != abi.Allow {
		h.t.Errorf("%s: %+v", call.Arguments, v)
	}
	return false
}

func (h *host) saved() []abi.GatePermission {
	h.t.Helper()
	var out abi.GatePermissions
	if err := h.do("permissions", nil, &out); err != nil {
		h.t.Fatal(err)
	}
	return out.Permissions
}

func TestScopes(t *testing.T) {
	none := abi.GateConfig{}
	for scope, want := range map[string]struct{ same, helper, other, folder bool }{ // whether it still asks
		"":              {true, true, true, true},
		abi.ScopeOnce:   {true, true, true, true},
		abi.ScopeChat:   {false, false, true, true},
		abi.ScopeAlways: {false, false, false, true},
		"for-ever":      {true, true, true, true},
	} {
		t.Run(scope, func(t *testing.T) {
			h := newHost(t, none)
			h.answer(h.confirm(running("r", "npm test"), none), yesFor(scope, ""))
			h.restart(none)
			helper, folder := running("r", "npm test"), running("r", "npm test")
			helper.Session = "h"
			folder.CWD, folder.Workspace = "/home/u/other", "/home/u/other"
			got := struct{ same, helper, other, folder bool }{
				h.asks(running("r", "npm test")), h.asks(helper), h.asks(running("x", "npm test")), h.asks(folder),
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			for _, src := range []string{"npm test x", "npm test; rm a", "npm test > a", "npm run test", "npm test &"} {
				if !h.asks(running("r", src)) {
					t.Errorf("%q runs unasked", src)
				}
			}
		})
	}
}

func TestEveryPartMustBeCovered(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	h.answer(h.confirm(running("r", "git log -1 && npm test && npm run lint"), none), yesFor(abi.ScopeChat, ""))
	for src, asks := range map[string]bool{
		"npm test": false, "npm run lint && npm test": false, "cat a | wc -l; npm test": false, "npm test | tail -5": false,
		"npm test && touch x": true, "touch x && npm test": true,
		"npm test && cat a":      true, // what it finds is not known any more
		"npm test && wc -l *.go": true,
		"npm test < a":           true,
		"npm test && git status": true,
		"cd x && npm test":       true,
		"npm test $(touch x)":    true,
	} {
		if got := h.asks(running("r", src)); got != asks {
			t.Errorf("%q asks: %v", src, got)
		}
	}
	var patterns []string
	for _, p := range h.saved() {
		patterns = append(patterns, p.Pattern)
	}
	if diff := cmp.Diff([]string{"npm test", "npm run lint"}, patterns); diff != "" {
		t.Error(diff)
	}
}

func TestAnEditedPattern(t *testing.T) {
	none := abi.GateConfig{}
	for pattern, saved := range map[string]bool{
		"npm run *": true, "npm run lint": true, "npm run *\n": true,
		"npm test": false, "*": false, "npm run *\nrm -rf *": false, "npm run lint; rm x": false, "cd x": false,
	} {
		h := newHost(t, none)
		h.answer(h.confirm(running("r", "npm run lint"), none), yesFor(abi.ScopeAlways, pattern))
		if asks := h.asks(running("r", "npm run lint")); asks == saved {
			t.Errorf("%q: asks again: %v", pattern, asks)
		}
		if wide := h.asks(running("r", "npm run build")); wide != (strings.TrimSpace(pattern) != "npm run *") {
			t.Errorf("%q: another script asks: %v", pattern, wide)
		}
		if n := len(h.saved()); (n > 0) != saved {
			t.Errorf("%q: %d saved", pattern, n)
		}
	}
}

func TestFilesAndTools(t *testing.T) {
	none := abi.GateConfig{Secrets: []string{"/home/u/.strata"}}
	h := newHost(t, none)
	call := func(tool, arguments string) abi.GateCall {
		c := called(tool, arguments)
		c.Root, c.Session, c.CallID = "r", "r", "c"
		return c
	}
	h.answer(h.confirm(call("write", `{"file_path":"/home/u/repo/docs/a.md","content":"x"}`), none), yesFor(abi.ScopeChat, "docs/*.md"))
	h.answer(h.confirm(call("mcp__notes__add", `{"text":"x"}`), none), yesFor(abi.ScopeChat, "mcp__notes__*"))
	h.answer(h.confirm(call("read", `{"file_path":"/usr/include/a.h"}`), none), yesFor(abi.ScopeChat, "/usr/include/*"))
	h.answer(h.confirm(call("web_search", `{"query":"x"}`), none), yesFor(abi.ScopeAlways, ""))
	h.real["/home/u/repo/docs/link.md"] = "/home/u/notes.md"
	h.real["/home/u/repo/docs/key.md"] = "/home/u/.strata/token"
	for _, test := range []struct {
		tool, arguments string
		asks            bool
	}{
		{"write", `{"file_path":"docs/b.md","content":"y"}`, false},
		{"edit", `{"file_path":"docs/b.md","old_string":"x","new_string":"y"}`, true},
		{"write", `{"file_path":"docs/b.md","content":"y","justification":"x"}`, true},
		{"write", `{"file_path":"docs/link.md","content":"y"}`, true},
		{"write", `{"file_path":"docs/key.md","content":"y"}`, true},
		{"write", `{"file_path":"docs/../.env","content":"y"}`, true},
		{"mcp__notes__remove", `{"id":3}`, false},
		{"mcp__notes__add", `{"file":"/home/u/.strata/token"}`, true},
		{"mcp__notes__add", `{"text":"x","sandbox_permissions":"danger-full-access"}`, true},
		{"mcp__notesy__add", `{"text":"x"}`, true},
		{"read", `{"file_path":"/usr/include/b.h"}`, false},
		{"read", `{"file_path":"/usr/include/b.h","shell":"x"}`, true},
		{"read", `{"file_path":"/usr/include/../../etc/shadow"}`, true},
		{"web_fetch", `{"url":"https://a.invalid/"}`, false},
		{"web_fetch", `{"url":"https://a.invalid/","x":1}`, true},
	} {
		if got := h.asks(call(test.tool, test.arguments)); got != test.asks {
			t.Errorf("%s %s asks: %v", test.tool, test.arguments, got)
		}
	}
}

// Whatever was saved, what a built-in rule refuses to prove is asked about.
func TestNothingSavedReachesWhatIsForbidden(t *testing.T) {
	for _, src := range []string{
		"cat .env", "cat /proc/self/environ", "rm /home/u/.strata/token", "npm test 2>out", "echo $HOME", "ls `id`", "cd x", "eval x", "rm ~/x",
		"rm *.o", "deploy --token=abcdefgh12345678", "ls \\\n-l", strings.Repeat("npm test;", 51), "npm test &", "x\ry",
	} {
		offer := offerOf(running("r", src), abi.GateConfig{Secrets: []string{"/home/u/.strata"}}, "")
		if len(offer.Scopes) > 0 || offer.Key == "" || offer.Reason == "" {
			t.Errorf("%.40q can be saved: %+v", src, offer)
		}
	}
	for tool, arguments := range map[string]string{
		"bash": `{"command":"ls","justification":"x"}`, "cmd": `{"command":"dir"}`, "write": `{"content":"x"}`, "read": `{"file_path":"a","x":1}`,
		"mcp__browser__browser_take_screenshot": `{"filename":"x"}`,
	} {
		if offer := offerOf(called(tool, arguments), abi.GateConfig{}, ""); len(offer.Scopes) > 0 {
			t.Errorf("%s %s can be saved: %+v", tool, arguments, offer)
		}
	}
	// A call that decide could not look at is asked about, whatever is saved.
	h := newHost(t, abi.GateConfig{})
	h.answer(h.confirm(running("r", "npm test"), abi.GateConfig{}), yesFor(abi.ScopeAlways, ""))
	fault := abi.GateDecision{Decision: abi.Ask, Rule: abi.RuleFault, Reason: "The safety check could not look at this call, so it asks."}
	c := h.d.Start("confirm", abi.GateConfirm{Call: running("r", "npm test"), Decision: fault}, nil)
	h.serve(c)
	h.question(c)
}

func TestExpiryListAndRevoke(t *testing.T) {
	none := abi.GateConfig{}
	h := newHost(t, none)
	for i, src := range []string{"npm test", "make"} {
		answer := yesFor(abi.ScopeAlways, "")
		if i == 1 {
			answer.Expires = int64(h.now) + 1_000
		}
		h.answer(h.confirm(running("r", src), none), answer)
	}
	want := []abi.GatePermission{
		{Tool: "bash", Pattern: "npm test", Scope: abi.ScopeAlways, Folder: "/home/u/repo"},
		{Tool: "bash", Pattern: "make", Scope: abi.ScopeAlways, Folder: "/home/u/repo"},
	}
	all := h.saved()
	if diff := cmp.Diff(want, all, cmpopts.IgnoreFields(abi.GatePermission{}, "ID", "Created", "Expires")); diff != "" {
		t.Error(diff)
	}
	if h.asks(running("r", "make")) {
		t.Error("it asks before it ends")
	}
	h.now += 1_000
	if !h.asks(running("r", "make")) || len(h.saved()) != 1 || len(h.store) != 2 { // the log is the other
		t.Errorf("what ended is still there: %v", h.store)
	}
	if err := h.do("forget", abi.GateForget{ID: all[0].ID}, nil); err != nil {
		t.Fatal(err)
	}
	if !h.asks(running("r", "npm test")) {
		t.Error("what was taken back still holds")
	}
	if err := h.do("forget", abi.GateForget{ID: all[0].ID}, nil); sdk.Code(err) != abi.CodeNotFound {
		t.Errorf("taken back twice: %v", err)
	}
	// A host may take one away behind the gate's back, and a record may be broken.
	h.store[abi.PermissionRecord+"00000000000000ff"] = `{"id":"00000000000000ff","tool":"bash","pattern":"make`
	h.store[abi.PermissionRecord+"00000000000000fe"] = `{"id":"other","tool":"bash","pattern":"make","scope":"always","folder":"/home/u/repo"}`
	if !h.asks(running("r", "make")) || len(h.saved()) != 0 {
		t.Error("a broken record is taken for a permission")
	}
}

func TestRemember(t *testing.T) {
	h := newHost(t, abi.GateConfig{})
	good := abi.GateRemember{Tool: "sh", Pattern: "make\n\n go test **\n", Scope: abi.ScopeAlways, Folder: "/home/u/repo"}
	var made abi.GatePermissions
	if err := h.do("remember", good, &made); err != nil || len(made.Permissions) != 2 || made.Permissions[0].Tool != "bash" {
		t.Fatalf("%v: %+v", err, made)
	}
	if h.asks(running("r", "go test ./... && make")) {
		t.Error("what was saved by hand does not hold")
	}
	for name, change := range map[string]func(*abi.GateRemember){
		"no folder": func(r *abi.GateRemember) { r.Folder = "" }, "no pattern": func(r *abi.GateRemember) { r.Pattern = " \n" },
		"once": func(r *abi.GateRemember) { r.Scope = abi.ScopeOnce }, "a chat without a root": func(r *abi.GateRemember) { r.Scope = abi.ScopeChat },
		"too wide": func(r *abi.GateRemember) { r.Pattern = "make\n*" },
	} {
		in := good
		change(&in)
		if err := h.do("remember", in, nil); sdk.Code(err) != abi.CodeBadInput {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range abi.MaxPermissions - 2 {
		in := good
		in.Pattern = fmt.Sprint("make ", i)
		if err := h.do("remember", in, nil); err != nil {
			t.Fatal(err)
		}
	}
	in := good
	in.Pattern = "one more"
	if err := h.do("remember", in, nil); sdk.Code(err) != abi.CodeBadInput || !strings.Contains(err.Error(), "already 200") {
		t.Errorf("one too many: %v", err)
	}
}
