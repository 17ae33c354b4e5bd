package gate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"strata.dev/bridge/proto/abi"
)

// row is one line of the corpus: a command and whether it may run unasked.
type row struct {
	ID, Shell, Command, Expected, Kind, Note string
}

func corpus(t testing.TB) []row {
	t.Helper()
	f, err := os.Open("testdata/corpus.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	for s := bufio.NewScanner(f); s.Scan(); {
		var r row
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if len(rows) < 600 {
		t.Fatalf("only %d rows", len(rows))
	}
	return rows
}

// call is the tool call that a row stands for.
func (r row) call() abi.GateCall {
	c := abi.GateCall{
		Tool: r.Shell, Mode: abi.Manual, CWD: "/home/u/repo", Workspace: "/home/u/repo", Platform: "linux",
		Git: &abi.GitFacts{Programs: []string{}}, RealPaths: map[string]string{},
	}
	if r.Shell == "tool" {
		name, arguments, _ := strings.Cut(r.Command, " {")
		c.Tool, c.Arguments = name, json.RawMessage("{"+arguments)
		return c
	}
	c.Arguments, _ = json.Marshal(map[string]string{"command": r.Command})
	return c
}

// onWindows is the same call on Windows.
func onWindows(c abi.GateCall) abi.GateCall {
	c.CWD, c.Workspace, c.Platform = `C:\Users\u\repo`, `C:\Users\u\repo`, "win32"
	return c
}

func (r row) core() bool { return strings.HasPrefix(r.Note, "core") }

// tally is how the rows of one kind came out.
type tally struct{ rows, wrong int }

// Marks of the corpus: (1) ask rows allowed, by row and by kind; (2) core rows
// asked; (3) nice rows asked, at most 2 % of all that may run. They hold on
// every platform for rows of PowerShell.
func TestCorpus(t *testing.T) {
	const pinned = "475 ask rows of 126 kinds: 0 allowed in 0 kinds; 189 allow rows of 30 kinds: 0 core and 0 nice asked"
	leaks, needless := map[string]*tally{}, map[string]*tally{}
	core, nice := 0, 0
	for _, r := range corpus(t) {
		calls := []abi.GateCall{r.call()}
		if r.Shell == "pwsh" {
			calls = append(calls, onWindows(r.call()))
		}
		kinds := needless
		if r.Expected == "ask" {
			kinds = leaks
		}
		kind := kinds[r.Kind]
		if kind == nil {
			kind = &tally{}
			kinds[r.Kind] = kind
		}
		kind.rows++
		for _, call := range calls {
			got := Decide(call, abi.GateConfig{})
			if got.Rule == "" || got.Decision == abi.Ask && got.Reason == "" {
				t.Errorf("%s %q: a decision without a rule or a reason: %+v", r.ID, r.Command, got)
			}
			if got.Decision == r.Expected {
				continue
			}
			kind.wrong++
			t.Logf("%s %s %q (%s) on %s: %s by %s: %s", r.ID, r.Shell, r.Command, r.Kind, call.Platform, got.Decision, got.Rule, got.Reason)
			switch {
			case r.Expected == "ask":
			case r.core():
				core++
			default:
				nice++
			}
		}
	}
	rows := func(kinds map[string]*tally) (rows, wrong, wrongKinds int) {
		for _, k := range kinds {
			rows, wrong = rows+k.rows, wrong+k.wrong
			if k.wrong > 0 {
				wrongKinds++
			}
		}
		return rows, wrong, wrongKinds
	}
	ask, allowed, allowedKinds := rows(leaks)
	allow, asked, _ := rows(needless)
	got := fmt.Sprintf("%d ask rows of %d kinds: %d allowed in %d kinds; %d allow rows of %d kinds: %d core and %d nice asked",
		ask, len(leaks), allowed, allowedKinds, allow, len(needless), core, nice)
	if got != pinned {
		t.Errorf("\n got %s\nwant %s", got, pinned)
	}
	if allowed > 0 || core > 0 || asked*50 > allow {
		t.Errorf("%d rows that must ask are allowed; %d core rows ask; %d of %d rows that may run ask", allowed, core, asked, allow)
	}
}
