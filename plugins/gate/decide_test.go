package gate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/proto/abi"
)

// called makes a call as the shim sends it, in Manual.
func called(tool, arguments string) abi.GateCall {
	return abi.GateCall{
		Tool: tool, Arguments: json.RawMessage(arguments), Mode: abi.Manual,
		CWD: "/home/u/repo", Workspace: "/home/u/repo", Platform: "linux", Git: &abi.GitFacts{Programs: []string{}},
	}
}

func commanded(src string) abi.GateCall {
	b, err := json.Marshal(map[string]string{"command": src})
	if err != nil {
		panic(err)
	}
	return called("bash", string(b))
}

// verdictOf is what a table compares: decision, rule and reason.
type verdictOf struct{ Decision, Rule, Reason string }

func decided(call abi.GateCall, secrets ...string) verdictOf {
	d := Decide(call, abi.GateConfig{Secrets: secrets})
	return verdictOf{d.Decision, d.Rule, d.Reason}
}

func TestTools(t *testing.T) {
	allow := func(rule string) verdictOf { return verdictOf{abi.Allow, rule, ""} }
	ask := func(rule, reason string) verdictOf { return verdictOf{abi.Ask, rule, reason} }
	unknown := func(tool, argument string) verdictOf {
		return ask("tool:arguments", "The tool "+tool+" was given something that it is not known to take: "+argument+".")
	}
	tests := []struct {
		tool, arguments string
		want            verdictOf
	}{
		{"read", `{"file_path":"src/main.go","offset":1,"limit":20}`, allow("tool:read")},
		{"read", `{"file_path":"/home/u/repo/a.go"}`, allow("tool:read")},
		{"read", `{"file_path":"/etc/passwd"}`, ask("tool:path", "This looks at something outside the project folder: /etc/passwd.")},
		{"read", `{"file_path":"../other/a"}`, ask("tool:path", "This looks at something outside the project folder: ../other/a.")},
		{"read", `{"file_path":"config/.env.local"}`, ask("tool:path", "This touches something that may hold secrets: config/.env.local.")},
		{"read", `{"file_path":"~/x"}`, unknown("read", "file_path")},
		{"read", `{"file_path":"a","shell":"x"}`, unknown("read", "shell")},
		{"read", `{"file_path":["a"]}`, unknown("read", "file_path")},
		{"read", `[1]`, ask("tool:arguments", "The tool read was called in a way that cannot be read.")},
		{"read", `"{\"file_path\":\"a.go\"}"`, allow("tool:read")},
		{"read_image", `{"file_path":"a.png"}`, allow("tool:read_image")},
		{"glob", `{"pattern":"**/*.go","path":"src"}`, allow("tool:glob")},
		{"glob", `{"pattern":"../**"}`, unknown("glob", "pattern")},
		{"grep", `{"pattern":"a","include":"*.go"}`, allow("tool:grep")},
		{"grep", `{"pattern":"a","path":"/home/u"}`, ask("tool:path", "This looks at something outside the project folder: /home/u.")},
		{"job_output", `{"job_id":"j","wait":true,"timeout_ms":5}`, allow("tool:job_output")},
		{"job_list", `{}`, allow("tool:job_list")},
		{"job_list", ``, allow("tool:job_list")},
		{"job_kill", `{"job_id":"j1","reason":"x"}`, ask("tool:job_kill", "This would stop the background job j1.")},
		{"write", `{"file_path":"hello.txt","content":"x"}`, ask("tool:write", "This would write the file hello.txt.")},
		{"edit", `{"file_path":"hello.txt","old_string":"x","new_string":"y"}`, ask("tool:edit", "This would change the file hello.txt.")},
		{"todo_write", `{"todos":[]}`, allow("tool:todo_write")},
		{"decompress", `{"id":"x"}`, allow("tool:decompress")},
		{"decompress", `{"id":"x","toFile":"out.txt"}`, ask("tool:decompress", "This would write the file out.txt.")},
		{"subagent", `{"description":"d","prompt":"p"}`, allow("tool:subagent")},
		{"workflow", `{"script":"x","meta":{}}`, ask("tool:workflow", "This runs a script that the assistant wrote, which can do anything on this computer.")},
		{"web_search", `{"queries":["a b","c"]}`, ask("tool:web_search", "The assistant wants to search the web for: a b; c. Search words go to the search service.")},
		{"web_fetch", `{"url":"https://a.invalid/"}`, ask("tool:web_fetch", "The assistant wants to open the web page https://a.invalid/.")},
		{"mcp__github__create_issue", `{}`, ask("tool:mcp", "This uses the connected tool create_issue of github, which can change things.")},
		{"frobnicate", `{}`, ask("tool:unknown", "This uses the tool frobnicate, which can change things.")},
		{"pwsh", `{"command":"ls"}`, allow("pwsh:ls")},
		{"pwsh", `{"command":"gci -Recurse"}`, allow("pwsh:Get-ChildItem")},
		{"powershell", `{"command":"gci -Rec"}`, ask("pwsh:option", "This runs Get-ChildItem with an option that is not known to be harmless: -Rec.")},
		{"pwsh", `{"command":"gci","run_in_background":true}`, ask("pwsh:background", "This would leave a program running in the background.")},
		{"cmd", `{"command":"dir"}`, ask("tool:cmd", "Commands for cmd are not checked, so they always ask.")},
		{"bash", `{"command":"ls","description":"List","timeoutMs":100}`, allow("bash:ls")},
		{"bash", `{"command":"ls","workdir":"src"}`, allow("bash:ls")},
		{"bash", `{"command":"ls","workdir":"/etc"}`, ask("bash:path", "This looks at something outside the project folder: /etc.")},
		{"bash", `{"command":"ls","workdir":"a/.."}`, ask("bash:path", "It could not be found out where this leads: a/...")},
		{"bash", `{"command":"cat ../a","workdir":"src"}`, ask("bash:path", "It could not be found out where this leads: ../a.")},
		{"read", `{"file_path":"a/../b"}`, ask("tool:path", "It could not be found out where this leads: a/../b.")},
		{"bash", `{"command":"git status","workdir":"src"}`, ask("bash:git-other", "This runs git in another folder than the chat's own: src.")},
		{"bash", `{"command":"git status","workdir":"/home/u/repo"}`, allow("bash:git status")},
		{"bash", `{"command":"ls","run_in_background":false}`, allow("bash:ls")},
		{"bash", `{"command":"ls","run_in_background":true}`, ask("bash:background", "This would leave a program running in the background.")},
		{"bash", `{"command":"ls","env":{}}`, unknown("bash", "env")},
		{"bash", `{"cmd":"ls"}`, ask("tool:arguments", "The tool bash was called in a way that cannot be read.")},
		{"bash", `{"command":"ls","sandbox_permissions":"danger-full-access","justification":"I need it."}`,
			ask("tool:escalation", "The assistant asks to run this outside the sandbox. It says: I need it.")},
		{"read", `{"file_path":"a","justification":"x"}`, ask("tool:escalation", "The assistant asks to run this outside the sandbox. It says: x")},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, decided(called(test.tool, test.arguments))); diff != "" {
			t.Errorf("%s %s: %s", test.tool, test.arguments, diff)
		}
	}
}

