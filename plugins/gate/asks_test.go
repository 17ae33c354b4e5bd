package gate

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		git notes -- list
		git config user.name --get
		git config --global user.email --default=x`},
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
		cat a | xxd -ac 5
		xxd -l 64 -c 8 a --
		uniq a --
		git config user.name --
		awk '{print}' a --`},
	{"bash", "a path behind = that programs read in two ways", `
		rg -f=.env x
		rg -f=/etc/passwd x`},
	{"bash", "values that start a program", `
		git log --diff-merges=remerge
		git log --diff-merges r
		git show --diff-merges=remerge HEAD
		git stash list --diff-merges=remerge
		git reflog --diff-merges=r
		git diff-tree --diff-merges=remerge HEAD
		git rev-list --diff-merges=remerge HEAD
		git whatchanged --diff-merges=remerge
		git shortlog --group=%GS HEAD
		git shortlog --group=format:%GS HEAD
		git shortlog --all --group format:%GS
		git branch --sort=signature
		git branch --list --sort signature:grade
		git tag --sort=-signature:signer
		git for-each-ref --sort=signature`},
	{"bash", "patterns that aim at secrets", `
		grep -r '' --include=.env .
		grep -rh . --include='*.pem' .
		grep -r --include .e* x .
		rg -uu -g .env ''
		rg -uu -g.env ''
		rg -uu -g=.env ''
		rg -uu --glob '.env*' ''
		rg -uu --iglob '*.ENV' ''
		rg -uu --iglob '{a,.env}' ''
		rg -g '**' ''
		rg -uuu --type-add 'x:.env' -t x .
		rg -uuu --type-add='x:*.pem' -t x .
		git grep --untracked --no-exclude-standard . -- '.en?'
		git log -p -- '.e*'
		git show HEAD -- '.en*'
		git show HEAD -- ':(icase).ENV'
		git show HEAD -- ':(icase)ID_RSA'
		git diff -- 'id_rs?'
		git diff -- '.ss?/config'
		git show :0:id_rsa
		git show 'HEAD^{/fix: it}:id_rsa'
		git cat-file -p 'HEAD@{2020-01-01 10:00}:id_rsa'`},
	{"pwsh", "patterns that aim at secrets", `
		gci -Recurse -Include .env | sls .
		gci -Recurse -Force -Filter .env | sls .
		gci -Recurse -Force -Include *.cs,.env | sls .
		gci -Recurse .e* | sls .
		gci -Force -Recurse | Where-Object Name -EQ .env | sls .
		gci -Force -Recurse | ? Name -Like .e* | Sort-Object Name | sls .
		gci -Force -Recurse | ? Extension -EQ .pem | sls .`},
	{"pwsh", "properties that hold the environment", `
		Get-Process | Select-Object -ExcludeProperty Name | ConvertTo-Json -Depth 5
		Get-Process | Select-Object -ExcludeProperty Name | fl *
		Get-Process | Select-Object -ExcludeProperty Name | ft StartInfo
		Get-Process | select -First 1 -ExcludeProperty Name | ConvertTo-Json`},
	{"bash", "texts that double and fill the memory", `
		awk 'BEGIN{s="x";for(i=0;i<999;i++)s=s s}' f
		awk '{a=a a "x"}' f
		grep -E 'x{999}{999}' f
		git show ':/x\{999\}\{999\}'
		git log -L '/x\{999\}\{999\}/,+5:f'
		git log -S 'x{999}{999}' --pickaxe-regex
		awk -F 'x{999}{999}' '{print $1}' f
		awk -v NR=999999999999 'END{for(i=1;i<=NR;i++) print i}' f
		awk '{$(999999*999999)=1}' f
		jq --arg p 'x{999}{999}' 'test($p)' f.json
		git grep -E '((x{1,999}){1,999}){1,99}'
		git log --grep='x\{999\}\{999\}'
		find . -regex 'x\{999\}\{999\}'
		sed -nE '/x{999}{999}/p' f
		jq -n '"x" * 999999 * 999999'
		jq 'reduce .[] as $x ("a"; . + .)' f.json
		sed 's/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/' f`},
	{"bash", "input that is put into a file first", `
		cat a | tac
		cat a | tac -`},
	{"bash", "widths that fill the memory", `
		git log --format='%<(2000000000)%s'
		git log --date=format:%2000000000Y
		git for-each-ref --format='%(align:2000000000)x%(end)'
		find . -printf %2000000000p
		stat -c %2000000000n a
		date +%2000000000Y
		ls -l --time-style=+%2000000000Y
		du --time --time-style=+%2000000000Y`},
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

