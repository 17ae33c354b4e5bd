package bash

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// plainly is a command as a table shows it: its words, * behind one that holds a
// file pattern, | in front of a command that reads from the one before; or the
// rule of its problem.
func plainly(commands []Command) [][]string {
	var out [][]string
	for _, c := range commands {
		if !c.Problem.None() {
			out = append(out, []string{"!" + c.Problem.Rule})
			continue
		}
		var words []string
		for _, r := range c.Reads {
			words = append(words, "<"+r)
		}
		if c.Piped && c.Reads == nil {
			words = append(words, "|")
		}
		for _, w := range c.Words {
			text := w.Text
			if w.Glob {
				text += " *"
			}
			words = append(words, text)
		}
		out = append(out, words)
	}
	return out
}

func TestParse(t *testing.T) {
	tests := map[string][][]string{
		`ls -la`:                       {{"ls", "-la"}},
		"# where\npwd\nls":             {{"pwd"}, {"ls"}},
		`a | b && c || d; e`:           {{"a"}, {"|", "b"}, {"c"}, {"d"}, {"e"}},
		`a && b | c`:                   {{"a"}, {"b"}, {"|", "c"}},
		`! a`:                          {{"a"}},
		`a 'b c' "d e"f'g'`:            {{"a", "b c", "d efg"}},
		`a "\$x \"q\" \\ \n \` + "`\"": {{"a", "$x \"q\" \\ \\n `"}},
		`find . \( -name '*.md' \) \;`: {{"find", ".", "(", "-name", "*.md", ")", ";"}},
		`a 'b\'`:                       {{"a", `b\`}},
		`[ -f a ] && b`:                {{"[", "-f", "a", "]"}, {"b"}},
		`ls *.md [ab] 'x'?`:            {{"ls", "*.md *", "[ab] *", "x? *"}},
		`ls \*.md "*" '?'`:             {{"ls", "*.md", "*", "?"}},
		`git log @{u}..HEAD`:           {{"git", "log", "@{u}..HEAD"}},
		`git show HEAD~3 a^`:           {{"git", "show", "HEAD~3", "a^"}},
		`rg "a|b;c&&d" 'x > y'`:        {{"rg", "a|b;c&&d", "x > y"}},
		`grep "end$" f`:                {{"grep", "end$", "f"}},
		`ls 2>/dev/null >/dev/null 2>&1 </dev/null &>/dev/null >&2`: {{"ls"}},

		`a; b &`:                 {{"a"}, {"!bash:background"}},
		`a |& b`:                 {{"!bash:pipe"}},
		`a > f | b`:              {{"!bash:redirect"}, {"|", "b"}},
		`a >> f`:                 {{"!bash:redirect"}},
		`a < f`:                  {{"<f", "a"}},
		`a | b <'f g' 0<h x`:     {{"a"}, {"<f g", "<h", "b", "x"}},
		`a < *`:                  {{"!bash:redirect"}},
		`a 3< f`:                 {{"!bash:redirect"}},
		`a < ""`:                 {{"!bash:redirect"}},
		`a < ~/f`:                {{"!bash:home"}},
		`a <& 3`:                 {{"!bash:redirect"}},
		`< f`:                    {{"!bash:redirect"}},
		`(a) < f`:                {{"!bash:redirect"}},
		`{ a; } < f`:             {{"!bash:redirect"}},
		`a <> f`:                 {{"!bash:redirect"}},
		`a >| f`:                 {{"!bash:redirect"}},
		`a &> f`:                 {{"!bash:redirect"}},
		`a >&2f`:                 {{"!bash:redirect"}},
		`a >& f`:                 {{"!bash:redirect"}},
		`a 3>/dev/null`:          {{"!bash:redirect"}},
		`a {fd}>/dev/null`:       {{"!bash:redirect"}},
		`a > /dev/nul*`:          {{"!bash:redirect"}},
		`a > "$f"`:               {{"!bash:expansion"}},
		`> f`:                    {{"!bash:redirect"}},
		`>/dev/null`:             {{"!bash:script"}},
		"a <<E\nx\nE":            {{"!bash:heredoc"}},
		`a <<< b`:                {{"!bash:heredoc"}},
		`A=1 b`:                  {{"!bash:variable"}},
		`A=1`:                    {{"!bash:variable"}},
		`export A=1`:             {{"!bash:variable"}},
		`a $b`:                   {{"!bash:expansion"}},
		`a "$b"`:                 {{"!bash:expansion"}},
		`a ${b}`:                 {{"!bash:expansion"}},
		`a $((1+1))`:             {{"!bash:expansion"}},
		`a $(b)`:                 {{"!bash:substitution"}},
		"a `b`":                  {{"!bash:substitution"}},
		`a "$(b)"`:               {{"!bash:substitution"}},
		`a <(b)`:                 {{"!bash:substitution"}},
		`a $'b'`:                 {{"!bash:backslash"}},
		`a $"b"`:                 {{"!bash:expansion"}},
		`a @(b|c)`:               {{"!bash:expansion"}},
		`a --ext\-diff`:          {{"!bash:backslash"}},
		`r\m x`:                  {{"!bash:backslash"}},
		`a {b,c}`:                {{"!bash:braces"}},
		`a {1..3}`:               {{"!bash:braces"}},
		`a x{"b",c}`:             {{"!bash:braces"}},
		`a {"b,c"}`:              {{"!bash:braces"}},
		`a ~/b`:                  {{"!bash:home"}},
		`a --b=~/c`:              {{"!bash:home"}},
		`(a)`:                    {{"!bash:script"}},
		`{ a; }`:                 {{"!bash:script"}},
		`if a; then b; fi`:       {{"!bash:script"}},
		`for i in a; do b; done`: {{"!bash:script"}},
		`f() { a; }; f`:          {{"!bash:script"}, {"f"}},
		`[[ a = b ]]`:            {{"!bash:script"}},
		`((1))`:                  {{"!bash:script"}},
		`time a`:                 {{"!bash:script"}},
		`coproc a`:               {{"!bash:script"}},
		`let a=1`:                {{"!bash:script"}},
	}
	for src, want := range tests {
		got, problem := Parse(src)
		if !problem.None() {
			t.Errorf("%q: %s", src, problem.Rule)
		}
		if diff := cmp.Diff(want, plainly(got)); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	}
}

func TestParseRefusesTheWhole(t *testing.T) {
	tests := map[string]string{
		"":                               "bash:empty",
		" \n\t":                          "bash:empty",
		"# only a comment":               "bash:empty",
		"ls &&":                          "bash:syntax",
		`ls "unterminated`:               "bash:syntax",
		"ls ;; pwd":                      "bash:syntax",
		"echo \"$\\\n(touch x)\"":        "bash:continuation",
		"ls # x\\\ntouch pwned":          "bash:continuation",
		`ls \`:                           "bash:continuation",
		"echo x >\r& rm y":               "bash:characters",
		"ls\x00":                         "bash:characters",
		"ls\x0b-la":                      "bash:characters",
		"ls\u00a0-la":                    "bash:characters",
		"git\u200b status":               "bash:characters",
		"echo \u202egnp.exe":             "bash:characters",
		"ls \xff":                        "bash:characters",
		"ls \x7f":                        "bash:characters",
		string(make([]byte, MaxBytes+1)): "bash:length",
	}
	for src, want := range tests {
		if _, problem := Parse(src); problem.Rule != want {
			t.Errorf("%.40q: %q, want %q", src, problem.Rule, want)
		}
	}
}

func TestTextIsWhatWasWritten(t *testing.T) {
	got, _ := Parse("  ls  'a b' 2>/dev/null ;  git   log|head  # why\n(a;b) ")
	var texts []string
	for _, c := range got {
		texts = append(texts, c.Text)
	}
	if diff := cmp.Diff([]string{"ls  'a b' 2>/dev/null", "git   log", "head", "(a;b)"}, texts); diff != "" {
		t.Error(diff)
	}
}