func TestModes(t *testing.T) {
	calls := []abi.GateCall{
		called("write", `{"file_path":"a"}`), commanded("ls"), called("web_search", `{"queries":["a"]}`),
		called("mcp__browser__browser_snapshot", `{}`), called("todo_write", `{}`),
	}
	manual := [5]string{"ask", "allow", "ask", "allow", "allow"}
	plan := [5]string{"deny", "allow", "allow", "deny", "allow"}
	bypass := [5]string{"allow", "allow", "allow", "allow", "allow"}
	tests := map[string]struct {
		mode, start abi.Mode
		want        [5]string
	}{
		"manual":              {abi.Manual, "", manual},
		"plan":                {abi.Plan, "", plan},
		"bypass":              {abi.Bypass, "", bypass},
		"unknown is manual":   {"yolo", "", manual},
		"empty is manual":     {"", "", manual},
		"loosened mid turn":   {abi.Bypass, abi.Plan, plan},
		"tightened mid turn":  {abi.Manual, abi.Bypass, manual},
		"unknown start":       {abi.Bypass, "yolo", manual},
		"bypass all the time": {abi.Bypass, abi.Bypass, bypass},
	}
	for name, test := range tests {
		var got [5]string
		for i, call := range calls {
			call.Mode, call.StartMode = test.mode, test.start
			got[i] = decided(call).Decision
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	refused := calls[0]
	refused.Mode = abi.Plan
	want := verdictOf{abi.Deny, "tool:write", "Not allowed in this mode. The chat is in Plan mode, where nothing is changed. " +
		"This would write the file a. Do not try it another way: look around with reading tools and put the change into the plan."}
	if diff := cmp.Diff(want, decided(refused)); diff != "" {
		t.Error(diff)
	}
	if _, inMode := abi.Refused(want.Reason); !inMode {
		t.Error("this does not read as refused by the mode")
	}
}

func TestPartsTellWhichOneAsks(t *testing.T) {
	got := Decide(commanded("ls src && rm -rf x; git log > out | head -3"), abi.GateConfig{})
	got.Digest = ""
	want := abi.GateDecision{
		Decision: abi.Ask, Rule: "bash:program", Reason: "This runs a program that can change things: rm.",
		Key: "This runs a program that can change things: {program}.", Args: map[string]string{"program": "rm"},
		Parts: []abi.GatePart{
			{Text: "ls src", Decision: abi.Allow, Rule: "bash:ls"},
			{Text: "rm -rf x", Decision: abi.Ask, Rule: "bash:program", Reason: "This runs a program that can change things: rm."},
			{Text: "git log > out", Decision: abi.Ask, Rule: "bash:redirect", Reason: "This would write the file out."},
			{Text: "head -3", Decision: abi.Allow, Rule: "bash:head"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFiftyParts(t *testing.T) {
	if got := decided(commanded(strings.Repeat("ls;", 50))); got.Decision != abi.Allow {
		t.Errorf("50 parts: %+v", got)
	}
	want := verdictOf{abi.Ask, "bash:parts", "This command has more than 50 parts, so it cannot be checked."}
	if diff := cmp.Diff(want, decided(commanded(strings.Repeat("ls;", 51)))); diff != "" {
		t.Error(diff)
	}
}

func TestGitNeedsToKnowTheSettings(t *testing.T) {
	call := commanded("ls; git status")
	call.Git = nil
	want := verdictOf{abi.Ask, "bash:git-settings", "It is not known whether this project's git settings start programs."}
	if diff := cmp.Diff(want, decided(call)); diff != "" {
		t.Error(diff)
	}
	call.Git = &abi.GitFacts{Programs: []string{"core.fsmonitor", "diff.external"}}
	want.Reason = "This project's git settings start programs (core.fsmonitor, diff.external), so git is not harmless here."
	if diff := cmp.Diff(want, decided(call)); diff != "" {
		t.Error(diff)
	}
}

func TestRealPathsDecide(t *testing.T) {
	call := commanded("cat docs/x README.md")
	call.RealPaths = map[string]string{
		"/home/u/repo": "/mnt/repo", "/home/u/repo/docs/x": "/mnt/repo/docs/x", "/home/u/repo/README.md": "/mnt/repo/README.md",
	}
	if got := decided(call); got.Decision != abi.Allow {
		t.Errorf("inside a linked workspace: %+v", got)
	}
	tests := map[string]string{
		"/home/u/.ssh/id_rsa":  "This leads outside the project folder: docs/x is really /home/u/.ssh/id_rsa.",
		"/home/u/repo/docs/x":  "This leads outside the project folder: docs/x is really /home/u/repo/docs/x.",
		"/mnt/repo/a/.env":     "This touches something that may hold secrets: docs/x.",
		"/mnt/repo/data/token": "This touches something that may hold secrets: docs/x.",
		"":                     "It could not be found out where this leads: docs/x.",
	}
	for real, why := range tests {
		call.RealPaths["/home/u/repo/docs/x"] = real
		if diff := cmp.Diff(verdictOf{abi.Ask, "bash:path", why}, decided(call, "/mnt/repo/data")); diff != "" {
			t.Errorf("%q: %s", real, diff)
		}
	}
}

func TestFacts(t *testing.T) {
	bypass := commanded("cat a")
	bypass.Mode = abi.Bypass
	nothing := abi.GateFacts{Paths: []string{}}
	tests := map[string]struct {
		call abi.GateCall
		want abi.GateFacts
	}{
		"paths of all parts, each once": {commanded("cat ./b /home/u/repo/b; git log -- c"), abi.GateFacts{
			Git: true, Paths: []string{"/home/u/repo", "/home/u/repo/b", "/home/u/repo/c"}}},
		"a folder of its own": {called("bash", `{"command":"cat a","workdir":"src"}`), abi.GateFacts{
			Paths: []string{"/home/u/repo/src", "/home/u/repo/src/a", "/home/u/repo"}}},
		"a tool":                       {called("read", `{"file_path":"a"}`), abi.GateFacts{Paths: []string{"/home/u/repo/a", "/home/u/repo"}}},
		"asks anyhow":                  {commanded("cat a; rm b"), nothing},
		"up, perhaps behind a link":    {commanded("cat a/../b"), nothing},
		"a folder that climbs":         {called("bash", `{"command":"ls","workdir":"a/.."}`), nothing},
		"outside by its words":         {commanded("cat /etc/passwd a"), nothing},
		"a tool that needs no looking": {called("todo_write", `{}`), nothing},
		"bypass":                       {bypass, nothing},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, Facts(test.call, abi.GateConfig{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What facts could not name, decide must not take for known.
func TestMorePathsThanCanBeLookedUp(t *testing.T) {
	call := commanded("wc -l" + strings.Repeat(" f", abi.MaxPaths))
	want := verdictOf{abi.Ask, "bash:parts", "This command names more than 255 paths, so it cannot be checked."}
	if diff := cmp.Diff(want, decided(call)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(abi.GateFacts{Paths: []string{}}, Facts(call, abi.GateConfig{})); diff != "" {
		t.Error(diff)
	}
}

func TestADeepLookMayNotReachAConfiguredSecret(t *testing.T) {
	tests := map[string]string{"ls": "allow", "cat a": "allow", "rg foo": "ask", "grep -r foo .": "ask", "rg foo src": "allow", "cat .data/token": "ask"}
	for src, want := range tests {
		if got := decided(commanded(src), "/home/u/repo/.data"); got.Decision != want {
			t.Errorf("%s: %+v", src, got)
		}
	}
}
