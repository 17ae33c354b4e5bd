package permit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/bash"
	"strata.dev/bridge/plugins/gate/place"
	"strata.dev/bridge/plugins/gate/pwsh"
)

var repo = place.Place{
	CWD: "/home/u/repo", Workspace: "/home/u/repo", Secrets: []string{"/home/u/.strata", "/home/u/repo/data/host"},
	Real: map[string]string{
		"/home/u/repo": "/home/u/repo", "/home/u/repo/link": "/home/u/elsewhere/notes.txt", "/home/u/repo/key": "/home/u/.ssh/id_rsa",
		"/home/u/repo/gone": "", "/tmp/in": "/tmp/in", "/tmp/link": "/var/x",
	},
}

// unit is what a command does, or the files or tool that it names.
func unit(t *testing.T, tool, what string) Unit {
	t.Helper()
	switch {
	case tool == Shell:
		commands, problem := bash.Parse(what)
		if !problem.None() || len(commands) != 1 {
			t.Fatalf("%q is not one command", what)
		}
		return Unit{Tool: tool, Words: commands[0].Words}
	case tool == PowerShell && what != "":
		words, ok := pwsh.Words(what, false)
		if !ok {
			t.Fatalf("%q is not one command", what)
		}
		return Unit{Tool: tool, Words: words}
	case tool == "write" || tool == "read":
		return Unit{Tool: tool, Files: []string{what}}
	}
	return Unit{Tool: tool, Told: []string{what}}
}

func TestCovers(t *testing.T) {
	tests := []struct {
		tool, pattern string
		yes, no       []string
	}{
		{"bash", "npm test", []string{"npm test", "npm  'test'"}, []string{"npm", "npm test x", "npm run test", "npm-test", "npm tests"}},
		{"bash", "npm run *", []string{"npm run lint", "npm run a:b"}, []string{"npm run", "npm run --x", "npm run lint x", "npm run ../x", "npm run /etc/x", "npm run https://a.invalid"}},
		{"bash", "go test **", []string{"go test", "go test ./...", "go test ./a ./b"}, []string{"go test -exec x", "go test ./a -exec=x", "go test ../x", "go", "go vet"}},
		{"bash", "git commit -m *", []string{"git commit -m x", "git commit -m 'fix: a, b'"}, []string{"git commit -m x --amend", "git commit --amend -m x", "git commit -m"}},
		{"bash", "git add src/*", []string{"git add src/a.go"}, []string{"git add src/a/b.go", "git add src", "git add src/.env"}},
		{"bash", "cp * out", []string{"cp a out"}, []string{"cp .env out", "cp link out", "cp key out", "cp gone out", "cp -r out", "cp data/host/x out"}},
		{"bash", "rm -rf build", []string{"rm -rf build"}, []string{"rm -fr build", "rm -rf 'build '", "rm -rf build/"}},
		{"bash", "make 'a*'", []string{"make 'a*'"}, []string{"make ab"}},
		{"bash", "cat key", nil, []string{"cat key"}},
		{"bash", "tool --from=/proc/self/environ", nil, []string{"tool --from=/proc/self/environ"}},
		{"bash", "tool -f/home/u/.strata/token", nil, []string{"tool -f/home/u/.strata/token"}},
		{"bash", "tool @.env", nil, []string{"tool @.env"}},
		{"bash", "tar cf x .", nil, []string{"tar cf x ."}}, // the host's folder is below
		{"bash", "rm x", nil, []string{"rm *", "rm x*"}},
		{"bash", "python run.py *", []string{"python run.py a"}, []string{"python other.py a", "python -c a"}},
		{"pwsh", "npm test", []string{"npm test", "npm 'test'"}, []string{"npm", "npm test x", "npm run test"}},
		{"pwsh", "npm run *", []string{"npm run lint"}, []string{"npm run", "npm run --x", "npm run ../x", "npm run /etc/x", "npm run https://a.invalid"}},
		{"pwsh", "Remove-Item build/* -Recurse", []string{"Remove-Item build/x -Recurse"}, []string{"Remove-Item build/* -Recurse", "Remove-Item 'build/*' -Recurse", "Remove-Item build/x -Recurse -Force", "Remove-Item build/.env -Recurse"}},
		{"pwsh", "New-Item -Path *", []string{"New-Item -Path a.txt"}, []string{"New-Item -Path .env", "New-Item -Path key", "New-Item -Path link"}},
		{"pwsh", "git commit -m 'it''s done'", []string{"git commit -m \"it's done\""}, []string{"git commit -m x"}},
		{"pwsh", "python run.py *", []string{"python run.py a"}, []string{"python other.py a", "python -c a"}},
		{"write", "docs/*.md", []string{"docs/a.md", "/home/u/repo/docs/a.md", "./docs/b.md"}, []string{"docs/x/../b.md", "docs/a.txt", "docs/x/a.md", "a.md", "docs/.a.md", "../docs/a.md"}},
		{"write", "docs/**", []string{"docs/a", "docs/a/b/c.md"}, []string{"docs", "docs/.git/x", "docs/a/.env", "doc/a"}},
		{"write", "**/*.go", []string{"a.go", "x/y/a.go"}, []string{".x/a.go", "a.gox"}},
		{"write", "**", []string{"a", "x/y"}, []string{".git/config", "x/.env", "link", "key", "gone", "/tmp/in"}},
		{"write", ".github/w.yml", []string{".github/w.yml"}, []string{".github/x.yml"}},
		{"read", "/tmp/*", []string{"/tmp/in"}, []string{"/tmp/link", "/tmp/.x"}},
		{"write", "/home/u/.strata/**", nil, []string{"/home/u/.strata/token"}},
		{"write", "key", nil, []string{"key"}},
		{"mcp__notes__add", "mcp__notes__add", []string{"hello"}, []string{"/home/u/.ssh/id_rsa", "see file:///proc/self/environ", "cat .env"}},
		{"mcp__notes__add", "mcp__notes__*", []string{"hello"}, nil},
		{"job_kill", "job_kill", []string{"3"}, nil},
		{"web", "*", []string{"x"}, nil},
	}
	for _, test := range tests {
		p, bad := Parse(test.tool, test.pattern)
		if !bad.None() {
			t.Errorf("%s %q: %s", test.tool, test.pattern, bad)
			continue
		}
		for want, all := range map[bool][]string{true: test.yes, false: test.no} {
			for _, what := range all {
				if got := p.Covers(unit(t, test.tool, what), repo); got != want {
					t.Errorf("%s %q covers %q: %v", test.tool, test.pattern, what, got)
				}
			}
		}
	}
}

