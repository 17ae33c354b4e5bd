package pwsh

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"strata.dev/bridge/plugins/gate/bash"
)

// plainly is a command as a table shows it: | in front of one that reads from
// the one before, quotes around what was quoted, + between words with commas.
func plainly(commands []command) [][]string {
	var out [][]string
	for _, c := range commands {
		var words []string
		if c.piped {
			words = append(words, "|")
		}
		for _, a := range c.args {
			var items []string
			for _, w := range a.items {
				switch {
				case w.mixed:
					items = append(items, w.text+"'")
				case !w.bare:
					items = append(items, "'"+w.text+"'")
				default:
					items = append(items, w.text)
				}
			}
			words = append(words, strings.Join(items, "+"))
		}
		out = append(out, words)
	}
	return out
}

func TestParse(t *testing.T) {
	tests := map[string][][]string{
		"Get-ChildItem":                          {{"Get-ChildItem"}},
		"gci -Recurse | sls \"class Foo\"":       {{"gci", "-Recurse"}, {"|", "sls", "'class Foo'"}},
		"pwd; ls\n\n dir src ;":                  {{"pwd"}, {"ls"}, {"dir", "src"}},
		"a |\n b":                                {{"a"}, {"|", "b"}},
		"a 'it''s' \"say \"\"x\"\"\" '$x' '{}'":  {{"a", "'it's'", `'say "x"'`, "'$x'", "'{}'"}},
		"a x,'y z',w b, c":                       {{"a", "x+'y z'+w", "b+c"}},
		`a .\src\*.cs C:\x\y.txt`:                {{"a", `.\src\*.cs`, `C:\x\y.txt`}},
		"a 2>$null | b 2> $NULL":                 {{"a"}, {"|", "b"}},
		"git log --format='%h %s' --a=\"b c\"d":  {{"git", "log", "--format=%h %s'", "--a=b cd'"}},
		"git show HEAD~3 a^ main...x HEAD:b.txt": {{"git", "show", "HEAD~3", "a^", "main...x", "HEAD:b.txt"}},
		"a größe.txt":                            {{"a", "größe.txt"}},
	}
	for src, want := range tests {
		got, problem := parse(src)
		if !problem.None() {
			t.Errorf("%q: %s", src, problem.Rule)
		}
		if diff := cmp.Diff(want, plainly(got)); diff != "" {
			t.Errorf("%q: %s", src, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	tests := map[string]string{
		"": "empty", " \n;\t": "empty",
		"a $b": "expansion", "a \"$b\"": "expansion", "a \"x$(b)\"": "expansion", "a @b": "expansion", "a %b": "expansion", "gci | % Name": "expansion",
		"a @(b)": "expansion", "a @{b=1}": "expansion", "$a = b": "expansion", "a -b $c": "expansion", "a 2>$nullx": "redirect", "a b@c": "expansion",
		"a (b)": "substitution", "(a).b": "substitution", "a b(c)": "substitution",
		"a { b }": "script", "a b{c}": "script", "a & b": "script", "& a": "script", "a &": "script",
		"a && b": "script", "a || b": "operator",
		"a > b": "redirect", "a >> b": "redirect", "a>b": "redirect", "a 2> b": "redirect", "a *> b": "redirect", "a 2>&1": "redirect", "a < b": "redirect",
		"a >$null": "redirect", "a 3>$null": "redirect", "a 2>>$null": "redirect", "a2>$null": "redirect", "2>$null": "redirect",
		"a # b": "syntax", "# a": "syntax", "a <# b #> c": "redirect",
		"a |": "syntax", "| a": "syntax", "a | | b": "syntax", "a\n| b": "syntax",
		"a 'b": "syntax", "a \"b": "syntax", "a 'b'c": "syntax", "a 'b'.Length": "syntax", "a 'b'[0]": "syntax", "a b'c'": "syntax", "a 'b'::c": "syntax",
		"a b,": "syntax", "a ,b": "syntax", "a b,,c": "syntax", "a b,\nc": "syntax", "a b ,c": "syntax",
		"a =b": "syntax", "a :b": "syntax", "a !b": "syntax", "a +b": "syntax", "a ]": "syntax", "a \u2013Recurse": "syntax", "a \u2014\u2014b": "syntax",
		"a 'b\nc'": "characters",
		"a `\nb":   "characters", "a b`c": "characters", "a 'b`c'": "characters",
		"a \u2018b\u2019": "characters", "a 'b\u2019; c": "characters", "a \"b\u201d": "characters", "a \u201eb": "characters",
		"a\u00a0b": "characters", "a\u2003b": "characters", "a\u0085b": "characters", "a\rb": "characters", "a\x00": "characters", "a\x0bb": "characters", "a\u200bb": "characters",
		"a \u202eb": "characters", "a \xff": "characters",
		strings.Repeat("a;", bash.MaxParts+1): "parts", strings.Repeat("a", bash.MaxBytes+1): "length",
	}
	for src, want := range tests {
		if _, problem := parse(src); problem.Rule != want {
			t.Errorf("%.40q: %q, want %q", src, problem.Rule, want)
		}
	}
}

func TestTextIsWhatWasWritten(t *testing.T) {
	got, _ := parse("  ls  'a b' 2>$null ;  git   log|select x\n dir ")
	var texts []string
	for _, c := range got {
		texts = append(texts, c.text)
	}
	if diff := cmp.Diff([]string{"ls  'a b' 2>$null", "git   log", "select x", "dir"}, texts); diff != "" {
		t.Error(diff)
	}
}