// A file pattern is judged by the names that are there: through links, and where one
// would be an option.
func TestPatternsByWhatIsThere(t *testing.T) {
	const repo = "/home/u/repo"
	decideWith := func(line string, links map[string]string, names ...string) (string, abi.GateFacts) {
		call := commanded(line)
		call.RealPaths = map[string]string{repo: repo}
		for _, name := range names {
			call.RealPaths[repo+"/"+name] = repo + "/" + name
		}
		for name, target := range links {
			call.RealPaths[repo+"/"+name] = target
		}
		return Decide(call, abi.GateConfig{}).Decision, Facts(call, abi.GateConfig{})
	}
	away := map[string]string{"link": "/home/u/.ssh"}
	for _, line := range []string{"ls -la l*/", "ls -la l*/*", "stat l*/*", "wc -c l*/id*", "du -ab l*/", "ls -d */", "ls *", "cat */x.md", "ls .*", "ls -a .?"} {
		if got, _ := decideWith(line, away, "src", "a.md"); got != abi.Ask {
			t.Errorf("%s: %s", line, got)
		}
	}
	deep := map[string]string{"src/link": "/home/u/.ssh"}
	for _, line := range []string{"ls */*", "ls src/*/", "wc -c */*", "stat s*/*"} {
		if got, _ := decideWith(line, deep, "src"); got != abi.Ask {
			t.Errorf("%s: %s", line, got)
		}
	}
	everyday := []string{
		"ls -d */", "ls -d .[!.]*", "cat *.md", "head -n 5 *.txt", "file *.go", "grep -n foo *.md", "sort *.txt", "tail -n 3 *.md", "wc -l */*.go", "ls src/*/",
		"sed -n 1p *.md", "awk '{print $1}' *.txt", "rg foo *.md", "md5sum *.go", "cat src/*.go", "grep foo src/*.go",
	}
	names := []string{"src", "src/a.go", "src/sub", "a.md", "b.md", "x.txt", "m.go", "server.pem", ".git"}
	for _, line := range everyday {
		if got, _ := decideWith(line, nil, names...); got != abi.Allow {
			t.Errorf("%s: %s", line, got)
		}
	}
	for line, bad := range map[string]string{
		"grep -n foo *.md": "-f.md", "sort *.txt": "-ox.txt", "tail -n 3 *.md": "-f.md", "awk '{print $1}' *.txt": "FS=.txt", "rg foo *.md": "--pre=x.md", "ls *": "-LR",
		"cat *.md": "-n.md", "wc *": "--files0-from=x", "strings *.md": "@x.md", "tail *f": "+1f",
	} {
		if got, _ := decideWith(line, nil, append(names, bad)...); got != abi.Ask {
			t.Errorf("%s with %s: %s", line, bad, got)
		}
	}
	if got, _ := decideWith("sort *.md", nil); got != abi.Ask { // nothing is known to be there
		t.Errorf("sort *.md: %s", got)
	}
	below := map[string]string{"src/**": repo + "/src", "docs/**": repo + "/docs"}
	if got, facts := decideWith("diff -rq src docs", below, "src", "docs"); got != abi.Allow || !slices.Contains(facts.Folders, repo+"/src/**") {
		t.Errorf("diff -rq: %s, %v", got, facts.Folders)
	}
	below["docs/**/deep/x.md"] = "/home/u/.ssh/id_rsa"
	for _, links := range []map[string]string{below, nil, {"src/**": repo + "/src"}} {
		if got, _ := decideWith("diff -rq src docs", links, "src", "docs"); got != abi.Ask {
			t.Errorf("diff -rq with %v: %s", links, got)
		}
	}
	search := row{Shell: "pwsh", Command: "gci -Recurse src | sls x"}.call()
	for link, want := range map[string]string{"/src/**": abi.Allow, "/src/**/a/b": abi.Ask} {
		search.RealPaths = map[string]string{repo: repo, repo + "/src": repo + "/src", repo + "/src/**": repo + "/src"}
		search.RealPaths[repo+link] = map[string]string{abi.Allow: repo + "/src", abi.Ask: "/home/u/.ssh/id_rsa"}[want]
		if got := Decide(search, abi.GateConfig{}); got.Decision != want {
			t.Errorf("gci -Recurse with %s: %+v", link, got)
		}
	}
	_, facts := decideWith("wc -l src/*/*/*.go", nil)
	if diff := cmp.Diff([]string{repo + "/src", repo + "/src/*", repo + "/src/*/*"}, facts.Folders); diff != "" {
		t.Error(diff)
	}
}
