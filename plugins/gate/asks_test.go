package gate

import (
	"strings"
	"testing"

	"strata.dev/bridge/proto/abi"
)

// Lines that an accept-list once let through, by what was wrong with it. Manual
// asks about each and Plan refuses it.
var mustAsk = []struct{ shell, fault, lines string }{
	{"bash", "words before the sub-command make it another", `
		git stash -m list
		git stash -um list
		git stash -am list
		git stash --all -m list
		git stash --all list
		git stash -- list
		git stash -u -- list
		git stash -a -- show
		git stash --patch -- list
		git stash -p show
		git reflog --all show
		git remote -- get-url origin
		git notes -- list`},
	{"pwsh", "words before the sub-command make it another", `
		git stash -- list
		git stash -m list`},
	{"bash", "a letter that takes the next word, whatever stands behind it", `
		tree -Po x README.md
		tree -Il x .
		tree -IR x
		ls -I -- -L
		ls -lI -- -LR .`},
	{"bash", "letters that do not bundle", `
		xxd -ps 5 README.md
		xxd -ac 5 README.md
		xxd -ul 5 README.md
		xxd -bl 5 README.md
		xxd -pg 5 README.md
		xxd -Cl 5 README.md
		cat a | xxd -ac 5`},
	{"bash", "a path behind = that programs read in two ways", `
		rg -f=.env x
		rg -f=/etc/passwd x`},
}

func TestMustAsk(t *testing.T) {
	for _, group := range mustAsk {
		for line := range strings.SplitSeq(strings.TrimSpace(group.lines), "\n") {
			line = strings.TrimSpace(line)
			call := row{Shell: group.shell, Command: line}.call()
			calls := []abi.GateCall{call}
			if group.shell == "pwsh" {
				calls = append(calls, onWindows(call))
			}
			for _, call := range calls {
				for mode, want := range map[abi.Mode]string{abi.Manual: abi.Ask, abi.Plan: abi.Deny} {
					call.Mode = mode
					if got := Decide(call, abi.GateConfig{}); got.Decision != want {
						t.Errorf("%s: %s on %s in %s: %s by %s", group.fault, line, call.Platform, mode, got.Decision, got.Rule)
					}
				}
			}
		}
	}
}
