package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuiltinLoads(t *testing.T) {
	for name, family := range Builtin.index() {
		if _, err := family.checked(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(Builtin.index()); n < 40 {
		t.Errorf("only %d programs", n)
	}
}

// A table that does not hold what it says must not load.
func TestLoadRefusesABadTable(t *testing.T) {
	match, not := []string{"a"}, []string{"b"}
	tests := map[string]struct {
		program Program
		want    string
	}{
		"no examples":                 {Program{Name: "a", Match: match}, `rule "a": has no examples`},
		"an example it does not take": {Program{Name: "a", Match: []string{"a -x"}, NotMatch: not}, `rule "a": does not take its example "a -x": This runs a with an option that is not known to be harmless: -x.`},
		"an example it must not take": {Program{Name: "a", Match: match, NotMatch: []string{"a"}}, `rule "a": takes "a", which it must not`},
		"an unknown kind":             {Program{Name: "a", Options: "-x:frob", Match: match, NotMatch: not}, `rule "a": option "-x:frob": value kind "frob" is not known`},
		"an unknown operand kind":     {Program{Name: "a", Operands: "frob*", Match: match, NotMatch: not}, `rule "a": operand kind "frob" is not known`},
		"an unknown test's kind":      {Program{Name: "a", Expression: "-x:frob", Match: match, NotMatch: not}, `rule "a": value kind "frob" is not known`},
		"an option twice":             {Program{Name: "a", Options: "-x -yx", Match: match, NotMatch: not}, `rule "a": option "-yx": x is listed twice`},
		"a long option twice":         {Program{Name: "a", Options: "--x --x", Match: match, NotMatch: not}, `rule "a": option "--x": is listed twice`},
		"an option without a dash":    {Program{Name: "a", Options: "x", Match: match, NotMatch: not}, `rule "a": option "x": cannot be read`},
		"a bundle with a value":       {Program{Name: "a", Options: "-xy:num", Match: match, NotMatch: not}, `rule "a": option "-xy:num": cannot be read`},
		"a need it does not take":     {Program{Name: "a", Need: "--list", Match: match, NotMatch: not}, `rule "a": names an option "--list" that it does not take`},
	}
	for name, test := range tests {
		if _, err := Load(test.program); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMatch(t *testing.T) {
	type result struct {
		OK     bool
		Rule   string
		Reason string
		Paths  []Path
		Git    bool
	}
	ok := func(rule string, git bool, paths ...Path) result { return result{true, rule, "", paths, git} }
	no := func(rule, why string) result { return result{Rule: rule, Reason: why} }
	tests := []struct {
		words string // a word with ⁎ in front holds a file pattern
		want  result
	}{
		{"cat a b", ok("cat", false, Path{Word: "a"}, Path{Word: "b"})},
		{"head -n5 -- -odd", ok("head", false, Path{Word: "-odd"})},
		{"sed 5p a", ok("sed", false, Path{Word: "a"})},
		{"grep -q x", no("operand", "This runs grep without saying on what, so it may change things or wait for ever.")},
		{"hostname x", no("operand", "This runs hostname on something that is not known to be harmless: x.")},
		{"tail +1f a", no("operand", "This runs tail on something that is not known to be harmless: +1f.")},
		{"uniq a -c", no("option", "This runs uniq with an option that is not known to be harmless: -c.")},
		{"awk {print} a -F /etc/shadow", no("option", "This runs awk with an option that is not known to be harmless: -F.")},
		{"awk {print|1} a", no("script", "This hands awk a script that is not known to be harmless: {print|1}.")},
		{"sed -e w a", no("option", "This runs sed with an option that is not known to be harmless: -e.")},
		{"sort a -t /etc/shadow", ok("sort", false, Path{Word: "/etc/shadow"}, Path{Word: "a"})},
		{"sort -t / a", ok("sort", false, Path{Word: "a"})},
		{"jq --arg a b $a f", ok("jq", false, Path{Word: "f"})},
		{"jq --arg a", no("option", "This runs jq with an option that is not known to be harmless: --arg.")},
		{"jq --arg=a b . f", no("option", "This runs jq with an option that is not known to be harmless: --arg=a.")},
		{"jq -n 1", ok("jq", false)},
		{"diff a.txt Makefile", ok("diff", false, Path{Word: "a.txt", File: true}, Path{Word: "Makefile", File: true})},
		{"diff a b", no("operand", "This runs diff on something that is not known to be harmless: a.")},
		{"diff --no-dereference a b", ok("diff", false, Path{Word: "a", Deep: true}, Path{Word: "b", Deep: true})},
		{"command rm x", no("command", "This runs command in a way that can change things.")},
		{"grep -rn foo", ok("grep", false, Path{Word: ".", Deep: true})},
		{"grep -rn foo src", ok("grep", false, Path{Word: "src", Deep: true})},
		{"grep foo src", ok("grep", false, Path{Word: "src"})},
		{"grep -e foo src", ok("grep", false, Path{Word: "src"})},
		{"grep -f list src", ok("grep", false, Path{Word: "list"}, Path{Word: "src"})},
		{"rg foo", ok("rg", false, Path{Word: ".", Deep: true})},
		{"sort -uo x y", no("option", "This runs sort with an option that is not known to be harmless: -uo.")},
		{"wc -l ⁎src/*.go", ok("wc", false, Path{Word: "src/", Pattern: "*.go"}, Path{Word: "src/.go"})},
		{"wc -l ⁎*.go", ok("wc", false, Path{Word: ".", Pattern: "*.go", Bare: true}, Path{Word: ".go"})},
		{"ls ⁎a/*/b*/c", ok("ls", false, Path{Word: "a/", Pattern: "*/b*/c"}, Path{Word: "a/b/c"})},
		{"ls ⁎*", ok("ls", false, Path{Word: ".", Pattern: "*", Bare: true})},
		{"ls -d ⁎*/", ok("ls", false, Path{Word: ".", Pattern: "*/", Bare: true})},
		{"ls -d ⁎.[!.]*", ok("ls", false, Path{Word: ".", Pattern: ".[!.]*", Bare: true}, Path{Word: ".!."})},
		{"ls ⁎.*", no("glob", "This hands ls a list of files that is only filled in when it runs: .*.")},
		{"ls ⁎src/*/./x", no("glob", "This hands ls a list of files that is only filled in when it runs: src/*/./x.")},
		{"cat ⁎conf/[a-z]*.env", ok("cat", false, Path{Word: "conf/", Pattern: "[a-z]*.env"}, Path{Word: "conf/a-z.env"})},
		{"grep foo ⁎src/*.go", ok("grep", false, Path{Word: "src/", Pattern: "*.go"}, Path{Word: "src/.go"})},
		{"grep foo ⁎*.go", ok("grep", false, Path{Word: ".", Pattern: "*.go", Bare: true, Known: true}, Path{Word: ".go"})},
		{"cat ⁎src/*/a", ok("cat", false, Path{Word: "src/", Pattern: "*/a"}, Path{Word: "src/a"})},
		{"tail -- ⁎-x/*", no("glob", "This hands tail a list of files that is only filled in when it runs: -x/*.")},
		{"uniq ⁎src/*", no("glob", "This hands uniq a list of files that is only filled in when it runs: src/*.")},
		{"xxd ⁎src/*", no("glob", "This hands xxd a list of files that is only filled in when it runs: src/*.")},
		{"diff a.txt ⁎src/*.go", no("glob", "This hands diff a list of files that is only filled in when it runs: src/*.go.")},
		{"git diff ⁎src/*.go", no("glob", "This hands git diff a list of files that is only filled in when it runs: src/*.go.")},
		{"grep -rn foo ⁎--include=*.go .", ok("grep", false, Path{Word: ".", Deep: true})},
		{"grep -rn foo ⁎--inclu*=x .", no("glob", "This hands grep a list of files that is only filled in when it runs: --inclu*=x.")},
		{"grep foo ⁎--file=* .", no("glob", "This hands grep a list of files that is only filled in when it runs: --file=*.")},
		{"sort ⁎--outp=* a", no("glob", "This hands sort a list of files that is only filled in when it runs: --outp=*.")},
		{"wc -l ⁎a/*/../../../x", no("glob", "This hands wc a list of files that is only filled in when it runs: a/*/../../../x.")},
		{"sort ⁎*", ok("sort", false, Path{Word: ".", Pattern: "*", Bare: true, Known: true})},
		{"head ⁎-*", no("glob", "This hands head a list of files that is only filled in when it runs: -*.")},
		{"head -n ⁎* a", no("option", "This runs head with an option that is not known to be harmless: -n.")},
		{"⁎l* a", no("program", "This runs a program that can change things: l*.")},
		{"[ -f a ]", ok("[", false, Path{Word: "a"})},
		{"./ls", no("location", "This runs a program by its location: ./ls.")},
		{"npm install", no("command", "This runs npm in a way that can change things.")},
		{"git push", no("program", "This runs a program that can change things: git push.")},
		{"git", no("program", "This runs git without saying on what, so it may change things or wait for ever.")},
		{"git -C x status", no("git-other", "This runs git in another folder than the chat's own: x.")},
		{"git -p log", no("option", "This runs git with an option that is not known to be harmless: -p.")},
		{"git --no-pager show HEAD:a/.env", ok("git show", true, Path{Word: "a/.env"})},
		{"git show :0:id_rsa HEAD^{/a:b}:id_dsa :(icase)ID_RSA :/x.pem :!y HEAD:", ok("git show", true,
			Path{Word: "0:id_rsa"}, Path{Word: "id_rsa"}, Path{Word: "b}:id_dsa"}, Path{Word: "id_dsa"}, Path{Word: "ID_RSA"}, Path{Word: "x.pem"}, Path{Word: "."}, Path{Word: "."})},
		{"git grep --untracked x", ok("git grep", true, Path{Word: ".", Deep: true})},
		{"git log -- src/*.go *.md", ok("git log", true, Path{Word: "src/"}, Path{Word: "."})},
		{"git diff ../x", ok("git diff", true, Path{Word: "../x"})},
		{"git log -L1,5:.env -L :f:a.go", ok("git log", true, Path{Word: ".env"}, Path{Word: "a.go"})},
		{"git diff HEAD~1 main~2..x^ a/../b d~.env a...b/x.env v12.. ..v2 a/.. r10^2 HEAD:b~1", ok("git diff", true,
			Path{Word: "HEAD"}, Path{Word: "main~2..x"}, Path{Word: "a/../b"}, Path{Word: "d~.env"}, Path{Word: "a...b/x.env"}, Path{Word: "v12"},
			Path{Word: "..v2"}, Path{Word: "a/.."}, Path{Word: "r10"}, Path{Word: "b"})},
		{"git branch x", no("operand", "This runs git branch on something that is not known to be harmless: x.")},
		{"cat", no("operand", "This runs cat without saying on what, so it may change things or wait for ever.")},
		{"find -name a -newer b", ok("find", false, Path{Word: "b"})},
		{"find a b -delete", no("option", "This runs find with an option that is not known to be harmless: -delete.")},
		{"tail -5f a", no("option", "This runs tail with an option that is not known to be harmless: -5f.")},
	}
	for _, test := range tests {
		words := plain(nil, test.words)
		for i := range words {
			words[i].Text, words[i].Glob = strings.CutPrefix(words[i].Text, "⁎")
		}
		m := Builtin.Match(words, false)
		if diff := cmp.Diff(test.want, result{m.OK, m.Rule, m.Reason.String(), m.Paths, m.Git}); diff != "" {
			t.Errorf("%s: %s", test.words, diff)
		}
	}
}

func TestKinds(t *testing.T) {
	tests := []struct {
		kind, takes, refuses string // words, separated by blanks
	}{
		{"regex", "foo|bar [0-9]{4}-[0-9]{2} a{,3} a{2,} {x} {{", "x{999}{999} (x{1,999}){1,999} x{9999999} x\\{999\\}\\{999\\}"},
		{"pattern", "*.go !.env *.{ts,tsx} src/**/*.go *_test.go", ".env .e* *.pem src/** {a,.env} .s?h/x"},
		{"added", "x:*.go x:include:go", "x:.env x:*.pem"},
		{"layout", "%s +%Y-%m-%d %99s", "%99999s"},
		{"group", "author committer trailer:x", "format:%GS %GS trailer:%(x)"},
		{"named", "a b.c", "- +x"},
		{"num", "0 20 +5 -3 1K 10MB 0.5 1kB", "x 5x -- 1GGGG 1e9 $"},
		{"word", "a a-b a.b:c,d+e%1", "a/b a;b ~a $a a=b"},
		{"format", "%H oneline format:%h tformat: %an%n", "%G? %h%G %+GS %-G? mine format=%G?"},
		{"refs", "%(refname:short)", "%(signature:grade)"},
		{"lines", "1,20 5,+3", "/a/,+3 :f"},
		{"path", "a /b -c ../d", "+1f"},
		{"input", "a b.c", "@a a=b +x"},
		{"file", "a.txt .env src/x.go Makefile a/LICENSE", "src . .. a/ a.txt/ a/.. +x.y"},
		{"width", "1 9999", "10000 -1 1k"},
		{"size", "5 +1M -100c 10k", "M 5x +-"},
		{"column", "pid pid,cmd -%mem pid,args,etime", "environ pid,environ x"},
		{"key", "user.name core.editor remote.origin.url branch.main.merge", "http.extraheader credential.helper url.x.insteadof remote.x.y user alias.x"},
		{"assign", "a=b n=5 FS=:", "a ENVIRON=x =b 1=2"},
		{"sed", "5p s/a/b/g /a/,/b/p", "w 1e s/a/b/w"},
		{"awk", "1 {print} NR>5", "{print>1} BEGIN{system(1)}"},
		{"jq", ". .a|keys", "env $ENV"},
		{"printf", `%s\n 100%% %5.2f %-20s`, "%n %5n %*.*ln -v %%n%n %*d %9999999d"},
		{"time", "+%s", "%s 010203042026"},
		{"prog", "go clang-18", "./x a/b"},
		{"a|b", "a b", "c"},
		{"=a", "a", "b"},
	}
	for _, test := range tests {
		for _, w := range strings.Fields(test.takes) {
			if !Fits(test.kind, w) {
				t.Errorf("%s does not take %q", test.kind, w)
			}
		}
		for _, w := range strings.Fields(test.refuses) {
			if Fits(test.kind, w) {
				t.Errorf("%s takes %q", test.kind, w)
			}
		}
	}
}
