package pwsh

import (
	"strings"

	"strata.dev/bridge/plugins/gate/reason"
	"strata.dev/bridge/plugins/gate/rules"
)

// takers are programs that take the same arguments on Windows as elsewhere and
// do not fill in file patterns themselves. The value tells whether quoting
// passes as well: programs built on Cygwin's library read quotes, patterns and
// @file anew, so those get plain words only.
var takers = map[string]bool{
	"git": true, "rg": true, "fd": true, "jq": true, "node": true, "python": true, "python3": true,
	"whoami": true, "hostname": true, "grep": false, "head": false, "tail": false, "wc": false,
}

// program judges a program that is no cmdlet by the rules of the shells, after
// what PowerShell does to its arguments.
func program(c command, windows bool) rules.Match {
	name := c.args[0].items[0].text
	if windows {
		if m, known := slashed(c); known {
			return m
		}
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		if _, ok := takers[name]; !ok {
			return refuse("program", reason.Program, "program", c.args[0].items[0].text)
		}
	}
	words := []rules.Word{{Text: name}}
	ended := false // by --
	for _, a := range c.args[1:] {
		w, ok := native(a)
		switch plainly := !windows || takers[name] || simple(w.Text); {
		case !ok, ended && strings.HasPrefix(w.Text, "-"), !plainly:
			return refuse("quoting", reason.Quoting, "program", name, "text", w.Text)
		}
		ended = ended || w.Text == "--"
		words = append(words, w)
	}
	m := rules.Builtin.Match(words, c.piped)
	// Away from Windows a backslash is part of a name.
	for _, p := range m.Paths {
		if strings.Contains(p.Word, `\`) {
			m.Paths = append(m.Paths, rules.Path{Word: strings.ReplaceAll(p.Word, `\`, "/"), Deep: p.Deep})
		}
	}
	return m
}

// native is the one word that a program gets for an argument, if that is sure.
func native(a argument) (rules.Word, bool) {
	if len(a.items) > 1 {
		return list(a)
	}
	w := a.items[0]
	out := rules.Word{Text: w.text, Glob: (w.bare || w.mixed) && strings.ContainsAny(w.text, "*?[")}
	switch {
	case w.text == "" || strings.ContainsAny(w.text, `"`): // older versions drop or split them
		return out, false
	case strings.HasSuffix(w.text, `\`) && strings.ContainsAny(w.text, " \t"):
		return out, false // and this would take the closing quote along
	case strings.HasPrefix(w.text, "~"), strings.HasPrefix(w.text, "--%"):
		return out, false
	case w.bare && option(w.text) && strings.ContainsAny(w.text, ".:["): // is split in two
		return out, false
	}
	return out, true
}

// list is what a program gets for words with commas between: one word again, if
// nothing in it was quoted or could be a number written in another way.
func list(a argument) (rules.Word, bool) {
	var texts []string
	for _, w := range a.items {
		texts = append(texts, w.text)
	}
	out := rules.Word{Text: strings.Join(texts, ",")}
	if !a.tight || option(out.Text) {
		return out, false
	}
	for _, w := range a.items {
		odd := numeric(w.text) && (strings.Trim(w.text, "0123456789") != "" || w.text[0] == '0')
		if !w.bare || odd || strings.HasPrefix(w.text, "~") || strings.ContainsAny(w.text, `*?[\`) {
			return out, false
		}
	}
	return out, true
}

// option tells whether PowerShell reads a bare word as a parameter.
func option(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] != '-' && (s[1] < '0' || s[1] > '9')
}

// simple tells whether a word means the same to every program's own reading of
// its command line.
func simple(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./=:,+ ", r))
	}) < 0
}
