package pwsh

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/rules"
)

// result is what a line comes to: the rules of its parts and all paths, or the
// first refusal.
type result struct {
	Rules  string
	Reason string
	Paths  []rules.Path
}

func resultOf(parts []Part) result {
	var names []string
	var r result
	for _, p := range parts {
		if !p.Match.OK {
			return result{Rules: p.Match.Rule, Reason: p.Match.Reason.String()}
		}
		names = append(names, p.Match.Rule)
		r.Paths = append(r.Paths, p.Match.Paths...)
	}
	r.Rules = strings.Join(names, " ")
	return r
}

func paths(words ...string) []rules.Path {
	var out []rules.Path
	for _, w := range words {
		out = append(out, rules.Path{Word: w})
	}
	return out
}

// pattern is what a file pattern in a folder looks at.
func pattern(folder, names, plain string) []rules.Path {
	return []rules.Path{{Word: folder, Pattern: names}, {Word: plain}}
}

func TestJudge(t *testing.T) {
	const both, unix, windows = 3, 1, 2
	odd := func(program, text string) string {
		return "This hands " + program + " a text that may reach it as another one: " + text + "."
	}
	tests := []struct {
		src  string
		on   int
		want result
	}{
		{"gci", both, result{"Get-ChildItem", "", paths(".")}},
		{`GET-CHILDITEM -pAtH src\a, .\b`, both, result{"Get-ChildItem", "", paths("src/a", "./b")}},
		{"gci -Recurse src", both, result{"Get-ChildItem", "", []rules.Path{{Word: "src", Deep: true}}}},
		{`sls TODO src\*.cs`, both, result{"Select-String", "", pattern("src/", "*.cs", "src/.cs")}},
		{"sls TODO *.cs", both, result{"Select-String", "", pattern(".", "*.cs", ".cs")}},
		{"gci -Filter *.cs | sls x | select -First 3", both, result{"Get-ChildItem Select-String Select-Object", "", []rules.Path{{Word: ".", Pattern: "*"}}}},
		{`gc -LiteralPath 'a[1].txt'`, both, result{"Get-Content", "", paths("a[1].txt")}},
		{"gc '~/x'", both, result{"home", "This reaches into the home folder: ~/x.", nil}},
		{`gc C:\r\a.txt`, windows, result{"Get-Content", "", paths("C:/r/a.txt")}},
		{`gc C:\r\a.txt`, unix, result{"provider", `This looks at something that is no file: C:\r\a.txt.`, nil}},
		{`gc C:a.txt`, windows, result{"provider", `This looks at something that is no file: C:a.txt.`, nil}},
		{`gc a.txt:stream`, windows, result{"provider", `This looks at something that is no file: a.txt:stream.`, nil}},
		{"gc 010", both, result{"operand", "This names a file in a way that may be taken for a number: 010.", nil}},
		{"gc '010' 2>$null", both, result{"Get-Content", "", paths("010")}},
		{"gc 2024.md", both, result{"Get-Content", "", paths("2024.md")}},
		{"ls", windows, result{"Get-ChildItem", "", paths(".")}},
		{"ls -la", windows, result{"option", "This runs Get-ChildItem with an option that is not known to be harmless: -la.", nil}},
		{"ls -la", unix, result{"ls", "", nil}},
		{"cat -Raw a", unix, result{"option", "This runs cat with an option that is not known to be harmless: -Raw.", nil}},
		{"sort Name", unix, result{"sort", "", paths("Name")}},
		{"sort Name", windows, result{"operand", "This runs Sort-Object without saying on what, so it may change things or wait for ever.", nil}},
		{"type a", both, result{"Get-Content", "", paths("a")}},
		{"gci | gc", both, result{"pipe", "This hands Get-Content things that are only known when it runs.", nil}},
		{"gc x.json | ConvertFrom-Json | gci", both, result{"pipe", "This hands Get-ChildItem things that are only known when it runs.", nil}},
		{"gps | select -ExpandProperty StartInfo", both, result{"option", "This runs Select-Object with an option that is not known to be harmless: -ExpandProperty.", nil}},
		{"gps | sort-object CPU | select -Last 5 Name,CPU", both, result{"Get-Process Sort-Object Select-Object", "", nil}},
		{"gps | sort-object CPU | select -Expand StartInfo", both, result{"option", "This runs Select-Object with an option that is not known to be harmless: -Expand.", nil}},
		{"gps | gu | select *", both, result{"pipe", "This hands Get-Unique things that are only known when it runs.", nil}},
		{"gci -File -File", both, result{"option", "This gives Get-ChildItem the same option twice: -File.", nil}},
		{"iex x", both, result{"program", "This runs a program that can change things: iex.", nil}},
		{"'gci'", both, result{"program", "This runs a program that can change things: gci.", nil}},
		{"gci,x", both, result{"program", "This runs a program that can change things: gci.", nil}},
		{`.\gci`, windows, result{"program", `This runs a program that can change things: .\gci.`, nil}},
		{`.\gci`, unix, result{"location", `This runs a program by its location: .\gci.`, nil}},

		{"git log --oneline -10", both, result{"git log", "", nil}},
		{"GIT.exe status", windows, result{"git status", "", nil}},
		{"GIT status", unix, result{"program", "This runs a program that can change things: GIT.", nil}},
		{`git diff HEAD~1 -- src\a.cs`, both, result{"git diff", "", paths("HEAD", `src\a.cs`, "src/a.cs")}},
		{"git diff -- --output=x", both, result{"quoting", odd("git", "--output=x"), nil}},
		{"git log --format='%h %s'", both, result{"git log", "", nil}},
		{`git log '--format=%h" --output=x'`, both, result{"quoting", odd("git", `--format=%h" --output=x`), nil}},
		{"git log ''", both, result{"quoting", odd("git", ""), nil}},
		{`rg 'a b\' src`, both, result{"quoting", odd("rg", `a b\`), nil}},
		{"rg -g*.cs x", both, result{"quoting", odd("rg", "-g*.cs"), nil}},
		{"rg -g '*.cs' x src", both, result{"rg", "", []rules.Path{{Word: "src", Deep: true}}}},
		{"rg x *", both, result{"rg", "", []rules.Path{{Word: ".", Deep: true, Pattern: "*", Bare: true, Known: true}}}},
		{"git blame -L 1,20 a", both, result{"git blame", "", paths("a")}},
		{"git blame -L 1, 20 a", both, result{"quoting", odd("git", "1,20"), nil}},
		{"rg --pre cat x", both, result{"option", "This runs rg with an option that is not known to be harmless: --pre.", nil}},
		{"rg '--%' x", both, result{"quoting", odd("rg", "--%"), nil}},
		{"grep -rn foo src", both, result{"grep", "", []rules.Path{{Word: "src", Deep: true}}}},
		{"grep -rn 'foo.*' src", windows, result{"quoting", odd("grep", "foo.*"), nil}},
		{"grep -rn 'foo.*' src", unix, result{"grep", "", []rules.Path{{Word: "src", Deep: true}}}},
		{"find . -name x", windows, result{"program", "This runs a program that can change things: find.", nil}},
		{"find . -name x", unix, result{"find", "", paths(".")}},

		{`findstr /s /i /n TODO src\*.cs`, windows, result{"findstr", "", pattern("src/", "*.cs", "src/.cs")}},
		{"findstr /sin /c:TODO *.cs", windows, result{"findstr", "", pattern(".", "*.cs", ".cs")}},
		{"git log | findstr fix", windows, result{"git log findstr", "", paths(".")}},
		{"findstr TODO a", unix, result{"program", "This runs a program that can change things: findstr.", nil}},
		{"findstr TODO", windows, result{"operand", "This runs findstr without saying on what, so it may change things or wait for ever.", nil}},
		{"findstr /f:list TODO a", windows, result{"option", "This runs findstr with an option that is not known to be harmless: /f:list.", nil}},
		{"findstr /g:list a", windows, result{"option", "This runs findstr with an option that is not known to be harmless: /g:list.", nil}},
		{`findstr x \\host\share\a`, windows, result{"provider", `This looks at something outside the project folder: \\host\share\a.`, nil}},
		{"where.exe git", windows, result{"where", "", nil}},
		{`where.exe /r C:\ x`, windows, result{"option", "This runs where.exe with an option that is not known to be harmless: /r.", nil}},
		{"where git", windows, result{"operand", "This runs Where-Object without saying on what, so it may change things or wait for ever.", nil}},
		{"fc.exe a.txt b.txt", windows, result{"fc", "", paths("a.txt", "b.txt")}},
		{"fc.exe a.txt", windows, result{"operand", "This runs fc.exe without saying on what, so it may change things or wait for ever.", nil}},
		{"tree /f src", windows, result{"tree", "", paths("src")}},
		{"tree -L 2 src", unix, result{"tree", "", paths("src")}},
	}
	for _, test := range tests {
		for _, on := range []int{unix, windows} {
			if test.on&on == 0 {
				continue
			}
			if diff := cmp.Diff(test.want, resultOf(Judge(test.src, on == windows))); diff != "" {
				t.Errorf("%s (%d): %s", test.src, on, diff)
			}
		}
	}
}

// A table that does not hold what it says must not load.
func TestLoadRefusesABadTable(t *testing.T) {
	yes, no := []string{"Get-A"}, []string{"Get-B"}
	a := Cmdlet{Name: "Get-A", Gives: "text", Match: yes, NotMatch: no}
	with := func(change func(*Cmdlet)) []Cmdlet {
		c := a
		change(&c)
		return []Cmdlet{c}
	}
	tests := map[string]struct {
		cmdlets []Cmdlet
		want    string
	}{
		"no examples":       {with(func(c *Cmdlet) { c.Match = nil }), `cmdlet "Get-A": has no examples`},
		"does not take":     {with(func(c *Cmdlet) { c.Match = []string{"Get-A -X"} }), `cmdlet "Get-A": does not take its example "Get-A -X": This runs Get-A with an option that is not known to be harmless: -X.`},
		"must not take":     {with(func(c *Cmdlet) { c.NotMatch = yes }), `cmdlet "Get-A": takes "Get-A", which it must not`},
		"a kind":            {with(func(c *Cmdlet) { c.Parameters = "-X:frob" }), `cmdlet "Get-A": parameter "-X:frob": kind "frob" is not known`},
		"no dash":           {with(func(c *Cmdlet) { c.Parameters = "X" }), `cmdlet "Get-A": parameter "X": cannot be read`},
		"twice":             {with(func(c *Cmdlet) { c.Parameters = "-X -x" }), `cmdlet "Get-A": parameter "-x": is listed twice`},
		"an alias of none":  {with(func(c *Cmdlet) { c.Parameters = "-x=Y" }), `cmdlet "Get-A": parameter "-x=Y": is no other name for one`},
		"a position":        {with(func(c *Cmdlet) { c.Positions = "X" }), `cmdlet "Get-A": names a parameter "x" that it does not take`},
		"a need":            {with(func(c *Cmdlet) { c.Needs = "pipe|X" }), `cmdlet "Get-A": names a parameter "x" that it does not take`},
		"a depth":           {with(func(c *Cmdlet) { c.Deep = "X" }), `cmdlet "Get-A": names a parameter "x" that it does not take`},
		"a form":            {with(func(c *Cmdlet) { c.Takes = "frob" }), `cmdlet "Get-A": form "frob" is not known`},
		"a name taken":      {[]Cmdlet{a, a}, `cmdlet "Get-A": name "get-a" is taken`},
		"a Windows name":    {append(with(func(c *Cmdlet) { c.Windows = "a" }), Cmdlet{Name: "Get-B", Windows: "A", Gives: "text"}), `cmdlet "Get-B": name "a" is taken`},
		"an unlisted alias": {with(func(c *Cmdlet) { c.Parameters = "-X -ea=X" }), `cmdlet "Get-A": parameter "-ea=X": is no other name for one`},
	}
	for name, test := range tests {
		if _, err := load(test.cmdlets...); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