// A pattern covers its own tool only.
func TestCoversNoOtherTool(t *testing.T) {
	units := []Unit{unit(t, "bash", "npm test"), unit(t, "write", "a"), unit(t, "read", "a"), unit(t, "mcp__a__b", ""), unit(t, "mcp__ab__b", ""), unit(t, "web", ""), unit(t, "pwsh", "")}
	for i, own := range units {
		for _, line := range []string{own.Narrowest(repo), "**", "*", "mcp__a__*"} {
			p, bad := Parse(own.Tool, line)
			if !bad.None() {
				continue
			}
			for j, other := range units {
				if p.Covers(other, repo) && i != j {
					t.Errorf("%s %q covers %s", own.Tool, line, other.Tool)
				}
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for tool, lines := range map[string][]string{
		"bash": {
			"", " ", "*", "* x", "ls; rm x", "ls | cat", "ls > x", "cat < x", "a $(b)", "echo $HOME", "FOO=1 ls", "ls &", "cd src", "source x", "export A=1",
			"sh -c *", "sudo *", "env A=1 *", "timeout 5 *", "xargs -n 1 *", "python -m *", "npm ** x", "npm a** x", "npm ?", "npm [a]", "rm ~/x",
			"ls \\\n-l", "if true; then ls; fi", strings.Repeat("x", 1001),
		},
		"write":     {"", "~/x", "../x", "a/../b", "a/", "/**", "/*/x", "a**", "a?", "{a,b}"},
		"mcp__a__b": {"*", "mcp__*", "mcp__a_*", "mcp__a__c", "mcp__b__*", "mcp__a__b*", "mcp____*", "bash"},
		"job_kill":  {"*", "job_*", "bash"},
		"web":       {"web_search", "**"},
		"pwsh": {
			"", "*", "* x", "a; b", "a | b", "a > x", "a 2>$null", "a $b", "a $(b)", "a {b}", "& a", "a `b", "'a' b", "a b,c", "a '-Force'",
			"cd src", "CD src", "Set-Location src", ". ./x.ps1", "iex x", "Invoke-Expression x", "Set-Alias a b", "New-Item alias:ls -Value rm",
			"Start-Process *", "saps *", "START a*", "pwsh -File *", "powershell.exe *", "C:/Windows/cmd.exe *", "foreach-object *", "npm ** x", "npm ?",
		},
		"cmd":              {"cmd"},
		"notebook_edit":    {"*"},
		"mcp__browser__xy": {"mcp__browser__*x"},
	} {
		for _, line := range lines {
			if p, bad := Parse(tool, line); bad.None() {
				t.Errorf("%s %q: %+v", tool, line, p)
			}
		}
	}
	for _, tool := range []string{"*", "mcp__*", "mcp__a*", "m*"} {
		if p, bad := Parse(tool, tool); bad.None() {
			t.Errorf("%s: %+v", tool, p)
		}
	}
}

func TestNarrowest(t *testing.T) {
	for _, src := range []string{
		"npm test", "git commit -m 'fix: it'\"'\"'s done'", "grep -n '*' a", `echo "a b"`, "x ''", "x a={b} c", "echo '!x' '#y' a#b", `x '\n' "\\"`, "echo é 'a→b'",
	} {
		u := unit(t, Shell, src)
		line := u.Narrowest(repo)
		p, bad := Parse(Shell, line)
		if !bad.None() {
			t.Errorf("%s becomes %s: %s", src, line, bad)
			continue
		}
		if diff := cmp.Diff(u.Words, p.words); diff != "" {
			t.Errorf("%s becomes %s: %s", src, line, diff)
		}
	}
	for _, src := range []string{
		"npm test", "git commit -m 'fix: it''s, done'", `echo "a b"`, "x a=b c", "x 'a={b}' '%h' '@a'", "git log --format='%h %s'", "x '!' '#y' a+b", "Remove-Item a -Recurse",
	} {
		u := unit(t, PowerShell, src)
		line := u.Narrowest(repo)
		p, bad := Parse(PowerShell, line)
		if diff := cmp.Diff(u.Words, p.words); diff != "" || !bad.None() {
			t.Errorf("%s becomes %s: %s%s", src, line, bad, diff)
		}
	}
	lines := unit(t, Shell, "git commit -m 'a\nb'")
	if got := lines.Narrowest(repo); got != "git commit -m *" {
		t.Errorf("a word of two lines becomes %s", got)
	}
	for file, want := range map[string]string{"a": "a", "/home/u/repo/x/y": "x/y", "/tmp/in": "/tmp/in", "./a/../b": "b"} {
		if got := unit(t, "write", file).Narrowest(repo); got != want {
			t.Errorf("%s becomes %s", file, got)
		}
	}
}

// Whatever the words are, the narrowest pattern means them and nothing else.
func FuzzNarrowest(f *testing.F) {
	for _, s := range []string{"a", "*", "a'b", "-x", "~", "!a", "a\nb", "$x", "\\", "é", "a=b", "{a,b}", "#", "--a=%b", "a,b", "@x"} {
		f.Add(s, "y")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for _, tool := range []string{Shell, PowerShell} {
			u := Unit{Tool: tool, Words: []bash.Word{{Text: "prog"}, {Text: a}, {Text: b}}}
			p, bad := Parse(tool, u.Narrowest(place.Place{}))
			if !bad.None() {
				continue // a word that no command can hold
			}
			for i, w := range p.words {
				if w.Glob && w.Text == "*" && strings.ContainsAny(u.Words[i].Text, "\n\r") {
					continue
				}
				// A star is one in PowerShell also in quotes; nothing with a star in it is ever covered.
				if w.Glob && !(tool == PowerShell && strings.ContainsAny(a+b, "*?[")) || w.Text != u.Words[i].Text {
					t.Errorf("%s: %q becomes %q", tool, []string{a, b}, u.Narrowest(place.Place{}))
				}
			}
		}
	})
}

// A pattern never covers an option that it does not write out, nor a secret.
func FuzzCovers(f *testing.F) {
	f.Add("git add *", "x", "y")
	f.Add("go test **", "-exec", "y")
	f.Add("cp * out", ".env", "out")
	f.Fuzz(func(t *testing.T, line, a, b string) {
		p, bad := Parse(Shell, line)
		if !bad.None() {
			return
		}
		u := Unit{Tool: Shell, Words: []bash.Word{p.words[0], {Text: a}, {Text: b}}}
		if !p.Covers(u, repo) {
			return
		}
		for i, w := range u.Words[1:] {
			i := min(i+1, len(p.words)-1)
			if strings.HasPrefix(w.Text, "-") && !strings.HasPrefix(p.words[i].Text, "-") {
				t.Errorf("%q covers %q", line, w.Text)
			}
			if repo.Forbidden(w.Text).Key != "" && repo.Abs(w.Text) != "" {
				t.Errorf("%q covers the secret %q", line, w.Text)
			}
		}
	})
}
