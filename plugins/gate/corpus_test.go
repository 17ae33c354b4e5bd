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

// The first rule of the gate: nothing that must ask is allowed. How much of what
// may run asks all the same is pinned, so that progress and loss both show.
func TestCorpus(t *testing.T) {
	const pinned = "bash: 0 of 129 core and 1 of 19 nice rows ask; pwsh: 31 of 31 core and 2 of 2 nice rows ask; tool: 0 of 6 core and 0 of 2 nice rows ask"
	asked, all := map[string]int{}, map[string]int{}
	for _, r := range corpus(t) {
		got := Decide(r.call(), abi.GateConfig{})
		if got.Rule == "" || got.Decision == abi.Ask && got.Reason == "" {
			t.Errorf("%s %q: a decision without a rule or a reason: %+v", r.ID, r.Command, got)
		}
		if r.Expected == "ask" {
			if got.Decision != abi.Ask {
				t.Errorf("%s %q (%s): %s by %s", r.ID, r.Command, r.Kind, got.Decision, got.Rule)
			}
			continue
		}
		key := r.Shell + " nice"
		if strings.HasPrefix(r.Note, "core") {
			key = r.Shell + " core"
		}
		all[key]++
		if got.Decision != abi.Allow {
			asked[key]++
			if r.Shell != "pwsh" {
				t.Logf("%s %q asks by %s: %s", r.ID, r.Command, got.Rule, got.Reason)
			}
		}
	}
	var report []string
	for _, shell := range []string{"bash", "pwsh", "tool"} {
		core, nice := shell+" core", shell+" nice"
		report = append(report, fmt.Sprintf("%s: %d of %d core and %d of %d nice rows ask", shell, asked[core], all[core], asked[nice], all[nice]))
	}
	if got := strings.Join(report, "; "); got != pinned {
		t.Errorf("\n got %s\nwant %s", got, pinned)
	}
}
