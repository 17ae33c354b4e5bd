package script

import "testing"

// both checks that a grammar takes the one and refuses the other.
func both(t *testing.T, takes func(string) bool, yes, no []string) {
	t.Helper()
	for _, s := range yes {
		if !takes(s) {
			t.Errorf("refuses %q", s)
		}
	}
	for _, s := range no {
		if takes(s) {
			t.Errorf("takes %q", s)
		}
	}
}

func TestSed(t *testing.T) {
	both(t, Sed, []string{
		"5p", "1,20p", "10,$p", "3p;7p", "$p", "1,5p;10q", "/re/p", "/a/,/b/p", "/a/,+3p", "2,~4p", "0~3p", "1!d", "$!d", "/^#/d", "/^$/d", "$=", "=",
		"s/a/b/", "s/a/b/g", "s|/usr/|/opt/|gp", "s/^[ \\t]*//", "s/[a-z]*/X/2", "s/a\\/b/c/", `s/\(a\)\.b/\1&/I`, "y/abc/xyz/",
		"/a/{p;q}", "/a/{s/a/b/;p}", "5{p;q;}", "/a/{\n/b/p\n}", "s/a/b/;s/c/d/", "s/a/b/ ; p", "n;d", "$!N;P", "/[[:space:]]x/p", "1q5", "p;p", "", " ",
		"s/foo/barbaz/g;s/x/y/g;s/,/, /g", "s/.*/&&/", "s/[]x]/y/", "s/[^\\n]*/y/", "/A/I,/B/Ip",
	}, []string{
		"w out", "1w out", "1,5p;3w out", "s/a/b/w out", "s/a/b/gw out", "s/a/b/e", "s/a/b/ge", "1e id", "e", "r x", "R x", "W x", "$r/etc/passwd",
		"/a/w out", "/a/{w out\n}", "b", "ba", ":a;ba", ":a", "ta", "T", "D", "G", "h", "H", "x", "g", "a text", "i\\", "c x", "#n", "p#", "v",
		"s/a/b", "s/a", "s", "/a", "/a/", "5", "1,", "{p", "p}", "}", "s/[/]/w x/", "s/[\\]/]/w x/", "s/[[.a.]]/b/", "s/[a/b/", "sxaxbx", "s/a/b\nw x/",
		"/x\\{999\\}\\{999\\}/p", "s/x{999}{999}//", "s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g;s/./&&/g", "s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/;s/.*/&&&&&&&&/", "s/x*/0123456789012345/g;s/x*/0123456789012345/g;s/x*/0123456789012345/g;s/x*/0123456789012345/g;s/x*/0123456789012345/g;s/x*/0123456789012345/g",
		"s/a\nb/c/", "\\xaxp", "s\\a\\b\\", "s/a/b/;w x", "p w", "5 w x", "1,5!w x", "s a b w", "y/a/b/w x", "p\x00", "1~p", "s/a/b/g x", "pp", "/a/pw x",
	})
}

func FuzzSed(f *testing.F) {
	for _, s := range []string{"1,5p", "s/a/b/w x", "/[[:a:]]/{p;q}", "1e id", `s/[\]/]/w x/`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		if Sed(src) && Sed(src+"\nw x") {
			t.Errorf("%q: a line more writes", src)
		}
	})
}
